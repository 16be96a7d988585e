// RUN: ipu-opt %s --fuse-pipeline --split-input-file | FileCheck %s
// RUN: ipu-opt %s --fuse-form --split-input-file | FileCheck %s --check-prefix=FORM

// The second op writes to the first one's result, but does not read it there.
// CHECK-LABEL: func @destination_that_is_not_read
// CHECK: %[[EXP:.*]] = math.exp %{{.*}} : vector<16xf32>
// CHECK: arith.addf %[[EXP]], %{{.*}} : vector<16xf32>
func.func @destination_that_is_not_read(%a: tensor<40xf32>) -> tensor<40xf32> {
  %e = tensor.empty() : tensor<40xf32>
  %0 = linalg.exp ins(%a : tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %1 = linalg.add ins(%0, %a : tensor<40xf32>, tensor<40xf32>) outs(%0 : tensor<40xf32>) -> tensor<40xf32>
  return %1 : tensor<40xf32>
}

// -----

// A reduction that keeps the last element: of no elements, it keeps the old one.
// CHECK-LABEL: func @accumulator_that_is_not_read
// CHECK: math.exp
// CHECK: iter_args
func.func @accumulator_that_is_not_read(%a: tensor<5x9xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %0 = linalg.exp ins(%b : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<5x9xf32>) outs(%0 : tensor<5xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  } -> tensor<5xf32>
  return %1 : tensor<5xf32>
}

// -----

#sparse = #sparse_tensor.encoding<{map = (i) -> (i : compressed)}>

// Sparse tensors stay outside.
// FORM-LABEL: func @sparse
// FORM-NOT: fuse.fusion
func.func @sparse(%a: tensor<8xf32, #sparse>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.exp ins(%a : tensor<8xf32, #sparse>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// So do vectors.
// FORM-LABEL: func @vectors
// FORM-NOT: fuse.fusion
func.func @vectors(%a: tensor<4xvector<4xf32>>) -> tensor<4xvector<4xf32>> {
  %e = tensor.empty() : tensor<4xvector<4xf32>>
  %0 = linalg.copy ins(%a : tensor<4xvector<4xf32>>) outs(%e : tensor<4xvector<4xf32>>) -> tensor<4xvector<4xf32>>
  return %0 : tensor<4xvector<4xf32>>
}
