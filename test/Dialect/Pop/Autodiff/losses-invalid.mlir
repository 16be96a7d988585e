// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-autodiff{func=f})'

func.func private @f(%x: tensor<1x16777217xf16>, %l: tensor<1xi32>) -> tensor<f32> {
  // expected-error @below {{'pop.nll_loss' op expects at most 16777216 classes for its gradient but got 16777217}}
  %y = pop.nll_loss sum %x, %l : tensor<1x16777217xf16>, tensor<1xi32> -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func private @f(%x: tensor<1x4294967296xf16>, %l: tensor<1xi32>) -> tensor<f32> {
  // expected-error @below {{'pop.cross_entropy_loss' op expects at most 16777216 classes for its gradient but got 4294967296}}
  %y = pop.cross_entropy_loss sum %x, %l : tensor<1x4294967296xf16>, tensor<1xi32> -> tensor<f32>
  return %y : tensor<f32>
}
