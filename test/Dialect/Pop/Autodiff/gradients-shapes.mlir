// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f})' | FileCheck %s

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<3x2xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = pop.transpose %[[DY]] {permutation = array<i64: 1, 0>} : tensor<3x2xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    return %[[TRANSPOSE]]
func.func private @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<2x3xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// A dimension that is reversed with steps.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<1x3xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[DY]] {sizes = array<i64: 1, 3>, starts = array<i64: 0, 2>, steps = array<i64: 1, -1>} : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[SLICE]] : tensor<1x3xf32> to tensor<1x1x3x1xf32>
// CHECK-NEXT:    %[[PAD:.+]] = pop.pad %[[RESHAPE]] {high = array<i64: 0, 0, 0, 2>, low = array<i64: 0, 0, 0, 0>, value = 0.000000e+00 : f32} : tensor<1x1x3x1xf32> -> tensor<1x1x3x3xf32>
// CHECK-NEXT:    %[[RESHAPE2:.+]] = pop.reshape %[[PAD]] : tensor<1x1x3x3xf32> to tensor<1x9xf32>
// CHECK-NEXT:    %[[SLICE2:.+]] = pop.slice %[[RESHAPE2]] {sizes = array<i64: 1, 7>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<1x9xf32> -> tensor<1x7xf32>
// CHECK-NEXT:    %[[PAD2:.+]] = pop.pad %[[SLICE2]] {high = array<i64: 0, 1>, low = array<i64: 1, 1>, value = 0.000000e+00 : f32} : tensor<1x7xf32> -> tensor<2x9xf32>
// CHECK-NEXT:    return %[[PAD2]]
func.func private @f(%x: tensor<2x9xf32>) -> tensor<1x3xf32> {
  %0 = pop.slice %x {sizes = array<i64: 1, 3>, starts = array<i64: 1, 7>, steps = array<i64: 1, -3>} : tensor<2x9xf32> -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<2x3x4xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[REDUCE:.+]] = pop.reduce sum %[[DY]] {axes = array<i64: 0, 2>} : tensor<2x3x4xf32> -> tensor<3xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[REDUCE]] : tensor<3xf32> to tensor<3x1xf32>
// CHECK-NEXT:    return %[[RESHAPE]]
func.func private @f(%x: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %0 = pop.expand %x : tensor<3x1xf32> to tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// The operand whose gradient is not asked for gets none.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<6xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[DY]] {sizes = array<i64: 2>, starts = array<i64: 0>, steps = array<i64: 1>} : tensor<6xf32> -> tensor<2xf32>
// CHECK-NEXT:    %[[SLICE2:.+]] = pop.slice %[[DY]] {sizes = array<i64: 1>, starts = array<i64: 5>, steps = array<i64: 1>} : tensor<6xf32> -> tensor<1xf32>
// CHECK-NEXT:    return %[[SLICE]], %[[SLICE2]]
func.func private @f(%x: tensor<2xf32>, %n: tensor<3xi32>, %z: tensor<1xf32>) -> tensor<6xf32> {
  %0 = pop.cast %n : tensor<3xi32> to tensor<3xf32>
  %1 = pop.concat %x, %0, %z {axis = 0 : i64} : (tensor<2xf32>, tensor<3xf32>, tensor<1xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<5xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[DY]] {sizes = array<i64: 2>, starts = array<i64: 1>, steps = array<i64: 1>} : tensor<5xf32> -> tensor<2xf32>
// CHECK-NEXT:    return %[[SLICE]]
func.func private @f(%x: tensor<2xf32>) -> tensor<5xf32> {
  %0 = pop.pad %x {high = array<i64: 2>, low = array<i64: 1>, value = 1.0 : f32} : tensor<2xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Views of a ref.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY0:[^:]+]]: tensor<3xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[DY1:[^:]+]]: tensor<3x2xf32> {pop.gradient_of = #pop.graph_value<result 1>}
// CHECK-NEXT:    %[[TRANSPOSE:.+]] = pop.transpose %[[DY1]] {permutation = array<i64: 1, 0>} : tensor<3x2xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[DY0]] : tensor<3xf32> to tensor<1x3xf32>
// CHECK-NEXT:    %[[PAD:.+]] = pop.pad %[[RESHAPE]] {high = array<i64: 0, 0>, low = array<i64: 1, 0>, value = 0.000000e+00 : f32} : tensor<1x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    %[[SUM:.+]] = pop.sum %[[TRANSPOSE]], %[[PAD]] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %[[SUM]]
pop.variable @w : tensor<2x3xf32> = dense<1.0> : tensor<2x3xf32>
func.func private @f() -> (tensor<3xf32>, tensor<3x2xf32>) {
  %w = pop.get_variable @w : !pop.ref<2x3xf32>
  %row = pop.ref_row %w[1] : !pop.ref<2x3xf32> -> !pop.ref<3xf32>
  %0 = pop.read %row : !pop.ref<3xf32>
  %columns = pop.ref_transpose %w {permutation = array<i64: 1, 0>} : !pop.ref<2x3xf32> -> !pop.ref<3x2xf32>
  %1 = pop.read %columns : !pop.ref<3x2xf32>
  return %0, %1 : tensor<3xf32>, tensor<3x2xf32>
}
