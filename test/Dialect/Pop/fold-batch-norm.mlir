// RUN: ipu-opt %s --pop-fold-batch-norm --split-input-file | FileCheck %s

// The factors 2 / sqrt(4 + 0) = 1 and -3 / sqrt(1 + 0) = -3 multiply the weights of the
// channels.
// CHECK-LABEL: func.func @conv(
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK: %[[W:.+]] = pop.constant dense<{{\[\[\[\[}}5.000000e+00]], {{\[\[}}6.000000e+00]]], {{\[\[\[}}-2.100000e+01]], {{\[\[}}-2.400000e+01]]]]> : tensor<2x2x1x1xf32>
// CHECK: %[[Y:.+]] = pop.conv %[[X]], %[[W]]
// CHECK: %[[B:.+]] = pop.constant dense<{{\[\[\[}}-5.000000e-01]], {{\[\[}}1.600000e+01]]]> : tensor<2x1x1xf32>
// CHECK: %[[Z:.+]] = pop.add %[[Y]], %[[B]]
// CHECK: return %[[Z]]
func.func @conv(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = pop.constant dense<[[[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]]> : tensor<2x2x1x1xf32>
  %scale = pop.constant dense<[2.0, -3.0]> : tensor<2xf32>
  %bias = pop.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %mean = pop.constant dense<[1.0, 5.0]> : tensor<2xf32>
  %variance = pop.constant dense<[4.0, 1.0]> : tensor<2xf32>
  %0 = pop.conv %x, %w : (tensor<1x2x3x3xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x3xf32>
  %1 = pop.batch_norm %0, %scale, %bias, %mean, %variance {epsilon = 0.0 : f32} : tensor<1x2x3x3xf32>, tensor<2xf32>
  return %1 : tensor<1x2x3x3xf32>
}

// -----

// The bias 3 of the convolution becomes a part of the sum: 3 * 2 - 1 * 2 + 0.5.
// CHECK-LABEL: func.func @biased(
// CHECK: pop.conv
// CHECK: %[[B:.+]] = pop.constant dense<4.500000e+00> : tensor<1x1x1xf32>
// CHECK: %[[Z:.+]] = pop.add %{{.*}}, %[[B]]
// CHECK-NOT: pop.add
// CHECK: return %[[Z]]
func.func @biased(%x: tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32> {
  %w = pop.constant dense<5.0> : tensor<1x1x1x1xf32>
  %b = pop.constant dense<3.0> : tensor<1x1x1xf32>
  %scale = pop.constant dense<2.0> : tensor<1xf32>
  %bias = pop.constant dense<0.5> : tensor<1xf32>
  %one = pop.constant dense<1.0> : tensor<1xf32>
  %0 = pop.conv %x, %w : (tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x3x3xf32>
  %1 = pop.add %0, %b : (tensor<1x1x3x3xf32>, tensor<1x1x1xf32>) -> tensor<1x1x3x3xf32>
  %2 = pop.batch_norm %1, %scale, %bias, %one, %one {epsilon = 0.0 : f32} : tensor<1x1x3x3xf32>, tensor<1xf32>
  return %2 : tensor<1x1x3x3xf32>
}

// -----

// Another use of the convolution needs its own result, and arguments are not constants.
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-2: pop.batch_norm
func.func @kept(%x: tensor<1x1x3x3xf32>, %v: tensor<1x1x1x1xf32>)
    -> (tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>) {
  %w = pop.constant dense<5.0> : tensor<1x1x1x1xf32>
  %one = pop.constant dense<1.0> : tensor<1xf32>
  %0 = pop.conv %x, %w : (tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x3x3xf32>
  %1 = pop.batch_norm %0, %one, %one, %one, %one {epsilon = 0.0 : f32} : tensor<1x1x3x3xf32>, tensor<1xf32>
  %2 = pop.conv %x, %v : (tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x3x3xf32>
  %3 = pop.batch_norm %2, %one, %one, %one, %one {epsilon = 0.0 : f32} : tensor<1x1x3x3xf32>, tensor<1xf32>
  return %0, %1, %3 : tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>
}
