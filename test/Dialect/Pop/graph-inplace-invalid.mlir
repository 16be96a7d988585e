// RUN: ipu-opt %s --split-input-file --verify-diagnostics

func.func @f(%r: !pop.ref<2xf32>, %t: tensor<3xf32>) {
  // expected-error @below {{'pop.copy_' op failed to verify that `value` has the type that `target` refers to}}
  pop.copy_ %r, %t : !pop.ref<2xf32>, tensor<3xf32>
  return
}

// -----

// binary: c1.
func.func @f(%r: !pop.ref<2xf32>, %t: tensor<2xf16>) {
  // expected-error @below {{'pop.add_' op failed to verify that `target` and `value` have the same element type}}
  pop.add_ %r, %t : !pop.ref<2xf32>, tensor<2xf16>
  return
}

// -----

// binary: c2.
func.func @f(%r: !pop.ref<2xf32>, %t: tensor<3xf32>) {
  // expected-error @below {{'pop.mul_' op expects `value` of a shape that broadcasts to [2] but got [3]}}
  pop.mul_ %r, %t : !pop.ref<2xf32>, tensor<3xf32>
  return
}

// -----

// binary: c2, the result would be larger.
func.func @f(%r: !pop.ref<1x3xf32>, %t: tensor<2x3xf32>) {
  // expected-error @below {{'pop.sub_' op expects `value` of a shape that broadcasts to [1, 3] but got [2, 3]}}
  pop.sub_ %r, %t : !pop.ref<1x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @f(%r: !pop.ref<2xi1>, %t: tensor<2xi1>) {
  // expected-error @below {{'pop.add_' op operand #0 must be ref of float or integer (iN or uiN, N = 8, 16, 32 or 64) values, but got '!pop.ref<2xi1>'}}
  pop.add_ %r, %t : !pop.ref<2xi1>, tensor<2xi1>
  return
}

// -----

func.func @f(%r: !pop.ref<2xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{'pop.and_' op operand #0 must be ref of integer or i1 values, but got '!pop.ref<2xf32>'}}
  pop.and_ %r, %t : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%r: !pop.ref<2xi32>) {
  // expected-error @below {{'pop.exp_' op operand #0 must be ref of float values, but got '!pop.ref<2xi32>'}}
  pop.exp_ %r : !pop.ref<2xi32>
  return
}

// -----

// scaled_add_: c1.
func.func @f(%r: !pop.ref<2xf32>, %t: tensor<2xf16>) {
  // expected-error @below {{'pop.scaled_add_' op failed to verify that `target` and `value` have the same element type}}
  pop.scaled_add_ %r, %t : !pop.ref<2xf32>, tensor<2xf16>
  return
}

// -----

// scaled_add_: c2.
func.func @f(%r: !pop.ref<2xf32>, %t: tensor<2x2xf32>) {
  // expected-error @below {{'pop.scaled_add_' op expects `value` of a shape that broadcasts to [2] but got [2, 2]}}
  pop.scaled_add_ %r, %t : !pop.ref<2xf32>, tensor<2x2xf32>
  return
}

// -----

// scaled_add_: c3.
func.func @f(%r: !pop.ref<2xf32>, %t: tensor<2xf32>, %a: tensor<f32>) {
  // expected-error @below {{'pop.scaled_add_' op expects `scale_a` and `scale_b` together but got only `scale_a`}}
  "pop.scaled_add_"(%r, %t, %a) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!pop.ref<2xf32>, tensor<2xf32>, tensor<f32>) -> ()
  return
}

// -----

// scaled_add_: c3.
func.func @f(%r: !pop.ref<2xf32>, %t: tensor<2xf32>, %a: tensor<f32>) {
  // expected-error @below {{'pop.scaled_add_' op expects no `a` and `b` together with `scale_a` and `scale_b` but got 1.000000e+00 : f64 and 2.000000e+00 : f64}}
  pop.scaled_add_ %r, %t scale(%a, %a : tensor<f32>, tensor<f32>) {b = 2.0} : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// accumulate_: c1.
func.func @f(%r: !pop.ref<2xf32>, %t: tensor<f32>) {
  // expected-error @below {{'pop.accumulate_' op expects `value` of shape [2] but got []}}
  pop.accumulate_ add %r, %t : !pop.ref<2xf32>, tensor<f32>
  return
}

// -----

// accumulate_: c1.
func.func @f(%r: !pop.ref<2xf16>, %t: tensor<2xf32>) {
  // expected-error @below {{'pop.accumulate_' op expects `value` to have an element type that is accumulated in 'f16' but got 'f32'}}
  pop.accumulate_ add %r, %t : !pop.ref<2xf16>, tensor<2xf32>
  return
}

// -----

// accumulate_: c2.
func.func @f(%r: !pop.ref<2xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{'pop.accumulate_' op expects a `step` for `mean`}}
  pop.accumulate_ mean %r, %t : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// accumulate_: c2.
func.func @f(%r: !pop.ref<2xf32>, %t: tensor<2xf32>, %s: tensor<i32>) {
  // expected-error @below {{'pop.accumulate_' op expects no `step` for `add`}}
  pop.accumulate_ add %r, %t step(%s : tensor<i32>) : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// accumulate_: c2.
func.func @f(%r: !pop.ref<2xf32>, %t: tensor<2xf32>, %s: tensor<i32>) {
  // expected-error @below {{'pop.accumulate_' op expects no `factor` for `mean`}}
  pop.accumulate_ mean %r, %t step(%s : tensor<i32>) {factor = 2.0 : f64} : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// accumulate_: c3.
func.func @f(%r: !pop.ref<2xf32>, %t: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @below {{'pop.accumulate_' op expects one `factor` but got a tensor and the attribute 2.000000e+00 : f64}}
  pop.accumulate_ add %r, %t factor(%s : tensor<f32>) {factor = 2.0 : f64} : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%r: !pop.ref<2xf32>, %t: tensor<2xf32>, %s: tensor<1xf32>) {
  // expected-error @below {{'pop.accumulate_' op operand #2 must be 0-d statically shaped tensor, without encoding and with at most 2^56 elements, of float values, but got 'tensor<1xf32>'}}
  pop.accumulate_ add %r, %t factor(%s : tensor<1xf32>) : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// dynamic_update_: c1.
func.func @f(%r: !pop.ref<8x4xf32>, %u: tensor<2x4xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_update_' op expects `axes` to be at least 0 and less than rank 2 but got 2}}
  pop.dynamic_update_ %r, %u[%s] {axes = array<i64: 2>} : !pop.ref<8x4xf32>, tensor<2x4xf32>, tensor<1xi32>
  return
}

// -----

// dynamic_update_: c2.
func.func @f(%r: !pop.ref<8x4xf32>, %u: tensor<2x4xf16>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_update_' op expects `update` of rank 2 and element type 'f32' but got 'tensor<2x4xf16>'}}
  pop.dynamic_update_ %r, %u[%s] {axes = array<i64: 0>} : !pop.ref<8x4xf32>, tensor<2x4xf16>, tensor<1xi32>
  return
}

// -----

// dynamic_update_: c3.
func.func @f(%r: !pop.ref<8x4xf32>, %u: tensor<2x4xf32>, %s: tensor<i32>) {
  // expected-error @below {{'pop.dynamic_update_' op expects `start` of shape [1] but got 'tensor<i32>'}}
  pop.dynamic_update_ %r, %u[%s] {axes = array<i64: 0>} : !pop.ref<8x4xf32>, tensor<2x4xf32>, tensor<i32>
  return
}
