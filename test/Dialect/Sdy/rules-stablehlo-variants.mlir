// RUN: ipu-opt %s --sdy-populate-op-sharding-rules | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: ipu-opt %s --sdy-populate-op-sharding-rules=conservative-propagation=true \
// RUN:   | FileCheck %s --check-prefixes=CHECK,CONSERVATIVE

// Variants of the ops of rules-stablehlo.mlir.

// Of a dimension, a part: one element of each, or several.
// CHECK-LABEL: func.func @gather_parts(
func.func @gather_parts(%a: tensor<20x24x8xf32>, %i: tensor<8x6x2xi32>) -> tensor<8x6x1x4x8xf32> {
  // CHECK: stablehlo.gather{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, l], [m, n, o])->([m, n, j, k, l]) {i=20, j=1, k=24, l=8, m=8, n=6, o=2} reduction={i} need_replication={j, k, o} blocked_propagation={k}>
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3, 4], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 4, 8>}> : (tensor<20x24x8xf32>, tensor<8x6x2xi32>) -> tensor<8x6x1x4x8xf32>
  return %0 : tensor<8x6x1x4x8xf32>
}

// Batching dimensions; index vectors of one element without dimension; a
// dimension of one element that is collapsed.
// CHECK-LABEL: func.func @gather_batch(
func.func @gather_batch(%a: tensor<4x20x1xf32>, %i: tensor<4x6xi32>) -> tensor<4x6xf32> {
  // CHECK: stablehlo.gather{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j], [k, l])->([k, l]) {i=20, j=1, k=4, l=6} reduction={i} need_replication={j}>
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x20x1xf32>, tensor<4x6xi32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// What is there is replaced: the order matters.
// CHECK-LABEL: func.func @scatter_replace(
func.func @scatter_replace(%a: tensor<20x24xf32>, %i: tensor<8x1xi32>, %u: tensor<8x24xf32>) -> tensor<20x24xf32> {
  // CHECK: }) {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l], [k, j])->([i, j]) {i=20, j=24, k=8, l=1} need_replication={k, l}>
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<20x24xf32>, tensor<8x1xi32>, tensor<8x24xf32>) -> tensor<20x24xf32>
  return %0 : tensor<20x24xf32>
}

// A difference of what is there and what comes cannot be combined.
// CHECK-LABEL: func.func @scatter_subtract(
func.func @scatter_subtract(%a: tensor<20xf32>, %i: tensor<8x1xi32>, %u: tensor<8xf32>) -> tensor<20xf32> {
  // CHECK: }) {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j, k], [j])->([i]) {i=20, j=8, k=1} need_replication={j, k}>
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<20xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<20xf32>
  return %0 : tensor<20xf32>
}

// Of booleans, conjunctions can be.
// CHECK-LABEL: func.func @scatter_and(
func.func @scatter_and(%a: tensor<20xi1>, %i: tensor<8x1xi32>, %u: tensor<8xi1>) -> tensor<20xi1> {
  // CHECK: }) {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j, k], [j])->([i]) {i=20, j=8, k=1} reduction={j} need_replication={k}>
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i1>, %y: tensor<i1>):
    %1 = stablehlo.and %y, %x : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<20xi1>, tensor<8x1xi32>, tensor<8xi1>) -> tensor<20xi1>
  return %0 : tensor<20xi1>
}

// Batching dimensions, windows that are a part, several inputs.
// CHECK-LABEL: func.func @scatter_batch(
func.func @scatter_batch(%a: tensor<4x20x8xf32>, %i: tensor<4x6x1xi32>, %u: tensor<4x6x3x8xf32>) -> (tensor<4x20x8xf32>, tensor<4x20x8xf32>) {
  // CHECK: }) {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([l, i, k], [l, i, k], [l, m, n], [l, m, j, k], [l, m, j, k])->([l, i, k], [l, i, k]) {i=20, j=3, k=8, l=4, m=6, n=1} reduction={m} need_replication={i, j, n}>
  %0:2 = "stablehlo.scatter"(%a, %a, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %v: tensor<f32>, %y: tensor<f32>, %w: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    %2 = stablehlo.multiply %w, %v : tensor<f32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<f32>
  }) : (tensor<4x20x8xf32>, tensor<4x20x8xf32>, tensor<4x6x1xi32>, tensor<4x6x3x8xf32>, tensor<4x6x3x8xf32>) -> (tensor<4x20x8xf32>, tensor<4x20x8xf32>)
  return %0#0, %0#1 : tensor<4x20x8xf32>, tensor<4x20x8xf32>
}

// Groups of features, of batches; a kernel larger than the result.
// CHECK-LABEL: func.func @convolution_groups(
func.func @convolution_groups(%a: tensor<4x8x8x6xf32>, %k: tensor<3x3x2x9xf32>, %l: tensor<3x3x6x8xf32>, %m: tensor<7x7x6x8xf32>) {
  // DEFAULT: stablehlo.convolution{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, lm], [o, p, m, ln])->([i, j, k, ln]) {i=4, j=8, k=8, l=3, m=2, n=3, o=1, p=1} reduction={m} permutation={j, k}>
  // CONSERVATIVE: stablehlo.convolution{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, m, n, jk], [o, p, k, jl])->([i, q, r, jl]) {i=4, j=3, k=2, l=3, m=1, n=1, o=1, p=1, q=1, r=1} reduction={k}>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x2x9xf32>) -> tensor<4x8x8x9xf32>
  // DEFAULT: stablehlo.convolution{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k, l, m], [o, p, m, in])->([j, k, l, in]) {i=2, j=2, k=8, l=8, m=6, n=4, o=1, p=1} reduction={m} permutation={k, l}>
  // CONSERVATIVE: stablehlo.convolution{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([ij, m, n, k], [o, p, k, il])->([j, q, r, il]) {i=2, j=2, k=6, l=4, m=1, n=1, o=1, p=1, q=1, r=1} reduction={k}>
  %1 = stablehlo.convolution(%a, %l) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x8xf32>) -> tensor<2x8x8x8xf32>
  // DEFAULT: stablehlo.convolution{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [j, k, l, m])->([i, n, o, m]) {i=4, j=7, k=7, l=6, m=8, n=1, o=1} reduction={j, k, l}>
  // CONSERVATIVE: stablehlo.convolution{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, m, j], [n, o, j, k])->([i, p, q, k]) {i=4, j=6, k=8, l=1, m=1, n=1, o=1, p=1, q=1} reduction={j}>
  %2 = stablehlo.convolution(%a, %m) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<7x7x6x8xf32>) -> tensor<4x2x2x8xf32>
  return
}

// Nothing but the dimension that is sorted could be sharded.
// CHECK-LABEL: func.func @sort_alone(
func.func @sort_alone(%a: tensor<1x8xf32>) -> tensor<1x8xf32> {
  // CHECK: }) {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=1, j=8} need_replication={j} blocked_propagation={j}>
  %0 = "stablehlo.sort"(%a) <{dimension = -1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// Where the update goes is known.
// CHECK-LABEL: func.func @dynamic_update_slice_constant(
func.func @dynamic_update_slice_constant(%a: tensor<4x8xf32>, %u: tensor<4x2xf32>) -> tensor<4x8xf32> {
  %i = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: stablehlo.dynamic_update_slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [], [])->([i, j]) {i=4, j=8, k=2}>
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<4x8xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @slice(
func.func @slice(%a: tensor<4x8xf32>) -> tensor<4x3xf32> {
  // DEFAULT: stablehlo.slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j}>
  // CONSERVATIVE: stablehlo.slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j} blocked_propagation={j}>
  %0 = stablehlo.slice %a [0:4, 1:7:2] : (tensor<4x8xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Both ways, and between types of one width.
// CHECK-LABEL: func.func @bitcast_convert(
func.func @bitcast_convert(%a: tensor<4x8x2xui32>, %b: tensor<4x8xf32>) -> (tensor<4x8xui64>, tensor<4x8xi32>) {
  // CHECK: stablehlo.bitcast_convert {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j]) {i=4, j=8, k=2} need_replication={k}>
  %0 = stablehlo.bitcast_convert %a : (tensor<4x8x2xui32>) -> tensor<4x8xui64>
  // CHECK: stablehlo.bitcast_convert {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %1 = stablehlo.bitcast_convert %b : (tensor<4x8xf32>) -> tensor<4x8xi32>
  return %0, %1 : tensor<4x8xui64>, tensor<4x8xi32>
}

// No elements, nothing to go with.
// CHECK-LABEL: func.func @reshape_nothing(
// CHECK-NOT: sharding_rule
func.func @reshape_nothing(%a: tensor<0x8xf32>) -> tensor<4x0xf32> {
  %0 = stablehlo.reshape %a : (tensor<0x8xf32>) -> tensor<4x0xf32>
  return %0 : tensor<4x0xf32>
}
