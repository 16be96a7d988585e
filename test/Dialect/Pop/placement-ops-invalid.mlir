// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// ipu_copy: c1, no operands.
func.func @f() {
  // expected-error @below {{'pop.ipu_copy' op expects at least one operand}}
  "pop.ipu_copy"() {sources = array<i64>, destination = 1 : i64} : () -> ()
  return
}

// -----

// ipu_copy: c1, sources.
func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'pop.ipu_copy' op expects `sources` to have as many values as there are operands (1) but got 2}}
  %0 = pop.ipu_copy %a from [0, 0] to 1 : tensor<4xf32>
  return
}

// -----

// ipu_copy: c2, destination.
func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'pop.ipu_copy' op expects `destination` not to be negative but got -1}}
  %0 = pop.ipu_copy %a from 0 to -1 : tensor<4xf32>
  return
}

// -----

// ipu_copy: c2, source.
func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'pop.ipu_copy' op expects the source of operand 1 not to be negative but got -2}}
  %0, %1 = pop.ipu_copy %a, %a from [0, -2] to 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// ipu_copy: c3.
func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'pop.ipu_copy' op expects the source of operand 1 to differ from the destination but got 1 for both}}
  %0, %1 = pop.ipu_copy %a, %a from [0, 1] to 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// ipu_copy: c4, number.
func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'pop.ipu_copy' op expects as many results as operands (1) but got 0}}
  "pop.ipu_copy"(%a) {sources = array<i64: 0>, destination = 1 : i64} : (tensor<4xf32>) -> ()
  return
}

// -----

// ipu_copy: c4, type.
func.func @f(%a: tensor<4xf32>, %b: tensor<2xf16>) {
  // expected-error @below {{'pop.ipu_copy' op expects result 1 of type 'tensor<2xf16>' but got 'tensor<2xf32>'}}
  %0:2 = "pop.ipu_copy"(%a, %b) {sources = array<i64: 0, 0>, destination = 1 : i64} : (tensor<4xf32>, tensor<2xf16>) -> (tensor<4xf32>, tensor<2xf32>)
  return
}

// -----

// ipu_copy: a list of sources has to end.
func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{expected ']'}}
  %0 = pop.ipu_copy %a from [0 to 1 : tensor<4xf32>
  return
}

// -----

// io_tile_copy: only two sets of tiles.
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+2 {{expected ::mlir::pop::TileSet to be one of: compute, io}}
  // expected-error @below {{failed to parse}}
  %0 = pop.io_tile_copy %a to both : tensor<4xf32>
  return
}
