// RUN: not ipu-opt %s --fuse-form --fuse-compute-at="producer=v0 consumer=v1" \
// RUN:   2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: ipu-opt %s --fuse-form \
// RUN:   --fuse-compute-at="producer=v0 consumer=v1 recompute=true" \
// RUN:   --fuse-print-schedule | FileCheck %s --check-prefix=CLONED
// RUN: ipu-opt %s --fuse-form --remarks-filter=ipu-fuse \
// RUN:   --remark-format=emitRemark \
// RUN:   --fuse-compute-at="producer=v0 consumer=v1 recompute=true" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: ipu-opt %s --fuse-form --log-actions-to=- -o /dev/null \
// RUN:   --fuse-compute-at="producer=v0 consumer=v1 recompute=true" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ACTION
// RUN: not ipu-opt %s --fuse-form \
// RUN:   --fuse-compute-at="producer=v0 consumer=v3 recompute=true" \
// RUN:   2>&1 | FileCheck %s --check-prefix=USELESS

// What is divided waits for the sum, unless it is computed once more.

// SHARED: error: 'v0' cannot be computed at position 2, only at positions up to 1

// The clone is for the sum; names stay what they were.
// CLONED: v0 [i0, i1] @0/0
// CLONED-NEXT: v0.clone [i0, i1] @2/0
// CLONED-NEXT: v1 [i0, r:i1] @0/2
// CLONED-NEXT: v2 [i0, b:i1] @0/0
// CLONED-NEXT: v3 [i0, i1] @0/0
// CLONED: %[[A:.*]] = linalg.exp {fuse.name = "v0"}
// CLONED: %[[B:.*]] = linalg.exp {fuse.name = "v0.clone", fuse.schedule = #fuse.schedule<[i0, i1], ca = 2>}
// CLONED: %[[S:.*]] = linalg.reduce { arith.addf } ins(%[[B]] 
// CLONED: linalg.div {{.*}} ins(%[[A]],

// ACTION: begins {{.*}} `fuse-compute-at` replay in loops of its consumer 'linalg.exp'

// REMARK: remark: [Passed] Recompute{{.*}}tensor 'v0' is computed twice, with 800 additional elements

// All readers lead to v3, so a clone helps nobody.
// USELESS: error: 'v0' cannot be computed at position 2, only at positions up to 1

func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> (tensor<8x100xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x100xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.exp ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  %3 = linalg.broadcast ins(%2 : tensor<8xf32>) outs(%e : tensor<8x100xf32>) dimensions = [1]
  %4 = linalg.div ins(%1, %3 : tensor<8x100xf32>, tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
  return %4, %2 : tensor<8x100xf32>, tensor<8xf32>
}
