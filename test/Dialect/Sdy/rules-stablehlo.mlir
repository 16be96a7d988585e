// RUN: ipu-opt %s --sdy-populate-op-sharding-rules | FileCheck %s
// RUN: ipu-opt %s --sdy-populate-op-sharding-rules=conservative-propagation=true \
// RUN:   | FileCheck %s --check-prefix=CONSERVATIVE

// CHECK-LABEL: func.func @elementwise(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
func.func @elementwise(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.add %a, %b : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Scalars have no dimensions to go with.
// CHECK-LABEL: func.func @select(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j], [i, j])->([i, j]) {i=4, j=8}>
func.func @select(%p: tensor<i1>, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @clamp(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j], [])->([i, j]) {i=4, j=8}>
func.func @clamp(%lo: tensor<f32>, %a: tensor<4x8xf32>, %hi: tensor<f32>) -> tensor<4x8xf32> {
  %0 = stablehlo.clamp %lo, %a, %hi : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @bitcast_convert(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j, k]) {i=4, j=8, k=2} need_replication={k}>
func.func @bitcast_convert(%a: tensor<4x8xui64>) -> tensor<4x8x2xui32> {
  %0 = stablehlo.bitcast_convert %a : (tensor<4x8xui64>) -> tensor<4x8x2xui32>
  return %0 : tensor<4x8x2xui32>
}

// Factors are numbered by dimensions of the result.
// CHECK-LABEL: func.func @transpose(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j, k, i])->([i, j, k]) {i=2, j=4, k=8}>
func.func @transpose(%a: tensor<4x8x2xf32>) -> tensor<2x4x8xf32> {
  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<4x8x2xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @broadcast_in_dim(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j, l])->([i, j, k]) {i=2, j=4, k=8, l=1}>
func.func @broadcast_in_dim(%a: tensor<4x1xf32>) -> tensor<2x4x8xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<4x1xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @reshape(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([ij, mn])->([ik, ln]) {i=2, j=3, k=2, l=3, m=2, n=2}>
func.func @reshape(%a: tensor<6x4xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.reshape %a : (tensor<6x4xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @dot_general(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, l, k])->([i, j, k]) {i=2, j=4, k=16, l=8} reduction={l}>
func.func @dot_general(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>) -> tensor<2x4x16xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
  return %0 : tensor<2x4x16xf32>
}

// CHECK-LABEL: func.func @reduce(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [])->([i, k]) {i=4, j=8, k=2} reduction={j}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
func.func @reduce(%a: tensor<4x8x2xf32>, %z: tensor<f32>) -> tensor<4x2xf32> {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @concatenate(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=14} need_replication={j}>
// CONSERVATIVE-LABEL: func.func @concatenate(
// CONSERVATIVE: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}>
func.func @concatenate(%a: tensor<4x8xf32>, %b: tensor<4x6xf32>) -> tensor<4x14xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<4x8xf32>, tensor<4x6xf32>) -> tensor<4x14xf32>
  return %0 : tensor<4x14xf32>
}

// CHECK-LABEL: func.func @concatenate_slices(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8} permutation={j}>
// CONSERVATIVE-LABEL: func.func @concatenate_slices(
// CONSERVATIVE: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j} blocked_propagation={j}>
// CONSERVATIVE: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j} blocked_propagation={j}>
// CONSERVATIVE: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}>
func.func @concatenate_slices(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.slice %a [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.slice %a [0:4, 4:8] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.concatenate %1, %0, dim = 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @pad(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} permutation={j}>
// CONSERVATIVE-LABEL: func.func @pad(
// CONSERVATIVE: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} permutation={j} blocked_propagation={j}>
func.func @pad(%a: tensor<4x8xf32>, %z: tensor<f32>) -> tensor<4x11xf32> {
  %0 = stablehlo.pad %a, %z, low = [0, 1], high = [0, 2], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x11xf32>
  return %0 : tensor<4x11xf32>
}

// CHECK-LABEL: func.func @dynamic_slice(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [], [])->([i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}>
func.func @dynamic_slice(%a: tensor<4x8xf32>, %i: tensor<i32>) -> tensor<4x2xf32> {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [4, 2] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @dynamic_update_slice(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [], [])->([i, j]) {i=4, j=8, k=2} need_replication={k}>
func.func @dynamic_update_slice(%a: tensor<4x8xf32>, %u: tensor<4x2xf32>, %i: tensor<i32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<4x8xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @reverse(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j}>
func.func @reverse(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.reverse %a, dims = [1] : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @sort(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} need_replication={j}>
func.func @sort(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cholesky(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=2, j=3, k=8, l=8} need_replication={k, l}>
func.func @cholesky(%a: tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3x8x8xf32>
  return %0 : tensor<2x3x8x8xf32>
}

// a * x = b and x * a = b, then the same with a transposed.
// CHECK-LABEL: func.func @triangular_solve(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, j, k])->([i, l, k]) {i=2, j=4, k=5, l=4} need_replication={j, k, l}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, k], [i, j, k])->([i, j, l]) {i=2, j=5, k=4, l=4} need_replication={j, k, l}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, j], [i, j, k])->([i, l, k]) {i=2, j=4, k=5, l=4} need_replication={j, k, l}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, l], [i, j, k])->([i, j, l]) {i=2, j=5, k=4, l=4} need_replication={j, k, l}>
func.func @triangular_solve(%a: tensor<2x4x4xf32>, %b: tensor<2x4x5xf32>, %c: tensor<2x5x4xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %1 = "stablehlo.triangular_solve"(%a, %c) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  %2 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %3 = "stablehlo.triangular_solve"(%a, %c) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  return
}

// CHECK-LABEL: func.func @gather(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l, m])->([k, l, j]) {i=20, j=24, k=8, l=6, m=1} reduction={i} need_replication={m}>
func.func @gather(%a: tensor<20x24xf32>, %i: tensor<8x6x1xi32>) -> tensor<8x6x24xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 24>}> : (tensor<20x24xf32>, tensor<8x6x1xi32>) -> tensor<8x6x24xf32>
  return %0 : tensor<8x6x24xf32>
}

// CHECK-LABEL: func.func @scatter(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l], [k, j])->([i, j]) {i=20, j=24, k=8, l=1} reduction={k} need_replication={l}>
func.func @scatter(%a: tensor<20x24xf32>, %i: tensor<8x1xi32>, %u: tensor<8x24xf32>) -> tensor<20x24xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<20x24xf32>, tensor<8x1xi32>, tensor<8x24xf32>) -> tensor<20x24xf32>
  return %0 : tensor<20x24xf32>
}

// CHECK-LABEL: func.func @convolution(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [n, o, l, m])->([i, j, k, m]) {i=2, j=8, k=8, l=4, m=16, n=1, o=1} reduction={l} permutation={j, k}>
// CONSERVATIVE-LABEL: func.func @convolution(
// CONSERVATIVE: sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, m, j], [n, o, j, k])->([i, p, q, k]) {i=2, j=4, k=16, l=1, m=1, n=1, o=1, p=1, q=1} reduction={j}>
func.func @convolution(%a: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x16xf32>) -> tensor<2x8x8x16xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// CHECK-LABEL: func.func @custom_call(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @custom_call(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @MoveToHost(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Nothing is known of others.
// CHECK-LABEL: func.func @unknown(
// CHECK-NOT: sharding_rule
func.func @unknown(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @mystery(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
