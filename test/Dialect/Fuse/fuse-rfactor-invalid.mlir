// RUN: not ipu-opt %s --fuse-form --fuse-split="tensor=T axis=1 factor=32" \
// RUN:   --fuse-rfactor="tensor=T axes=1" 2>&1 | FileCheck %s

// A body that is no sum of terms.

// CHECK: error: cannot rfactor tensor 'T': result 0 is not accumulated by one op with a neutral element
// CHECK: note: op is here

func.func @f(%x: tensor<8x100xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<8x100xf32>) outs(%f : tensor<8xf32>) attrs = {fuse.name = "T"} {
  ^bb0(%in: f32, %out: f32):
    %h = arith.mulf %out, %in : f32
    %s = arith.addf %h, %in : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
