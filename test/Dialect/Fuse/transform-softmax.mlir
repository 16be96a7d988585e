// RUN: ipu-opt %s --transform-interpreter | FileCheck %s

// A whole script, from a function to loops: softmax is decomposed into v0 (the
// maxima), v1 (the exponentials), v2 (their sums) and v3.
//
// The exponentials of a row wait for their sum, in a buffer of one row; the
// maximum of a row and the sum are values.

// CHECK-LABEL: func.func @softmax(
// CHECK: %[[ROW:.*]] = memref.alloca() {{.*}}: memref<100xf32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[MAX:.*]] = scf.for
// CHECK: arith.maxnumf
// CHECK: %[[SUM:.*]] = scf.for %[[J:.*]] = {{.*}} iter_args
// CHECK: arith.subf %{{.*}}, %[[MAX]]
// CHECK: %[[E:.*]] = math.exp
// CHECK: memref.store %[[E]], %[[ROW]][%[[J]]]
// CHECK: arith.addf
// CHECK: scf.for %[[K:.*]] =
// CHECK-NEXT: %[[V:.*]] = memref.load %[[ROW]][%[[K]]]
// CHECK: arith.divf %[[V]], %[[SUM]]
// CHECK-NOT: scf.for
// CHECK: return

module attributes {transform.with_named_sequence} {
  func.func @softmax(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    %0 = linalg.softmax dimension(1) ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %0 : tensor<8x100xf32>
  }

  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %g = transform.apply_registered_pass "fuse-form" to %f : (!transform.any_op) -> !transform.any_op
    transform.fuse.inline_most %g : !transform.any_op
    %exp = transform.fuse.tensors %g ["v1"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.compute_with %exp at 2 : !transform.any_op
    %l = transform.fuse.lower %g {loops = scf} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
