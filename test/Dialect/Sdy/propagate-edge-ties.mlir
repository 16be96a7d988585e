// RUN: ipu-opt %s --sdy-add-data-flow-edges --sdy-aggressive-propagate --sdy-sink-data-flow-edges | FileCheck %s
// RUN: ipu-opt %s --sdy-add-func-data-flow-edges --sdy-aggressive-propagate --sdy-sink-func-data-flow-edges | FileCheck %s --check-prefix=CALL

sdy.mesh @mesh = <["a"=2, "b"=2]>

// The sources of an edge are equally large. The first decides, not the one with
// most devices, as it would at an elementwise op.

// CHECK-LABEL: func.func @elementwise(
// CHECK: stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", "b", ?}]>]>}
func.func @elementwise(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>},
                       %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", "b", ?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @loop(
// CHECK: stablehlo.while
// CHECK-SAME: <[<@mesh, []>, <@mesh, [{"a", ?}, {?}]>]>
func.func @loop(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %n: tensor<i32>) -> tensor<8x8xf32> {
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<8x8xf32> cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.custom_call @opaque(%y) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", "b", ?}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %i, %1 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @branches(
// CHECK: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : (tensor<i32>) -> tensor<8x8xf32>
func.func @branches(%c: tensor<i32>,
    %x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>},
    %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", "b", ?}]>}) -> tensor<8x8xf32> {
  %0 = "stablehlo.case"(%c) ({
    stablehlo.return %x : tensor<8x8xf32>
  }, {
    stablehlo.return %y : tensor<8x8xf32>
  }) : (tensor<i32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Two calls are the sources of what a function takes.
// CALL-LABEL: func.func @calls(
// CALL: func.func private @callee(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>})
func.func @calls(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>},
                 %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", "b", ?}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @callee(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @callee(%y) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @callee(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.custom_call @opaque(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
