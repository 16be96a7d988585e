// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-autodiff{func=f})'

func.func private @f(%x: tensor<3x2xf32>, %i: tensor<2xi32>, %u: tensor<2x2xf32>) -> tensor<3x2xf32> {
  // expected-error @below {{'pop.scatter' op expects `kind` other than `mul` for a gradient of `updates`}}
  %0 = pop.scatter mul %x, %i, %u : tensor<3x2xf32>, tensor<2xi32>, tensor<2x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func private @f(%x: tensor<3xf32>, %i: tensor<16777217xi32>, %u: tensor<16777217xf32>) -> tensor<3xf32> {
  // expected-error @below {{'pop.scatter' op cannot compute the gradient of `updates`: expects at most 16777216 updates that may replace each other but got 16777217}}
  %0 = pop.scatter replace %x, %i, %u : tensor<3xf32>, tensor<16777217xi32>, tensor<16777217xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.all_reduce' op has no gradient for kind `mul`}}
  %0 = pop.all_reduce mul %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error @below {{'pop.reduce_scatter' op has no gradient for kind `mul`}}
  %0 = pop.reduce_scatter mul %x : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func private @f(%x: tensor<1048577xf32>) -> tensor<1xf32> {
  // expected-error @below {{'pop.replica_slice' op expects at most 1048576 parts for its gradient but got 1048577}}
  %0 = pop.replica_slice %x : tensor<1048577xf32> to tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.broadcast' op expects `root` less than 1048576 for its gradient but got 1048576}}
  %0 = pop.broadcast %x {root = 1048576 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @f(%x: tensor<1x1x1025xf32>) -> tensor<1x1x1xf32> {
  // expected-error @below {{'pop.reduce_window' op expects a kernel of at most 1024 positions for its gradient but got 1025}}
  %0 = pop.reduce_window prod %x {kernel = array<i64: 1025>} : tensor<1x1x1025xf32> -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// -----

func.func private @f(%x: tensor<1x1x1025xf32>, %s: tensor<1x1x1xf32>) -> tensor<1x1x1025xf32> {
  // expected-error @below {{'pop.select_and_scatter' op expects a kernel of at most 1024 positions for its gradient but got 1025}}
  %0 = pop.select_and_scatter max %x, %s {kernel = array<i64: 1025>} : tensor<1x1x1025xf32>, tensor<1x1x1xf32> -> tensor<1x1x1025xf32>
  return %0 : tensor<1x1x1025xf32>
}

// -----

func.func private @f(%x: tensor<1x1x16777217xf32>) -> tensor<1x1x16777217xf32> {
  // expected-error @below {{'pop.avg_pool' op expects at most 16777216 windows for its gradient but got 16777217}}
  %0 = pop.avg_pool %x {kernel = array<i64: 1>} : tensor<1x1x16777217xf32> -> tensor<1x1x16777217xf32>
  return %0 : tensor<1x1x16777217xf32>
}

// -----

func.func private @f(%x: tensor<1x1x16777217xf32>, %s: tensor<1x1x16777217xf32>) -> tensor<1x1x16777217xf32> {
  // expected-error @below {{'pop.select_and_scatter' op expects at most 16777216 windows for its gradient but got 16777217}}
  %0 = pop.select_and_scatter max %x, %s {kernel = array<i64: 1>} : tensor<1x1x16777217xf32>, tensor<1x1x16777217xf32> -> tensor<1x1x16777217xf32>
  return %0 : tensor<1x1x16777217xf32>
}

// -----

func.func private @f(%x: tensor<72057594037927935xf32>) -> tensor<2xf32> {
  // expected-error @below {{'pop.slice' op expects tensors of at most 2^56 elements in its gradients but got shape [144115188075855870]}}
  %0 = pop.slice %x {sizes = array<i64: 2>, starts = array<i64: 0>, steps = array<i64: 72057594037927934>} : tensor<72057594037927935xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func private @f(%x: tensor<1x1x1xf32>, %w: tensor<1x1x1xf32>) -> tensor<1x1x3xf32> {
  // expected-error @below {{'pop.conv' op expects tensors of at most 2^56 elements in its gradients but got shape [1, 1, 144115188075855875]}}
  %0 = pop.conv %x, %w {pads = array<i64: 72057594037927936, 72057594037927936>, strides = array<i64: 72057594037927936>} : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}

// -----

func.func private @f(%x: tensor<1x1x72057594037927936xf32>) -> tensor<1x1x1xf32> {
  // expected-error @below {{'pop.reduce_window' op expects tensors of at most 2^56 elements in its gradients but got shape [1, 1, 144115188075855873]}}
  %0 = pop.reduce_window sum %x {kernel = array<i64: 1>, strides = array<i64: 72057594037927936>} : tensor<1x1x72057594037927936xf32> -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// -----

func.func private @f(%x: tensor<3x24019198012642645xf32>) -> tensor<3xf32> {
  // expected-error @below {{'pop.reduce' op expects tensors of at most 2^56 elements in its gradients but got shape [3, 36028797018963968]}}
  %0 = pop.reduce prod %x {axes = array<i64: 1>} : tensor<3x24019198012642645xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// The gradients of the two uses would be added up.
// expected-error @below {{'func.func' op argument 0 expects a type of at most 2^56 elements but got 'tensor<9223372036854775807xf32>'}}
func.func private @f(%x: tensor<9223372036854775807xf32>) -> (tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>) {
  return %x, %x : tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>
}
