// RUN: ipu-opt %s --sdy-constant-or-scalar-splitter | FileCheck %s
// RUN: ipu-opt %s --sdy-propagation-pipeline=inline-calls=false | FileCheck %s --check-prefix=SHARD
// RUN: ipu-opt %s --sdy-propagation-pipeline=dedup-functions-fully | FileCheck %s --check-prefix=SHARD

sdy.mesh @mesh = <["x"=2, "y"=2]>

// A named computation of constants is a constant, which is copied for each
// use: that the two sums share it does not give them one sharding.
// CHECK-LABEL: func.func @named(
// CHECK-COUNT-2: sdy.constant dense<2.000000e+00>
// CHECK: %[[A:.*]] = sdy.named_computation<"table">
// CHECK: stablehlo.iota
// CHECK-NOT: stablehlo.iota
// CHECK: %[[B:.*]] = sdy.named_computation<"table">
// CHECK: stablehlo.iota
// CHECK-NOT: stablehlo.iota
// CHECK: stablehlo.add %arg0, %[[A]]
// CHECK: stablehlo.multiply %arg1, %[[B]]
// SHARD-LABEL: func.func @named(
// SHARD: stablehlo.add %arg0, %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// SHARD: stablehlo.multiply %arg1, %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>}
func.func @named(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>},
                 %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = stablehlo.constant dense<2.0> : tensor<8x8xf32>
  %0 = sdy.named_computation<"table">(%c) (%p: tensor<8x8xf32>) {
    %1 = stablehlo.iota dim = 0 : tensor<8x8xf32>
    %2 = stablehlo.add %1, %p : tensor<8x8xf32>
    sdy.return %2 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.add %a, %0 : tensor<8x8xf32>
  %4 = stablehlo.multiply %b, %0 : tensor<8x8xf32>
  return %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>
}

// Not one with anything else in it, nor of anything else.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-2: sdy.named_computation
// CHECK-NOT: sdy.named_computation
func.func @others(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = stablehlo.constant dense<2.0> : tensor<8x8xf32>
  %0 = sdy.named_computation<"foreign">(%c) (%p: tensor<8x8xf32>) {
    %1 = stablehlo.custom_call @random(%p) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    sdy.return %1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = sdy.named_computation<"of_argument">(%a) (%p: tensor<8x8xf32>) {
    %3 = stablehlo.abs %p : tensor<8x8xf32>
    sdy.return %3 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.dot_general %2, %0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = stablehlo.dot_general %0, %2, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4, %5 : tensor<8x8xf32>, tensor<8x8xf32>
}

// So are calls of functions that compute constants, also by calls; a copy of a
// call calls a copy of the function.
// CHECK-LABEL: func.func @calls(
// CHECK: %[[A:.*]] = call @table()
// CHECK: %[[B:.*]] = call @[[COPY:table_[0-9]+]]()
// CHECK: stablehlo.add %arg0, %[[A]]
// CHECK: stablehlo.multiply %arg1, %[[B]]
// CHECK: func.func private @table()
// CHECK-NEXT: call @ones()
// CHECK: func.func private @[[COPY]]() -> tensor<8x8xf32> attributes {sdy.original_func_name = "table"}
// CHECK-NEXT: call @ones_{{[0-9]+}}()
// SHARD-LABEL: func.func @calls(
// SHARD: stablehlo.add %arg0, %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// SHARD: stablehlo.multiply %arg1, %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>}
func.func @calls(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>},
                 %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @table() : () -> tensor<8x8xf32>
  %1 = stablehlo.add %a, %0 : tensor<8x8xf32>
  %2 = stablehlo.multiply %b, %0 : tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @table() -> tensor<8x8xf32> {
  %0 = call @ones() : () -> tensor<8x8xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8x8xf32>
  %2 = stablehlo.add %1, %0 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
func.func private @ones() -> tensor<8x8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
