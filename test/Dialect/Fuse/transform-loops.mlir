// RUN: ipu-opt %s -split-input-file --fuse-form --transform-interpreter --fuse-print-schedule -o /dev/null | FileCheck %s

// Splits, and their results as names of loops.

// CHECK: T1 [i0o, i0i:unroll, i1o, i1i:vectorize] @0/0
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.fuse.tensors %m ["T1"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.split %t[0] by 3 {outer} : !transform.any_op
    %o, %i = transform.fuse.split %t[-1] by 16 : !transform.any_op
    transform.fuse.vectorize %t[%i] : !transform.any_op
    transform.fuse.unroll %t[1] : !transform.any_op
    transform.yield
  }
}

// -----

// One loop of all, whose iterations may run at the same time. Handles stay
// valid from op to op.

// CHECK: T1 [i2, (i0*i1):parallel] @0/0
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x4x6xf32>) -> tensor<8x4x6xf32> {
    %e = tensor.empty() : tensor<8x4x6xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x4x6xf32>) outs(%e : tensor<8x4x6xf32>) -> tensor<8x4x6xf32>
    return %1 : tensor<8x4x6xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.fuse.tensors %m ["T1"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.merge %t[0, 1] : !transform.any_op
    transform.fuse.reorder %t[1, 0] : !transform.any_op
    transform.fuse.parallelize %t[-1] : !transform.any_op
    transform.yield
  }
}

// -----

// A handle to ops of several functions, each with its own numbers of loops, and
// a number that is the same for all.

// CHECK: T1 [i0, i1o, i1i:vectorize] @0/0
// CHECK: T1 [i0o, i0i:vectorize] @0/0
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  func.func @g(%x: tensor<100xf32>) -> tensor<100xf32> {
    %e = tensor.empty() : tensor<100xf32>
    %1 = linalg.abs {fuse.name = "T1"} ins(%x : tensor<100xf32>) outs(%e : tensor<100xf32>) -> tensor<100xf32>
    return %1 : tensor<100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.fuse.tensors %m ["T1"] : (!transform.any_op) -> !transform.any_op
    %last = transform.param.constant -1 : i64 -> !transform.any_param
    %o, %i = transform.fuse.split %t[%last] by 16 : !transform.any_op
    transform.fuse.vectorize %t[%i] : !transform.any_op
    transform.yield
  }
}

// -----

// The result is the new op, the target what stands for the old one: a
// linalg.reduce becomes a linalg.generic, and its handle goes with it.

// CHECK: T1.rf [i0, i1i:vectorize, r:i1o] @0/0
// CHECK-NEXT: T1 [i0:parallel, r:i1i] @0/0
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32>) -> tensor<8xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.reduce { arith.addf } ins(%x : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T1"}
    return %1 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.fuse.tensors %m ["T1"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.split %t[1] by 16 : !transform.any_op
    %p = transform.fuse.rfactor %t[1] : (!transform.any_op) -> !transform.any_op
    transform.fuse.reorder %p[0, 2, 1] : !transform.any_op
    transform.fuse.vectorize %p[1] : !transform.any_op
    transform.fuse.parallelize %t[0] : !transform.any_op
    transform.yield
  }
}

// -----

// All tensors get the first two loops of T2; nothing is computed elsewhere.

// CHECK: T1 [i0o, i0i, i1] @0/0
// CHECK-NEXT: T2 [i0o, i0i, i1o, i1i] @0/0
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.abs {fuse.name = "T2"} ins(%1 : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %2 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.fuse.tensors %m ["T2"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.split %t[0] by 2 : !transform.any_op
    transform.fuse.split %t[2] by 16 : !transform.any_op
    transform.fuse.propagate %t at 2 : !transform.any_op
    transform.yield
  }
}

// -----

// A handle that has an op twice: it is asked for once.

// CHECK: T1.rf [i0, r:i1o, i1i] @0/0
// CHECK-NEXT: T1 [i0, r:i1i] @0/0
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32>) -> tensor<8xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.reduce { arith.addf } ins(%x : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T1"}
    return %1 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t, %u = transform.fuse.tensors %m ["T1", "T1"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %both = transform.merge_handles %t, %u : !transform.any_op
    transform.fuse.split %both[1] by 16 : !transform.any_op
    %p = transform.fuse.rfactor %both[1] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
