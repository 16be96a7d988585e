// RUN: ipu-opt %s --fuse-form --fuse-merge="tensor=T1 axis=0" \
// RUN:   --fuse-print-schedule | FileCheck %s --check-prefix=ITERATION
// RUN: ipu-opt %s --fuse-form --fuse-split="tensor=T2 axis=1 factor=32" \
// RUN:   --fuse-merge="tensor=T2 axis=-2" --fuse-print-schedule \
// RUN:   | FileCheck %s --check-prefix=REDUCTION
// RUN: not ipu-opt %s --fuse-form --fuse-merge="tensor=T2 axis=0" \
// RUN:   2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: not ipu-opt %s --fuse-form --fuse-merge="tensor=T1 axis=1" \
// RUN:   2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not ipu-opt %s --fuse-form \
// RUN:   --fuse-merge="tensor=T1 axis=9223372036854775807" \
// RUN:   2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not ipu-opt %s --fuse-form --fuse-compute-at="producer=T1 consumer=T2" \
// RUN:   --fuse-merge="tensor=T1 axis=0" \
// RUN:   2>&1 | FileCheck %s --check-prefix=FROZEN
// RUN: not ipu-opt %s --fuse-form --fuse-merge="tensor=T7 axis=0" \
// RUN:   2>&1 | FileCheck %s --check-prefix=UNKNOWN

// The loop and the next one become one.
// ITERATION: T1 [(i0*i1)] @0/0
// ITERATION: fuse.schedule = #fuse.schedule<[i0, i1], merge(0, 1)>

// Two reductions make a reduction.
// REDUCTION: T2 [i0, r:(i1o*i1i)] @0/0
// REDUCTION: fuse.schedule = #fuse.schedule<[i0, i1], split(1, 32, inner), merge(1, 2)>

// A reduction and another loop do not go together.
// MIXED: error: cannot merge loops 'i0' and 'i1' of tensor 'T2': only 'i1' is a reduction: expected both or neither to be reductions

// LAST: error: tensor 'T1' has no loop 2: expected -2 to 1

// RANGE: error: tensor 'T1' has no loop 9223372036854775807: expected -2 to 1

// FROZEN: error: cannot merge loop 'i0' of tensor 'T1': the first 2 loops of T1[i0, i1] are frozen

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
