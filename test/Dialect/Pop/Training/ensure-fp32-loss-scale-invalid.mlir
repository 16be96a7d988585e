// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(pop-ensure-fp32-loss-scale)"

func.func private @backward(%dy: tensor<f16>) -> tensor<f16> {
  return %dy : tensor<f16>
}
func.func @main() -> tensor<f16> {
  %one = pop.constant dense<1.0> : tensor<f16>
  %0 = pop.loss_scale %one : tensor<f16>
  // expected-error @below {{'func.call' op uses the loss scale in f16; expects an op that returns one f16 or f32 tensor and can be computed in f32}}
  // expected-note @below {{'inline' puts the function's ops here}}
  %1 = call @backward(%0) : (tensor<f16>) -> tensor<f16>
  return %1 : tensor<f16>
}

// -----

func.func @main() -> tensor<f16> {
  %one = pop.constant dense<1.0> : tensor<f16>
  %0 = pop.loss_scale %one : tensor<f16>
  // expected-error @below {{'func.return' op uses the loss scale in f16; expects an op that returns one f16 or f32 tensor and can be computed in f32}}
  return %0 : tensor<f16>
}

// -----

func.func @main(%x: tensor<f16>) -> tensor<i1> {
  %one = pop.constant dense<1.0> : tensor<f16>
  %0 = pop.loss_scale %one : tensor<f16>
  // expected-error @below {{'pop.greater' op uses the loss scale in f16; expects an op that returns one f16 or f32 tensor and can be computed in f32}}
  %1 = pop.greater %0, %x : (tensor<f16>, tensor<f16>) -> tensor<i1>
  return %1 : tensor<i1>
}
