// RUN: ipu-opt %s --fuse-form --mlir-print-local-scope \
// RUN:   --fuse-split="tensor=T axis=1 factor=32" \
// RUN:   --fuse-rfactor="tensor=T axes=2" --fuse-print-schedule \
// RUN:   | FileCheck %s
// RUN: not ipu-opt %s --fuse-form \
// RUN:   --fuse-split="tensor=T axis=1 factor=4 inner=false" \
// RUN:   --fuse-rfactor="tensor=T axes=2" \
// RUN:   2>&1 | FileCheck %s --check-prefix=OUTER

// Sizes that are not constant: remainders by constants have maps, other pieces have none.

// CHECK: T.rf [i0, i1o, r:i1i, i2] @0/0
// CHECK: T [i0, r:i1o, r:i2] @0/0
// CHECK: affine.apply affine_map<()[s0] -> (s0 ceildiv 32)>()[%{{.*}}]
// CHECK: affine_map<(d0, d1, d2) -> (d0, d2, d1 floordiv 32)>

// OUTER: error: cannot rfactor tensor 'T': axes that were split from its loops depend on sizes that are not constant

func.func @f(%x: tensor<?x?x?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.reduce { arith.addf } ins(%x : tensor<?x?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1, 2] {fuse.name = "T"}
  return %1 : tensor<?xf32>
}
