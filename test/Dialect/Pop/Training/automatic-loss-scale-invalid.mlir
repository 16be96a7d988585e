// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(pop-automatic-loss-scale)"
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-automatic-loss-scale{bin-edge=1.5})" 2>&1 | FileCheck %s --check-prefix=EDGE
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-automatic-loss-scale{threshold=1})" 2>&1 | FileCheck %s --check-prefix=THRESHOLD
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-automatic-loss-scale{update-period=0})" 2>&1 | FileCheck %s --check-prefix=PERIOD

// EDGE: error: 'pop-automatic-loss-scale' expects option 'bin-edge' to be above 0 and at most 1 but got 1.5
// THRESHOLD: error: 'pop-automatic-loss-scale' expects option 'threshold' to be from 0 to below 1 but got 1
// PERIOD: error: 'pop-automatic-loss-scale' expects option 'update-period' to be at least 1 but got 0

// expected-error @below {{'func.func' op has no 'pop.optimizer_step' directly in its body; 'pop-automatic-loss-scale' expects at least one}}
func.func @main() -> tensor<f16> {
  %one = pop.constant dense<1.0> : tensor<f16>
  %0 = pop.loss_scale %one : tensor<f16>
  return %0 : tensor<f16>
}

// -----

// expected-error @below {{'func.func' op has no 'pop.loss_scale' directly in its body; 'pop-automatic-loss-scale' expects at least one}}
func.func @main(%w: tensor<2xf16>, %g: tensor<2xf16>) -> tensor<2xf16> {
  %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

// -----

// Gradients of f32 do not overflow.
//
// expected-error @below {{'func.func' op has no gradients of f16 that 'pop-automatic-loss-scale' could track}}
func.func @main(%w: tensor<2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %one = pop.constant dense<1.0> : tensor<f32>
  %0 = pop.loss_scale %one : tensor<f32>
  %1 = pop.mul %x, %0 : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = pop.optimizer_step <sgd0> %w, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

func.func private @backward(%dy: tensor<f16>, %x: tensor<2xf16>) -> tensor<2xf32> {
  %0 = pop.mul %x, %dy : (tensor<2xf16>, tensor<f16>) -> tensor<2xf16>
  %1 = pop.cast %0 : tensor<2xf16> to tensor<2xf32>
  return %1 : tensor<2xf32>
}
// expected-error @below {{'func.func' op has no gradients of f16 that 'pop-automatic-loss-scale' could track}}
func.func @main(%w: tensor<2xf32>, %x: tensor<2xf16>) -> tensor<2xf32> {
  %one = pop.constant dense<1.0> : tensor<f16>
  %0 = pop.loss_scale %one : tensor<f16>
  // expected-note @below {{this call computes gradients; 'inline' makes them visible}}
  %1 = call @backward(%0, %x) : (tensor<f16>, tensor<2xf16>) -> tensor<2xf32>
  %2 = pop.optimizer_step <sgd0> %w, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// The accumulation divides by the loss scale.
func.func @main(%w: tensor<2xf16>, %v: tensor<2xf32>, %x: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf32>) {
  %one = pop.constant dense<64.0> : tensor<f16>
  %0 = pop.loss_scale %one : tensor<f16>
  %1 = pop.mul %x, %0 : (tensor<2xf16>, tensor<f16>) -> tensor<2xf16>
  %2 = pop.accumulate add %v, %1 {factor = 0.015625 : f64} : tensor<2xf32>, tensor<2xf16>
  // expected-error @below {{'pop.optimizer_step' op has no `gradient`, because gradients are added to its velocity with a constant loss scale; 'pop-automatic-loss-scale' expects a `gradient`: use optimizer 'sgd2', or 'sgd1' in a function with attribute 'pop.clip_norms'}}
  %3, %4 = pop.optimizer_step <sgd1, loss_scale = 64.0> %w state(%2) : (tensor<2xf16>, tensor<2xf32>) -> (tensor<2xf16>, tensor<2xf32>)
  return %3, %4 : tensor<2xf16>, tensor<2xf32>
}

// -----

// The norm was divided by the loss scale, which is no constant afterwards.
func.func @main(%w: tensor<2xf16>, %x: tensor<2xf16>, %n: tensor<f32>) -> tensor<2xf16> {
  %one = pop.constant dense<1.0> : tensor<f16>
  %0 = pop.loss_scale %one : tensor<f16>
  %1 = pop.mul %x, %0 : (tensor<2xf16>, tensor<f16>) -> tensor<2xf16>
  %2 = pop.cast %1 : tensor<2xf16> to tensor<2xf32>
  %c = pop.constant dense<0.5> : tensor<f32>
  %3 = pop.max %c, %n : tensor<f32>
  %4 = pop.div %c, %3 : tensor<f32>
  %5 = pop.mul %2, %4 : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-error @below {{'pop.optimizer_step' op has a gradient that is clipped by a norm with a constant loss scale; expects 'pop-automatic-loss-scale' before 'pop-clip-gradients'}}
  %6 = pop.optimizer_step <sgd0> %w, %5 : (tensor<2xf16>, tensor<2xf32>) -> tensor<2xf16>
  return %6 : tensor<2xf16>
}

// -----

// expected-error @below {{'func.func' op has a loss scale that is adapted already; expects 'pop-automatic-loss-scale' to run only once}}
func.func @main(%w: tensor<2xf16>, %x: tensor<2xf16>, %factor: tensor<f32> {pop.name = "LossScaleFactor___"}) -> tensor<2xf16> {
  %one = pop.constant dense<1.0> : tensor<f16>
  %0 = pop.loss_scale %one : tensor<f16>
  %1 = pop.mul %x, %0 : (tensor<2xf16>, tensor<f16>) -> tensor<2xf16>
  %2 = pop.optimizer_step <sgd0> %w, %1 : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %2 : tensor<2xf16>
}

// -----

pop.variable @LossScaleFactor___ : tensor<f32> = dense<1.0> : tensor<f32>

// expected-error @below {{'func.func' op has a loss scale that is adapted already; expects 'pop-automatic-loss-scale' to run only once}}
func.func @main(%w: tensor<2xf16>, %x: tensor<2xf16>) -> tensor<2xf16> {
  %factor = pop.get_variable @LossScaleFactor___ : !pop.ref<f32>
  %0 = pop.read %factor : !pop.ref<f32>
  %1 = pop.cast %0 : tensor<f32> to tensor<f16>
  %2 = pop.loss_scale %1 : tensor<f16>
  %3 = pop.mul %x, %2 : (tensor<2xf16>, tensor<f16>) -> tensor<2xf16>
  %4 = pop.optimizer_step <sgd0> %w, %3 : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %4 : tensor<2xf16>
}
