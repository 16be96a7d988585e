// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f regions=recompute},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null

// A call takes what a gradient is required of, and its result does not depend on
// it: y = 3 x.
func.func private @second(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  return %y : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %c = pop.constant dense<3.0> : tensor<f32>
  %0 = call @second(%x, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = pop.mul %0, %x : tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f_backward(tensor<f32>, tensor<f32>) -> tensor<f32>
func.func @main() {
  %dy = pop.constant dense<2.0> : tensor<f32>
  %x = pop.constant dense<5.0> : tensor<f32>
  %dx = call @f_backward(%dy, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  pop.expect_eq %dx, dense<6.0> : tensor<f32>
  return
}

// -----

// A variable of floats that is only written, in a branch with a gradient: y = x^2,
// and the count is written once.
pop.variable @count : tensor<f32> = dense<1.0> : tensor<f32>
func.func private @f(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %one = pop.constant dense<1.0> : tensor<f32>
  %c = tensor.extract %p[] : tensor<i1>
  %y = scf.if %c -> tensor<f32> {
    %n = pop.get_variable @count : !pop.ref<f32>
    pop.add_ %n, %one : !pop.ref<f32>, tensor<f32>
    %0 = pop.mul %x, %x : tensor<f32>
    scf.yield %0 : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %y : tensor<f32>
}
func.func private @f_backward(tensor<f32>, tensor<f32>, tensor<i1>) -> tensor<f32>
func.func @main() {
  %dy = pop.constant dense<1.0> : tensor<f32>
  %x = pop.constant dense<3.0> : tensor<f32>
  %p = pop.constant dense<true> : tensor<i1>
  %y = call @f(%x, %p) : (tensor<f32>, tensor<i1>) -> tensor<f32>
  %dx = call @f_backward(%dy, %x, %p) : (tensor<f32>, tensor<f32>, tensor<i1>) -> tensor<f32>
  pop.expect_eq %dx, dense<6.0> : tensor<f32>
  %n = pop.get_variable @count : !pop.ref<f32>
  %count = pop.read %n : !pop.ref<f32>
  pop.expect_eq %count, dense<2.0> : tensor<f32>
  return
}
