// RUN: ipu-opt %s --fuse-print-schedule --split-input-file --verify-diagnostics

// What a fusion may hold but no schedule can be made of.

func.func @name_of_an_unnamed_tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fuse.fusion ins(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    // expected-note@+1 {{other tensor is here}}
    %1 = linalg.exp {fuse.name = "v1"} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // expected-error@+1 {{'linalg.exp' op has the name 'v1' of another tensor of the fusion}}
    %2 = linalg.exp ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %2 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @result_that_nothing_computes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fuse.fusion ins(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error@+1 {{'fuse.yield' op cannot be scheduled: result 0 is not computed by a linalg op of the fusion}}
    fuse.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @result_of_a_fill(%s: f32) -> tensor<4xf32> {
  %r = fuse.fusion ins(%s : f32) -> tensor<4xf32> {
  ^bb0(%a: f32):
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%a : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // expected-error@+1 {{'fuse.yield' op cannot be scheduled: result 0 is not computed by a linalg op of the fusion}}
    fuse.yield %f : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @result_in_a_row(%x: tensor<4xf32>) -> tensor<4x1xf32> {
  %r = fuse.fusion ins(%x : tensor<4xf32>) -> tensor<4x1xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4x1xf32>
    // expected-error@+1 {{'linalg.generic' op cannot be scheduled: expects the indexing map of result 0 to be a permutation of all parallel loops but got affine_map<(d0) -> (d0, 0)>}}
    %1 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a, 0)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%e : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x1xf32>
    fuse.yield %1 : tensor<4x1xf32>
  }
  return %r : tensor<4x1xf32>
}

// -----

func.func @result_that_is_written_twice(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %r = fuse.fusion ins(%x : tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %e = tensor.empty() : tensor<4xf32>
    // expected-error@+1 {{'linalg.generic' op cannot be scheduled: expects the indexing map of result 0 to be a permutation of all parallel loops but got affine_map<(d0, d1) -> (d0)>}}
    %1 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x8xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @partial_result_of_another_split(%x: tensor<8x64xf32>) -> tensor<8x32xf32> {
  %r = fuse.fusion ins(%x : tensor<8x64xf32>) -> tensor<8x32xf32> {
  ^bb0(%a: tensor<8x64xf32>):
    %e = tensor.empty() : tensor<8x32xf32>
    // expected-error@+1 {{'linalg.generic' op cannot be scheduled: expects the indexing map of result 0 to be a permutation of all parallel loops, followed by the dimensions of its 'rfactor', but got affine_map<(d0, d1) -> (d0, d1 mod 32)>}}
    %1 = linalg.generic {
      indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b mod 32)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x64xf32>) outs(%e : tensor<8x32xf32>)
      attrs = {fuse.schedule = #fuse.schedule<[a, b], split(1, 16, inner), rfactor(2)>} {
    ^bb0(%in: f32, %out: f32):
      %s = arith.addf %in, %out : f32
      linalg.yield %s : f32
    } -> tensor<8x32xf32>
    fuse.yield %1 : tensor<8x32xf32>
  }
  return %r : tensor<8x32xf32>
}

// -----

func.func @operand_that_nothing_computes() -> tensor<4xf32> {
  %r = fuse.fusion -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    // expected-error@+1 {{'linalg.exp' op cannot be scheduled: operand 0 is neither an input of the fusion nor computed by a linalg op of the fusion}}
    %1 = linalg.exp ins(%e : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
