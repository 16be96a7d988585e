// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f})' | FileCheck %s

// One copy back to each IPU; there is no gradient of the last result.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY0:[^:]+]]: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 0>, pop.vgraph = 2 : i64}
// CHECK-SAME:    %[[DY1:[^:]+]]: tensor<2xf32> {pop.gradient_of = #pop.graph_value<result 1>, pop.vgraph = 2 : i64}
// CHECK-NEXT:    %[[IPUCOPY:.+]] = pop.ipu_copy %[[DY0]] from 2 to 0 {pop.training_role = "backward"} : tensor<4xf32>
// CHECK-NEXT:    %[[IPUCOPY2:.+]] = pop.ipu_copy %[[DY1]] from 2 to 1 {pop.training_role = "backward"} : tensor<2xf32>
// CHECK-NEXT:    return %[[IPUCOPY]], %[[IPUCOPY2]]
func.func private @f(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %a2, %b2, %c2 = pop.ipu_copy %a, %b, %c from [0, 1, 0] to 2 : tensor<4xf32>, tensor<2xf32>, tensor<3xf32>
  return %a2, %b2 : tensor<4xf32>, tensor<2xf32>
}

// -----

// The gradient of a result on I/O tiles is on I/O tiles.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 0>, pop.tile_set = #pop<tile_set io>}
// CHECK-NEXT:    %[[IOTILECOPY:.+]] = pop.io_tile_copy %[[DY]] to compute : tensor<4xf32>
// CHECK-NEXT:    return %[[IOTILECOPY]]
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.io_tile_copy %x to io : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    return %[[DY]]
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.copy %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The same elements are dropped.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4xf16> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<2xui32> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-NEXT:    %[[DROPOUT:.+]] = pop.dropout %[[DY]], %[[X1]], 1.000000e-01 : tensor<4xf16>, tensor<2xui32>
// CHECK-NEXT:    return %[[DROPOUT]]
func.func private @f(%x: tensor<4xf16>, %seed: tensor<2xui32>) -> tensor<4xf16> {
  %0 = pop.dropout %x, %seed, 0.1 : tensor<4xf16>, tensor<2xui32>
  return %0 : tensor<4xf16>
}
