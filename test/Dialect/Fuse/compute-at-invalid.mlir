// RUN: not ipu-opt %s --fuse-form --fuse-compute-at="producer=T7 consumer=T2" \
// RUN:   2>&1 | FileCheck %s --check-prefix=PRODUCER
// RUN: not ipu-opt %s --fuse-form --fuse-compute-at="producer=T1 consumer=T7" \
// RUN:   2>&1 | FileCheck %s --check-prefix=CONSUMER
// RUN: not ipu-opt %s --fuse-form --fuse-compute-at="producer=T2 consumer=T3" \
// RUN:   2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: not ipu-opt %s --fuse-form --fuse-compute-at="producer=T2 consumer=T2" \
// RUN:   2>&1 | FileCheck %s --check-prefix=ITSELF
// RUN: not ipu-opt %s --fuse-form --fuse-compute-at="producer=T2 consumer=T1" \
// RUN:   2>&1 | FileCheck %s --check-prefix=BACKWARDS
// RUN: not ipu-opt %s --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 position=3" \
// RUN:   2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not ipu-opt %s --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 mode=deep" \
// RUN:   2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not ipu-opt %s --fuse-form \
// RUN:   --fuse-compute-at="producer=T1 consumer=T2 hoist=maybe" \
// RUN:   2>&1 | FileCheck %s --check-prefix=HOIST

// Requests that make no sense.

// PRODUCER: error: no tensor is named 'T7'; the tensors are 'T0', 'T1', 'T2', 'T3', 'T4'

// CONSUMER: error: no tensor is named 'T7'; the tensors are 'T0', 'T1', 'T2', 'T3', 'T4'

// NEITHER: error: 'T3' is not a consumer of 'T2', neither directly nor through other tensors
// NEITHER: note: 'T2' is read by 'T4'

// ITSELF: error: 'T2' is not a consumer of 'T2'

// BACKWARDS: error: 'T1' is not a consumer of 'T2'

// RANGE: [[#@LINE+14]]:{{[0-9]+}}: error: position 3 of 'T2' is out of range: expected -3 to 2

// MODE: error: expects 'mode' to be standard, best_effort or most_inlined but got 'deep'

// HOIST: error: expects 'hoist' to be true or false but got 'maybe'

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
