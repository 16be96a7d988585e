// The pipeline makes buffers of tensors that a loop around a fusion carries.

// RUN: ipu-opt %s --fuse-pipeline=bufferize | FileCheck %s

// CHECK-LABEL: func.func @carried(
// CHECK-SAME:    %[[X:.+]]: memref<8xf32>
// CHECK:         %[[R:.+]] = scf.for {{.+}} iter_args({{.+}} = %{{.+}}) -> (memref<8xf32>) {
// CHECK:           %[[B:.+]] = memref.alloc()
// CHECK:           affine.vector_store %{{.+}}, %[[B]]
// CHECK:           scf.yield %[[B]]
// CHECK-NOT:     bufferization.
// CHECK:         return %[[R]]
func.func @carried(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<8xf32>) {
    %0 = linalg.exp ins(%t : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.negf ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
