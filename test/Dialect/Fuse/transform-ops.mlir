// RUN: ipu-opt %s --mlir-print-local-scope | ipu-opt --mlir-print-local-scope | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt --mlir-print-local-scope | FileCheck %s

// Every op as it is printed; defaults are left out.

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: transform.named_sequence @loops
  transform.named_sequence @loops(%m: !transform.any_op {transform.readonly}) {
    // CHECK: %[[T:.*]]:2 = transform.fuse.tensors %{{.*}} ["T0", "T1"] : (!transform.any_op) -> (!transform.any_value, !transform.any_op)
    %t0, %t1 = transform.fuse.tensors %m ["T0", "T1"]
      : (!transform.any_op) -> (!transform.any_value, !transform.any_op)
    // CHECK: transform.fuse.tensors %{{.*}} ["T2"] : (!transform.any_op) -> !transform.op<"linalg.exp">
    %t2 = transform.fuse.tensors %m ["T2"]
      : (!transform.any_op) -> !transform.op<"linalg.exp">
    // CHECK: %[[OUTER:.*]], %[[INNER:.*]] = transform.fuse.split %[[T]]#1 [-1] by 32 : !transform.any_op
    %o, %i = transform.fuse.split %t1[-1] by 32 : !transform.any_op
    // CHECK: transform.fuse.split %[[T]]#1 [0] by 4 {outer} : !transform.any_op
    transform.fuse.split %t1[0] by 4 {outer} : !transform.any_op
    // CHECK: transform.fuse.merge %[[T]]#1 [0, %[[OUTER]]] : !transform.any_op
    transform.fuse.merge %t1[0, %o] : !transform.any_op
    // CHECK: transform.fuse.reorder %[[T]]#1 [0, 2, 1] : !transform.any_op
    transform.fuse.reorder %t1[0, 2, 1] : !transform.any_op
    // CHECK: transform.fuse.rfactor %[[T]]#1 [1, 2] : (!transform.any_op) -> !transform.any_op
    %p = transform.fuse.rfactor %t1[1, 2] : (!transform.any_op) -> !transform.any_op
    // CHECK: transform.fuse.propagate %[[T]]#1 at 2 : !transform.any_op
    transform.fuse.propagate %t1 at 2 : !transform.any_op
    // CHECK: transform.fuse.parallelize %[[T]]#1 [0] : !transform.any_op
    transform.fuse.parallelize %t1[0] : !transform.any_op
    // CHECK: transform.fuse.vectorize %[[T]]#1 [%[[INNER]]] : !transform.any_op
    transform.fuse.vectorize %t1[%i] : !transform.any_op
    // CHECK: transform.fuse.unroll %[[T]]#1 [-2] {note = "x"} : !transform.any_op
    transform.fuse.unroll %t1[-2] {note = "x"} : !transform.any_op
    transform.yield
  }

  // CHECK-LABEL: transform.named_sequence @positions
  transform.named_sequence @positions(%p: !transform.any_op {transform.readonly},
                                      %v: !transform.any_value {transform.readonly},
                                      %c: !transform.any_op {transform.readonly}) {
    // CHECK: transform.fuse.compute_at %{{.*}}, %{{.*}}, -1 : !transform.any_op, !transform.any_op
    transform.fuse.compute_at %p, %c, -1 {mode = standard} : !transform.any_op, !transform.any_op
    // CHECK: transform.fuse.compute_at %{{.*}}, %{{.*}}, 2 {mode = best_effort, recompute, hoist = true} attributes {note} : !transform.any_value, !transform.any_op
    transform.fuse.compute_at %v, %c, 2 {hoist = true, recompute, mode = best_effort} attributes {note}
      : !transform.any_value, !transform.any_op
    // CHECK: transform.fuse.compute_at %{{.*}}, %{{.*}}, 0 {mode = most_inlined, hoist = false} : !transform.any_op
    transform.fuse.compute_at %p, %c, 0 {mode = most_inlined, hoist = false}
      : !transform.any_op, !transform.any_op
    // CHECK: transform.fuse.inline_at %{{.*}} at 1 : !transform.any_op
    transform.fuse.inline_at %p at 1 : !transform.any_op
    // CHECK: transform.fuse.inline_most %{{.*}} : !transform.any_op
    transform.fuse.inline_most %p : !transform.any_op
    // CHECK: transform.fuse.inline_most %{{.*}} {hoist = false} : !transform.any_op
    transform.fuse.inline_most %p {hoist = false} : !transform.any_op
    // CHECK: transform.fuse.compute_with %{{.*}} at -1 : !transform.any_op
    transform.fuse.compute_with %p at -1 : !transform.any_op
    transform.yield
  }

  // CHECK-LABEL: transform.named_sequence @lowering
  transform.named_sequence @lowering(%m: !transform.any_op {transform.consumed}) {
    // CHECK: transform.fuse.lower %{{.*}} : (!transform.any_op) -> !transform.any_op
    %f = transform.fuse.lower %m {loops = affine, peel = true, layout = dynamic} : (!transform.any_op) -> !transform.any_op
    // CHECK: transform.fuse.lower %{{.*}} {loops = scf, peel = false, layout = identity} : (!transform.any_op) -> !transform.any_op
    %g = transform.fuse.lower %f {layout = identity, peel = false, loops = scf} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
