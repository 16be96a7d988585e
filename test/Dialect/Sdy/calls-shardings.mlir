// RUN: ipu-opt %s --split-input-file --sdy-propagate-sharding-from-func-to-call | FileCheck %s --check-prefix=TO-CALL
// RUN: ipu-opt %s --split-input-file --sdy-insert-func-call-reshards | FileCheck %s --check-prefix=RESHARD
// RUN: ipu-opt %s --split-input-file --sdy-insert-explicit-reshards | FileCheck %s --check-prefix=OPERAND
// RUN: ipu-opt %s --split-input-file --sdy-pre-order-funcs | FileCheck %s --check-prefix=ORDER

sdy.mesh @mesh = <["x"=2, "y"=2]>

// A call takes over all of the callee's shardings or none.

// TO-CALL-LABEL: @take(
// TO-CALL: call @two(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{?}]>]>}
// TO-CALL: call @two(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>, <@mesh, [{}]>]>}
// TO-CALL: call @none(%{{.+}}) : (tensor<8xf32>)
// TO-CALL: call @external(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
// ORDER: func.func private @never(
// ORDER: func.func @take(
// ORDER: func.func private @two(
// ORDER: func.func private @none(
// ORDER: func.func private @external(
func.func private @never(tensor<8xf32>) -> tensor<8xf32>
func.func private @none(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func private @external(tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
func.func private @two(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32>) {
  return %a, %a : tensor<8xf32>, tensor<8xf32>
}
func.func @take(%a: tensor<8xf32>) {
  %0:2 = call @two(%a) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1:2 = call @two(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>, <@mesh, [{}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %2 = call @none(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @external(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @one = <[], device_ids=[1]>

// Reshards where axes differ, not where only one side is open; none for results
// that nobody uses; without sharding is on all devices, if that is known.

// RESHARD-LABEL: @results(
// RESHARD: %[[A:.+]]:3 = call @three(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"y", ?}]>, <@mesh, [{}]>]>}
// RESHARD-NEXT: %[[C:.+]] = sdy.reshard %[[A]]#2 <@mesh, [{"x"}]>
// RESHARD-NEXT: %[[B:.+]] = sdy.reshard %[[A]]#0 <@mesh, [{"y"}]>
// RESHARD-NEXT: %[[D:.+]]:3 = call @three(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"y"}]>, <@mesh, [{?}]>]>}
// RESHARD-NEXT: %[[E:.+]] = call @external(
// RESHARD-SAME: {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// RESHARD-NEXT: call @device(%{{.+}}) : (tensor<8xf32>)
// RESHARD-NEXT: return %[[B]], %[[A]]#1, %[[C]]
func.func @results(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0:3 = call @three(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>, <@mesh, [{"y", ?}]>, <@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %1:3 = call @three(%a) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %2 = call @external(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @device(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0#0, %0#1, %0#2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @three(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<8xf32>) {
  return %a, %a, %a : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @external(tensor<8xf32>) -> tensor<8xf32>
func.func private @device(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) {
  return %a : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// The same for operands, in front of the call; in a loop they have the sharding
// of its result, in a manual computation no manual axes.

// OPERAND-LABEL: @operands(
// OPERAND-SAME: %[[A:[a-z0-9]+]]: tensor<8x8xf32>
// OPERAND: %[[R:.+]] = sdy.reshard %[[A]] <@mesh, [{"x"}, {}]>
// OPERAND-NEXT: %[[S:.+]] = sdy.reshard %[[A]] <@mesh, [{}, {}]>
// OPERAND-NEXT: call @foo(%[[R]], %[[S]])
// OPERAND-NEXT: call @external(%[[A]])
// OPERAND: stablehlo.while
// OPERAND: do
// OPERAND-NEXT: func.call @foo(%[[H:.+]], %[[T:.+]])
// OPERAND: sdy.manual_computation({{.+}}) {
// OPERAND-NEXT: func.call @bar(
func.func @operands(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %b: tensor<8x8xf32>, %n: tensor<i32>) {
  %0 = call @foo(%a, %a) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  call @external(%a) : (tensor<8x8xf32>) -> ()
  %1:3 = stablehlo.while(%i = %n, %h = %b, %t = %b) : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>]>}
   cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %3 = func.call @foo(%h, %t) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %i, %h, %3 : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  %2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y", "x"}, {}]>] out_shardings=[<@mesh, [{"y", "x"}, {}]>] manual_axes={"y"} (%p: tensor<4x8xf32>) {
    %q = func.call @bar(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %q : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
func.func private @foo(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
func.func private @bar(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x8xf32> {
  return %a : tensor<4x8xf32>
}
func.func private @external(tensor<8x8xf32>)
