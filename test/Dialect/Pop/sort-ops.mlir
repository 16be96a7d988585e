// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s

// CHECK-LABEL: func @sort
func.func @sort(%x: tensor<8xf32>, %k: tensor<4x8xf16>, %v: tensor<4x8xi1>, %i: tensor<4x8xi32>) {
  // CHECK: pop.sort %{{.*}} by [descending] {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = pop.sort %x by [descending] {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: pop.sort %{{.*}}, %{{.*}}, %{{.*}} by [total_ascending, total_descending] {axis = 1 : i64} : (tensor<4x8xf16>, tensor<4x8xi1>, tensor<4x8xi32>) -> (tensor<4x8xf16>, tensor<4x8xi1>, tensor<4x8xi32>)
  %1:3 = pop.sort %k, %v, %i by [total_ascending, total_descending] {axis = 1 : i64} : (tensor<4x8xf16>, tensor<4x8xi1>, tensor<4x8xi32>) -> (tensor<4x8xf16>, tensor<4x8xi1>, tensor<4x8xi32>)
  // CHECK: pop.sort %{{.*}}, %{{.*}} by [ascending, ascending] {axis = 0 : i64, indexed} : (tensor<4x8xf16>, tensor<4x8xi32>) -> (tensor<4x8xf16>, tensor<4x8xi32>)
  %2:2 = pop.sort %k, %i by [ascending, ascending] {axis = 0 : i64, indexed} : (tensor<4x8xf16>, tensor<4x8xi32>) -> (tensor<4x8xf16>, tensor<4x8xi32>)
  return
}

// CHECK-LABEL: func @arg_reduce
func.func @arg_reduce(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
  // CHECK: pop.arg_reduce max %{{.*}}, %{{.*}} {axes = array<i64: 1>} : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4xf32>, tensor<4xi32>
  %0:2 = pop.arg_reduce max %x, %i {axes = array<i64: 1>} : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4xf32>, tensor<4xi32>
  // CHECK: pop.arg_reduce min %{{.*}}, %{{.*}} {axes = array<i64: 0, 1>, highest_index, keep_dims} : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<1x1xf32>, tensor<1x1xi32>
  %1:2 = pop.arg_reduce min %x, %i {axes = array<i64: 0, 1>, highest_index, keep_dims} : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<1x1xf32>, tensor<1x1xi32>
  return
}
