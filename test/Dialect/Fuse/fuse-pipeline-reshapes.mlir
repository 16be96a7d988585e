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
