// RUN: ipu-opt %s -split-input-file --transform-interpreter | FileCheck %s

// From a handle to a fusion to one to the function that it was in.

// CHECK-LABEL: func.func @fusions({{.*}} attributes {lowered}
// CHECK-NOT: fuse.fusion
// CHECK: affine.for
// CHECK: math.exp
// CHECK: affine.for
// CHECK: math.absf
// CHECK: return
module attributes {transform.with_named_sequence} {
  func.func @fusions(%x: tensor<8xf32>) -> tensor<8xf32> {
    %r = fuse.fusion ins(%x : tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8xf32>):
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      fuse.yield %0 : tensor<8xf32>
    }
    %s = fuse.fusion ins(%r : tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8xf32>):
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.abs ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      fuse.yield %0 : tensor<8xf32>
    }
    return %s : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %fusions = transform.structured.match ops{["fuse.fusion"]} in %m : (!transform.any_op) -> !transform.any_op
    %f = transform.fuse.lower %fusions : (!transform.any_op) -> !transform.any_op
    transform.annotate %f "lowered" : !transform.any_op
    transform.yield
  }
}

// -----

// Without peeling, the uneven split ends in the loop's bound.

// CHECK-LABEL: func.func @unpeeled(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
module attributes {transform.with_named_sequence} {
  func.func @unpeeled(%x: tensor<100xf32>) -> tensor<100xf32> {
    %r = fuse.fusion ins(%x : tensor<100xf32>) -> tensor<100xf32> {
    ^bb0(%a: tensor<100xf32>):
      %e = tensor.empty() : tensor<100xf32>
      %0 = linalg.exp ins(%a : tensor<100xf32>) outs(%e : tensor<100xf32>) -> tensor<100xf32>
      fuse.yield %0 : tensor<100xf32>
    }
    return %r : tensor<100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.fuse.tensors %m ["v0"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.split %t[0] by 32 : !transform.any_op
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %l = transform.fuse.lower %f {loops = scf, peel = false} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Nothing is lowered twice if a handle has both the fusion and the function that
// it is in.

// CHECK-LABEL: func.func @both(
// CHECK: affine.for
// CHECK-NOT: affine.for
// CHECK: return
module attributes {transform.with_named_sequence} {
  func.func @both(%x: tensor<8xf32>) -> tensor<8xf32> {
    %r = fuse.fusion ins(%x : tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8xf32>):
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      fuse.yield %0 : tensor<8xf32>
    }
    return %r : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %fusion = transform.structured.match ops{["fuse.fusion"]} in %m : (!transform.any_op) -> !transform.any_op
    %f = transform.get_parent_op %fusion {op_name = "func.func"} : (!transform.any_op) -> !transform.any_op
    %both = transform.merge_handles %fusion, %f : !transform.any_op
    %l = transform.fuse.lower %both : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// What a call returns is in the layout of the callee's result, also while it is
// tried on a copy of the function whether the fusion can be lowered.

// CHECK-LABEL: func.func private @callee(
// CHECK-NEXT: func.func @call(
// CHECK: bufferization.to_buffer %{{.*}} read_only : tensor<8xf32> to memref<8xf32, strided<[?], offset: ?>>
// CHECK: affine.for
// CHECK-NOT: func.func @
module attributes {transform.with_named_sequence} {
  func.func private @callee(%x: tensor<8xf32>) -> tensor<8xf32>
  func.func @call(%x: tensor<8xf32>) -> tensor<8xf32> {
    %y = call @callee(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %r = fuse.fusion ins(%y : tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8xf32>):
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      fuse.yield %0 : tensor<8xf32>
    }
    return %r : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %l = transform.fuse.lower %f : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
