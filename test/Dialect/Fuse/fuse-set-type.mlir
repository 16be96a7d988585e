// RUN: ipu-opt %s --fuse-form \
// RUN:   --fuse-set-type="tensor=T1 axis=0 type=parallel" \
// RUN:   --fuse-set-type="tensor=T1 axis=-1 type=vectorize" \
// RUN:   --fuse-set-type="tensor=T4 axis=0 type=unroll" --fuse-print-schedule \
// RUN:   | FileCheck %s
// RUN: ipu-opt %s --fuse-form \
// RUN:   --fuse-set-type="tensor=T1 axis=0 type=parallel" \
// RUN:   --fuse-set-type="tensor=T1 axis=0 type=serial" --fuse-print-schedule \
// RUN:   | FileCheck %s --check-prefix=SERIAL
// RUN: not ipu-opt %s --fuse-form --fuse-set-type="tensor=T1 axis=0 type=fast" \
// RUN:   2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not ipu-opt %s --fuse-form \
// RUN:   --fuse-set-type="tensor=T1 axis=2 type=unroll" \
// RUN:   2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not ipu-opt %s --fuse-form --fuse-compute-at="producer=T1 consumer=T2" \
// RUN:   --fuse-set-type="tensor=T1 axis=1 type=vectorize" \
// RUN:   2>&1 | FileCheck %s --check-prefix=FROZEN
// RUN: not ipu-opt %s --fuse-form --fuse-set-type="tensor=T7 axis=0 type=unroll" \
// RUN:   2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: T1 [i0:parallel, i1:vectorize] @0/0
// CHECK: T4 [i0:unroll] @0/0
// CHECK: fuse.schedule = #fuse.schedule<[i0, i1], type(0, parallel), type(1, vectorize)>
// CHECK: fuse.schedule = #fuse.schedule<[i0], type(0, unroll)>

// SERIAL: T1 [i0, i1] @0/0
// SERIAL-NOT: fuse.schedule

// TYPE: error: expects 'type' to be serial, parallel, vectorize or unroll but got 'fast'

// RANGE: error: tensor 'T1' has no loop 2: expected -2 to 1

// FROZEN: error: cannot vectorize loop 'i1' of tensor 'T1': the first 2 loops of T1[i0, i1] are frozen

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
