// RUN: ipu-opt %s --fuse-pipeline | FileCheck %s

// An index beside a reshape is one of the loops that the reshape has.
// CHECK-LABEL: func.func @index_beside_a_reshape
// CHECK: affine.for %[[ROW:.*]] = 0 to 12
// CHECK-DAG: math.exp
// CHECK-DAG: arith.muli %[[ROW]], %{{.*}} : index
// CHECK: arith.sitofp
// CHECK: memref.collapse_shape
func.func @index_beside_a_reshape(%x: tensor<12x4xf32>) -> tensor<48xf32> {
  %e = tensor.empty() : tensor<48xf32>
  %e2 = tensor.empty() : tensor<12x4xf32>
  %a = linalg.exp ins(%x : tensor<12x4xf32>) outs(%e2 : tensor<12x4xf32>) -> tensor<12x4xf32>
  %s = tensor.collapse_shape %a [[0, 1]] : tensor<12x4xf32> into tensor<48xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%s : tensor<48xf32>) outs(%e : tensor<48xf32>) {
  ^bb0(%v: f32, %o: f32):
    %k = linalg.index 0 : index
    %int = arith.index_cast %k : index to i32
    %float = arith.sitofp %int : i32 to f32
    %q = arith.addf %v, %float : f32
    linalg.yield %q : f32
  } -> tensor<48xf32>
  return %r : tensor<48xf32>
}

// A loop of a size that only one operand tells at compile time is not expanded.
// CHECK-LABEL: func.func @size_of_one_operand
// CHECK: math.exp
// CHECK-NEXT: arith.addf
func.func @size_of_one_operand(%x: tensor<1xf32>, %n: index) -> tensor<?xf32> {
  %e = tensor.empty() : tensor<1xf32>
  %h = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<1xf32>) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %b = tensor.expand_shape %a [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  %s = tensor.extract_slice %b[0, 0] [%n, 1] [1, 1] : tensor<1x1xf32> to tensor<?xf32>
  %r = linalg.add ins(%s, %a : tensor<?xf32>, tensor<1xf32>) outs(%h : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Whole rows of planes are contiguous: nothing is copied.
// CHECK-LABEL: func.func @collapse_of_planes
// CHECK: memref.collapse_shape {{.*}} into memref<2x16xf32, strided<[16, 1], offset: ?>>
// CHECK: memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return
func.func @collapse_of_planes(%x: tensor<8x4x4xf32>, %at: index) -> tensor<2x16xf32> {
  %e = tensor.empty() : tensor<2x16xf32>
  %s = tensor.extract_slice %x[%at, 0, 0] [2, 4, 4] [1, 1, 1] : tensor<8x4x4xf32> to tensor<2x4x4xf32>
  %c = tensor.collapse_shape %s [[0], [1, 2]] : tensor<2x4x4xf32> into tensor<2x16xf32>
  %0 = linalg.exp ins(%c : tensor<2x16xf32>) outs(%e : tensor<2x16xf32>) -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}

// Columns are not: they are collapsed before the fusion, in a copy.
// CHECK-LABEL: func.func @collapse_of_columns
// CHECK: memref.copy
// CHECK: memref.collapse_shape {{.*}} into memref<2x8xf32>
func.func @collapse_of_columns(%x: tensor<8x4x4xf32>, %at: index) -> tensor<2x8xf32> {
  %e = tensor.empty() : tensor<2x8xf32>
  %s = tensor.extract_slice %x[%at, 0, 0] [2, 4, 2] [1, 1, 1] : tensor<8x4x4xf32> to tensor<2x4x2xf32>
  %c = tensor.collapse_shape %s [[0], [1, 2]] : tensor<2x4x2xf32> into tensor<2x8xf32>
  %0 = linalg.exp ins(%c : tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// The step of a slice of one element would lead out of bounds.
// CHECK-LABEL: func.func @step_of_one_element
// CHECK: memref.subview %arg0[0, 0] [1, 1] [1, 1]
func.func @step_of_one_element(%x: tensor<1x1xf32>) -> tensor<1xf32> {
  %v = tensor.extract_slice %x[0, 0] [1, 1] [1, 2] : tensor<1x1xf32> to tensor<1xf32>
  %e = tensor.empty() : tensor<1xf32>
  %r = linalg.exp ins(%v : tensor<1xf32>) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  return %r : tensor<1xf32>
}
