// RUN: ipu-opt %s --fuse-form --fuse-auto-schedule="reduction-order=blocked" | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(fuse-pipeline{reduction-order=blocked})' -o /dev/null

// An index along rows does not follow from one along all elements by an affine
// expression if their length is known at run time: the order stays.
// CHECK-LABEL: func.func @rows_of_any_length
// CHECK-NOT: rfactor
// CHECK: return
func.func @rows_of_any_length(%x: tensor<4x?xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x?xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
  return %s : tensor<f32>
}

// CHECK-LABEL: func.func @rows_of_no_length
// CHECK-NOT: rfactor
// CHECK: return
func.func @rows_of_no_length(%x: tensor<4x0xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x0xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
  return %s : tensor<f32>
}

// CHECK-LABEL: func.func @sum_beside_a_map
// CHECK-NOT: rfactor
// CHECK: return
func.func @sum_beside_a_map(%x: tensor<4x?xf32>, %n: index) -> (tensor<f32>, tensor<4x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %full = tensor.empty(%n) : tensor<4x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x?xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
  %y = linalg.exp ins(%x : tensor<4x?xf32>) outs(%full : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %s, %y : tensor<f32>, tensor<4x?xf32>
}

// Any number of rows of known length is cut.
// CHECK-LABEL: func.func @any_number_of_rows
// CHECK: merge(0, 1){{.*}}rfactor
func.func @any_number_of_rows(%x: tensor<?x4xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?x4xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
  return %s : tensor<f32>
}
