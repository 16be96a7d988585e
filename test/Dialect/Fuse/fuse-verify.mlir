// RUN: ipu-opt %s --fuse-verify --split-input-file --verify-diagnostics

// Schedules as they may be written by hand.

// All is well.
func.func @legal(%x: tensor<8x100xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x : tensor<8x100xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x100xf32>):
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1", fuse.schedule = #fuse.schedule<[i0, i1], ca = 2>} ins(%a : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%e1 : tensor<8xf32>) dimensions = [1] {fuse.name = "T2", fuse.schedule = #fuse.schedule<[i0, i1], ca = 1>}
    %3 = linalg.exp {fuse.name = "T3"} ins(%2 : tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %3 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// The path from T1 through the sum comes back into the loop over columns.
func.func @comes_back(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %r = fuse.fusion ins(%x : tensor<8x100xf32>) -> tensor<8x100xf32> {
  ^bb0(%a: tensor<8x100xf32>):
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1", fuse.schedule = #fuse.schedule<[i0, i1], ca = 2>} ins(%a : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%e1 : tensor<8xf32>) dimensions = [1] {fuse.name = "T2", fuse.schedule = #fuse.schedule<[i0, i1], ca = 1>}
    // expected-note@+1 {{'T3' reads 'T2'}}
    %3 = linalg.broadcast ins(%2 : tensor<8xf32>) outs(%e : tensor<8x100xf32>) dimensions = [1] {fuse.name = "T3"}
    // expected-error@+2 {{'T4' depends on 'T2' and is in loop 'i1', in which 'T2' is still being reduced}}
    // expected-note@+1 {{'T4' reads 'T3'}}
    %4 = linalg.div {fuse.name = "T4"} ins(%1, %3 : tensor<8x100xf32>, tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    fuse.yield %4 : tensor<8x100xf32>
  }
  return %r : tensor<8x100xf32>
}

// -----

// A sum is not there before its loop has ended.
func.func @inside_of_its_own_reduction(%x: tensor<8x100xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x : tensor<8x100xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x100xf32>):
    %e = tensor.empty() : tensor<8xf32>
    // expected-error@+1 {{tensor 'T1' cannot be computed inside of its own reduction loop 'r:i1': expected a position of at most 1}}
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<8x100xf32>) outs(%e : tensor<8xf32>) dimensions = [1] {fuse.name = "T1", fuse.schedule = #fuse.schedule<[i0, i1], ca = 2>}
    %2 = linalg.exp {fuse.name = "T2"} ins(%1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %2 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
