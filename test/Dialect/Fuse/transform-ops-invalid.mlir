// RUN: ipu-opt %s -split-input-file -verify-diagnostics

// Scripts that are wrong whatever they are about.

transform.sequence failures(propagate) {
^bb0(%m: !transform.any_op):
  // expected-error @below {{expects 2 results, one for each name, but got 1}}
  %t = transform.fuse.tensors %m ["T1", "T2"] : (!transform.any_op) -> !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%t: !transform.any_op):
  // expected-error @below {{expects 1 loop but got 2}}
  transform.fuse.split %t[0, 1] by 4 : !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%t: !transform.any_op):
  // expected-error @below {{expects 2 loops but got 1}}
  transform.fuse.merge %t[0] : !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%t: !transform.any_op):
  // expected-error @below {{expects 1 loop but got 0}}
  transform.fuse.vectorize %t[] : !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%t: !transform.any_op):
  // expected-error @below {{expects at least one loop over which the partial result reduces but got none}}
  %p = transform.fuse.rfactor %t[] : (!transform.any_op) -> !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%t: !transform.any_op):
  // expected-error @below {{expects 'mode' to be standard, best_effort or most_inlined but got 'deep'}}
  transform.fuse.compute_at %t, %t, 1 {mode = deep} : !transform.any_op, !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%t: !transform.any_op):
  // expected-error @below {{expects 'mode', 'recompute' or 'hoist' but got 'depth'}}
  transform.fuse.compute_at %t, %t, 1 {depth = 2} : !transform.any_op, !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%m: !transform.any_op):
  // expected-error @below {{expects 'loops' to be affine or scf but got 'cf'}}
  %l = transform.fuse.lower %m {loops = cf} : (!transform.any_op) -> !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%m: !transform.any_op):
  // expected-error @below {{expects 'loops', 'peel' or 'layout' but got 'unroll'}}
  %l = transform.fuse.lower %m {unroll} : (!transform.any_op) -> !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%m: !transform.any_op):
  // expected-error @below {{expects 'layout' to be dynamic or identity but got 'strided'}}
  %l = transform.fuse.lower %m {layout = strided} : (!transform.any_op) -> !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%t: !transform.any_op):
  // expected-note @below {{prior use here}}
  %p = transform.param.constant 1 : i64 -> !transform.param<i64>
  // expected-error @below {{expects different type than prior uses}}
  transform.fuse.unroll %t[%p] : !transform.any_op
}

// -----

// The least number stands for a handle, of which there is none.
transform.sequence failures(propagate) {
^bb0(%t: !transform.any_op):
  // expected-error @below {{expects as many handles to loop numbers as there are loop numbers that are not constant (1) but got 0}}
  transform.fuse.reorder %t[0, -9223372036854775808] : !transform.any_op
}
