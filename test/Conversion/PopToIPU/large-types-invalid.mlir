// RUN: ipu-opt %s --pop-map-tensors --split-input-file --verify-diagnostics
// RUN: ipu-opt %s --pop-to-ipu-pipeline --split-input-file --verify-diagnostics

// Sizes in bytes and positions of elements fit 64 bits, also those of values that no pop op
// uses.

// expected-error @below {{'func.func' op argument 0 expects a type of at most 2^56 elements but got 'tensor<9223372036854775807xf32>'}}
func.func @main(%x: tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32> {
  return %x : tensor<9223372036854775807xf32>
}

// -----

// The product of the dimensions is 0 in 64 bits.
// expected-error @below {{'func.func' op argument 1 expects a type of at most 2^56 elements but got 'tensor<4294967296x4294967296xf32>'}}
func.func @main(%x: tensor<2xf32>, %y: tensor<4294967296x4294967296xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op result 0 expects a type of at most 2^56 elements but got 'tensor<9223372036854775807xf32>'}}
func.func private @declared() -> tensor<9223372036854775807xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
