// RUN: ipu-opt %s --sdy-remove-all-gather-reduce-scatter-for-cmv1 | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=2]>

// CHECK-LABEL: func @gather
func.func @gather(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: stablehlo.dot_general %arg0, %arg1
  // CHECK-NEXT: pop.matmul %arg0, %arg1
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = pop.matmul %0, %b : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func @scatter
func.func @scatter(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  // CHECK-NEXT: %[[D:.*]] = stablehlo.dot_general {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>}
  // CHECK-NEXT: return %[[D]]
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// CHECK-LABEL: func @gathers_that_stay
func.func @gathers_that_stay(%a: tensor<2x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}]>}, %b: tensor<2x8x4xf32>) -> (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x8xf32>) {
  // The dimension is summed up.
  // CHECK: sdy.all_gather
  %0 = sdy.all_gather [{}, {}, {"y"}] %a out_sharding=<@m, [{}, {"x"}, {}]> : tensor<2x8x8xf32>
  %1 = stablehlo.dot_general %0, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  // Two dimensions.
  // CHECK: sdy.all_gather
  %2 = sdy.all_gather [{}, {"x"}, {"y"}] %a out_sharding=<@m, [{}, {}, {}]> : tensor<2x8x8xf32>
  %3 = stablehlo.dot_general %2, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  // Both operands have the dimension.
  // CHECK: sdy.all_slice
  // CHECK: sdy.all_gather
  %4 = sdy.all_slice [{"z"}, {}, {}] %b out_sharding=<@n, [{"z"}, {}, {}]> : tensor<2x8x4xf32>
  %5 = sdy.all_gather [{"z"}, {}, {}] %4 out_sharding=<@n, [{}, {}, {}]> : tensor<2x8x4xf32>
  %6 = stablehlo.dot_general %a, %5, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  // Another op uses it.
  // CHECK: sdy.all_gather
  %7 = sdy.all_gather [{}, {"x"}, {}] %a out_sharding=<@m, [{}, {}, {"y"}]> : tensor<2x8x8xf32> 
  %8 = stablehlo.dot_general %7, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %9 = stablehlo.negate %7 : tensor<2x8x8xf32>
  return %1, %3, %6, %8, %9 : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x8xf32>
}
sdy.mesh @n = <["z"=2]>

// CHECK-LABEL: func @scatters_that_stay
func.func @scatters_that_stay(%a: tensor<8x8xf32>, %b: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  // The dot has another user.
  // CHECK: sdy.reduce_scatter
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x4xf32>
  // It is not of a dot.
  // CHECK: sdy.reduce_scatter
  %2 = stablehlo.negate %b {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : tensor<8x4xf32>
  %3 = sdy.reduce_scatter [{"x"}, {}] %2 out_sharding=<@m, [{"x"}, {}]> : tensor<8x4xf32>
  return %0, %1, %3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
