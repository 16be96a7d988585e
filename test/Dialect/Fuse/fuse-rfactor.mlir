// RUN: ipu-opt %s --fuse-form --fuse-split="tensor=T2 axis=1 factor=32" \
// RUN:   --fuse-rfactor="tensor=T2 axes=1" --fuse-print-schedule \
// RUN:   | FileCheck %s
// RUN: ipu-opt %s --fuse-form --fuse-split="tensor=T2 axis=1 factor=32" \
// RUN:   --fuse-rfactor="tensor=T2 axes=-1" --fuse-print-schedule \
// RUN:   | FileCheck %s --check-prefix=INNER
// RUN: ipu-opt %s --fuse-form --fuse-split="tensor=T2 axis=1 factor=32" \
// RUN:   --fuse-rfactor="tensor=T2 axes=1" \
// RUN:   --fuse-split="tensor=T2.rf axis=2 factor=8" \
// RUN:   --fuse-reorder="tensor=T2.rf order=0,2,1,3" --fuse-print-schedule \
// RUN:   | FileCheck %s --check-prefix=AGAIN
// RUN: not ipu-opt %s --fuse-form --fuse-split="tensor=T2 axis=1 factor=32" \
// RUN:   --fuse-rfactor="tensor=T2 axes=1" \
// RUN:   --fuse-split="tensor=T2.rf axis=1 factor=2" \
// RUN:   --fuse-rfactor="tensor=T2.rf axes=1" \
// RUN:   2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ipu-opt %s --fuse-form --fuse-rfactor="tensor=T1 axes=1" \
// RUN:   2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ipu-opt %s --fuse-form --fuse-rfactor="tensor=T2 axes=1" \
// RUN:   2>&1 | FileCheck %s --check-prefix=ALL
// RUN: not ipu-opt %s --fuse-form --fuse-split="tensor=T2 axis=1 factor=32" \
// RUN:   --fuse-rfactor="tensor=T2 axes=0" \
// RUN:   2>&1 | FileCheck %s --check-prefix=ITERATION
// RUN: not ipu-opt %s --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=1" \
// RUN:   --fuse-split="tensor=T2 axis=1 factor=32" \
// RUN:   --fuse-rfactor="tensor=T2 axes=1" \
// RUN:   2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not ipu-opt %s --fuse-form --fuse-rfactor="tensor=T7 axes=1" \
// RUN:   2>&1 | FileCheck %s --check-prefix=UNKNOWN

// The new op reduces the outer part; its pieces are remainders.
// CHECK: T1 [i0, i1] @0/0
// CHECK: T2.rf [i0, r:i1o, i1i] @0/0
// CHECK: T2 [i0, r:i1i] @0/0
// CHECK: T3 [i0, r:i1] @0/0
// CHECK: affine_map<(d0, d1) -> (d0, d1 mod 32)>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8x32xf32>
// CHECK: %[[F:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[E]] : tensor<8x32xf32>)
// CHECK: %[[P:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} {{.*}} outs(%[[F]] : tensor<8x32xf32>) attrs = {fuse.name = "T2.rf", fuse.schedule = #fuse.schedule<[i0, i1], split(1, 32, inner), rfactor(2)>}
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[P]] : tensor<8x32xf32>) {{.*}} attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[i0, i1i]>}
// CHECK: arith.maximumf

// The new op reduces the inner part; its pieces are quotients, and four of them hold 100 elements.
// INNER: T2.rf [i0, i1o, r:i1i] @0/0
// INNER: T2 [i0, r:i1o] @0/0
// INNER: affine_map<(d0, d1) -> (d0, d1 floordiv 32)>
// INNER: tensor<8x4xf32>

// What was read back is what was written; loops of the pieces can be split on.
// AGAIN: T2.rf [i0, i1io, r:i1o, i1ii] @0/0
// AGAIN: #fuse.schedule<[i0, i1], split(1, 32, inner), rfactor(2), split(2, 8, inner), reorder(0, 2, 1, 3)>

// A partial result is not split again.
// TWICE: error: cannot rfactor tensor 'T2.rf': it is a partial result of another tensor

// NONE: error: cannot rfactor tensor 'T1': it has no reduction

// ALL: error: cannot rfactor tensor 'T2': expected at least one reduction loop of T2[i0, r:i1] to remain

// ITERATION: error: cannot rfactor tensor 'T2': loop 'i0' is not a reduction

// SHARED: error: cannot rfactor a reduction of tensor 'T2': the first loop of {{.*}} is frozen

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
