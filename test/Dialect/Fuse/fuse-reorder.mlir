// RUN: ipu-opt %s --fuse-form --fuse-split="tensor=T2 axis=1 factor=32" \
// RUN:   --fuse-reorder="tensor=T2 order=1,-1,0" --fuse-print-schedule \
// RUN:   | FileCheck %s
// RUN: ipu-opt %s --fuse-form --fuse-reorder="tensor=T1 order=1,0" \
// RUN:   --fuse-reorder="tensor=T1 order=1,0" --fuse-print-schedule \
// RUN:   | FileCheck %s --check-prefix=BACK
// RUN: not ipu-opt %s --fuse-form --fuse-reorder="tensor=T1 order=0" \
// RUN:   2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not ipu-opt %s --fuse-form --fuse-reorder="tensor=T1 order=0,0" \
// RUN:   2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ipu-opt %s --fuse-form --fuse-reorder="tensor=T1 order=0,5" \
// RUN:   2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not ipu-opt %s --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=1" \
// RUN:   --fuse-reorder="tensor=T2 order=1,0" \
// RUN:   2>&1 | FileCheck %s --check-prefix=FROZEN
// RUN: not ipu-opt %s --fuse-form --fuse-reorder="tensor=T7 order=0" \
// RUN:   2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Loop i becomes what loop order[i] was.
// CHECK: T2 [r:i1o, r:i1i, i0] @0/0
// CHECK: fuse.schedule = #fuse.schedule<[i0, i1], split(1, 32, inner), reorder(1, 2, 0)>

// What is put back needs no step.
// BACK: T1 [i0, i1] @0/0
// BACK-NOT: fuse.schedule

// SHORT: error: the order of the loops of tensor 'T1' has 1 loops: expected all 2

// TWICE: error: the order of the loops of tensor 'T1' has loop 0 twice

// RANGE: error: tensor 'T1' has no loop 5: expected -2 to 1

// FROZEN: error: cannot move loop 'i0' of tensor 'T2': the first loop of T2[i0, r:i1] is frozen

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
