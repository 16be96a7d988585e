// RUN: ipu-opt %s --fuse-verify --split-input-file --verify-diagnostics
// RUN: sed "/expected-/d" %s > %t.mlir
// RUN: not ipu-opt %t.mlir --fuse-verify --split-input-file --mlir-print-op-on-diagnostic=false 2>&1 \
// RUN:   | grep -E -o '(error|note): .*' > %t.diagnostics
// RUN: %python %S/Inputs/doc-block.py %src_root/docs/fusion.md convexity reduction self-map order > %t.docs
// RUN: diff %t.docs %t.diagnostics

// The four conditions. What docs/fusion.md says that they say is what they say.

// Convexity: T3 is outside of the loop that T2 and T4 share, and between them.
func.func @convexity(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %r = fuse.fusion ins(%x : tensor<8x100xf32>) -> tensor<8x100xf32> {
  ^bb0(%a: tensor<8x100xf32>):
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1", fuse.schedule = #fuse.schedule<[i0, i1], ca = 2>} ins(%a : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.abs {fuse.name = "T2", fuse.schedule = #fuse.schedule<[i0, i1], ca = 1>} ins(%1 : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    // expected-error@+2 {{'T2' and 'T4' share loop 'i1', but 'T3' on the path between them is outside of that loop}}
    // expected-note@+1 {{'T3' reads 'T2'}}
    %3 = linalg.negf {fuse.name = "T3", fuse.schedule = #fuse.schedule<[i0, i1], ca = 1>} ins(%2 : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    // expected-note@+1 {{'T4' reads 'T3'}}
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
    // expected-error@+2 {{'T3' depends on 'T2' and is in loop 'i1', in which 'T2' is still being reduced}}
    // expected-note@+1 {{'T3' reads 'T2'}}
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
    // expected-note@+1 {{both share the loop 'i0' of 'T1'}}
    %1 = linalg.exp {fuse.name = "T1", fuse.schedule = #fuse.schedule<[i0], ca = 1>} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %2 = linalg.abs {fuse.name = "T2", fuse.schedule = #fuse.schedule<[i0], ca = 1>} ins(%1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %3 = linalg.negf {fuse.name = "T3", fuse.schedule = #fuse.schedule<[i0], ca = 1>} ins(%1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    // expected-error@+1 {{tensor 'T4' would have its axes 'i0' and 'i1' in one loop}}
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
    // expected-error@+2 {{loops 'a' and 'b' would each be inside of the other}}
    // expected-note@+1 {{'T3' has 'b' inside of 'a': its loops are T3[i0, i1]}}
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<8xf32>, tensor<100xf32>) outs(%e2 : tensor<8x100xf32>) attrs = {fuse.name = "T3"} {
    ^bb0(%v: f32, %w: f32, %o: f32):
      %s = arith.addf %v, %w : f32
      linalg.yield %s : f32
    } -> tensor<8x100xf32>
    // expected-note@+1 {{'T4' has 'a' inside of 'b': its loops are T4[b, a]}}
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<8xf32>, tensor<100xf32>) outs(%e2 : tensor<8x100xf32>) attrs = {fuse.name = "T4", fuse.schedule = #fuse.schedule<[a, b], reorder(1, 0)>} {
    ^bb0(%v: f32, %w: f32, %o: f32):
      %s = arith.mulf %v, %w : f32
      linalg.yield %s : f32
    } -> tensor<8x100xf32>
    fuse.yield %3, %4 : tensor<8x100xf32>, tensor<8x100xf32>
  }
  return %r#0, %r#1 : tensor<8x100xf32>, tensor<8x100xf32>
}
