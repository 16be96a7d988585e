// RUN: ipu-opt %s --sdy-populate-op-sharding-rules | FileCheck %s

// CHECK-LABEL: func @elementwise
func.func @elementwise(%a: tensor<4x8xf32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: linalg.add {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=4, j=8}>
  %0 = linalg.add ins(%a, %a : tensor<4x8xf32>, tensor<4x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @map
func.func @map(%a: tensor<4x8xf32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: linalg.map {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %0 = linalg.map { math.exp } ins(%a : tensor<4x8xf32>) outs(%init : tensor<4x8xf32>)
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @fill
func.func @fill(%value: f32) -> tensor<4x8xf32> {
  // CHECK: tensor.empty() : tensor<4x8xf32>
  %init = tensor.empty() : tensor<4x8xf32>
  // CHECK: linalg.fill {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j])->([i, j]) {i=4, j=8}>
  %0 = linalg.fill ins(%value : f32) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Factors are numbered by the dimensions of the result.
// CHECK-LABEL: func @transpose
func.func @transpose(%a: tensor<2x4x8xf32>, %init: tensor<8x2x4xf32>) -> tensor<8x2x4xf32> {
  // CHECK: linalg.transpose {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([j, k, i], [i, j, k])->([i, j, k]) {i=8, j=2, k=4}>
  %0 = linalg.transpose ins(%a : tensor<2x4x8xf32>) outs(%init : tensor<8x2x4xf32>) permutation = [2, 0, 1]
  return %0 : tensor<8x2x4xf32>
}

// CHECK-LABEL: func @broadcast
func.func @broadcast(%a: tensor<8xf32>, %init: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: linalg.broadcast {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i, j])->([i, j]) {i=8, j=4}>
  %0 = linalg.broadcast ins(%a : tensor<8xf32>) outs(%init : tensor<8x4xf32>) dimensions = [1]
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func @reduce
func.func @reduce(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %c: tensor<4xf32>, %d: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  // CHECK: linalg.reduce {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i], [i])->([i], [i]) {i=4, j=8} reduction={j}>
  %0:2 = linalg.reduce ins(%a, %b : tensor<4x8xf32>, tensor<4x8xi32>) outs(%c, %d : tensor<4xf32>, tensor<4xi32>) dimensions = [1]
    (%x: f32, %i: i32, %y: f32, %j: i32) {
      %1 = arith.maximumf %x, %y : f32
      %2 = arith.maxsi %i, %j : i32
      linalg.yield %1, %2 : f32, i32
    }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: func @matmul
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %init: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // CHECK: linalg.matmul {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j], [i, j])->([i, j]) {i=4, j=16, k=8} reduction={k}>
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// CHECK-LABEL: func @batch_matmul
func.func @batch_matmul(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>, %init: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
  // CHECK: linalg.batch_matmul {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, l, k], [i, j, k])->([i, j, k]) {i=2, j=4, k=16, l=8} reduction={l}>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x4x8xf32>, tensor<2x8x16xf32>) outs(%init : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %0 : tensor<2x4x16xf32>
}

// The windows have no factor in the input: two loops index it.
// CHECK-LABEL: func @conv
func.func @conv(%a: tensor<2x10x10x3xf32>, %w: tensor<3x3x3x16xf32>, %init: tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32> {
  // CHECK: linalg.conv_2d_nhwc_hwcf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, p, q, o], [m, n, o, l], [i, j, k, l])->([i, j, k, l]) {i=2, j=8, k=8, l=16, m=3, n=3, o=3, p=1, q=1} reduction={m, n, o}>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a, %w : tensor<2x10x10x3xf32>, tensor<3x3x3x16xf32>) outs(%init : tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// CHECK-LABEL: func @pool
func.func @pool(%a: tensor<2x4x4x6xf32>, %w: tensor<2x2xf32>, %init: tensor<2x3x3x6xf32>) -> tensor<2x3x3x6xf32> {
  // CHECK: linalg.pooling_nhwc_max {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, o, p, l], [m, n], [i, j, k, l])->([i, j, k, l]) {i=2, j=3, k=3, l=6, m=2, n=2, o=1, p=1} reduction={m, n}>
  %0 = linalg.pooling_nhwc_max ins(%a, %w : tensor<2x4x4x6xf32>, tensor<2x2xf32>) outs(%init : tensor<2x3x3x6xf32>) -> tensor<2x3x3x6xf32>
  return %0 : tensor<2x3x3x6xf32>
}

// CHECK-LABEL: func @softmax
func.func @softmax(%a: tensor<4x8xf32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: linalg.softmax {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8} need_replication={j}>
  %0 = linalg.softmax dimension(1) ins(%a : tensor<4x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @bias
func.func @bias(%a: tensor<4x8xf32>, %b: tensor<8xf32>, %c: f32, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: linalg.generic {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j], [], [i, j])->([i, j]) {i=4, j=8}>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%a, %b, %c : tensor<4x8xf32>, tensor<8xf32>, f32) outs(%init : tensor<4x8xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
      // No tensors: no rules.
      // CHECK-NOT: sharding_rule
      %1 = arith.addf %x, %y : f32
      %2 = arith.mulf %1, %z : f32
      // CHECK: linalg.yield
      linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A diagonal and a constant index: the first dimension has the loop's factor.
// CHECK-LABEL: func @diagonal
func.func @diagonal(%a: tensor<8x8x3xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: linalg.generic {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i])->([i]) {i=8, j=1, k=1}>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0, 1)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%a : tensor<8x8x3xf32>) outs(%init : tensor<8xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The second result holds what is left by the last step of the scan.
// CHECK-LABEL: func @scan
func.func @scan(%a: tensor<4x8xf32>, %init: tensor<4x8xf32>, %carry: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK: linalg.generic {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i])->([i, j], [i]) {i=4, j=8} need_replication={j}>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<4x8xf32>) outs(%init, %carry : tensor<4x8xf32>, tensor<4xf32>) {
    ^bb0(%x: f32, %o: f32, %c: f32):
      %1 = arith.addf %x, %c : f32
      linalg.yield %1, %1 : f32, f32
  } -> (tensor<4x8xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4xf32>
}

// A dynamic size and buffers: no rule.
// CHECK-LABEL: func @none
func.func @none(%a: tensor<?x8xf32>, %b: memref<4xf32>) -> tensor<?x8xf32> {
  // CHECK-NOT: sharding_rule
  %0 = linalg.exp ins(%a : tensor<?x8xf32>) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
  linalg.exp ins(%b : memref<4xf32>) outs(%b : memref<4xf32>)
  // CHECK: return
  return %0 : tensor<?x8xf32>
}
