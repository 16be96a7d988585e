// RUN: ipu-opt %s --fuse-form --fuse-rfactor="tensor=T axes=1" \
// RUN:   --fuse-print-schedule | FileCheck %s --check-prefix=WHOLE
// RUN: ipu-opt %s --fuse-form --fuse-split="tensor=T axis=1 factor=32" \
// RUN:   --fuse-merge="tensor=T axis=1" --fuse-rfactor="tensor=T axes=1" \
// RUN:   --fuse-split="tensor=T.rf axis=1 factor=2" --fuse-print-schedule \
// RUN:   | FileCheck %s --check-prefix=SPLIT
// RUN: ipu-opt %s --fuse-form --fuse-split="tensor=T axis=1 factor=32" \
// RUN:   --fuse-rfactor="tensor=T axes=1" --fuse-print-schedule \
// RUN:   | FileCheck %s --check-prefix=BOTH

// A reduction that is kept whole is a parallel loop of the new op.

// WHOLE: T.rf [i0, r:i1, i2] @0/0
// WHOLE: T [i0, r:i2] @0/0
// WHOLE: iterator_types = ["parallel", "reduction", "parallel"]
// WHOLE: fuse.name = "T.rf"} {
// WHOLE: tensor<8x6xf32>

// Steps of what is reduced need not be frozen.
// SPLIT: T.rf [i0, r:(i1o*i1i)o, r:(i1o*i1i)i, i2] @0/0
// SPLIT: T [i0, r:i2] @0/0
// SPLIT: fuse.name = "T.rf", fuse.schedule = #fuse.schedule<[i0, i1, i2], split(1, 32, inner), merge(1, 2), split(1, 2, inner)>}

// Whole loops come before pieces of loops.
// BOTH: T.rf [i0, r:i1o, i1i, i2] @0/0
// BOTH: T [i0, r:i1i, r:i2] @0/0
// BOTH: affine_map<(d0, d1, d2) -> (d0, d2, d1 mod 32)>
// BOTH: tensor<8x6x32xf32>

func.func @f(%x: tensor<8x100x6xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.reduce { arith.addf } ins(%x : tensor<8x100x6xf32>) outs(%f : tensor<8xf32>) dimensions = [1, 2] {fuse.name = "T"}
  return %1 : tensor<8xf32>
}
