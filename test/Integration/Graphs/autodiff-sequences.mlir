// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f regions=recompute},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null

// The gradient of a slice is built after the sequence has given the index that
// was computed in it.
func.func private @f(%x: tensor<3xf32>, %n: tensor<1xi32>) -> tensor<1xf32> {
  %y = pop.in_sequence {
    %k = pop.neg %n : tensor<1xi32>
    %z = pop.in_sequence {
      %l = pop.neg %k : tensor<1xi32>
      %s = pop.dynamic_slice %x[%l] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<3xf32>, tensor<1xi32> -> tensor<1xf32>
      %t = pop.mul %s, %s : tensor<1xf32>
      pop.yield %t : tensor<1xf32>
    } : tensor<1xf32>
    pop.yield %z : tensor<1xf32>
  } : tensor<1xf32>
  return %y : tensor<1xf32>
}
func.func private @f_backward(tensor<1xf32>, tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
func.func @main() {
  %dy = pop.constant dense<1.0> : tensor<1xf32>
  %x = pop.constant dense<[3.0, 4.0, 5.0]> : tensor<3xf32>
  %n = pop.constant dense<2> : tensor<1xi32>
  %dx = call @f_backward(%dy, %x, %n) : (tensor<1xf32>, tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
  pop.expect_eq %dx, dense<[0.0, 0.0, 10.0]> : tensor<3xf32>
  return
}

// -----

// A loop with a condition in another one: y = x^4.
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %zero = pop.constant dense<0> : tensor<i32>
  %one = pop.constant dense<1> : tensor<i32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> tensor<f32> {
    %y:2 = scf.while (%b = %a, %k = %zero) : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>) {
      %more = pop.less %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c = tensor.extract %more[] : tensor<i1>
      scf.condition(%c) %b, %k : tensor<f32>, tensor<i32>
    } do {
    ^bb0(%b: tensor<f32>, %k: tensor<i32>):
      %f = pop.mul %b, %b : tensor<f32>
      %l = pop.add %k, %one : tensor<i32>
      scf.yield %f, %l : tensor<f32>, tensor<i32>
    } attributes {pop.max_trip_count = 4 : i64}
    scf.yield %y#0 : tensor<f32>
  }
  return %r : tensor<f32>
}
func.func private @f_backward(tensor<f32>, tensor<f32>) -> tensor<f32>
func.func @main() {
  %dy = pop.constant dense<1.0> : tensor<f32>
  %x = pop.constant dense<3.0> : tensor<f32>
  %dx = call @f_backward(%dy, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  pop.expect_eq %dx, dense<108.0> : tensor<f32>
  return
}

// -----

// A sequence and a branch that use the index of a loop of 8-bit integers: y =
// x * 2 * 4 * 6, of which the sum of another one is not a part.
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %c2 = arith.constant 2 : i8
  %c8 = arith.constant 8 : i8
  %zero = pop.constant dense<0> : tensor<i8>
  %r = scf.for %i = %c2 to %c8 step %c2 iter_args(%a = %x) -> tensor<f32> : i8 {
    %s = pop.in_sequence {
      %n = pop.from_scalar %i : i8 to tensor<i8>
      %f = pop.cast %n : tensor<i8> to tensor<f32>
      %s = pop.mul %a, %f : tensor<f32>
      pop.yield %s : tensor<f32>
    } : tensor<f32>
    %n = pop.from_scalar %i : i8 to tensor<i8>
    %p = pop.greater %n, %zero : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %c = tensor.extract %p[] : tensor<i1>
    %t = scf.if %c -> tensor<f32> {
      %m = pop.from_scalar %i : i8 to tensor<i8>
      %f = pop.cast %m : tensor<i8> to tensor<f32>
      %q = pop.div %f, %f : tensor<f32>
      %t = pop.mul %s, %q : tensor<f32>
      scf.yield %t : tensor<f32>
    } else {
      scf.yield %a : tensor<f32>
    }
    scf.yield %t : tensor<f32>
  }
  %y = pop.mul %r, %x : tensor<f32>
  return %y : tensor<f32>
}
func.func private @f_backward(tensor<f32>, tensor<f32>) -> tensor<f32>
func.func @main() {
  %dy = pop.constant dense<1.0> : tensor<f32>
  %x = pop.constant dense<3.0> : tensor<f32>
  %dx = call @f_backward(%dy, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  pop.expect_eq %dx, dense<288.0> : tensor<f32>
  return
}
