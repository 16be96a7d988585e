// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f})' | FileCheck %s

// The rows go into the sum of the other gradients.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY0:[^:]+]]: tensor<3x2xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[DY1:[^:]+]]: tensor<5x2xf32> {pop.gradient_of = #pop.graph_value<result 1>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<3xi32> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-NEXT:    %[[NEG:.+]] = pop.neg %[[DY1]] : tensor<5x2xf32>
// CHECK-NEXT:    %[[SCATTER:.+]] = pop.scatter add %[[NEG]], %[[X1]], %[[DY0]] : tensor<5x2xf32>, tensor<3xi32>, tensor<3x2xf32>
// CHECK-NEXT:    return %[[SCATTER]]
func.func private @f(%t: tensor<5x2xf32>, %i: tensor<3xi32>) -> (tensor<3x2xf32>, tensor<5x2xf32>) {
  %0 = pop.gather %t, %i : (tensor<5x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  %1 = pop.neg %t : tensor<5x2xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<5x2xf32>
}

// -----

// Of updates of one row, the last one counts: each writes its number.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<5x2xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<3xi32> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<0.000000e+00> : tensor<3x2xf32>
// CHECK-NEXT:    %[[SCATTER:.+]] = pop.scatter replace %[[DY]], %[[X1]], %[[CONSTANT]] : tensor<5x2xf32>, tensor<3xi32>, tensor<3x2xf32>
// CHECK-NEXT:    %[[CONSTANT2:.+]] = pop.constant dense<[1, 2, 3]> : tensor<3xi32>
// CHECK-NEXT:    %[[CONSTANT3:.+]] = pop.constant dense<0> : tensor<5xi32>
// CHECK-NEXT:    %[[SCATTER2:.+]] = pop.scatter replace %[[CONSTANT3]], %[[X1]], %[[CONSTANT2]] : tensor<5xi32>, tensor<3xi32>, tensor<3xi32>
// CHECK-NEXT:    %[[GATHER:.+]] = pop.gather %[[SCATTER2]], %[[X1]] : (tensor<5xi32>, tensor<3xi32>) -> tensor<3xi32>
// CHECK-NEXT:    %[[EQUAL:.+]] = pop.equal %[[GATHER]], %[[CONSTANT2]] : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[EQUAL]] : tensor<3xi1> to tensor<3x1xi1>
// CHECK-NEXT:    %[[GATHER2:.+]] = pop.gather %[[DY]], %[[X1]] : (tensor<5x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
// CHECK-NEXT:    %[[CONSTANT4:.+]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[SELECT:.+]] = pop.select %[[RESHAPE]], %[[GATHER2]], %[[CONSTANT4]] : tensor<3x1xi1>, tensor<3x2xf32>, tensor<f32> -> tensor<3x2xf32>
// CHECK-NEXT:    return %[[SCATTER]], %[[SELECT]]
func.func private @f(%x: tensor<5x2xf32>, %i: tensor<3xi32>, %u: tensor<3x2xf32>) -> tensor<5x2xf32> {
  %0 = pop.scatter replace %x, %i, %u : tensor<5x2xf32>, tensor<3xi32>, tensor<3x2xf32>
  return %0 : tensor<5x2xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<5xf16> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<5xf16> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<3xi32> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-SAME:    %[[X2:[^:]+]]: tensor<3xf16> {pop.forward_value = #pop.graph_value<argument 2>}
// CHECK-NEXT:    %[[SCATTER:.+]] = pop.scatter max %[[X0]], %[[X1]], %[[X2]] : tensor<5xf16>, tensor<3xi32>, tensor<3xf16>
// CHECK-NEXT:    %[[EQUAL:.+]] = pop.equal %[[X0]], %[[SCATTER]] : (tensor<5xf16>, tensor<5xf16>) -> tensor<5xi1>
// CHECK-NEXT:    %[[GATHER:.+]] = pop.gather %[[SCATTER]], %[[X1]] : (tensor<5xf16>, tensor<3xi32>) -> tensor<3xf16>
// CHECK-NEXT:    %[[EQUAL2:.+]] = pop.equal %[[X2]], %[[GATHER]] : (tensor<3xf16>, tensor<3xf16>) -> tensor<3xi1>
// CHECK-NEXT:    %[[CAST:.+]] = pop.cast %[[DY]] : tensor<5xf16> to tensor<5xf32>
// CHECK-NEXT:    %[[CAST2:.+]] = pop.cast %[[EQUAL]] : tensor<5xi1> to tensor<5xf32>
// CHECK-NEXT:    %[[CAST3:.+]] = pop.cast %[[EQUAL2]] : tensor<3xi1> to tensor<3xf32>
// CHECK-NEXT:    %[[SCATTER2:.+]] = pop.scatter add %[[CAST2]], %[[X1]], %[[CAST3]] : tensor<5xf32>, tensor<3xi32>, tensor<3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = pop.div %[[CAST]], %[[SCATTER2]] : tensor<5xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[SELECT:.+]] = pop.select %[[EQUAL]], %[[DIV]], %[[CONSTANT]] : tensor<5xi1>, tensor<5xf32>, tensor<f32> -> tensor<5xf32>
// CHECK-NEXT:    %[[CAST4:.+]] = pop.cast %[[SELECT]] : tensor<5xf32> to tensor<5xf16>
// CHECK-NEXT:    %[[GATHER2:.+]] = pop.gather %[[DIV]], %[[X1]] : (tensor<5xf32>, tensor<3xi32>) -> tensor<3xf32>
// CHECK-NEXT:    %[[CONSTANT2:.+]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[SELECT2:.+]] = pop.select %[[EQUAL2]], %[[GATHER2]], %[[CONSTANT2]] : tensor<3xi1>, tensor<3xf32>, tensor<f32> -> tensor<3xf32>
// CHECK-NEXT:    %[[CAST5:.+]] = pop.cast %[[SELECT2]] : tensor<3xf32> to tensor<3xf16>
// CHECK-NEXT:    return %[[CAST4]], %[[CAST5]]
func.func private @f(%x: tensor<5xf16>, %i: tensor<3xi32>, %u: tensor<3xf16>) -> tensor<5xf16> {
  %0 = pop.scatter max %x, %i, %u : tensor<5xf16>, tensor<3xi32>, tensor<3xf16>
  return %0 : tensor<5xf16>
}

// -----

// Boxes may overlap: the second one is added to what the first one left.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY0:[^:]+]]: tensor<3xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[DY1:[^:]+]]: tensor<3xf32> {pop.gradient_of = #pop.graph_value<result 1>}
// CHECK-SAME:    %[[X1:[^:]+]]: tensor<1xi32> {pop.forward_value = #pop.graph_value<argument 1>}
// CHECK-SAME:    %[[X2:[^:]+]]: tensor<1xi32> {pop.forward_value = #pop.graph_value<argument 2>}
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-NEXT:    %[[DYNAMICUPDATE:.+]] = pop.dynamic_update %[[CONSTANT]], %[[DY1]][%[[X2]]] {axes = array<i64: 0>} : tensor<8xf32>, tensor<3xf32>, tensor<1xi32>
// CHECK-NEXT:    %[[DYNAMICSLICE:.+]] = pop.dynamic_slice %[[DYNAMICUPDATE]][%[[X1]]] {axes = array<i64: 0>, sizes = array<i64: 3>} : tensor<8xf32>, tensor<1xi32> -> tensor<3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = pop.add %[[DYNAMICSLICE]], %[[DY0]] : tensor<3xf32>
// CHECK-NEXT:    %[[DYNAMICUPDATE2:.+]] = pop.dynamic_update %[[DYNAMICUPDATE]], %[[ADD]][%[[X1]]] {axes = array<i64: 0>} : tensor<8xf32>, tensor<3xf32>, tensor<1xi32>
// CHECK-NEXT:    return %[[DYNAMICUPDATE2]]
func.func private @f(%x: tensor<8xf32>, %a: tensor<1xi32>, %b: tensor<1xi32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = pop.dynamic_slice %x[%a] {axes = array<i64: 0>, sizes = array<i64: 3>} : tensor<8xf32>, tensor<1xi32> -> tensor<3xf32>
  %1 = pop.dynamic_slice %x[%b] {axes = array<i64: 0>, sizes = array<i64: 3>} : tensor<8xf32>, tensor<1xi32> -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<8xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X2:[^:]+]]: tensor<1xi32> {pop.forward_value = #pop.graph_value<argument 2>}
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-NEXT:    %[[DYNAMICUPDATE:.+]] = pop.dynamic_update %[[DY]], %[[CONSTANT]][%[[X2]]] {axes = array<i64: 0>} : tensor<8xf32>, tensor<3xf32>, tensor<1xi32>
// CHECK-NEXT:    %[[DYNAMICSLICE:.+]] = pop.dynamic_slice %[[DY]][%[[X2]]] {axes = array<i64: 0>, sizes = array<i64: 3>} : tensor<8xf32>, tensor<1xi32> -> tensor<3xf32>
// CHECK-NEXT:    return %[[DYNAMICUPDATE]], %[[DYNAMICSLICE]]
func.func private @f(%x: tensor<8xf32>, %u: tensor<3xf32>, %a: tensor<1xi32>) -> tensor<8xf32> {
  %0 = pop.dynamic_update %x, %u[%a] {axes = array<i64: 0>} : tensor<8xf32>, tensor<3xf32>, tensor<1xi32>
  return %0 : tensor<8xf32>
}

// -----

// Gradients are sorted back to the positions from which the elements come.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<2x4xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X:[^:]+]]: tensor<2x4xf32> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-NEXT:    %[[IOTA:.+]] = pop.constant dense<{{.+}}> : tensor<1x4xi32>
// CHECK-NEXT:    %[[POSITIONS:.+]] = pop.expand %[[IOTA]] : tensor<1x4xi32> to tensor<2x4xi32>
// CHECK-NEXT:    %[[SORT:.+]]:2 = pop.sort %[[X]], %[[POSITIONS]] by [descending, ascending] {axis = 1 : i64, indexed} : (tensor<2x4xf32>, tensor<2x4xi32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
// CHECK-NEXT:    %[[BACK:.+]]:2 = pop.sort %[[SORT]]#1, %[[DY]] by [ascending] {axis = 1 : i64, indexed} : (tensor<2x4xi32>, tensor<2x4xf32>) -> (tensor<2x4xi32>, tensor<2x4xf32>)
// CHECK-NEXT:    return %[[BACK]]#1
func.func private @f(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = pop.sort %x by [descending] {axis = 1 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
