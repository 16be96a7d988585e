// What fuse-to-loops leaves at the edges of a fusion is gone after one-shot
// bufferization, and nothing is copied.

// RUN: ipu-opt %s --fuse-to-loops --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @exp(
// CHECK-SAME:    %[[X:.+]]: memref<?xf32>) -> memref<?xf32>
// CHECK-NOT:     bufferization.
// CHECK-NOT:     memref.copy
// CHECK:         %[[N:.+]] = memref.dim %[[X]], %{{.+}} : memref<?xf32>
// CHECK:         %[[O:.+]] = memref.alloc(%[[N]]) {alignment = 64 : i64} : memref<?xf32>
// CHECK-NEXT:    affine.for %[[I:.+]] = 0 to %[[N]] {
// CHECK-NEXT:      %[[V:.+]] = affine.load %[[X]][%[[I]]]
// CHECK-NEXT:      %[[E:.+]] = math.exp %[[V]]
// CHECK-NEXT:      affine.store %[[E]], %[[O]][%[[I]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[O]]
func.func @exp(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %r = fuse.fusion ins(%x, %d : tensor<?xf32>, index) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %n: index):
    %e = tensor.empty(%n) : tensor<?xf32>
    %0 = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    fuse.yield %0 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// The results of one fusion are the operands of the next one.
// CHECK-LABEL: func.func @two(
// CHECK-SAME:    %[[X:.+]]: memref<4xf32>) -> memref<4xf32>
// CHECK-NOT:     bufferization.
// CHECK-NOT:     memref.copy
// CHECK:         %[[A:.+]] = memref.alloc()
// CHECK:         affine.store %{{.+}}, %[[A]]
// CHECK:         %[[B:.+]] = memref.alloc()
// CHECK:         affine.load %[[A]]
// CHECK:         affine.store %{{.+}}, %[[B]]
// CHECK:         return %[[B]]
func.func @two(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fuse.fusion ins(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  %s = fuse.fusion ins(%r : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.abs ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  return %s : tensor<4xf32>
}
