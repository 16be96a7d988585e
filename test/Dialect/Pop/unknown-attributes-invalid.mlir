// An op refuses attributes that it does not have, unless they have the prefix of a dialect.
//
// RUN: ipu-opt %s --split-input-file --verify-diagnostics

func.func @misspelt(%x: tensor<2x3xf32>, %labels: tensor<2xi32>) -> tensor<f32> {
  // expected-error @below {{'pop.nll_loss' op has no attribute 'ignore_idx'; did you mean 'ignore_index'?}}
  %0 = pop.nll_loss mean %x, %labels {ignore_idx = 0 : i64} : tensor<2x3xf32>, tensor<2xi32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @unlike(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{'pop.exp' op has no attribute 'approximate'; an attribute that the op does not define needs the prefix of a dialect}}
  %0 = pop.exp %x {approximate} : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// In the generic form.

func.func @generic(%x: tensor<1x1x4xf32>) -> tensor<1x1x2xf32> {
  // expected-error @below {{'pop.max_pool' op has no attribute 'stride'; did you mean 'strides'?}}
  %0 = "pop.max_pool"(%x) {kernel = array<i64: 3>, stride = array<i64: 2>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return %0 : tensor<1x1x2xf32>
}

// -----

// Other dialects may add attributes to any op, also dialects that are not loaded.

func.func @prefixed(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pop.exp %x {pop.stage = 1 : i64, other.approximate} : tensor<2xf32>
  return %0 : tensor<2xf32>
}
