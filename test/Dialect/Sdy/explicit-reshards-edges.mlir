// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s
// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true -o %t.once
// RUN: ipu-opt %t.once --sdy-insert-explicit-reshards=enable-full-version=true -o %t.twice
// RUN: diff %t.once %t.twice

sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: @func_results(
// CHECK-NEXT: %[[R:.*]] = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: %[[W:.*]] = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT: return %[[R]], %arg0, %[[W]]
func.func @func_results(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32>) {
  return %a, %a, %a : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

func.func private @callee(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  return %b : tensor<8xf32>
}

func.func private @declared(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %b: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<8xf32>

// CHECK-LABEL: @call(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: %[[B:.*]] = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT: call @callee(%[[A]], %[[B]])
func.func @call(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = call @callee(%a, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A declaration that says nothing of an argument takes what it gets, but no
// parts of a sum.
// CHECK-LABEL: @call_of_declaration(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: %[[C:.*]] = sdy.all_reduce {"y"} %arg1 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT: call @declared(%[[A]], %arg0, %[[C]])
func.func @call_of_declaration(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"y"}>}) -> tensor<8xf32> {
  %0 = call @declared(%a, %a, %b) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The loop's results own its edges; in the body, values are sharded like them.
// CHECK-LABEL: @while(
// CHECK: %[[INIT:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT: %[[LOOP:.*]]:2 = stablehlo.while(%[[IT:[a-zA-Z]+]] = %[[INIT]],
// CHECK: do {
// CHECK: %[[IN:.*]] = sdy.reshard %[[IT]] <@mesh, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %[[IN]]
// CHECK: %[[OUT:.*]] = sdy.reshard %[[NEG]] <@mesh, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT: stablehlo.return %[[OUT]],
func.func @while(%a: tensor<8xf32>, %n: tensor<i32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %a, %k = %n) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
  cond {
    %1 = stablehlo.compare LT, %k, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %i {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
    %2 = stablehlo.subtract %k, %c : tensor<i32>
    stablehlo.return %1, %2 : tensor<8xf32>, tensor<i32>
  }
  return %0#0 : tensor<8xf32>
}

// CHECK-LABEL: @case(
// CHECK: "stablehlo.case"(%arg1) ({
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: stablehlo.return %[[A]]
// CHECK: }, {
// CHECK-NEXT: %[[B:.*]] = stablehlo.constant
// CHECK-NEXT: %[[C:.*]] = sdy.reshard %[[B]] <@mesh, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: stablehlo.return %[[C]]
func.func @case(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %i: tensor<i32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<8xf32>
  }, {
    %1 = stablehlo.constant dense<1.0> : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Operands as the computation takes them, what the body returns without the
// manual axes.
// CHECK-LABEL: @manual_computation(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: sdy.manual_computation(%[[A]])
// CHECK-SAME: (%[[ARG:[a-z0-9]+]]: tensor<4x8xf32>) {
// CHECK-NEXT: %[[IN:.*]] = sdy.reshard %[[ARG]] <@mesh, [{"y"}, {}]> : tensor<4x8xf32>
// CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %[[IN]]
// CHECK-NEXT: %[[OUT:.*]] = sdy.reshard %[[NEG]] <@mesh, [{}, {"y"}]> : tensor<4x8xf32>
// CHECK-NEXT: sdy.return %[[OUT]]
func.func @manual_computation(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = stablehlo.negate %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: @optimization_barrier(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: stablehlo.optimization_barrier {{.*}} %[[A]]
func.func @optimization_barrier(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @returns_y(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @call_results(
// CHECK: %[[PLAIN:.*]] = call @returns_y({{.*}}<@mesh, [{"y"}]>
// CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %[[PLAIN]] {{.*}}<@mesh, [{"y"}]>
// CHECK-NEXT: %[[WHOLE:.*]] = sdy.reshard %[[NEG]] <@mesh, [{}]>
// CHECK: %[[OTHER:.*]] = call @returns_y({{.*}}<@mesh, [{"y"}]>
// CHECK-NEXT: %[[X:.*]] = sdy.reshard %[[OTHER]] <@mesh, [{"x"}]>
// CHECK: %[[SUM:.*]] = call @returns_y({{.*}}<@mesh, [{"y"}]>
// CHECK-NEXT: %[[PARTS:.*]] = sdy.replicated_to_unreduced {"x"} %[[SUM]] out_sharding=<@mesh, [{"y"}], unreduced={"x"}>
// CHECK-NEXT: return %[[WHOLE]], %[[X]], %[[PARTS]]
func.func @call_results(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}) {
  %0 = call @returns_y(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = call @returns_y(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @returns_y(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}], unreduced={"x"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
