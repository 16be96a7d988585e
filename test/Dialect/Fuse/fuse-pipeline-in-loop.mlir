// What a loop around a fusion carries stays in one buffer, also for stock one-shot
// bufferization, which refuses a loop that yields another one each time.

// RUN: ipu-opt %s --fuse-pipeline=bufferize | FileCheck %s
// RUN: ipu-opt %s --fuse-form --fuse-to-loops --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s --check-prefix=STOCK

// STOCK: scf.for {{.+}} iter_args(%[[T:.+]] = %{{.+}}) -> (memref<8xf32>)
// STOCK: memref.copy %{{.+}}, %[[T]]
// STOCK: scf.yield %[[T]]

// CHECK-LABEL: func.func @carried(
// CHECK-SAME:    %[[X:.+]]: memref<8xf32>
// CHECK:         scf.for
// CHECK:           %[[B:.+]] = memref.alloc()
// CHECK:           affine.vector_store %{{.+}}, %[[B]]
// CHECK:           memref.copy %[[B]], %[[X]]
// CHECK-NOT:     bufferization.
// CHECK:         return %[[X]]
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
