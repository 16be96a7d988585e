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

// The last window does not reach the end. Each of 2 x 2 positions of the input has a
// convolution.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<1x6x3x4xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<1x4x8x8xf32> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<6x2x3x3xf32> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[X1]] {sizes = array<i64: 6, 2, 2, 1>, starts = array<i64: 0, 0, 2, 1>, steps = array<i64: 1, 1, -2, -2>} : tensor<6x2x3x3xf32> -> tensor<6x2x2x1xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[SLICE]] : tensor<6x2x2x1xf32> to tensor<2x3x2x2x1xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = pop.transpose %[[RESHAPE]] {permutation = array<i64: 0, 2, 1, 3, 4>} : tensor<2x3x2x2x1xf32> -> tensor<2x2x3x2x1xf32>
// CHECK-NEXT:    %[[RESHAPE2:.+]] = pop.reshape %[[TRANSPOSE]] : tensor<2x2x3x2x1xf32> to tensor<4x3x2x1xf32>
// CHECK-NEXT:    %[[CONV:.+]] = pop.conv %[[DY]], %[[RESHAPE2]] {groups = 2 : i64, pads = array<i64: 1, 0, 1, 0>} : (tensor<1x6x3x4xf32>, tensor<4x3x2x1xf32>) -> tensor<1x4x4x4xf32>
// CHECK-NEXT:    %[[RESHAPE3:.+]] = pop.reshape %[[CONV]] : tensor<1x4x4x4xf32> to tensor<1x4x4x1x4x1xf32>
// CHECK-NEXT:    %[[SLICE2:.+]] = pop.slice %[[X1]] {sizes = array<i64: 6, 2, 2, 2>, starts = array<i64: 0, 0, 2, 2>, steps = array<i64: 1, 1, -2, -2>} : tensor<6x2x3x3xf32> -> tensor<6x2x2x2xf32>
// CHECK-NEXT:    %[[RESHAPE4:.+]] = pop.reshape %[[SLICE2]] : tensor<6x2x2x2xf32> to tensor<2x3x2x2x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE2:.+]] = pop.transpose %[[RESHAPE4]] {permutation = array<i64: 0, 2, 1, 3, 4>} : tensor<2x3x2x2x2xf32> -> tensor<2x2x3x2x2xf32>
// CHECK-NEXT:    %[[RESHAPE5:.+]] = pop.reshape %[[TRANSPOSE2]] : tensor<2x2x3x2x2xf32> to tensor<4x3x2x2xf32>
// CHECK-NEXT:    %[[CONV2:.+]] = pop.conv %[[DY]], %[[RESHAPE5]] {groups = 2 : i64, pads = array<i64: 1, 0, 1, 1>} : (tensor<1x6x3x4xf32>, tensor<4x3x2x2xf32>) -> tensor<1x4x4x4xf32>
// CHECK-NEXT:    %[[RESHAPE6:.+]] = pop.reshape %[[CONV2]] : tensor<1x4x4x4xf32> to tensor<1x4x4x1x4x1xf32>
// CHECK-NEXT:    %[[CONCAT:.+]] = pop.concat %[[RESHAPE3]], %[[RESHAPE6]] {axis = 5 : i64} : (tensor<1x4x4x1x4x1xf32>, tensor<1x4x4x1x4x1xf32>) -> tensor<1x4x4x1x4x2xf32>
// CHECK-NEXT:    %[[SLICE3:.+]] = pop.slice %[[X1]] {sizes = array<i64: 6, 2, 1, 1>, starts = array<i64: 0, 0, 1, 1>, steps = array<i64: 1, 1, -2, -2>} : tensor<6x2x3x3xf32> -> tensor<6x2x1x1xf32>
// CHECK-NEXT:    %[[RESHAPE7:.+]] = pop.reshape %[[SLICE3]] : tensor<6x2x1x1xf32> to tensor<2x3x2x1x1xf32>
// CHECK-NEXT:    %[[TRANSPOSE3:.+]] = pop.transpose %[[RESHAPE7]] {permutation = array<i64: 0, 2, 1, 3, 4>} : tensor<2x3x2x1x1xf32> -> tensor<2x2x3x1x1xf32>
// CHECK-NEXT:    %[[RESHAPE8:.+]] = pop.reshape %[[TRANSPOSE3]] : tensor<2x2x3x1x1xf32> to tensor<4x3x1x1xf32>
// CHECK-NEXT:    %[[CONV3:.+]] = pop.conv %[[DY]], %[[RESHAPE8]] {groups = 2 : i64, pads = array<i64: 0, 0, 1, 0>} : (tensor<1x6x3x4xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x4x4xf32>
// CHECK-NEXT:    %[[RESHAPE9:.+]] = pop.reshape %[[CONV3]] : tensor<1x4x4x4xf32> to tensor<1x4x4x1x4x1xf32>
// CHECK-NEXT:    %[[SLICE4:.+]] = pop.slice %[[X1]] {sizes = array<i64: 6, 2, 1, 2>, starts = array<i64: 0, 0, 1, 2>, steps = array<i64: 1, 1, -2, -2>} : tensor<6x2x3x3xf32> -> tensor<6x2x1x2xf32>
// CHECK-NEXT:    %[[RESHAPE10:.+]] = pop.reshape %[[SLICE4]] : tensor<6x2x1x2xf32> to tensor<2x3x2x1x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE4:.+]] = pop.transpose %[[RESHAPE10]] {permutation = array<i64: 0, 2, 1, 3, 4>} : tensor<2x3x2x1x2xf32> -> tensor<2x2x3x1x2xf32>
// CHECK-NEXT:    %[[RESHAPE11:.+]] = pop.reshape %[[TRANSPOSE4]] : tensor<2x2x3x1x2xf32> to tensor<4x3x1x2xf32>
// CHECK-NEXT:    %[[CONV4:.+]] = pop.conv %[[DY]], %[[RESHAPE11]] {groups = 2 : i64, pads = array<i64: 0, 0, 1, 1>} : (tensor<1x6x3x4xf32>, tensor<4x3x1x2xf32>) -> tensor<1x4x4x4xf32>
// CHECK-NEXT:    %[[RESHAPE12:.+]] = pop.reshape %[[CONV4]] : tensor<1x4x4x4xf32> to tensor<1x4x4x1x4x1xf32>
// CHECK-NEXT:    %[[CONCAT2:.+]] = pop.concat %[[RESHAPE9]], %[[RESHAPE12]] {axis = 5 : i64} : (tensor<1x4x4x1x4x1xf32>, tensor<1x4x4x1x4x1xf32>) -> tensor<1x4x4x1x4x2xf32>
// CHECK-NEXT:    %[[CONCAT3:.+]] = pop.concat %[[CONCAT]], %[[CONCAT2]] {axis = 3 : i64} : (tensor<1x4x4x1x4x2xf32>, tensor<1x4x4x1x4x2xf32>) -> tensor<1x4x4x2x4x2xf32>
// CHECK-NEXT:    %[[RESHAPE13:.+]] = pop.reshape %[[CONCAT3]] : tensor<1x4x4x2x4x2xf32> to tensor<1x4x8x8xf32>
// CHECK-NEXT:    %[[SLICE5:.+]] = pop.slice %[[X0]] {sizes = array<i64: 1, 4, 7, 8>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<1x4x8x8xf32> -> tensor<1x4x7x8xf32>
// CHECK-NEXT:    %[[RESHAPE14:.+]] = pop.reshape %[[SLICE5]] : tensor<1x4x7x8xf32> to tensor<1x2x2x7x8xf32>
// CHECK-NEXT:    %[[TRANSPOSE5:.+]] = pop.transpose %[[RESHAPE14]] {permutation = array<i64: 2, 1, 0, 3, 4>} : tensor<1x2x2x7x8xf32> -> tensor<2x2x1x7x8xf32>
// CHECK-NEXT:    %[[RESHAPE15:.+]] = pop.reshape %[[TRANSPOSE5]] : tensor<2x2x1x7x8xf32> to tensor<2x2x7x8xf32>
// CHECK-NEXT:    %[[TRANSPOSE6:.+]] = pop.transpose %[[DY]] {permutation = array<i64: 1, 0, 2, 3>} : tensor<1x6x3x4xf32> -> tensor<6x1x3x4xf32>
// CHECK-NEXT:    %[[CONV5:.+]] = pop.conv %[[RESHAPE15]], %[[TRANSPOSE6]] {dilations = array<i64: 2, 2>, groups = 2 : i64, pads = array<i64: 0, 1, 0, 0>} : (tensor<2x2x7x8xf32>, tensor<6x1x3x4xf32>) -> tensor<2x6x3x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE7:.+]] = pop.transpose %[[CONV5]] {permutation = array<i64: 1, 0, 2, 3>} : tensor<2x6x3x3xf32> -> tensor<6x2x3x3xf32>
// CHECK-NEXT:    return %[[RESHAPE13]], %[[TRANSPOSE7]]
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
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[DY]] {sizes = array<i64: 1, 1, 5>, starts = array<i64: 0, 0, 2>, steps = array<i64: 1, 1, 1>} : tensor<1x1x8xf32> -> tensor<1x1x5xf32>
// CHECK-NEXT:    %[[SLICE2:.+]] = pop.slice %[[X1]] {sizes = array<i64: 1, 1, 2>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, -1>} : tensor<1x1x2xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[SLICE2]] : tensor<1x1x2xf32> to tensor<1x1x1x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = pop.transpose %[[RESHAPE]] {permutation = array<i64: 0, 2, 1, 3>} : tensor<1x1x1x2xf32> -> tensor<1x1x1x2xf32>
// CHECK-NEXT:    %[[RESHAPE2:.+]] = pop.reshape %[[TRANSPOSE]] : tensor<1x1x1x2xf32> to tensor<1x1x2xf32>
// CHECK-NEXT:    %[[CONV:.+]] = pop.conv %[[SLICE]], %[[RESHAPE2]] : (tensor<1x1x5xf32>, tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
// CHECK-NEXT:    %[[RESHAPE3:.+]] = pop.reshape %[[X0]] : tensor<1x1x4xf32> to tensor<1x1x1x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE2:.+]] = pop.transpose %[[RESHAPE3]] {permutation = array<i64: 2, 1, 0, 3>} : tensor<1x1x1x4xf32> -> tensor<1x1x1x4xf32>
// CHECK-NEXT:    %[[RESHAPE4:.+]] = pop.reshape %[[TRANSPOSE2]] : tensor<1x1x1x4xf32> to tensor<1x1x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE3:.+]] = pop.transpose %[[DY]] {permutation = array<i64: 1, 0, 2>} : tensor<1x1x8xf32> -> tensor<1x1x8xf32>
// CHECK-NEXT:    %[[CONV2:.+]] = pop.conv %[[RESHAPE4]], %[[TRANSPOSE3]] {pads = array<i64: 3, 2>} : (tensor<1x1x4xf32>, tensor<1x1x8xf32>) -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE4:.+]] = pop.transpose %[[CONV2]] {permutation = array<i64: 1, 0, 2>} : tensor<1x1x2xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    return %[[CONV]], %[[TRANSPOSE4]]
func.func private @f(%x: tensor<1x1x4xf32>, %w: tensor<1x1x2xf32>) -> tensor<1x1x8xf32> {
  %0 = pop.conv %x, %w {pads = array<i64: 3, 2>} : (tensor<1x1x4xf32>, tensor<1x1x2xf32>) -> tensor<1x1x8xf32>
  return %0 : tensor<1x1x8xf32>
}

// -----

// A kernel of one position meets every other element.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<1x1x4xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<1x1x6xf32> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<1x1x1xf32> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[DY]] {sizes = array<i64: 1, 1, 3>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, 1>} : tensor<1x1x4xf32> -> tensor<1x1x3xf32>
// CHECK-NEXT:    %[[SLICE2:.+]] = pop.slice %[[X1]] {sizes = array<i64: 1, 1, 1>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, -2>} : tensor<1x1x1xf32> -> tensor<1x1x1xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[SLICE2]] : tensor<1x1x1xf32> to tensor<1x1x1x1xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = pop.transpose %[[RESHAPE]] {permutation = array<i64: 0, 2, 1, 3>} : tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
// CHECK-NEXT:    %[[RESHAPE2:.+]] = pop.reshape %[[TRANSPOSE]] : tensor<1x1x1x1xf32> to tensor<1x1x1xf32>
// CHECK-NEXT:    %[[CONV:.+]] = pop.conv %[[SLICE]], %[[RESHAPE2]] : (tensor<1x1x3xf32>, tensor<1x1x1xf32>) -> tensor<1x1x3xf32>
// CHECK-NEXT:    %[[RESHAPE3:.+]] = pop.reshape %[[CONV]] : tensor<1x1x3xf32> to tensor<1x1x3x1xf32>
// CHECK-NEXT:    %[[PAD:.+]] = pop.pad %[[RESHAPE3]] {high = array<i64: 0, 0, 0, 0>, low = array<i64: 0, 0, 0, 1>, value = 0.000000e+00 : f32} : tensor<1x1x3x1xf32> -> tensor<1x1x3x2xf32>
// CHECK-NEXT:    %[[RESHAPE4:.+]] = pop.reshape %[[PAD]] : tensor<1x1x3x2xf32> to tensor<1x1x6xf32>
// CHECK-NEXT:    %[[SLICE3:.+]] = pop.slice %[[X0]] {sizes = array<i64: 1, 1, 3>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, 2>} : tensor<1x1x6xf32> -> tensor<1x1x3xf32>
// CHECK-NEXT:    %[[RESHAPE5:.+]] = pop.reshape %[[SLICE3]] : tensor<1x1x3xf32> to tensor<1x1x1x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE2:.+]] = pop.transpose %[[RESHAPE5]] {permutation = array<i64: 2, 1, 0, 3>} : tensor<1x1x1x3xf32> -> tensor<1x1x1x3xf32>
// CHECK-NEXT:    %[[RESHAPE6:.+]] = pop.reshape %[[TRANSPOSE2]] : tensor<1x1x1x3xf32> to tensor<1x1x3xf32>
// CHECK-NEXT:    %[[TRANSPOSE3:.+]] = pop.transpose %[[DY]] {permutation = array<i64: 1, 0, 2>} : tensor<1x1x4xf32> -> tensor<1x1x4xf32>
// CHECK-NEXT:    %[[CONV2:.+]] = pop.conv %[[RESHAPE6]], %[[TRANSPOSE3]] {pads = array<i64: 1, 0>} : (tensor<1x1x3xf32>, tensor<1x1x4xf32>) -> tensor<1x1x1xf32>
// CHECK-NEXT:    %[[TRANSPOSE4:.+]] = pop.transpose %[[CONV2]] {permutation = array<i64: 1, 0, 2>} : tensor<1x1x1xf32> -> tensor<1x1x1xf32>
// CHECK-NEXT:    return %[[RESHAPE4]], %[[TRANSPOSE4]]
func.func private @f(%x: tensor<1x1x6xf32>, %w: tensor<1x1x1xf32>) -> tensor<1x1x4xf32> {
  %0 = pop.conv %x, %w {pads = array<i64: 1, 0>, strides = array<i64: 2>} : (tensor<1x1x6xf32>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
  return %0 : tensor<1x1x4xf32>
}

// -----

// Both positions of a period meet two of the kernel's, at equal windows.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<1x6x3xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<1x4x8xf32> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<6x2x4xf32> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[X1]] {sizes = array<i64: 6, 2, 2>, starts = array<i64: 0, 0, 2>, steps = array<i64: 1, 1, 1>} : tensor<6x2x4xf32> -> tensor<6x2x2xf32>
// CHECK-NEXT:    %[[SLICE2:.+]] = pop.slice %[[X1]] {sizes = array<i64: 6, 2, 2>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<6x2x4xf32> -> tensor<6x2x2xf32>
// CHECK-NEXT:    %[[CONCAT:.+]] = pop.concat %[[SLICE]], %[[SLICE2]] {axis = 2 : i64} : (tensor<6x2x2xf32>, tensor<6x2x2xf32>) -> tensor<6x2x4xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[CONCAT]] : tensor<6x2x4xf32> to tensor<6x2x2x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = pop.transpose %[[RESHAPE]] {permutation = array<i64: 0, 1, 3, 2>} : tensor<6x2x2x2xf32> -> tensor<6x2x2x2xf32>
// CHECK-NEXT:    %[[RESHAPE2:.+]] = pop.reshape %[[TRANSPOSE]] : tensor<6x2x2x2xf32> to tensor<6x4x2xf32>
// CHECK-NEXT:    %[[RESHAPE3:.+]] = pop.reshape %[[RESHAPE2]] : tensor<6x4x2xf32> to tensor<2x3x4x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE2:.+]] = pop.transpose %[[RESHAPE3]] {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x3x4x2xf32> -> tensor<2x4x3x2xf32>
// CHECK-NEXT:    %[[RESHAPE4:.+]] = pop.reshape %[[TRANSPOSE2]] : tensor<2x4x3x2xf32> to tensor<8x3x2xf32>
// CHECK-NEXT:    %[[CONV:.+]] = pop.conv %[[DY]], %[[RESHAPE4]] {groups = 2 : i64, pads = array<i64: 1, 1>} : (tensor<1x6x3xf32>, tensor<8x3x2xf32>) -> tensor<1x8x4xf32>
// CHECK-NEXT:    %[[RESHAPE5:.+]] = pop.reshape %[[CONV]] : tensor<1x8x4xf32> to tensor<1x4x2x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE3:.+]] = pop.transpose %[[RESHAPE5]] {permutation = array<i64: 0, 1, 3, 2>} : tensor<1x4x2x4xf32> -> tensor<1x4x4x2xf32>
// CHECK-NEXT:    %[[RESHAPE6:.+]] = pop.reshape %[[TRANSPOSE3]] : tensor<1x4x4x2xf32> to tensor<1x4x8xf32>
// CHECK-NEXT:    %[[RESHAPE7:.+]] = pop.reshape %[[X0]] : tensor<1x4x8xf32> to tensor<1x2x2x8xf32>
// CHECK-NEXT:    %[[TRANSPOSE4:.+]] = pop.transpose %[[RESHAPE7]] {permutation = array<i64: 2, 1, 0, 3>} : tensor<1x2x2x8xf32> -> tensor<2x2x1x8xf32>
// CHECK-NEXT:    %[[RESHAPE8:.+]] = pop.reshape %[[TRANSPOSE4]] : tensor<2x2x1x8xf32> to tensor<2x2x8xf32>
// CHECK-NEXT:    %[[TRANSPOSE5:.+]] = pop.transpose %[[DY]] {permutation = array<i64: 1, 0, 2>} : tensor<1x6x3xf32> -> tensor<6x1x3xf32>
// CHECK-NEXT:    %[[CONV2:.+]] = pop.conv %[[RESHAPE8]], %[[TRANSPOSE5]] {dilations = array<i64: 2>, groups = 2 : i64} : (tensor<2x2x8xf32>, tensor<6x1x3xf32>) -> tensor<2x6x4xf32>
// CHECK-NEXT:    %[[TRANSPOSE6:.+]] = pop.transpose %[[CONV2]] {permutation = array<i64: 1, 0, 2>} : tensor<2x6x4xf32> -> tensor<6x2x4xf32>
// CHECK-NEXT:    return %[[RESHAPE6]], %[[TRANSPOSE6]]
func.func private @f(%x: tensor<1x4x8xf32>, %w: tensor<6x2x4xf32>) -> tensor<1x6x3xf32> {
  %0 = pop.conv %x, %w {groups = 2 : i64, strides = array<i64: 2>} : (tensor<1x4x8xf32>, tensor<6x2x4xf32>) -> tensor<1x6x3xf32>
  return %0 : tensor<1x6x3xf32>
}

// -----

// Of three positions, the second one meets no window.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<1x1x2xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<1x1x8xf32> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<1x1x2xf32> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[X1]] {sizes = array<i64: 1, 1, 1>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, -3>} : tensor<1x1x2xf32> -> tensor<1x1x1xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[SLICE]] : tensor<1x1x1xf32> to tensor<1x1x1x1xf32>
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = pop.transpose %[[RESHAPE]] {permutation = array<i64: 0, 2, 1, 3>} : tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
// CHECK-NEXT:    %[[RESHAPE2:.+]] = pop.reshape %[[TRANSPOSE]] : tensor<1x1x1x1xf32> to tensor<1x1x1xf32>
// CHECK-NEXT:    %[[CONV:.+]] = pop.conv %[[DY]], %[[RESHAPE2]] {dilations = array<i64: 2>, pads = array<i64: 0, 1>} : (tensor<1x1x2xf32>, tensor<1x1x1xf32>) -> tensor<1x1x3xf32>
// CHECK-NEXT:    %[[RESHAPE3:.+]] = pop.reshape %[[CONV]] : tensor<1x1x3xf32> to tensor<1x1x3x1xf32>
// CHECK-NEXT:    %[[SLICE2:.+]] = pop.slice %[[X1]] {sizes = array<i64: 1, 1, 1>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, -3>} : tensor<1x1x2xf32> -> tensor<1x1x1xf32>
// CHECK-NEXT:    %[[RESHAPE4:.+]] = pop.reshape %[[SLICE2]] : tensor<1x1x1xf32> to tensor<1x1x1x1xf32>
// CHECK-NEXT:    %[[TRANSPOSE2:.+]] = pop.transpose %[[RESHAPE4]] {permutation = array<i64: 0, 2, 1, 3>} : tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
// CHECK-NEXT:    %[[RESHAPE5:.+]] = pop.reshape %[[TRANSPOSE2]] : tensor<1x1x1x1xf32> to tensor<1x1x1xf32>
// CHECK-NEXT:    %[[CONV2:.+]] = pop.conv %[[DY]], %[[RESHAPE5]] {dilations = array<i64: 2>, pads = array<i64: 0, 1>} : (tensor<1x1x2xf32>, tensor<1x1x1xf32>) -> tensor<1x1x3xf32>
// CHECK-NEXT:    %[[RESHAPE6:.+]] = pop.reshape %[[CONV2]] : tensor<1x1x3xf32> to tensor<1x1x3x1xf32>
// CHECK-NEXT:    %[[PAD:.+]] = pop.pad %[[RESHAPE6]] {high = array<i64: 0, 0, 0, 0>, low = array<i64: 0, 0, 0, 1>, value = 0.000000e+00 : f32} : tensor<1x1x3x1xf32> -> tensor<1x1x3x2xf32>
// CHECK-NEXT:    %[[CONCAT:.+]] = pop.concat %[[RESHAPE3]], %[[PAD]] {axis = 3 : i64} : (tensor<1x1x3x1xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x3x3xf32>
// CHECK-NEXT:    %[[RESHAPE7:.+]] = pop.reshape %[[CONCAT]] : tensor<1x1x3x3xf32> to tensor<1x1x9xf32>
// CHECK-NEXT:    %[[SLICE3:.+]] = pop.slice %[[RESHAPE7]] {sizes = array<i64: 1, 1, 8>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<1x1x9xf32> -> tensor<1x1x8xf32>
// CHECK-NEXT:    %[[SLICE4:.+]] = pop.slice %[[X0]] {sizes = array<i64: 1, 1, 6>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<1x1x8xf32> -> tensor<1x1x6xf32>
// CHECK-NEXT:    %[[RESHAPE8:.+]] = pop.reshape %[[SLICE4]] : tensor<1x1x6xf32> to tensor<1x1x1x6xf32>
// CHECK-NEXT:    %[[TRANSPOSE3:.+]] = pop.transpose %[[RESHAPE8]] {permutation = array<i64: 2, 1, 0, 3>} : tensor<1x1x1x6xf32> -> tensor<1x1x1x6xf32>
// CHECK-NEXT:    %[[RESHAPE9:.+]] = pop.reshape %[[TRANSPOSE3]] : tensor<1x1x1x6xf32> to tensor<1x1x6xf32>
// CHECK-NEXT:    %[[TRANSPOSE4:.+]] = pop.transpose %[[DY]] {permutation = array<i64: 1, 0, 2>} : tensor<1x1x2xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[CONV3:.+]] = pop.conv %[[RESHAPE9]], %[[TRANSPOSE4]] {dilations = array<i64: 3>, strides = array<i64: 2>} : (tensor<1x1x6xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[TRANSPOSE5:.+]] = pop.transpose %[[CONV3]] {permutation = array<i64: 1, 0, 2>} : tensor<1x1x2xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    return %[[SLICE3]], %[[TRANSPOSE5]]
func.func private @f(%x: tensor<1x1x8xf32>, %w: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  %0 = pop.conv %x, %w {dilations = array<i64: 2>, strides = array<i64: 3>} : (tensor<1x1x8xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  return %0 : tensor<1x1x2xf32>
}

// -----

// The positions of a small batch become channels of the gradient of the weights.
// Each part of a gradient is rounded before it is transposed or padded.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<2x8x2x3xf16> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X:[^:]+]]: tensor<2x6x4x5xf16> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK:         %[[PHASE:.+]] = pop.conv %[[DY]], %{{.+}} {groups = 2 : i64} : (tensor<2x8x2x3xf16>, tensor<6x4x1x1xf16>) -> tensor<2x6x2x3xf32>
// CHECK-NEXT:    pop.cast %[[PHASE]] : tensor<2x6x2x3xf32> to tensor<2x6x2x3xf16>
// CHECK:         pop.pad
// CHECK:         %[[POSITIONS:.+]] = pop.slice %[[X]] {sizes = array<i64: 2, 6, 2, 3>, {{.*}}steps = array<i64: 1, 1, 2, 2>}
// CHECK:         %[[KERNEL:.+]] = pop.transpose %[[DY]] {permutation = array<i64: 1, 0, 2, 3>}
// CHECK-NEXT:    %[[INPUTS:.+]] = pop.reshape %{{.+}} : tensor<3x4x2x3xf16> to tensor<3x24x1x1xf16>
// CHECK-NEXT:    %[[WEIGHTS:.+]] = pop.reshape %[[KERNEL]] : tensor<8x2x2x3xf16> to tensor<8x12x1x1xf16>
// CHECK-NEXT:    %[[CONV:.+]] = pop.conv %[[INPUTS]], %[[WEIGHTS]] {groups = 2 : i64} : (tensor<3x24x1x1xf16>, tensor<8x12x1x1xf16>) -> tensor<3x8x1x1xf32>
// CHECK-NEXT:    %[[CAST:.+]] = pop.cast %[[CONV]] : tensor<3x8x1x1xf32> to tensor<3x8x1x1xf16>
// CHECK-NEXT:    pop.transpose %[[CAST]] {permutation = array<i64: 1, 0, 2, 3>} : tensor<3x8x1x1xf16> -> tensor<8x3x1x1xf16>
func.func private @f(%x: tensor<2x6x4x5xf16>, %w: tensor<8x3x1x1xf16>) -> tensor<2x8x2x3xf16> {
  %0 = pop.conv %x, %w {groups = 2 : i64, strides = array<i64: 2, 2>} : (tensor<2x6x4x5xf16>, tensor<8x3x1x1xf16>) -> tensor<2x8x2x3xf16>
  return %0 : tensor<2x8x2x3xf16>
}

// -----

// Windows of one position between whose inputs there are zeros do not have a
// product for each position.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK:         pop.conv %{{.+}}, %{{.+}} {dilations = array<i64: 2>, input_dilations = array<i64: 3>, pads = array<i64: 0, 2>} : (tensor<1x1x1xf32>, tensor<1x1x2xf32>) -> tensor<1x1x1xf32>
func.func private @f(%x: tensor<1x1x2xf32>, %w: tensor<1x1x1xf32>) -> tensor<1x1x2xf32> {
  %0 = pop.conv %x, %w {input_dilations = array<i64: 3>, strides = array<i64: 2>} : (tensor<1x1x2xf32>, tensor<1x1x1xf32>) -> tensor<1x1x2xf32>
  return %0 : tensor<1x1x2xf32>
}
