// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=linear},pop-autodiff{func=power},pop-autodiff{func=power_backward provided=#0 required=#1,#0},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=linear stitch=recompute_minimal regions=recompute},pop-autodiff{func=power regions=recompute},pop-autodiff{func=power_backward regions=recompute provided=#0 required=#1,#0},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null

// PopXL's example of autodiff: of y = x * w + b with ones as the gradient of y,
// dw is the transpose of x by ones, dx is ones by the transpose of w, and db is
// the sum of the columns of ones.
func.func private @linear(%x: tensor<2x2xf32>, %w: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = pop.matmul %x, %w : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = pop.add %0, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
func.func private @linear_backward(tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x3xf32>, tensor<3xf32>)

// x^4, in a loop that carries x^2 and x^4: its derivatives are 4 x^3 and 12 x^2.
func.func private @power(%x: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> tensor<f32> {
    %1 = pop.mul %a, %a : tensor<f32>
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
func.func private @power_backward(tensor<f32>, tensor<f32>) -> tensor<f32>
func.func private @power_backward_backward(tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)

func.func @main() {
  %x = pop.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %w = pop.constant dense<[[1.0, -1.0, 2.0], [0.5, 3.0, -2.0]]> : tensor<2x3xf32>
  %b = pop.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = call @linear(%x, %w, %b) : (tensor<2x2xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  pop.expect_eq %y, dense<[[3.0, 7.0, 1.0], [6.0, 11.0, 1.0]]> : tensor<2x3xf32>
  %dy = pop.constant dense<1.0> : tensor<2x3xf32>
  %dx, %dw, %db = call @linear_backward(%dy, %x, %w) : (tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x3xf32>, tensor<3xf32>)
  pop.expect_eq %dx, dense<[[2.0, 1.5], [2.0, 1.5]]> : tensor<2x2xf32>
  pop.expect_eq %dw, dense<[[4.0, 4.0, 4.0], [6.0, 6.0, 6.0]]> : tensor<2x3xf32>
  pop.expect_eq %db, dense<2.0> : tensor<3xf32>

  %two = pop.constant dense<2.0> : tensor<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  %first = call @power_backward(%one, %two) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  pop.expect_eq %first, dense<32.0> : tensor<f32>
  %second, %slope = call @power_backward_backward(%one, %one, %two) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  pop.expect_eq %second, dense<48.0> : tensor<f32>
  pop.expect_eq %slope, dense<32.0> : tensor<f32>
  return
}
