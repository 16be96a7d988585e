// RUN: ipu-opt %s --fuse-form --split-input-file | FileCheck %s

// Rewrites keep names and schedules. Ops in fusions are rewritten as well.

// A loop of one iteration goes, and with it what was made of it alone.
// CHECK-LABEL: func @schedule_without_a_loop
func.func @schedule_without_a_loop(%x: tensor<4x1x8x2xf32>) -> tensor<4xf32> {
  %r = fuse.fusion ins(%x : tensor<4x1x8x2xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x1x8x2xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // CHECK: linalg.generic
    // CHECK-SAME: fuse.name = "T1"
    // CHECK-SAME: fuse.schedule = #fuse.schedule<[a, b, c], split(0, 2, inner), reorder(1, 3, 0, 2), type(1, unroll), ca = 1>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<4x1x8x2xf32>) outs(%f : tensor<4xf32>) dimensions = [1, 2, 3]
      {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, u, b, c], split(1, 3, inner), merge(2, 3), split(0, 2, inner), reorder(2, 1, 4, 0, 3), type(2, unroll), type(0, parallel), ca = 2>}
    // The positions of T1 and of its reader are not to be checked here.
    %2 = linalg.exp {fuse.name = "T2"} ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %2 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
