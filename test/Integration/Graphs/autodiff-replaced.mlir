// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f regions=recompute},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null

// Ops of the forward graph are replaced by ones with more results while gradients
// are built that use their results.

// A sequence that several values are asked of, by one op and by a call:
// y = x^2 * (x + 1)^2 and dy/dx = 2 x (x + 1) (2 x + 1).
func.func private @product(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pop.mul %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %one = pop.constant dense<1.0> : tensor<f32>
  %y = pop.in_sequence {
    %0 = pop.add %x, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %1 = pop.mul %x, %x : tensor<2xf32>
    %2 = pop.mul %0, %0 : tensor<2xf32>
    %3 = func.call @product(%1, %2) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    pop.yield %3 : tensor<2xf32>
  } : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @f_backward(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func @main() {
  %dy = pop.constant dense<1.0> : tensor<2xf32>
  %x = pop.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %dx = call @f_backward(%dy, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  pop.expect_eq %dx, dense<[12.0, 60.0]> : tensor<2xf32>
  return
}

// -----

// The start of a slice is a result of a loop, and the gradient of the slice is
// placed after the loop's is built: y = x * x[2] and dy/dx.
func.func private @f(%x: tensor<3xf32>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = pop.constant dense<1> : tensor<1xi32>
  %zero = pop.constant dense<0> : tensor<1xi32>
  %a, %n = scf.for %i = %c0 to %c2 step %c1 iter_args(%b = %x, %k = %zero) -> (tensor<3xf32>, tensor<1xi32>) {
    %0 = pop.mul %b, %x : tensor<3xf32>
    %1 = pop.add %k, %one : tensor<1xi32>
    scf.yield %0, %1 : tensor<3xf32>, tensor<1xi32>
  }
  %s = pop.dynamic_slice %x[%n] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<3xf32>, tensor<1xi32> -> tensor<1xf32>
  %t = pop.slice %a {starts = array<i64: 0>, sizes = array<i64: 1>, steps = array<i64: 1>} : tensor<3xf32> -> tensor<1xf32>
  %y = pop.mul %s, %t : tensor<1xf32>
  return %y : tensor<1xf32>
}
func.func private @f_backward(tensor<1xf32>, tensor<3xf32>) -> tensor<3xf32>
func.func @main() {
  %dy = pop.constant dense<1.0> : tensor<1xf32>
  %x = pop.constant dense<[2.0, 3.0, 5.0]> : tensor<3xf32>
  %dx = call @f_backward(%dy, %x) : (tensor<1xf32>, tensor<3xf32>) -> tensor<3xf32>
  pop.expect_eq %dx, dense<[60.0, 0.0, 8.0]> : tensor<3xf32>
  return
}
