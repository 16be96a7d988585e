// RUN: ipu-opt %s --split-input-file --sdy-propagation-pipeline=inline-calls=false | FileCheck %s --check-prefixes=CHECK,FLAT
// RUN: ipu-opt %s --split-input-file --sdy-propagation-pipeline=dedup-functions-fully | FileCheck %s --check-prefixes=CHECK,KEEP
// RUN: ipu-opt %s --split-input-file --sdy-propagation-pipeline | FileCheck %s --check-prefix=INLINE
// RUN: ipu-opt %s --split-input-file --sdy-import-pipeline=inline-calls=false | FileCheck %s --check-prefix=IMPORT

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Two calls of @layer disagree: two functions, or one with reshards. The third
// call is like the second, and shares its function.

// FLAT-LABEL: @main(
// FLAT: %[[A:.+]] = call @layer(%{{.+}}) {note = "call", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// FLAT: %[[B:.+]] = call @layer_1(%[[BX:.+]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>}
// FLAT: %[[C:.+]] = call @layer_1(%[[B]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>}
// FLAT: return %[[A]], %[[C]]
// FLAT: func.func private @act(%{{.+}}: tensor<8x8xf32> {my.arg, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) attributes {note = "function"} {
// FLAT: func.func private @layer(%{{.+}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
// FLAT: call @act(
// FLAT: func.func private @act_0(%{{.+}}: tensor<8x8xf32> {my.arg, sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) attributes {note = "function"} {
// FLAT: func.func private @layer_1(
// FLAT: call @act_0(
// FLAT-NOT: func.func private

// KEEP-LABEL: @main(
// KEEP: %[[X:.+]] = sdy.reshard %{{.+}} <@mesh, [{}, {}]>
// KEEP: %[[A:.+]] = call @layer(%[[X]]) {note = "call"}
// KEEP: %[[Y:.+]] = sdy.reshard %{{.+}} <@mesh, [{}, {}]>
// KEEP: %[[B:.+]] = call @layer(%[[Y]])
// KEEP: %[[C:.+]] = call @layer(%[[B]])
// KEEP: func.func private @layer(%{{.+}}: tensor<8x8xf32>) -> tensor<8x8xf32> {
// KEEP: call @act(
// KEEP: func.func private @act(%{{.+}}: tensor<8x8xf32> {my.arg}) -> tensor<8x8xf32> attributes {note = "function"} {
// KEEP-NOT: func.func private

// Import alone leaves the calls to what comes next.
// IMPORT-LABEL: @main(
// IMPORT-COUNT-3: call @layer(
// IMPORT-LABEL: @given(
// IMPORT: call @callee(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}

// INLINE-LABEL: @main(
// INLINE-COUNT-3: stablehlo.tanh
// INLINE-NOT: func.func private
// INLINE-LABEL: @shared(
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @layer(%a) {note = "call"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @layer(%b) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = call @layer(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @layer(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @act(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @act(%a: tensor<8x8xf32> {my.arg}) -> tensor<8x8xf32> attributes {note = "function"} {
  %0 = stablehlo.tanh %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// One callee's sharding is all calls' in the one mode, and each call's own in the
// other; a constraint in the callee holds for both.

// FLAT-LABEL: @shared(
// FLAT-SAME: %{{.+}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %{{.+}}: tensor<8x8xf32>)
// FLAT: call @rows(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// FLAT: call @rows_0(%{{.+}}) :
// FLAT: call @columns(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>}
// KEEP-LABEL: @shared(
// KEEP-SAME: %{{.+}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %{{.+}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
// KEEP: call @rows(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// KEEP: call @rows(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// KEEP: call @columns(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>}
func.func @shared(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @rows(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @rows(%b) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  %3 = call @columns(%2) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @rows(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @columns(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// A callee's own shardings: those of results are taken over by calls that have
// none, and lose against those of others; closed ones of arguments stay.

// CHECK-LABEL: @given(
// CHECK: %[[R:.+]] = sdy.reshard %{{.+}} <@mesh, [{"y"}]>
// CHECK: %[[A:.+]] = call @callee(%[[R]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// FLAT: %[[S:.+]] = sdy.reshard %{{.+}} <@mesh, [{"y"}]>
// FLAT: %[[B:.+]] = call @callee_0(%[[S]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
// FLAT: return %[[A]], %[[B]]
// KEEP: %[[S:.+]] = sdy.reshard %{{.+}} <@mesh, [{"y"}]>
// KEEP: %[[B:.+]] = call @callee(%[[S]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// KEEP: %[[C:.+]] = sdy.reshard %[[B]] <@mesh, [{"y"}]>
// KEEP: return %[[A]], %[[C]]
// CHECK: func.func private @callee(%{{.+}}: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
// FLAT: func.func private @callee_0(%{{.+}}: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
func.func @given(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = call @callee(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @callee(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @callee(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.custom_call @unknown(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Calls in loops and in manual computations, without arguments, with results that
// nobody uses; functions that nobody calls, declared ones, and ones of several
// blocks.

// CHECK-LABEL: @places(
// CHECK: call @zeros()
// CHECK: stablehlo.while
// CHECK-SAME: {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {"y"}]>]>}
// CHECK: do
// CHECK-NEXT: func.call @act(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>}
// CHECK: sdy.manual_computation(%{{.+}}) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"}
// CHECK-NEXT: func.call @half(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>}
// CHECK: call @half_0(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>}
// FLAT: call @act_1(%{{.+}}) :
// KEEP: call @act(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>}
// CHECK: call @external(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>}
// CHECK: call @blocks(
// CHECK-NOT: @never
// FLAT: func.func private @act_1(
// KEEP: func.func private @zeros() -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
func.func @places(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %n: tensor<i32>) -> (tensor<8x8xf32>, tensor<4x8xf32>) {
  %zeros = call @zeros() : () -> tensor<8x8xf32>
  %0:2 = stablehlo.while(%i = %n, %h = %a) : tensor<i32>, tensor<8x8xf32>
   cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %t = func.call @act(%h) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %i, %t : tensor<i32>, tensor<8x8xf32>
  }
  %1 = sdy.manual_computation(%0#1) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={"x"} (%p: tensor<4x8xf32>) {
    %q = func.call @half(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %q : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.slice %1 [0:4, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>
  %3 = call @half(%2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %turned = stablehlo.transpose %zeros, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %unused = call @act(%turned) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = call @external(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = call @blocks(%4) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %5, %3 : tensor<8x8xf32>, tensor<4x8xf32>
}
func.func private @external(tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
func.func private @never(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
func.func private @zeros() -> tensor<8x8xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @act(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @half(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.tanh %a : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func private @blocks(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %a : tensor<8x8xf32>
  cf.br ^next(%0 : tensor<8x8xf32>)
^next(%b: tensor<8x8xf32>):
  return %b : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Priorities: what the first call's operand wants waits for what the second's has.

// CHECK-LABEL: @priorities(
// CHECK-SAME: %{{.+}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %{{.+}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
// CHECK: call @sum(
// CHECK: func.func private @sum({{.*}}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
func.func @priorities(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}p1]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> tensor<8x8xf32> {
  %0 = call @sum(%a, %b) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @sum(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
