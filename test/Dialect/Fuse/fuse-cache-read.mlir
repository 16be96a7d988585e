// RUN: ipu-opt %s --split-input-file --fuse-cache-read=tensor=X --fuse-inline-most --fuse-print-schedule | FileCheck %s
// RUN: ipu-opt %s --split-input-file --transform-interpreter --fuse-inline-most --fuse-print-schedule | FileCheck %s

// Both sums read the copy: in one loop.
// CHECK: X.cache [i0] @1/0
// CHECK-NEXT: S [r:i0] @0/1
// CHECK-NEXT: Q [r:i0] @0/1
// CHECK: linalg.generic {{.*}} ins(%[[X:.*]] : tensor<64xf32>) {{.*}}fuse.name = "X.cache"
// CHECK-NOT: ins(%[[X]] : tensor
// CHECK: return
module attributes {transform.with_named_sequence} {
  func.func @sums(%x: tensor<64xf32> {fuse.name = "X"}) -> (tensor<f32>, tensor<f32>) {
    %r:2 = fuse.fusion ins(%x : tensor<64xf32>) -> tensor<f32>, tensor<f32> {
    ^bb0(%in: tensor<64xf32>):
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<f32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
      %s = linalg.reduce { arith.addf } ins(%in : tensor<64xf32>) outs(%f : tensor<f32>) dimensions = [0] {fuse.name = "S"}
      %q = linalg.reduce { arith.maximumf } ins(%in : tensor<64xf32>) outs(%f : tensor<f32>) dimensions = [0] {fuse.name = "Q"}
      fuse.yield %s, %q : tensor<f32>, tensor<f32>
    }
    return %r#0, %r#1 : tensor<f32>, tensor<f32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %x = transform.fuse.tensors %m ["X"] : (!transform.any_op) -> !transform.any_value
    %c = transform.fuse.cache_read %x : (!transform.any_value) -> !transform.any_op
    transform.yield
  }
}
