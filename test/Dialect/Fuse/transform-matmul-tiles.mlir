// RUN: ipu-opt %s --fuse-form --transform-interpreter=entry-point=schedule --fuse-print-schedule -o /dev/null | FileCheck %s --check-prefix=SCHEDULE
// RUN: ipu-opt %s --fuse-form --transform-interpreter | FileCheck %s

// A product in tiles of 16 x 32 x 8, with copies of the tiles of both operands,
// and its own tile kept for what follows.

// SCHEDULE: A [i0o, i1o, i0i, i1i] @2/0
// SCHEDULE-NEXT: B [i1o, i0o, i1i, i0i] @2/0
// SCHEDULE-NEXT: C [i0o, i1o, r:i2o, i0i, i1i, r:i2i] @2/3
// SCHEDULE-NEXT: D [i0o, i1o, i0i, i1i] @0/2

// CHECK-LABEL: func.func @matmul(
// CHECK-DAG: memref.alloca() {{.*}}: memref<16x8xf32>
// CHECK-DAG: memref.alloca() {{.*}}: memref<32x8xf32>
// CHECK-DAG: memref.alloca() {{.*}}: memref<16x32xf32>
// CHECK: affine.for %{{.*}} = 0 to 3 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 2 {
// The tile starts from 0.
// CHECK: affine.for %{{.*}} = 0 to 16 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 32 {
// CHECK-NEXT: affine.store %{{.*}}
// CHECK: affine.for %{{.*}} = 0 to 5 {
// Tiles of the operands, then their product.
// CHECK-NEXT: affine.for %{{.*}} = 0 to 16 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 8 {
// CHECK: affine.for %{{.*}} = 0 to 32 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 8 {
// CHECK: affine.for %{{.*}} = 0 to 16 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 32 {
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK: arith.negf

module attributes {transform.with_named_sequence} {
  func.func @matmul(%a: tensor<48x40xf32>, %b: tensor<40x64xf32>) -> tensor<48x64xf32> {
    %zero = arith.constant 0.0 : f32
    %a_empty = tensor.empty() : tensor<48x40xf32>
    %b_empty = tensor.empty() : tensor<40x64xf32>
    %c_empty = tensor.empty() : tensor<48x64xf32>
    %a_tile = linalg.copy {fuse.name = "A"} ins(%a : tensor<48x40xf32>) outs(%a_empty : tensor<48x40xf32>) -> tensor<48x40xf32>
    %b_tile = linalg.copy {fuse.name = "B"} ins(%b : tensor<40x64xf32>) outs(%b_empty : tensor<40x64xf32>) -> tensor<40x64xf32>
    %init = linalg.fill ins(%zero : f32) outs(%c_empty : tensor<48x64xf32>) -> tensor<48x64xf32>
    %c = linalg.matmul {fuse.name = "C"} ins(%a_tile, %b_tile : tensor<48x40xf32>, tensor<40x64xf32>) outs(%init : tensor<48x64xf32>) -> tensor<48x64xf32>
    %d = linalg.negf {fuse.name = "D"} ins(%c : tensor<48x64xf32>) outs(%c_empty : tensor<48x64xf32>) -> tensor<48x64xf32>
    return %d : tensor<48x64xf32>
  }

  transform.named_sequence @schedule(%m: !transform.any_op {transform.readonly}) {
    %a, %b, %c, %d = transform.fuse.tensors %m ["A", "B", "C", "D"]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.fuse.split %d[0] by 16 : !transform.any_op
    transform.fuse.split %d[2] by 32 : !transform.any_op
    transform.fuse.reorder %d[0, 2, 1, 3] : !transform.any_op
    transform.fuse.compute_at %c, %d, 2 : !transform.any_op, !transform.any_op
    transform.fuse.split %c[-1] by 8 : !transform.any_op
    transform.fuse.reorder %c[0, 1, 4, 2, 3, 5] : !transform.any_op
    transform.fuse.compute_at %a, %c, 3 : !transform.any_op, !transform.any_op
    transform.fuse.compute_at %b, %c, 3 : !transform.any_op, !transform.any_op
    transform.yield
  }

  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    transform.include @schedule failures(propagate) (%m) : (!transform.any_op) -> ()
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %loops = transform.fuse.lower %f : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
