// RUN: ipu-opt %s --fuse-form --fuse-compute-with="tensor=T1 position=-1" \
// RUN:   --fuse-print-schedule | FileCheck %s
// RUN: not ipu-opt %s --fuse-form --fuse-compute-with="tensor=T1 position=1" \
// RUN:   --fuse-split="tensor=T3 axis=0 factor=2" \
// RUN:   2>&1 | FileCheck %s --check-prefix=FROZEN
// RUN: not ipu-opt %s --fuse-form --fuse-compute-at="producer=T1 consumer=T2" \
// RUN:   --fuse-compute-with="tensor=T1 position=1" \
// RUN:   2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not ipu-opt %s --fuse-form --fuse-compute-with="tensor=T1 position=3" \
// RUN:   2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not ipu-opt %s --fuse-form --fuse-compute-with="tensor=T4 position=1" \
// RUN:   2>&1 | FileCheck %s --check-prefix=LONE
// RUN: not ipu-opt %s --fuse-form --fuse-compute-with="tensor=T7" \
// RUN:   2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Stored where it was, but computed in the loops of T2.
// CHECK: T1 [i0, i1] @0/0
// CHECK: fuse.schedule = #fuse.schedule<[i0, i1], with = 2>

// The loops of all consumers are fixed up to there.
// FROZEN: error: cannot split loop 'i0' of tensor 'T3': the first loop of T3[i0, r:i1] is frozen

// OUTSIDE: error: 'T1' is stored at position 2 and cannot be computed outside of that position, at position 1

// RANGE: error: position 3 of 'T1' is out of range: expected -3 to 2

// LONE: error: 'T4' has no consumer and cannot be computed with a consumer

// UNKNOWN: error: no tensor is named 'T7'

func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<8x100xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
  %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
  %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
  %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}
