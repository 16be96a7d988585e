// RUN: ipu-opt %s --split-input-file --verify-diagnostics --fuse-to-loops

#ab = affine_map<(a, b) -> (a, b)>
#a = affine_map<(a, b) -> (a)>

// A reduction cannot run in parallel with itself.
func.func @parallel_reduction(%x: tensor<8x16xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x, %i : tensor<8x16xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x16xf32>, %init: tensor<8xf32>):
    // expected-error @below {{tensor 'T1' in the parallel loop 'b' reduces over this loop; expects a loop over an axis of the result}}
    %0 = linalg.generic {indexing_maps = [#ab, #a], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<8x16xf32>) outs(%init : tensor<8xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], type(1, parallel)>} {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %in, %out : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    fuse.yield %0 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

#ab = affine_map<(a, b) -> (a, b)>
#ba = affine_map<(a, b) -> (b, a)>
#b = affine_map<(a, b) -> (b)>

// The sum is complete in each iteration of the parallel loop, but it is stored
// outside of it.
func.func @repeated_in_parallel(%x: tensor<8xf32>, %y: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
  %r:2 = fuse.fusion ins(%x, %y : tensor<8xf32>, tensor<4x8xf32>) -> tensor<8xf32>, tensor<4x8xf32> {
  ^bb0(%in0: tensor<8xf32>, %in1: tensor<4x8xf32>):
    %e0 = tensor.empty() : tensor<8xf32>
    // expected-error @below {{tensor 'T1' in the parallel loop 'a' is not divided by this loop: several iterations would write the same element}}
    %0 = linalg.exp {fuse.name = "T1", fuse.schedule = #fuse.schedule<[b], ca = 1>}
        ins(%in0 : tensor<8xf32>) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
    %e1 = tensor.empty() : tensor<4x8xf32>
    %1 = linalg.generic {indexing_maps = [#b, #ab, #ab], iterator_types = ["parallel", "parallel"]}
        ins(%0, %in1 : tensor<8xf32>, tensor<4x8xf32>) outs(%e1 : tensor<4x8xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], type(0, parallel)>} {
    ^bb0(%s: f32, %t: f32, %out: f32):
      %2 = arith.addf %s, %t : f32
      linalg.yield %2 : f32
    } -> tensor<4x8xf32>
    fuse.yield %0, %1 : tensor<8xf32>, tensor<4x8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<4x8xf32>
}

// -----

// Vectors have a constant number of lanes.
func.func @symbolic_lanes(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %r = fuse.fusion ins(%x, %e : tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    // expected-error @below {{vectorized axis 'a' of tensor 'T1' expects a constant extent of at most 1024 but got one that is not constant}}
    %0 = linalg.exp {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a], type(0, vectorize)>}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    fuse.yield %0 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @too_many_lanes(%x: tensor<2048xf32>) -> tensor<2048xf32> {
  %r = fuse.fusion ins(%x : tensor<2048xf32>) -> tensor<2048xf32> {
  ^bb0(%a: tensor<2048xf32>):
    %e = tensor.empty() : tensor<2048xf32>
    // expected-error @below {{vectorized axis 'a' of tensor 'T1' expects a constant extent of at most 1024 but got 2048}}
    %0 = linalg.exp {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a], type(0, vectorize)>}
        ins(%a : tensor<2048xf32>) outs(%e : tensor<2048xf32>) -> tensor<2048xf32>
    fuse.yield %0 : tensor<2048xf32>
  }
  return %r : tensor<2048xf32>
}

// -----

func.func @unknown_dimension(%x: tensor<4x?xf32>, %k: index) -> tensor<4x?xf32> {
  %r = fuse.fusion ins(%x, %k : tensor<4x?xf32>, index) -> tensor<4x?xf32> {
  ^bb0(%a: tensor<4x?xf32>, %d: index):
    // expected-error @below {{expects a ranked tensor and a constant index of one of its dimensions}}
    %n = tensor.dim %a, %d : tensor<4x?xf32>
    %e = tensor.empty(%n) : tensor<4x?xf32>
    %0 = linalg.exp ins(%a : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) -> tensor<4x?xf32>
    fuse.yield %0 : tensor<4x?xf32>
  }
  return %r : tensor<4x?xf32>
}
