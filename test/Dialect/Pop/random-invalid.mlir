// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// The seed.
func.func @f(%seed: tensor<2xi32>) {
  // expected-error @below {{'pop.random_bernoulli' op operand #0 must be tensor<2xui32>, but got 'tensor<2xi32>'}}
  %0 = "pop.random_bernoulli"(%seed) {p = 0.5} : (tensor<2xi32>) -> tensor<4xi1>
  return
}

// -----

// random_uniform: c1.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `low` and `high` to be finite but got 0.000000e+00 and INF}}
  %0 = pop.random_uniform %seed {high = 0x7FF0000000000000 : f64} : tensor<2xui32> -> tensor<4xf32>
  return
}

// -----

// random_uniform: c1.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `low` and `high` to be finite but got nan and 1.000000e+00}}
  %0 = pop.random_uniform %seed {low = 0x7FF8000000000000 : f64} : tensor<2xui32> -> tensor<4xf32>
  return
}

// -----

// random_uniform: c1.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `low` to be at most `high` but got 2.000000e+00 and 1.000000e+00}}
  %0 = pop.random_uniform %seed {low = 2.0} : tensor<2xui32> -> tensor<4xf32>
  return
}

// -----

// random_uniform: c2, of the element type.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `high` to be finite in 'f16' but got 1.000000e+05}}
  %0 = pop.random_uniform %seed {high = 1.0e5} : tensor<2xui32> -> tensor<4xf16>
  return
}

// -----

// random_uniform: c2, of a type with NaN only.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `low` to be finite in 'f8E4M3FN' but got -1.000000e+03}}
  %0 = pop.random_uniform %seed {low = -1000.0} : tensor<2xui32> -> tensor<4xf8E4M3FN>
  return
}

// -----

// random_uniform: c2, in f32.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `high` - `low` to be finite in 'f32' but got 3.000000e+38 - -3.000000e+38}}
  %0 = pop.random_uniform %seed {low = -3.0e38, high = 3.0e38} : tensor<2xui32> -> tensor<4xf32>
  return
}

// -----

// random_uniform: c2, in f64.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `high` - `low` to be finite in 'f64' but got 1.000000e+308 - -1.000000e+308}}
  %0 = pop.random_uniform %seed {low = -1.0e308, high = 1.0e308} : tensor<2xui32> -> tensor<4xf64>
  return
}

// -----

// random_uniform: c3, an integer.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `low` to be a value of 'i32' but got 5.000000e-01}}
  %0 = pop.random_uniform %seed {low = 0.5} : tensor<2xui32> -> tensor<4xi32>
  return
}

// -----

// random_uniform: c3, too large.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `high` to be a value of 'i8' but got 1.280000e+02}}
  %0 = pop.random_uniform %seed {high = 128.0} : tensor<2xui32> -> tensor<4xi8>
  return
}

// -----

// random_uniform: c3, negative.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `low` to be a value of 'ui16' but got -1.000000e+00}}
  %0 = pop.random_uniform %seed {low = -1.0} : tensor<2xui32> -> tensor<4xui16>
  return
}

// -----

// random_uniform: c3, too many.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects at most 2^32 values from `low` to `high` but got 0.000000e+00 and 4.294967e+09}}
  %0 = pop.random_uniform %seed {high = 4294967296.0} : tensor<2xui32> -> tensor<4xi64>
  return
}

// -----

// random_uniform: bool is no number.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{'pop.random_uniform' op result #0 must be statically shaped tensor, without encoding and with at most 2^56 elements, of float or integer (iN or uiN, N = 8, 16, 32 or 64) values, but got 'tensor<4xi1>'}}
  %0 = pop.random_uniform %seed : tensor<2xui32> -> tensor<4xi1>
  return
}

// -----

// random_normal: c1.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `mean` and `std_dev` to be finite but got 0.000000e+00 and INF}}
  %0 = pop.random_normal %seed {std_dev = 0x7FF0000000000000 : f64} : tensor<2xui32> -> tensor<4xf32>
  return
}

// -----

// random_normal: c1.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `std_dev` of at least 0 but got -1.000000e+00}}
  %0 = pop.random_normal %seed {std_dev = -1.0} : tensor<2xui32> -> tensor<4xf32>
  return
}

// -----

// random_bernoulli: c1.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `p` from 0 to 1 but got 1.500000e+00}}
  %0 = pop.random_bernoulli %seed, 1.5 : tensor<2xui32> -> tensor<4xf32>
  return
}

// -----

// random_bernoulli: c1.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects `p` from 0 to 1 but got nan}}
  %0 = pop.random_bernoulli %seed, 0x7FF8000000000000 : tensor<2xui32> -> tensor<4xf32>
  return
}

// -----

// dropout: c1.
func.func @f(%x: tensor<4xf32>, %seed: tensor<2xui32>) {
  // expected-error @below {{expects `ratio` of at least 0 and below 1 but got 1.000000e+00}}
  %0 = pop.dropout %x, %seed, 1.0 : tensor<4xf32>, tensor<2xui32>
  return
}

// -----

// dropout: c1.
func.func @f(%x: tensor<4xf32>, %seed: tensor<2xui32>) {
  // expected-error @below {{expects `ratio` of at least 0 and below 1 but got -1.000000e-01}}
  %0 = pop.dropout %x, %seed, -0.1 : tensor<4xf32>, tensor<2xui32>
  return
}

// -----

// split_seed: c1, the shape.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects a result of type tensor<nx2xui32> but got 'tensor<2x3xui32>'}}
  %0 = pop.split_seed %seed : tensor<2xui32> -> tensor<2x3xui32>
  return
}

// -----

// split_seed: c1, the element type.
func.func @f(%seed: tensor<2xui32>) {
  // expected-error @below {{expects a result of type tensor<nx2xui32> but got 'tensor<3x2xi32>'}}
  %0 = pop.split_seed %seed : tensor<2xui32> -> tensor<3x2xi32>
  return
}
