// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f})' | FileCheck %s

// The batch is a part of the sum for an operand without one. Products of f16 are
// rounded once.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4x2x5xf16> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<4x2x3xf16> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<3x5xf16> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = pop.transpose %[[X1]] {permutation = array<i64: 1, 0>} : tensor<3x5xf16> -> tensor<5x3xf16>
// CHECK-NEXT:    %[[MATMUL:.+]] = pop.matmul %[[DY]], %[[TRANSPOSE]] : (tensor<4x2x5xf16>, tensor<5x3xf16>) -> tensor<4x2x3xf32>
// CHECK-NEXT:    %[[CAST:.+]] = pop.cast %[[MATMUL]] : tensor<4x2x3xf32> to tensor<4x2x3xf16>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[X0]] : tensor<4x2x3xf16> to tensor<8x3xf16>
// CHECK-NEXT:    %[[TRANSPOSE2:.+]] = pop.transpose %[[RESHAPE]] {permutation = array<i64: 1, 0>} : tensor<8x3xf16> -> tensor<3x8xf16>
// CHECK-NEXT:    %[[RESHAPE2:.+]] = pop.reshape %[[DY]] : tensor<4x2x5xf16> to tensor<8x5xf16>
// CHECK-NEXT:    %[[MATMUL2:.+]] = pop.matmul %[[TRANSPOSE2]], %[[RESHAPE2]] : (tensor<3x8xf16>, tensor<8x5xf16>) -> tensor<3x5xf32>
// CHECK-NEXT:    %[[CAST2:.+]] = pop.cast %[[MATMUL2]] : tensor<3x5xf32> to tensor<3x5xf16>
// CHECK-NEXT:    return %[[CAST]], %[[CAST2]]
func.func private @f(%x: tensor<4x2x3xf16>, %w: tensor<3x5xf16>) -> tensor<4x2x5xf16> {
  %0 = pop.matmul %x, %w : (tensor<4x2x3xf16>, tensor<3x5xf16>) -> tensor<4x2x5xf16>
  return %0 : tensor<4x2x5xf16>
}

// -----

// Gradients of a result of f32 are products of f32, which are summed over what was
// broadcast before they are rounded.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4x2x5xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<2x3xf16> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<4x3x5xf16> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-NEXT:    %[[CAST:.+]] = pop.cast %[[X1]] : tensor<4x3x5xf16> to tensor<4x3x5xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = pop.transpose %[[CAST]] {permutation = array<i64: 0, 2, 1>} : tensor<4x3x5xf32> -> tensor<4x5x3xf32>
// CHECK-NEXT:    %[[MATMUL:.+]] = pop.matmul %[[DY]], %[[TRANSPOSE]] : (tensor<4x2x5xf32>, tensor<4x5x3xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT:    %[[REDUCE:.+]] = pop.reduce sum %[[MATMUL]] {axes = array<i64: 0>} : tensor<4x2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CAST2:.+]] = pop.cast %[[REDUCE]] : tensor<2x3xf32> to tensor<2x3xf16>
// CHECK-NEXT:    %[[CAST3:.+]] = pop.cast %[[X0]] : tensor<2x3xf16> to tensor<2x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE2:.+]] = pop.transpose %[[CAST3]] {permutation = array<i64: 1, 0>} : tensor<2x3xf32> -> tensor<3x2xf32>
// CHECK-NEXT:    %[[MATMUL2:.+]] = pop.matmul %[[TRANSPOSE2]], %[[DY]] : (tensor<3x2xf32>, tensor<4x2x5xf32>) -> tensor<4x3x5xf32>
// CHECK-NEXT:    %[[CAST4:.+]] = pop.cast %[[MATMUL2]] : tensor<4x3x5xf32> to tensor<4x3x5xf16>
// CHECK-NEXT:    return %[[CAST2]], %[[CAST4]], %[[DY]]
func.func private @f(%x: tensor<2x3xf16>, %w: tensor<4x3x5xf16>, %acc: tensor<4x2x5xf32>) -> tensor<4x2x5xf32> {
  %0 = pop.matmul %x, %w, %acc : (tensor<2x3xf16>, tensor<4x3x5xf16>, tensor<4x2x5xf32>) -> tensor<4x2x5xf32>
  return %0 : tensor<4x2x5xf32>
}

// -----

// The last window does not reach the end, and there are zeros between the rows of
// dy.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<1x6x3x4xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<1x4x8x8xf32> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<6x2x3x3xf32> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[X1]] {sizes = array<i64: 6, 2, 3, 3>, starts = array<i64: 0, 0, 2, 2>, steps = array<i64: 1, 1, -1, -1>} : tensor<6x2x3x3xf32> -> tensor<6x2x3x3xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[SLICE]] : tensor<6x2x3x3xf32> to tensor<2x3x2x3x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = pop.transpose %[[RESHAPE]] {permutation = array<i64: 0, 2, 1, 3, 4>} : tensor<2x3x2x3x3xf32> -> tensor<2x2x3x3x3xf32>
// CHECK-NEXT:    %[[RESHAPE2:.+]] = pop.reshape %[[TRANSPOSE]] : tensor<2x2x3x3x3xf32> to tensor<4x3x3x3xf32>
// CHECK-NEXT:    %[[CONV:.+]] = pop.conv %[[DY]], %[[RESHAPE2]] {groups = 2 : i64, input_dilations = array<i64: 2, 2>, pads = array<i64: 2, 1, 3, 2>} : (tensor<1x6x3x4xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
// CHECK-NEXT:    %[[RESHAPE3:.+]] = pop.reshape %[[X0]] : tensor<1x4x8x8xf32> to tensor<1x2x2x8x8xf32>
// CHECK-NEXT:    %[[TRANSPOSE2:.+]] = pop.transpose %[[RESHAPE3]] {permutation = array<i64: 2, 1, 0, 3, 4>} : tensor<1x2x2x8x8xf32> -> tensor<2x2x1x8x8xf32>
// CHECK-NEXT:    %[[RESHAPE4:.+]] = pop.reshape %[[TRANSPOSE2]] : tensor<2x2x1x8x8xf32> to tensor<2x2x8x8xf32>
// CHECK-NEXT:    %[[TRANSPOSE3:.+]] = pop.transpose %[[DY]] {permutation = array<i64: 1, 0, 2, 3>} : tensor<1x6x3x4xf32> -> tensor<6x1x3x4xf32>
// CHECK-NEXT:    %[[CONV2:.+]] = pop.conv %[[RESHAPE4]], %[[TRANSPOSE3]] {dilations = array<i64: 2, 2>, groups = 2 : i64, pads = array<i64: 0, 1, 0, 0>} : (tensor<2x2x8x8xf32>, tensor<6x1x3x4xf32>) -> tensor<2x6x4x3xf32>
// CHECK-NEXT:    %[[SLICE2:.+]] = pop.slice %[[CONV2]] {sizes = array<i64: 2, 6, 3, 3>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x6x4x3xf32> -> tensor<2x6x3x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE4:.+]] = pop.transpose %[[SLICE2]] {permutation = array<i64: 1, 0, 2, 3>} : tensor<2x6x3x3xf32> -> tensor<6x2x3x3xf32>
// CHECK-NEXT:    return %[[CONV]], %[[TRANSPOSE4]]
func.func private @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<1x6x3x4xf32> {
  %0 = pop.conv %x, %w {groups = 2 : i64, pads = array<i64: 0, 1, 0, 1>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x3x4xf32>
  return %0 : tensor<1x6x3x4xf32>
}

// -----

// Pads that are larger than the kernel are cut off the gradient.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<1x1x8xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<1x1x4xf32> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<1x1x2xf32> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[X1]] {sizes = array<i64: 1, 1, 2>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, -1>} : tensor<1x1x2xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[SLICE]] : tensor<1x1x2xf32> to tensor<1x1x1x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = pop.transpose %[[RESHAPE]] {permutation = array<i64: 0, 2, 1, 3>} : tensor<1x1x1x2xf32> -> tensor<1x1x1x2xf32>
// CHECK-NEXT:    %[[RESHAPE2:.+]] = pop.reshape %[[TRANSPOSE]] : tensor<1x1x1x2xf32> to tensor<1x1x2xf32>
// CHECK-NEXT:    %[[CONV:.+]] = pop.conv %[[DY]], %[[RESHAPE2]] : (tensor<1x1x8xf32>, tensor<1x1x2xf32>) -> tensor<1x1x7xf32>
// CHECK-NEXT:    %[[SLICE2:.+]] = pop.slice %[[CONV]] {sizes = array<i64: 1, 1, 4>, starts = array<i64: 0, 0, 2>, steps = array<i64: 1, 1, 1>} : tensor<1x1x7xf32> -> tensor<1x1x4xf32>
// CHECK-NEXT:    %[[RESHAPE3:.+]] = pop.reshape %[[X0]] : tensor<1x1x4xf32> to tensor<1x1x1x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE2:.+]] = pop.transpose %[[RESHAPE3]] {permutation = array<i64: 2, 1, 0, 3>} : tensor<1x1x1x4xf32> -> tensor<1x1x1x4xf32>
// CHECK-NEXT:    %[[RESHAPE4:.+]] = pop.reshape %[[TRANSPOSE2]] : tensor<1x1x1x4xf32> to tensor<1x1x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE3:.+]] = pop.transpose %[[DY]] {permutation = array<i64: 1, 0, 2>} : tensor<1x1x8xf32> -> tensor<1x1x8xf32>
// CHECK-NEXT:    %[[CONV2:.+]] = pop.conv %[[RESHAPE4]], %[[TRANSPOSE3]] {pads = array<i64: 3, 2>} : (tensor<1x1x4xf32>, tensor<1x1x8xf32>) -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE4:.+]] = pop.transpose %[[CONV2]] {permutation = array<i64: 1, 0, 2>} : tensor<1x1x2xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    return %[[SLICE2]], %[[TRANSPOSE4]]
func.func private @f(%x: tensor<1x1x4xf32>, %w: tensor<1x1x2xf32>) -> tensor<1x1x8xf32> {
  %0 = pop.conv %x, %w {pads = array<i64: 3, 2>} : (tensor<1x1x4xf32>, tensor<1x1x2xf32>) -> tensor<1x1x8xf32>
  return %0 : tensor<1x1x8xf32>
}
