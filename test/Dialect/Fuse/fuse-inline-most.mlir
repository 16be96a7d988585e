// RUN: ipu-opt %s --fuse-form --fuse-inline-most --fuse-print-schedule \
// RUN:   | FileCheck %s
// RUN: ipu-opt %s --fuse-form \
// RUN:   --fuse-set-type="tensor=T1 axis=1 type=vectorize" --fuse-inline-most \
// RUN:   --fuse-print-schedule | FileCheck %s --check-prefix=VECTOR

// As deep as is legal; T1 in the loops of both reductions.
// CHECK: T1 [i0, i1] @2/0
// CHECK: T2 [i0, r:i1] @1/2
// CHECK: T3 [i0, r:i1] @1/2
// CHECK: T4 [i0] @{{.*}}/1

// Not into vectorized loops.
// VECTOR: T1 [i0, i1:vectorize] @1/0

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
