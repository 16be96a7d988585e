// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-autodiff{func=max},pop-autodiff{func=prod},pop-autodiff{func=pool},pop-autodiff{func=scatter_max},pop-autodiff{func=scatter_replace},pop-to-ipu-pipeline,ipu-execute)" -o /dev/null

// Gradients where elements are equal or zero, or indices are, or not inside.

// Equal elements share the gradient.
func.func private @max(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = pop.reduce max %x {axes = array<i64: 1>} : tensor<2x3xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @max_backward(tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>

// One zero alone has the product of the others.
func.func private @prod(%x: tensor<3x3xf16>) -> tensor<3xf32> {
  %0 = pop.reduce prod %x {axes = array<i64: 1>} : tensor<3x3xf16> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @prod_backward(tensor<3xf32>, tensor<3x3xf16>) -> tensor<3x3xf16>

// A window selects the first one.
func.func private @pool(%x: tensor<1x1x4xf32>) -> tensor<1x1x2xf32> {
  %0 = pop.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>} : tensor<1x1x4xf32> -> tensor<1x1x2xf32>
  return %0 : tensor<1x1x2xf32>
}
func.func private @pool_backward(tensor<1x1x2xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>

// The input's element and updates that are equal share the gradient.
func.func private @scatter_max(%x: tensor<3xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) -> tensor<3xf32> {
  %0 = pop.scatter max %x, %i, %u : tensor<3xf32>, tensor<4xi32>, tensor<4xf32>
  return %0 : tensor<3xf32>
}
func.func private @scatter_max_backward(tensor<3xf32>, tensor<3xf32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<3xf32>, tensor<4xf32>)

// Of updates of one row, the last one counts.
func.func private @scatter_replace(%x: tensor<3xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) -> tensor<3xf32> {
  %0 = pop.scatter replace %x, %i, %u : tensor<3xf32>, tensor<4xi32>, tensor<4xf32>
  return %0 : tensor<3xf32>
}
func.func private @scatter_replace_backward(tensor<3xf32>, tensor<4xi32>) -> (tensor<3xf32>, tensor<4xf32>)

func.func @main() {
  %dy = pop.constant dense<[3.0, 4.0, 5.0]> : tensor<3xf32>

  %two = pop.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %rows = pop.constant dense<[[3.0, 3.0, 1.0], [2.0, 2.0, 5.0]]> : tensor<2x3xf32>
  %max = call @max_backward(%two, %rows) : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  pop.expect_eq %max, dense<[[0.5, 0.5, 0.0], [0.0, 0.0, 2.0]]> : tensor<2x3xf32>

  %zeros = pop.constant dense<[[2.0, 0.0, 4.0], [0.0, 0.0, 4.0], [1.0, 2.0, 3.0]]> : tensor<3x3xf16>
  %prod = call @prod_backward(%dy, %zeros) : (tensor<3xf32>, tensor<3x3xf16>) -> tensor<3x3xf16>
  pop.expect_eq %prod, dense<[[0.0, 24.0, 0.0], [0.0, 0.0, 0.0], [30.0, 15.0, 10.0]]> : tensor<3x3xf16>

  %windows = pop.constant dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>
  %equal = pop.constant dense<7.0> : tensor<1x1x4xf32>
  %pool = call @pool_backward(%windows, %equal) : (tensor<1x1x2xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  pop.expect_eq %pool, dense<[[[1.0, 0.0, 2.0, 0.0]]]> : tensor<1x1x4xf32>

  %x = pop.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %i = pop.constant dense<[0, 0, 2, 3]> : tensor<4xi32>
  %u = pop.constant dense<[1.0, 1.0, 5.0, 0.0]> : tensor<4xf32>
  %dx, %du = call @scatter_max_backward(%dy, %x, %i, %u) : (tensor<3xf32>, tensor<3xf32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<3xf32>, tensor<4xf32>)
  pop.expect_eq %dx, dense<[1.0, 4.0, 0.0]> : tensor<3xf32>
  pop.expect_eq %du, dense<[1.0, 1.0, 5.0, 0.0]> : tensor<4xf32>
  %dx2, %du2 = call @scatter_replace_backward(%dy, %i) : (tensor<3xf32>, tensor<4xi32>) -> (tensor<3xf32>, tensor<4xf32>)
  pop.expect_eq %dx2, dense<[0.0, 4.0, 0.0]> : tensor<3xf32>
  pop.expect_eq %du2, dense<[0.0, 3.0, 5.0, 0.0]> : tensor<4xf32>
  return
}
