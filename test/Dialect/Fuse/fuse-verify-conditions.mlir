// RUN: ipu-opt %s --fuse-verify --split-input-file --verify-diagnostics

// The four conditions, as in docs/fusion.md.

// Convexity: T3 is outside of the loop that T2 and T4 share, and between them.
func.func @convexity(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %r = fuse.fusion ins(%x : tensor<8x100xf32>) -> tensor<8x100xf32> {
  ^bb0(%a: tensor<8x100xf32>):
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1", fuse.schedule = #fuse.schedule<[i0, i1], ca = 2>} ins(%a : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.abs {fuse.name = "T2", fuse.schedule = #fuse.schedule<[i0, i1], ca = 1>} ins(%1 : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %3 = linalg.negf {fuse.name = "T3", fuse.schedule = #fuse.schedule<[i0, i1], ca = 1>} ins(%2 : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %4 = linalg.add {fuse.name = "T4"} ins(%1, %3 : tensor<8x100xf32>, tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    fuse.yield %4 : tensor<8x100xf32>
  }
  return %r : tensor<8x100xf32>
}

// -----

// Reduction: what divides by a sum is in the loop that does the summing.
func.func @reduction(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %r = fuse.fusion ins(%x : tensor<8x100xf32>) -> tensor<8x100xf32> {
  ^bb0(%a: tensor<8x100xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1", fuse.schedule = #fuse.schedule<[i0, i1], ca = 2>} ins(%a : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2", fuse.schedule = #fuse.schedule<[i0, i1], ca = 1>}
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<8x100xf32>, tensor<8xf32>) outs(%e : tensor<8x100xf32>) attrs = {fuse.name = "T3"} {
    ^bb0(%v: f32, %s: f32, %o: f32):
      %q = arith.divf %v, %s : f32
      linalg.yield %q : f32
    } -> tensor<8x100xf32>
    fuse.yield %3 : tensor<8x100xf32>
  }
  return %r : tensor<8x100xf32>
}

// -----

// No self map: rows and columns of T4 would run in one loop.
func.func @self_map(%x: tensor<8xf32>) -> tensor<8x8xf32> {
  %r = fuse.fusion ins(%x : tensor<8xf32>) -> tensor<8x8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    %e2 = tensor.empty() : tensor<8x8xf32>
    %1 = linalg.exp {fuse.name = "T1", fuse.schedule = #fuse.schedule<[i0], ca = 1>} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %2 = linalg.abs {fuse.name = "T2", fuse.schedule = #fuse.schedule<[i0], ca = 1>} ins(%1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %3 = linalg.negf {fuse.name = "T3", fuse.schedule = #fuse.schedule<[i0], ca = 1>} ins(%1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) attrs = {fuse.name = "T4"} {
    ^bb0(%v: f32, %w: f32, %o: f32):
      %s = arith.addf %v, %w : f32
      linalg.yield %s : f32
    } -> tensor<8x8xf32>
    fuse.yield %4 : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

// Order: rows are around columns in T3 and inside of them in T4.
func.func @order(%x: tensor<8xf32>, %y: tensor<100xf32>) -> (tensor<8x100xf32>, tensor<8x100xf32>) {
  %r:2 = fuse.fusion ins(%x, %y : tensor<8xf32>, tensor<100xf32>) -> tensor<8x100xf32>, tensor<8x100xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<100xf32>):
    %e0 = tensor.empty() : tensor<8xf32>
    %e1 = tensor.empty() : tensor<100xf32>
    %e2 = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a], ca = 1>} ins(%a : tensor<8xf32>) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
    %2 = linalg.exp {fuse.name = "T2", fuse.schedule = #fuse.schedule<[b], ca = 1>} ins(%b : tensor<100xf32>) outs(%e1 : tensor<100xf32>) -> tensor<100xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<8xf32>, tensor<100xf32>) outs(%e2 : tensor<8x100xf32>) attrs = {fuse.name = "T3"} {
    ^bb0(%v: f32, %w: f32, %o: f32):
      %s = arith.addf %v, %w : f32
      linalg.yield %s : f32
    } -> tensor<8x100xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<8xf32>, tensor<100xf32>) outs(%e2 : tensor<8x100xf32>) attrs = {fuse.name = "T4", fuse.schedule = #fuse.schedule<[a, b], reorder(1, 0)>} {
    ^bb0(%v: f32, %w: f32, %o: f32):
      %s = arith.mulf %v, %w : f32
      linalg.yield %s : f32
    } -> tensor<8x100xf32>
    fuse.yield %3, %4 : tensor<8x100xf32>, tensor<8x100xf32>
  }
  return %r#0, %r#1 : tensor<8x100xf32>, tensor<8x100xf32>
}
