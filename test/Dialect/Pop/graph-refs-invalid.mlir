// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// ref: c1.
// expected-error @below {{expects a ref of a pop element type but got 'i4'}}
func.func private @f(!pop.ref<4xi4>)

// -----

// ref: c2.
// expected-error @below {{expects a ref of static shape with at most 2^56 elements but got shape [4611686018427387904, 4]}}
func.func private @f(!pop.ref<4611686018427387904x4xf32>)

// -----

// expected-error @below {{expected static shape}}
func.func private @f(!pop.ref<?xf32>)

// -----

// expected-error @below {{unknown type `reference` in dialect `pop`}}
func.func private @f(!pop.reference<4xf32>)

// -----

// get_variable: c1.
func.func @f() {
  // expected-error @below {{'pop.get_variable' op expects @w to be a 'pop.variable' but there is no such symbol}}
  %w = pop.get_variable @w : !pop.ref<2xf32>
  return
}

// -----

// get_variable: c1.
// expected-note @below {{the symbol is here}}
pop.stream @w host_to_device : tensor<2xf32>
func.func @f() {
  // expected-error @below {{'pop.get_variable' op expects @w to be a 'pop.variable' but got 'pop.stream'}}
  %w = pop.get_variable @w : !pop.ref<2xf32>
  return
}

// -----

// get_variable: c1.
pop.remote_buffer @b : 1 x tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32> {buffer = @b, row = 0 : i64}
func.func @f() {
  // expected-error @below {{'pop.get_variable' op expects a variable on the chip but @w lies in remote buffer @b}}
  %w = pop.get_variable @w : !pop.ref<2xf32>
  return
}

// -----

// get_variable: c2.
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
func.func @f() {
  // expected-error @below {{'pop.get_variable' op expects `result` of type '!pop.ref<2xf32>', a ref to @w, but got '!pop.ref<2x1xf32>'}}
  %w = pop.get_variable @w : !pop.ref<2x1xf32>
  return
}

// -----

// get_variable: c2, a part of the variable.
pop.variable @w : tensor<3xf32> = dense<1.0> : tensor<3xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
func.func @f() {
  // expected-error @below {{'pop.get_variable' op expects `result` of type '!pop.ref<2xf32>', a ref to @w, but got '!pop.ref<3xf32>'}}
  %w = pop.get_variable @w : !pop.ref<3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{custom op 'pop.alloc' expected ::mlir::pop::AllocInit to be one of: undef, zero}}
  // expected-error @below {{custom op 'pop.alloc' failed to parse Pop_AllocInitAttr parameter 'value' which is to be a `::mlir::pop::AllocInit`}}
  %r = pop.alloc one : !pop.ref<2xf32>
  return
}

// -----

func.func @f(%t: tensor<2xf32>) {
  // expected-error @below {{'pop.from_tensor' op failed to verify that `result` refers to the type of `input`}}
  %r = "pop.from_tensor"(%t) : (tensor<2xf32>) -> !pop.ref<3xf32>
  return
}

// -----

func.func @f(%t: tensor<?xf32>) {
  // expected-error @below {{custom op 'pop.from_tensor' 'input' must be statically shaped tensor, without encoding and with at most 2^56 elements, of pop element type (f16, bf16, f32, f64, f8, iN or uiN) values, but got 'tensor<?xf32>'}}
  %r = pop.from_tensor %t : tensor<?xf32>
  return
}

// -----

func.func @f(%r: !pop.ref<2xf32>) {
  // expected-error @below {{'pop.read' op failed to verify that `result` has the type that `target` refers to}}
  %t = "pop.read"(%r) : (!pop.ref<2xf32>) -> tensor<2xf16>
  return
}

// -----

func.func @f(%t: tensor<2xf32>) {
  // expected-error @below {{custom op 'pop.read' invalid kind of type specified: expected pop.ref, but found 'tensor<2xf32>'}}
  %r = pop.read %t : tensor<2xf32>
  return
}

// -----

// ref_reshape: c1.
func.func @f(%r: !pop.ref<2x6xf32>) {
  // expected-error @below {{'pop.ref_reshape' op expects `result` to have 12 elements but got 15}}
  %v = pop.ref_reshape %r : !pop.ref<2x6xf32> to !pop.ref<3x5xf32>
  return
}

// -----

// ref_reshape: c1.
func.func @f(%r: !pop.ref<2x6xf32>) {
  // expected-error @below {{'pop.ref_reshape' op expects `result` of element type 'f32' but got 'i32'}}
  %v = pop.ref_reshape %r : !pop.ref<2x6xf32> to !pop.ref<3x4xi32>
  return
}

// -----

// ref_transpose: c1.
func.func @f(%r: !pop.ref<2x6xf32>) {
  // expected-error @below {{'pop.ref_transpose' op expects `permutation` to be a permutation of 2 dimensions but got [1, 1]}}
  %v = pop.ref_transpose %r {permutation = array<i64: 1, 1>} : !pop.ref<2x6xf32> -> !pop.ref<6x2xf32>
  return
}

// -----

// ref_transpose: c2.
func.func @f(%r: !pop.ref<2x6xf32>) {
  // expected-error @below {{'pop.ref_transpose' op expects `result` of type '!pop.ref<6x2xf32>' but got '!pop.ref<2x6xf32>'}}
  %v = pop.ref_transpose %r {permutation = array<i64: 1, 0>} : !pop.ref<2x6xf32> -> !pop.ref<2x6xf32>
  return
}

// -----

// ref_slice: c1.
func.func @f(%r: !pop.ref<6xf32>) {
  // expected-error @below {{'pop.ref_slice' op expects `starts`, `sizes` and `steps` to have as many values as there are dimensions (1) but got 2, 1 and 1}}
  %v = pop.ref_slice %r {sizes = array<i64: 1>, starts = array<i64: 1, 5>, steps = array<i64: 1>} : !pop.ref<6xf32> -> !pop.ref<1xf32>
  return
}

// -----

// ref_slice: c2.
func.func @f(%r: !pop.ref<6xf32>) {
  // expected-error @below {{'pop.ref_slice' op expects a slice inside the 6 elements of dimension 0 but got start 4, size 3, step 1}}
  %v = pop.ref_slice %r {sizes = array<i64: 3>, starts = array<i64: 4>, steps = array<i64: 1>} : !pop.ref<6xf32> -> !pop.ref<3xf32>
  return
}

// -----

// ref_slice: c3.
func.func @f(%r: !pop.ref<6xf32>) {
  // expected-error @below {{'pop.ref_slice' op expects `result` of type '!pop.ref<3xf32>' but got '!pop.ref<4xf32>'}}
  %v = pop.ref_slice %r {sizes = array<i64: 3>, starts = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<6xf32> -> !pop.ref<4xf32>
  return
}

// -----

// ref_row: c1.
func.func @f(%r: !pop.ref<2x6xf32>) {
  // expected-error @below {{'pop.ref_row' op expects an index of at least 0 and below 2 into dimension 0 of a '!pop.ref<2x6xf32>' but got 2}}
  %v = pop.ref_row %r[2] : !pop.ref<2x6xf32> -> !pop.ref<6xf32>
  return
}

// -----

// ref_row: c1.
func.func @f(%r: !pop.ref<2x0xf32>) {
  // expected-error @below {{'pop.ref_row' op has index -1 into dimension 1 of a '!pop.ref<2x0xf32>', which has no elements}}
  %v = pop.ref_row %r[1, -1] : !pop.ref<2x0xf32> -> !pop.ref<f32>
  return
}

// -----

// ref_row: c1.
func.func @f(%r: !pop.ref<2xf32>) {
  // expected-error @below {{'pop.ref_row' op expects at least one index, and at most as many as the rank of '!pop.ref<2xf32>', but got 2}}
  %v = pop.ref_row %r[1, 0] : !pop.ref<2xf32> -> !pop.ref<f32>
  return
}

// -----

// ref_row: c1.
func.func @f(%r: !pop.ref<2xf32>) {
  // expected-error @below {{'pop.ref_row' op expects at least one index, and at most as many as the rank of '!pop.ref<2xf32>', but got 0}}
  %v = pop.ref_row %r[] : !pop.ref<2xf32> -> !pop.ref<2xf32>
  return
}

// -----

// ref_row: c2.
func.func @f(%r: !pop.ref<2x6xf32>) {
  // expected-error @below {{'pop.ref_row' op expects `result` of type '!pop.ref<6xf32>' but got '!pop.ref<5xf32>'}}
  %v = pop.ref_row %r[1] : !pop.ref<2x6xf32> -> !pop.ref<5xf32>
  return
}
