// RUN: ipu-opt %s --sdy-populate-op-sharding-rules | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: ipu-opt %s --sdy-populate-op-sharding-rules=conservative-propagation=true \
// RUN:   | FileCheck %s --check-prefixes=CHECK,CONSERVATIVE

// Ops of tosa that see an element in several places.

// Windows, what is in a window, features; those of the result have the bias.
// CHECK-LABEL: func.func @convolutions(
func.func @convolutions(%a: tensor<2x8x10x4xf32>, %w: tensor<16x3x1x4xf32>, %b: tensor<16xf32>, %one: tensor<1xf32>, %zp: tensor<1xf32>, %v: tensor<2x4x8x8x4xf32>, %w3: tensor<16x3x3x3x4xf32>) {
  // DEFAULT: tosa.conv2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [m, n, o, l], [m], [p], [q])->([i, j, k, m]) {i=2, j=8, k=10, l=4, m=16, n=1, o=1, p=1, q=1} reduction={l} permutation={j, k}>
  // CONSERVATIVE: tosa.conv2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, m, j], [k, n, o, j], [k], [p], [q])->([i, r, s, k]) {i=2, j=4, k=16, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1} reduction={j}>
  %0 = tosa.conv2d %a, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 1, 1>} : (tensor<2x8x10x4xf32>, tensor<16x3x1x4xf32>, tensor<16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x8x10x16xf32>
  // DEFAULT: tosa.conv2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [m, n, o, l], [p], [q], [r])->([i, j, k, m]) {i=2, j=6, k=10, l=4, m=16, n=1, o=1, p=1, q=1, r=1} reduction={l} permutation={j, k}>
  // CONSERVATIVE: tosa.conv2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, m, j], [k, n, o, j], [p], [q], [r])->([i, s, t, k]) {i=2, j=4, k=16, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1} reduction={j}>
  %1 = tosa.conv2d %a, %w, %one, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<2x8x10x4xf32>, tensor<16x3x1x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x6x10x16xf32>
  // DEFAULT: tosa.conv3d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l, m], [n, j, o, p, m], [n], [q], [r])->([i, s, k, l, n]) {i=2, j=3, k=8, l=8, m=4, n=16, o=1, p=1, q=1, r=1, s=1} reduction={j, m} permutation={k, l}>
  // CONSERVATIVE: tosa.conv3d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, m, n, j], [k, o, p, q, j], [k], [r], [s])->([i, t, u, v, k]) {i=2, j=4, k=16, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1} reduction={j}>
  %2 = tosa.conv3d %v, %w3, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1, 1>, pad = array<i64: 0, 0, 1, 1, 1, 1>, stride = array<i64: 1, 1, 1>} : (tensor<2x4x8x8x4xf32>, tensor<16x3x3x3x4xf32>, tensor<16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x2x8x8x16xf32>
  // DEFAULT: tosa.transpose_conv2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [m, n, o, l], [m], [p], [q])->([i, j, k, m]) {i=2, j=8, k=10, l=4, m=16, n=1, o=1, p=1, q=1} reduction={l} permutation={j, k}>
  // CONSERVATIVE: tosa.transpose_conv2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, m, j], [k, n, o, j], [k], [p], [q])->([i, r, s, k]) {i=2, j=4, k=16, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1} reduction={j}>
  %3 = tosa.transpose_conv2d %a, %w, %b, %zp, %zp {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<2x8x10x4xf32>, tensor<16x3x1x4xf32>, tensor<16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x17x19x16xf32>
  return
}

// The channels are groups, those of the result in them.
// CHECK-LABEL: func.func @depthwise(
func.func @depthwise(%a: tensor<2x8x10x4xf32>, %w: tensor<3x1x4x2xf32>, %w1: tensor<3x1x4x1xf32>, %b: tensor<8xf32>, %b1: tensor<4xf32>, %zp: tensor<1xf32>) {
  // DEFAULT: tosa.depthwise_conv2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [n, o, l, m], [lm], [p], [q])->([i, j, k, lm]) {i=2, j=8, k=10, l=4, m=2, n=1, o=1, p=1, q=1} permutation={j, k}>
  // CONSERVATIVE: tosa.depthwise_conv2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, m, j], [n, o, j, k], [jk], [p], [q])->([i, r, s, jk]) {i=2, j=4, k=2, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1}>
  %0 = tosa.depthwise_conv2d %a, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 1, 1>} : (tensor<2x8x10x4xf32>, tensor<3x1x4x2xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x8x10x8xf32>
  // DEFAULT: tosa.depthwise_conv2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [m, n, l, o], [l], [p], [q])->([i, j, k, l]) {i=2, j=6, k=10, l=4, m=1, n=1, o=1, p=1, q=1} permutation={j, k}>
  // CONSERVATIVE: tosa.depthwise_conv2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, l, j], [m, n, j, o], [j], [p], [q])->([i, r, s, j]) {i=2, j=4, k=1, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1}>
  %1 = tosa.depthwise_conv2d %a, %w1, %b1, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<2x8x10x4xf32>, tensor<3x1x4x1xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x6x10x4xf32>
  return
}

// Dimensions along which a window is one element pass.
// CHECK-LABEL: func.func @pools(
func.func @pools(%a: tensor<2x8x10x4xf32>, %zp: tensor<1xf32>) {
  // DEFAULT: tosa.max_pool2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=2, j=4, k=10, l=4} permutation={j}>
  // CONSERVATIVE: tosa.max_pool2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=2, j=4, k=10, l=4} permutation={j} blocked_propagation={j}>
  %0 = tosa.max_pool2d %a {kernel = array<i64: 2, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 1>} : (tensor<2x8x10x4xf32>) -> tensor<2x4x10x4xf32>
  // DEFAULT: tosa.avg_pool2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [m], [n])->([i, j, k, l]) {i=2, j=8, k=10, l=4, m=1, n=1} permutation={k}>
  // CONSERVATIVE: tosa.avg_pool2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [m], [n])->([i, j, k, l]) {i=2, j=8, k=10, l=4, m=1, n=1} permutation={k} blocked_propagation={k}>
  %1 = tosa.avg_pool2d %a, %zp, %zp {acc_type = f32, kernel = array<i64: 1, 3>, pad = array<i64: 0, 0, 1, 1>, stride = array<i64: 1, 1>} : (tensor<2x8x10x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x8x10x4xf32>
  return
}

// CHECK-LABEL: func.func @resize(
func.func @resize(%a: tensor<2x8x10x4xf32>) {
  %scale = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  // DEFAULT: tosa.resize {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [], [], [])->([i, j, k, l]) {i=2, j=8, k=10, l=4} permutation={j, k}>
  // CONSERVATIVE: tosa.resize {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [], [], [])->([i, j, k, l]) {i=2, j=8, k=10, l=4} permutation={j, k} blocked_propagation={j, k}>
  %0 = tosa.resize %a, %scale, %offset, %border {mode = NEAREST_NEIGHBOR} : (tensor<2x8x10x4xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x16x20x4xf32>
  return
}

// Half of the last dimension is left out of the result.
// CHECK-LABEL: func.func @fourier(
func.func @fourier(%a: tensor<2x8x16xf32>) {
  // CHECK: tosa.fft2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, j, k])->([i, j, k], [i, j, k]) {i=2, j=8, k=16} need_replication={j, k}>
  %0, %1 = tosa.fft2d %a, %a {inverse = false} : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>)
  // CHECK: tosa.rfft2d {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, j, k]) {i=2, j=8, k=16} need_replication={j, k} blocked_propagation={k}>
  %2, %3 = tosa.rfft2d %a : (tensor<2x8x16xf32>) -> (tensor<2x8x9xf32>, tensor<2x8x9xf32>)
  return
}
