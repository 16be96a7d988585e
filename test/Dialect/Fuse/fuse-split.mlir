// RUN: ipu-opt %s --fuse-form --fuse-split="tensor=T2 axis=1 factor=32" \
// RUN:   --fuse-print-schedule | FileCheck %s --check-prefix=INNER
// RUN: ipu-opt %s --fuse-form \
// RUN:   --fuse-split="tensor=T2 axis=-1 factor=3 inner=false" \
// RUN:   --fuse-print-schedule | FileCheck %s --check-prefix=OUTER
// RUN: ipu-opt %s --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=1" \
// RUN:   --fuse-split="tensor=T1 axis=1 factor=4" --fuse-print-schedule \
// RUN:   | FileCheck %s --check-prefix=NEXT
// RUN: not ipu-opt %s --fuse-form --fuse-compute-at="producer=T1 consumer=T2" \
// RUN:   --fuse-split="tensor=T1 axis=0 factor=2" \
// RUN:   2>&1 | FileCheck %s --check-prefix=FROZEN
// RUN: not ipu-opt %s --fuse-form --fuse-split="tensor=T1 axis=2 factor=2" \
// RUN:   2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not ipu-opt %s --fuse-form --fuse-split="tensor=T1 axis=0 factor=0" \
// RUN:   2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not ipu-opt %s --fuse-form \
// RUN:   --fuse-split="tensor=T1 axis=0 factor=9223372036854775807" \
// RUN:   2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not ipu-opt %s --fuse-form --fuse-split="axis=0 factor=2" \
// RUN:   2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ipu-opt %s --fuse-form --fuse-split="tensor=T7 axis=0 factor=2" \
// RUN:   2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not ipu-opt %s --fuse-form --fuse-split="tensor=T0 axis=0 factor=2" \
// RUN:   2>&1 | FileCheck %s --check-prefix=INPUT

// The factor is the extent of the inner loop.
// INNER: T2 [i0, r:i1o, r:i1i] @0/0
// INNER: fuse.schedule = #fuse.schedule<[i0, i1], split(1, 32, inner)>

// Or of the outer one; axes count from the end.
// OUTER: T2 [i0, r:i1o, r:i1i] @0/0
// OUTER: fuse.schedule = #fuse.schedule<[i0, i1], split(1, 3, outer)>

// Loops that only a neighbour shares may be split.
// NEXT: T1 [i0, i1o, i1i] @1/0

// Loops that others share may not.
// FROZEN: error: cannot split loop 'i0' of tensor 'T1': the first 2 loops of T1[i0, i1] are frozen
// FROZEN: note: tensor 'T1' is computed at position 2 of the loops of its consumer 'T2'

// RANGE: error: tensor 'T1' has no loop 2: expected -2 to 1

// FACTOR: error: cannot split loop 'i0' of tensor 'T1' by 0: expected a positive factor

// LARGE: error: cannot split loop 'i0' of tensor 'T1' by 9223372036854775807: expected a factor of at most 4294967296

// NONE: error: 'fuse-split' expects a value of option 'tensor' but got none

// UNKNOWN: error: no tensor is named 'T7'; the tensors are 'T0', 'T1', 'T2', 'T3', 'T4'

// INPUT: error: tensor 'T0' is an input of the fusion and has no loops

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
