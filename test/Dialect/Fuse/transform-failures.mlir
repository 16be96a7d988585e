// RUN: ipu-opt %s -split-input-file --transform-interpreter --fuse-print-schedule -verify-diagnostics -o /dev/null | FileCheck %s

// What is refused can be gone past, and has changed nothing: another way is
// tried, as deep as is legal.

// CHECK: T1 [i0, i1] @1/0
// CHECK-NEXT: T2 [i0, r:i1] @1/1
// CHECK-NEXT: T3 [i0, i1] @0/1
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<8x100xf32>, tensor<8xf32>) outs(%e : tensor<8x100xf32>) attrs = {fuse.name = "T3"} {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %q = arith.divf %a, %b : f32
      linalg.yield %q : f32
    } -> tensor<8x100xf32>
    return %3 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %g = transform.apply_registered_pass "fuse-form" to %f : (!transform.any_op) -> !transform.any_op
    %t1, %t3 = transform.fuse.tensors %g ["T1", "T3"]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.alternatives %g : !transform.any_op {
    ^bb0(%alternative: !transform.any_op):
      %p, %c = transform.fuse.tensors %alternative ["T1", "T3"]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.fuse.compute_at %p, %c, -1 : !transform.any_op, !transform.any_op
    }, {
    ^bb0(%alternative: !transform.any_op):
      %p, %c = transform.fuse.tensors %alternative ["T1", "T3"]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.fuse.compute_at %p, %c, -1 {mode = best_effort} : !transform.any_op, !transform.any_op
    }
    transform.yield
  }
}

// -----

// A sequence that suppresses failures goes past what is refused; what came
// before it stays, and its results are none.

// CHECK: T1 [i0, i1o, i1i:unroll] @0/0
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %g = transform.apply_registered_pass "fuse-form" to %f : (!transform.any_op) -> !transform.any_op
    transform.sequence %g : !transform.any_op failures(suppress) {
    ^bb0(%function: !transform.any_op):
      %t = transform.fuse.tensors %function ["T1"] : (!transform.any_op) -> !transform.any_op
      transform.fuse.split %t[1] by 8 : !transform.any_op
      transform.fuse.split %t[7] by 8 : !transform.any_op
      %p = transform.fuse.rfactor %t[2] : (!transform.any_op) -> !transform.any_op
      transform.fuse.vectorize %p[0] : !transform.any_op
      transform.fuse.unroll %t[2] : !transform.any_op
    }
    transform.yield
  }
}

// -----

// A fusion that cannot be lowered is as it was, and so are those beside it.

// CHECK: S1 [i0, i1] @0/0
// CHECK: T1 [i0, r:i1:parallel] @0/0
module attributes {transform.with_named_sequence} {
  func.func @g(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "S1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  func.func @f(%x: tensor<8x100xf32>) -> tensor<8xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.reduce { arith.addf } ins(%x : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T1"}
    return %1 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %g = transform.apply_registered_pass "fuse-form" to %f : (!transform.any_op) -> !transform.any_op
    %t = transform.fuse.tensors %g ["T1"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.parallelize %t[1] : !transform.any_op
    transform.sequence %g : !transform.any_op failures(suppress) {
    ^bb0(%functions: !transform.any_op):
      %l = transform.fuse.lower %functions : (!transform.any_op) -> !transform.any_op
    }
    transform.yield
  }
}

// -----

// An op that nobody has put into a fusion.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    // expected-note @below {{target op}}
    %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.exp"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects an op in a 'fuse.fusion', which 'fuse-form' creates, but got 'linalg.exp' outside of a fusion}}
    transform.fuse.split %op[0] by 4 : !transform.any_op
    transform.yield
  }
}

// -----

// An op of the fusion that has no schedule: the error is at the script, with a
// note at the op.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8x1xf32> {
    // expected-note @below {{target op}}
    %r = fuse.fusion ins(%x : tensor<8xf32>) -> tensor<8x1xf32> {
    ^bb0(%a: tensor<8xf32>):
      %e = tensor.empty() : tensor<8x1xf32>
      // expected-note @below {{op is here}}
      %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0, 0)>], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8x1xf32>) {
      ^bb0(%v: f32, %w: f32):
        linalg.yield %v : f32
      } -> tensor<8x1xf32>
      fuse.yield %0 : tensor<8x1xf32>
    }
    return %r : tensor<8x1xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["fuse.fusion"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'linalg.generic' op cannot be scheduled: expects the indexing map of result 0 to be a permutation of all parallel loops but got}}
    transform.fuse.inline_most %f : !transform.any_op
    transform.yield
  }
}

// -----

// No ops, nothing to do.

// CHECK: v0 [i0] @0/0
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %r = fuse.fusion ins(%x : tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8xf32>):
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      fuse.yield %0 : tensor<8xf32>
    }
    return %r : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %none = transform.structured.match ops{["scf.for"]} in %m : (!transform.any_op) -> !transform.any_op
    %t = transform.fuse.tensors %none ["T1"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.split %none[0] by 4 : !transform.any_op
    transform.fuse.compute_at %none, %t, -1 : !transform.any_op, !transform.any_op
    transform.fuse.inline_most %none : !transform.any_op
    %l = transform.fuse.lower %none : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// What stands for the op is gone with its fusion, so there is nothing to return.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %r = fuse.fusion ins(%x : tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8xf32>):
      %e = tensor.empty() : tensor<8xf32>
      // expected-note @below {{target op}}
      %0 = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      fuse.yield %0 : tensor<8xf32>
    }
    return %r : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.fuse.tensors %m ["v0"] : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects a 'fuse.fusion', or an op that contains a fusion, but got 'linalg.exp' inside of a fusion}}
    %l = transform.fuse.lower %t : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Numbers beyond all bounds are out of range.

// CHECK: T1 [i0, i1] @0/0
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %g = transform.apply_registered_pass "fuse-form" to %f : (!transform.any_op) -> !transform.any_op
    %t = transform.fuse.tensors %g ["T1"] : (!transform.any_op) -> !transform.any_op
    transform.sequence %m : !transform.any_op failures(suppress) {
    ^bb0(%same: !transform.any_op):
      transform.fuse.split %t[0] by -9223372036854775808 : !transform.any_op
      transform.fuse.split %t[9223372036854775807] by 2 : !transform.any_op
      transform.fuse.merge %t[0, 0] : !transform.any_op
      transform.fuse.merge %t[-9223372036854775807, 0] : !transform.any_op
      transform.fuse.inline_at %t at 9223372036854775807 : !transform.any_op
      transform.fuse.inline_at %t at -9223372036854775808 : !transform.any_op
      transform.fuse.compute_with %t at -9223372036854775808 : !transform.any_op
      transform.fuse.propagate %t at 9 : !transform.any_op
      transform.fuse.compute_at %t, %t, -9223372036854775808 : !transform.any_op, !transform.any_op
      transform.fuse.reorder %t[] : !transform.any_op
      transform.fuse.split %m[0] by 2 : !transform.any_op
      transform.fuse.rfactor %t[0, 0] : (!transform.any_op) -> !transform.any_op
      transform.fuse.tensors %m [] : (!transform.any_op) -> ()
    }
    transform.yield
  }
}
