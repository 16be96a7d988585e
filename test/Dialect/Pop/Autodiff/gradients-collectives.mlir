// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f})' | FileCheck %s

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[ALLREDUCE:.+]] = pop.all_reduce mean %[[DY]] {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32>
// CHECK-NEXT:    return %[[ALLREDUCE]]
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.all_reduce mean %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<3xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[REDUCESCATTER:.+]] = pop.reduce_scatter add %[[DY]] {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<3xf32> to tensor<2xf32>
// CHECK-NEXT:    return %[[REDUCESCATTER]]
func.func private @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = pop.all_gather %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<2xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// The size of the groups is that of the sum of ones.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<2xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[ALLGATHER:.+]] = pop.all_gather %[[DY]] : tensor<2xf32> to tensor<3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[ALLREDUCE:.+]] = pop.all_reduce add %[[CONSTANT]] : tensor<f32>
// CHECK-NEXT:    %[[DIV:.+]] = pop.div %[[ALLGATHER]], %[[ALLREDUCE]] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK-NEXT:    return %[[DIV]]
func.func private @f(%x: tensor<3xf32>) -> tensor<2xf32> {
  %0 = pop.reduce_scatter mean %x : tensor<3xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<2xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<[0, 2]> : tensor<2xi32>
// CHECK-NEXT:    %[[REPLICASLICE:.+]] = pop.replica_slice %[[CONSTANT]] {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<2xi32> to tensor<1xi32>
// CHECK-NEXT:    %[[CONSTANT2:.+]] = pop.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    %[[DYNAMICUPDATE:.+]] = pop.dynamic_update %[[CONSTANT2]], %[[DY]][%[[REPLICASLICE]]] {axes = array<i64: 0>} : tensor<4xf32>, tensor<2xf32>, tensor<1xi32>
// CHECK-NEXT:    return %[[DYNAMICUPDATE]]
func.func private @f(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = pop.replica_slice %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// There may be more replicas than parts, and the last part is not whole.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<2xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<[0, 2]> : tensor<2xi32>
// CHECK-NEXT:    %[[REPLICASLICE:.+]] = pop.replica_slice %[[CONSTANT]] : tensor<2xi32> to tensor<1xi32>
// CHECK-NEXT:    %[[CONSTANT2:.+]] = pop.constant dense<1> : tensor<2xi32>
// CHECK-NEXT:    %[[REPLICASLICE2:.+]] = pop.replica_slice %[[CONSTANT2]] : tensor<2xi32> to tensor<1xi32>
// CHECK-NEXT:    %[[CAST:.+]] = pop.cast %[[REPLICASLICE2]] : tensor<1xi32> to tensor<1xi1>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[CAST]] : tensor<1xi1> to tensor<i1>
// CHECK-NEXT:    %[[CONSTANT3:.+]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[SELECT:.+]] = pop.select %[[RESHAPE]], %[[DY]], %[[CONSTANT3]] : tensor<i1>, tensor<2xf32>, tensor<f32> -> tensor<2xf32>
// CHECK-NEXT:    %[[CONSTANT4:.+]] = pop.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    %[[DYNAMICUPDATE:.+]] = pop.dynamic_update %[[CONSTANT4]], %[[SELECT]][%[[REPLICASLICE]]] {axes = array<i64: 0>} : tensor<4xf32>, tensor<2xf32>, tensor<1xi32>
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[DYNAMICUPDATE]] {sizes = array<i64: 3>, starts = array<i64: 0>, steps = array<i64: 1>} : tensor<4xf32> -> tensor<3xf32>
// CHECK-NEXT:    return %[[SLICE]]
func.func private @f(%x: tensor<3xf32>) -> tensor<2xf32> {
  %0 = pop.replica_slice %x : tensor<3xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<2x6xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[ALLTOALL:.+]] = pop.all_to_all %[[DY]] {groups = #pop.replica_groups<stride = 1, size = 2>, split_axis = 1 : i64} : tensor<2x6xf32> to tensor<4x3xf32>
// CHECK-NEXT:    return %[[ALLTOALL]]
func.func private @f(%x: tensor<4x3xf32>) -> tensor<2x6xf32> {
  %0 = pop.all_to_all %x {concat_axis = 1 : i64, groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4x3xf32> to tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[ALLREDUCE:.+]] = pop.all_reduce add %[[DY]] : tensor<4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<[0, 1]> : tensor<2xi32>
// CHECK-NEXT:    %[[REPLICASLICE:.+]] = pop.replica_slice %[[CONSTANT]] : tensor<2xi32> to tensor<1xi32>
// CHECK-NEXT:    %[[CAST:.+]] = pop.cast %[[REPLICASLICE]] : tensor<1xi32> to tensor<1xi1>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[CAST]] : tensor<1xi1> to tensor<i1>
// CHECK-NEXT:    %[[CONSTANT2:.+]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[SELECT:.+]] = pop.select %[[RESHAPE]], %[[ALLREDUCE]], %[[CONSTANT2]] : tensor<i1>, tensor<4xf32>, tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:    return %[[SELECT]]
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.broadcast %x {root = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[COLLECTIVEPERMUTE:.+]] = pop.collective_permute %[[DY]] {pairs = {{\[\[}}1, 0], [0, 2]]} : tensor<4xf32>
// CHECK-NEXT:    return %[[COLLECTIVEPERMUTE]]
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.collective_permute %x {pairs = [[0, 1], [2, 0]]} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
