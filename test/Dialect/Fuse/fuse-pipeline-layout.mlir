// Arguments of the layout that one-shot-bufferize gives by default, any strides
// and offset, are read where they are: as they are, as slices and as reshapes.

// RUN: ipu-opt %s --fuse-pipeline="layout=dynamic vector-width=4" | FileCheck %s
// RUN: ipu-opt %s --fuse-pipeline="bufferize=false vector-width=4" --one-shot-bufferize="bufferize-function-boundaries allow-return-allocs-from-loops" --canonicalize | FileCheck %s
// RUN: ipu-opt %s --fuse-form --fuse-inline-most --fuse-to-loops --one-shot-bufferize="bufferize-function-boundaries" --canonicalize | FileCheck %s --check-prefix=SCALAR
// What is read in the identity layout is read as vectors.
// RUN: ipu-opt %s --fuse-pipeline=vector-width=4 | FileCheck %s --check-prefix=IDENTITY

// CHECK-LABEL: func.func @plain(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>)
// CHECK-NOT:     memref.copy
// CHECK:         memref.alloc
// CHECK-NOT:     memref.copy
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     vector_load
// CHECK:         %[[A:.*]] = affine.load %[[X]][%[[I:.*]], %[[J:.*]] * 4]
// CHECK-NEXT:    %[[B:.*]] = affine.load %[[X]][%[[I]], %[[J]] * 4 + 1]
// CHECK-NEXT:    %[[C:.*]] = affine.load %[[X]][%[[I]], %[[J]] * 4 + 2]
// CHECK-NEXT:    %[[D:.*]] = affine.load %[[X]][%[[I]], %[[J]] * 4 + 3]
// CHECK-NEXT:    vector.from_elements %[[A]], %[[B]], %[[C]], %[[D]] : vector<4xf32>
// CHECK-NOT:     memref.copy
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     vector_load
// SCALAR-LABEL: func.func @plain(
// SCALAR-SAME:    %[[X:[^:]*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>)
// SCALAR-COUNT-1: memref.alloc
// SCALAR-NOT:     memref.copy
// SCALAR-NOT:     memref.alloc
// SCALAR:         affine.load %[[X]][
// SCALAR-NOT:     memref.copy
// SCALAR-NOT:     memref.alloc
// IDENTITY-LABEL: func.func @plain(
// IDENTITY:         affine.vector_load %arg0[
func.func @plain(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %0 = linalg.exp ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.negf ins(%0 : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// In a loop, of which each iteration would copy: what it carries goes to the
// buffer that it carries, what it reads only is read.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[X:[^:]*]]: memref<8x16xf32, strided<[?, ?], offset: ?>>, %[[W:[^:]*]]: memref<8x16xf32, strided<[?, ?], offset: ?>>
// CHECK-NOT:     memref.
// CHECK:         scf.for
// CHECK-NEXT:      %[[S:.*]] = memref.alloc() {{.*}} : memref<8x16xf32>
// CHECK-NOT:       memref.
// CHECK:           affine.load %[[X]]
// CHECK-NOT:       memref.
// CHECK:           affine.load %[[W]]
// CHECK-NOT:       memref.
// CHECK:           vector_store {{.*}}, %[[S]]
// CHECK:           memref.copy %[[S]], %[[X]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[X]]
// SCALAR-LABEL: func.func @loop(
// SCALAR:           scf.for
// SCALAR-COUNT-1:   memref.alloc
// SCALAR-NOT:       memref.
// SCALAR:           memref.copy
// SCALAR-NOT:       memref.copy
// IDENTITY-LABEL: func.func @loop(
// IDENTITY:         scf.for
// IDENTITY:           affine.vector_load %arg0[
// IDENTITY:           affine.vector_load %arg1[
func.func @loop(%x: tensor<8x16xf32>, %w: tensor<8x16xf32>, %n: index) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<8x16xf32>) {
    %0 = linalg.mul ins(%t, %w : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = linalg.exp ins(%0 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
    scf.yield %1 : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
}

// The result of another fusion is read as vectors all the same.
// CHECK-LABEL: func.func @two_fusions(
// CHECK:         %[[S:.*]] = memref.alloc()
// CHECK:         affine.load %arg0
// CHECK:         affine.vector_store %{{.*}}, %[[S]]
// CHECK:         affine.vector_load %[[S]]
func.func @two_fusions(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = tensor.cast %0 : tensor<8x16xf32> to tensor<?x16xf32>
  %d = tensor.cast %c : tensor<?x16xf32> to tensor<8x16xf32>
  %1 = linalg.negf ins(%d : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @slice(
// CHECK-NEXT:    %[[V:.*]] = memref.subview %arg0[0, %arg1] [4, 4] [2, 1]
// CHECK-NEXT:    memref.alloc()
// CHECK-NEXT:    affine.for
// CHECK-NEXT:      affine.load %[[V]][%{{.*}}, 0]
// CHECK-NOT:     memref.
// SCALAR-LABEL: func.func @slice(
// SCALAR-NEXT:    memref.subview %arg0
// SCALAR-NEXT:    memref.alloc()
// SCALAR-NEXT:    affine.for
// SCALAR-NOT:     memref.
// IDENTITY-LABEL: func.func @slice(
// IDENTITY:         affine.vector_load
func.func @slice(%x: tensor<8x16xf32>, %at: index) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %s = tensor.extract_slice %x[0, %at] [4, 4] [2, 1] : tensor<8x16xf32> to tensor<4x4xf32>
  %0 = linalg.exp ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Dimensions that collapse are found from what they become, also by what is a
// view of that.
// CHECK-LABEL: func.func @reshapes(
// CHECK-NOT:     memref.collapse_shape
// CHECK-NOT:     memref.copy
// CHECK:         affine.load %arg0[%{{.*}}, %{{.*}}]
// CHECK-NOT:     memref.collapse_shape
// CHECK-NOT:     memref.copy
// CHECK:         %[[V:.*]] = memref.expand_shape %arg0
// CHECK-NOT:     memref.copy
// CHECK:         affine.load %[[V]][
// CHECK-NOT:     memref.collapse_shape
// CHECK-NOT:     memref.copy
// CHECK:         return
// SCALAR-LABEL: func.func @reshapes(
// SCALAR:         affine.for %[[I:.*]] = 0 to 128
// SCALAR-NEXT:      affine.load %arg0[%[[I]] floordiv 16, %[[I]] mod 16]
// SCALAR:         affine.for %[[I:.*]] = 0 to 5
// SCALAR-NEXT:      affine.load %arg0[(%[[I]] * 15 + 1) floordiv 8, %[[I]] * 30 - ((%[[I]] * 15 + 1) floordiv 8) * 16 + 2]
// SCALAR-NOT:     memref.copy
// SCALAR:         return
// IDENTITY-LABEL: func.func @reshapes(
// IDENTITY:         memref.collapse_shape
func.func @reshapes(%x: tensor<8x16xf32>) -> (tensor<128xf32>, tensor<5xf32>, tensor<8x4x4xf32>) {
  %e = tensor.empty() : tensor<128xf32>
  %f = tensor.empty() : tensor<5xf32>
  %g = tensor.empty() : tensor<8x4x4xf32>
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<8x16xf32> into tensor<128xf32>
  %s = tensor.extract_slice %c[2] [5] [30] : tensor<128xf32> to tensor<5xf32>
  %h = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 4, 4] : tensor<8x16xf32> into tensor<8x4x4xf32>
  %0 = linalg.exp ins(%c : tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %1 = linalg.exp ins(%s : tensor<5xf32>) outs(%f : tensor<5xf32>) -> tensor<5xf32>
  %2 = linalg.exp ins(%h : tensor<8x4x4xf32>) outs(%g : tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
  return %0, %1, %2 : tensor<128xf32>, tensor<5xf32>, tensor<8x4x4xf32>
}

// There are no constants to divide by: as without the fusion, what is collapsed is
// copied for it.
// CHECK-LABEL: func.func @unknown_sizes(
// CHECK:         %[[A:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x?x4xf32>
// CHECK:         memref.copy %{{.*}}, %[[A]] : memref<?x?x4xf32, strided
// CHECK-NEXT:    %[[C:.*]] = memref.collapse_shape %[[A]] {{\[\[}}0, 1], [2]]
// CHECK-NOT:     memref.copy
// CHECK:         affine.vector_load %[[C]]
// CHECK-NOT:     memref.copy
// CHECK:         memref.dealloc %[[A]]
// SCALAR-LABEL: func.func @unknown_sizes(
// SCALAR:         memref.copy
// SCALAR-NOT:     memref.copy
// SCALAR:         memref.dealloc
// IDENTITY-LABEL: func.func @unknown_sizes(
// IDENTITY-NOT:     memref.copy
// IDENTITY:         memref.collapse_shape
func.func @unknown_sizes(%x: tensor<?x?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x4xf32> into tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %0 = linalg.exp ins(%c : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// What a call returns is in the layout that the callee returns it in.
// CHECK-LABEL: func.func @call(
// CHECK-NEXT:    %[[Y:.*]] = call @callee
// CHECK-NEXT:    memref.alloc()
// CHECK-NOT:     memref.copy
// CHECK:         affine.load %[[Y]]
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @callee(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  return %x : tensor<8x16xf32>
}
func.func @call(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %y = call @callee(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %0 = linalg.exp ins(%y : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
