// RUN: ipu-opt %s --fuse-form --fuse-split="tensor=T4 axis=0 factor=3" \
// RUN:   --fuse-propagate="tensor=T4" --fuse-print-schedule | FileCheck %s
// RUN: ipu-opt %s --fuse-form --fuse-split="tensor=T1 axis=1 factor=3" \
// RUN:   --fuse-reorder="tensor=T1 order=1,0,2" \
// RUN:   --fuse-propagate="tensor=T1 position=0" --fuse-print-schedule \
// RUN:   | FileCheck %s --check-prefix=PART
// RUN: not ipu-opt %s --fuse-form --fuse-propagate="tensor=T4 position=2" \
// RUN:   2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not ipu-opt %s --fuse-form --fuse-propagate="tensor=T7" \
// RUN:   2>&1 | FileCheck %s --check-prefix=UNKNOWN

// All tensors get loops like those of one; nothing is computed elsewhere.
// CHECK: T1 [i0o, i0i, i1] @0/0
// CHECK: T2 [i0o, i0i, r:i1] @0/0
// CHECK: T3 [i0o, i0i, r:i1] @0/0
// CHECK: T4 [i0o, i0i] @0/0

// Those up to a position only.
// PART: T1 [i1o, i0, i1i] @0/0
// PART: T2 [i0, r:i1] @0/0

// RANGE: error: position 2 of 'T4' is out of range: expected -2 to 1

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
