// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(pop-clip-gradients)"
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-clip-gradients{max-norm=0})" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-clip-gradients{max-norm=inf})" 2>&1 | FileCheck %s --check-prefix=INFINITE
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-clip-gradients{max-norm=1})" 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-clip-gradients{func=main})" 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-clip-gradients{func=absent})" 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not ipu-opt %s --split-input-file --pass-pipeline="builtin.module(pop-clip-gradients{max-norm=1})" 2>&1 | FileCheck %s --check-prefix=BOTH

// ZERO: error: 'pop-clip-gradients' expects option 'max-norm' to be above 0, in the range of f32, but got 0
// INFINITE: error: 'pop-clip-gradients' expects option 'max-norm' to be above 0, in the range of f32, but got INF
// STEPS: error: 'func.func' op clips the gradients of all weights; expects a 'pop.optimizer_step'
// NEITHER: error: 'func.func' op has neither attribute 'pop.clip_norms' nor option 'max-norm' of 'pop-clip-gradients'; expects exactly one of the two
// ABSENT: error: 'pop-clip-gradients' expects function 'absent' with a body of one block
// BOTH: error: 'func.func' op has both attribute 'pop.clip_norms' and option 'max-norm' of 'pop-clip-gradients'; expects exactly one of the two

// expected-error @below {{'func.func' op clips the gradient of "w" in groups #0 and #2; expects one group}}
func.func @main(%w: tensor<2xf32> {pop.name = "w"}) -> tensor<2xf32>
    attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["w"]>, #pop.clip_norm<1.0, ["v"]>, #pop.clip_norm<2.0, ["u", "w"]>]} {
  %0 = pop.optimizer_step <sgd0> %w, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op clips the gradients of all weights in group #1 of 2 groups; expects this group to be the only group}}
func.func @main(%w: tensor<2xf32> {pop.name = "w"}) -> tensor<2xf32>
    attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["w"]>, #pop.clip_norm<1.0>]} {
  %0 = pop.optimizer_step <sgd0> %w, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op clips gradients of 'x', 'z'; expects names of weights that a 'pop.optimizer_step' updates}}
func.func @main(%w: tensor<2xf32> {pop.name = "w"}) -> tensor<2xf32>
    attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["x", "w"]>, #pop.clip_norm<1.0, ["z"]>]} {
  %0 = pop.optimizer_step <sgd0> %w, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A weight that is computed has no name.
//
// expected-error @below {{'func.func' op clips gradients of 'w'; expects names of weights}}
func.func @main(%w: tensor<2xf32> {pop.name = "w"}) -> tensor<2xf32>
    attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["w"]>]} {
  %1 = pop.neg %w : tensor<2xf32>
  %0 = pop.optimizer_step <sgd0> %1, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%w: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<2xf32>
    attributes {pop.clip_norms = [#pop.clip_norm<1.0>]} {
  // expected-error @below {{'pop.optimizer_step' op has no gradient that could be clipped, because its velocity contains the gradient; expects attribute 'pop.clip_norms' of the function before 'pop-add-optimizer'}}
  %0, %1 = pop.optimizer_step <sgd1> %w state(%v) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%u: tensor<2xf32> {pop.name = "u"}, %w: tensor<2xf32> {pop.name = "w"}, %g: tensor<4xf32>) -> tensor<4xf32>
    attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["u"]>]} {
  %c = pop.concat %u, %w {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  // expected-error @below {{'pop.optimizer_step' op updates 'u' and 'w', which are not clipped together; expects weights of one group}}
  %0 = pop.optimizer_step <sgd0> %c, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Norms of two replicas would differ, and with them what all replicas have.
//
func.func @main(%u: tensor<2xf32> {pop.name = "u"}, %w: tensor<2xf32> {pop.groups = #pop.replica_groups<stride = 1, size = 1>, pop.name = "w"}) -> (tensor<2xf32>, tensor<2xf32>)
    attributes {pop.clip_norms = [#pop.clip_norm<1.0>]} {
  %0 = pop.optimizer_step <sgd0> %u, %u : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-error @below {{'pop.optimizer_step' op updates 'w', which is clipped together with 'u'; expects both weights to have the same groups of replicas, on which their norms are equal}}
  %1 = pop.optimizer_step <sgd0> %w, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

func.func @main(%u: tensor<2xf32>, %c: i1) -> tensor<2xf32>
    attributes {pop.clip_norms = [#pop.clip_norm<1.0>]} {
  // expected-note @below {{the other step is here}}
  %0 = pop.optimizer_step <sgd0> %u, %u : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = scf.if %c -> tensor<2xf32> {
    // expected-error @below {{'pop.optimizer_step' op is clipped together with a step of another block; expects both steps in one block}}
    %2 = pop.optimizer_step <sgd0> %u, %u : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    scf.yield %2 : tensor<2xf32>
  } else {
    scf.yield %0 : tensor<2xf32>
  }
  return %1 : tensor<2xf32>
}

// -----

func.func @main(%u: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32>
    attributes {pop.clip_norms = [#pop.clip_norm<1.0>]} {
  // expected-error @below {{'pop.optimizer_step' op has a gradient that cannot be clipped, because clipping needs a gradient or a loss scale that depends on this update; expects all gradients that are clipped together, and the loss scale, to be computed before the updates}}
  %0 = pop.optimizer_step <sgd0> %u, %u : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = pop.neg %0 : tensor<2xf32>
  // expected-note @below {{this op depends on the update}}
  %g = pop.exp %1 : tensor<2xf32>
  %2 = pop.optimizer_step <sgd0> %w, %g : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// An argument of another block is no argument of the function.
//
// expected-error @below {{'func.func' op clips gradients of 'arg0'; expects names of weights}}
func.func @main(%w: tensor<2xf32> {pop.name = "w"})
    attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["arg0"]>]} {
  cf.br ^end(%w, %w : tensor<2xf32>, tensor<2xf32>)
^end(%u: tensor<2xf32>, %v: tensor<2xf32>):
  %0 = pop.optimizer_step <sgd0> %v, %v : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
