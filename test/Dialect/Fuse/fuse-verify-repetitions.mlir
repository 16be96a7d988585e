// RUN: split-file %s %t
// RUN: ipu-opt %t/written.mlir --fuse-verify --verify-diagnostics
// RUN: not ipu-opt %t/asked.mlir --fuse-form --fuse-compute-at="producer=T1 consumer=T2 position=2" 2>&1 | FileCheck %t/asked.mlir
// RUN: ipu-opt %t/asked.mlir --fuse-form --fuse-compute-at="producer=T1 consumer=T2 position=2 recompute=true" --fuse-verify --verify-diagnostics -o /dev/null

// What compute_at refuses since it would put tensors into loops of others is
// legal if it is written, but said with what it costs; the refusal names the way.

//--- written.mlir
func.func @different_loops(%x: tensor<8x16xf32>, %y: tensor<8x4x16xf32>) -> (tensor<8x16xf32>, tensor<8x4x16xf32>) {
  %r:2 = fuse.fusion ins(%x, %y : tensor<8x16xf32>, tensor<8x4x16xf32>) -> tensor<8x16xf32>, tensor<8x4x16xf32> {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<8x4x16xf32>):
    %e = tensor.empty() : tensor<8x16xf32>
    %f = tensor.empty() : tensor<8x4x16xf32>
    // expected-remark@+1 {{tensor 'T1' computes 128 elements 4 times, because the tensor is computed inside of loop 'i1' of 'T3', which is not a loop of the tensor}}
    %1 = linalg.exp {fuse.name = "T1", fuse.schedule = #fuse.schedule<[i0, i1], ca = 2>} ins(%a : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
    // expected-remark@+1 {{tensor 'T2' computes 128 elements 4 times, because the tensor is computed inside of loop 'i1' of 'T3', which is not a loop of the tensor}}
    %2 = linalg.negf {fuse.name = "T2"} ins(%1 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(i, b, k) -> (i, k)>, affine_map<(i, b, k) -> (i, b, k)>, affine_map<(i, b, k) -> (i, b, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%1, %b : tensor<8x16xf32>, tensor<8x4x16xf32>) outs(%f : tensor<8x4x16xf32>) attrs = {fuse.name = "T3"} {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<8x4x16xf32>
    fuse.yield %2, %3 : tensor<8x16xf32>, tensor<8x4x16xf32>
  }
  return %r#0, %r#1 : tensor<8x16xf32>, tensor<8x4x16xf32>
}

//--- asked.mlir
// CHECK: error: 'T1' cannot be computed at position 2, only at positions up to 1: loop 'i1' of 'T1' cannot be shared with all consumers: 'T2' and 'T3' have this loop inside of different loops
// CHECK: note: with 'recompute', a clone of 'T1' would be computed for 'T2': 128 additional elements
func.func @different_loops(%x: tensor<8x16xf32>, %y: tensor<8x4x16xf32>) -> (tensor<8x16xf32>, tensor<8x4x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %f = tensor.empty() : tensor<8x4x16xf32>
  %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = linalg.negf {fuse.name = "T2"} ins(%1 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, b, k) -> (i, k)>, affine_map<(i, b, k) -> (i, b, k)>, affine_map<(i, b, k) -> (i, b, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1, %y : tensor<8x16xf32>, tensor<8x4x16xf32>) outs(%f : tensor<8x4x16xf32>) attrs = {fuse.name = "T3"} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<8x4x16xf32>
  return %2, %3 : tensor<8x16xf32>, tensor<8x4x16xf32>
}
