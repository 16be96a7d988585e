// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// l1_loss: c1.
func.func @f(%x: tensor<4xf32>, %t: tensor<3xf32>) {
  // expected-error @below {{'pop.l1_loss' op failed to verify that all of {input, target} have same type}}
  %y = "pop.l1_loss"(%x, %t) {reduction = #pop<loss_reduction sum>} : (tensor<4xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

// l1_loss: c2, order.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.l1_loss' op expects `accum` to be `blocked` but got #pop.accum<chain>}}
  %y = pop.l1_loss sum %x, %x {accum = #pop.accum<chain>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// l1_loss: c3, shape.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.l1_loss' op expects `result` of type 'tensor<4xf32>' but got 'tensor<f32>'}}
  %y = pop.l1_loss none %x, %x : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// l2_loss: c1.
func.func @f(%x: tensor<4xf32>, %t: tensor<3xf32>) {
  // expected-error @below {{'pop.l2_loss' op failed to verify that all of {input, target} have same type}}
  %y = "pop.l2_loss"(%x, %t) {reduction = #pop<loss_reduction sum>} : (tensor<4xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

// l2_loss: c2, order.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.l2_loss' op expects `accum` to be `blocked` but got #pop.accum<chain>}}
  %y = pop.l2_loss sum %x, %x {accum = #pop.accum<chain>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// l2_loss: c3, shape.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.l2_loss' op expects `result` of type 'tensor<4xf32>' but got 'tensor<f32>'}}
  %y = pop.l2_loss none %x, %x : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// binary_cross_entropy_loss: c1.
func.func @f(%x: tensor<4xf32>, %t: tensor<3xf32>) {
  // expected-error @below {{'pop.binary_cross_entropy_loss' op failed to verify that all of {input, target} have same type}}
  %y = "pop.binary_cross_entropy_loss"(%x, %t) {reduction = #pop<loss_reduction sum>} : (tensor<4xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

// binary_cross_entropy_loss: c2, order.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.binary_cross_entropy_loss' op expects `accum` to be `blocked` but got #pop.accum<chain>}}
  %y = pop.binary_cross_entropy_loss sum %x, %x {accum = #pop.accum<chain>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// binary_cross_entropy_loss: c3, shape.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.binary_cross_entropy_loss' op expects `result` of type 'tensor<4xf32>' but got 'tensor<f32>'}}
  %y = pop.binary_cross_entropy_loss none %x, %x : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// l1_loss: c2, blocks of one.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.l1_loss' op expects `block` of at least 2 for 4 positions but got #pop.accum<blocked, block = 1, lanes = 1>}}
  %y = pop.l1_loss mean %x, %x {accum = #pop.accum<blocked, block = 1, lanes = 1>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// l1_loss: c3, element type.
func.func @f(%x: tensor<4xf16>) {
  // expected-error @below {{'pop.l1_loss' op expects `result` of type 'tensor<f16>' but got 'tensor<bf16>'}}
  %y = pop.l1_loss mean %x, %x : tensor<4xf16> -> tensor<bf16>
  return
}

// -----

// identity_loss: c1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.identity_loss' op expects `accum` without `group`, `kernel` and `partials` but got #pop.accum<blocked, block = 4, lanes = 1, group = 2>}}
  %y = pop.identity_loss sum %x {accum = #pop.accum<blocked, block = 4, lanes = 1, group = 2>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// identity_loss: c2.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.identity_loss' op expects `result` of type 'tensor<f32>' but got 'tensor<4xf32>'}}
  %y = pop.identity_loss sum %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// nll_loss: c1.
func.func @f(%x: tensor<4xf32>, %l: tensor<4xi32>) {
  // expected-error @below {{'pop.nll_loss' op expects `input` of rank 2 or more but got 'tensor<4xf32>'}}
  %y = pop.nll_loss mean %x, %l : tensor<4xf32>, tensor<4xi32> -> tensor<f32>
  return
}

// -----

// nll_loss: c2, type.
func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi1>) {
  // expected-error @below {{'pop.nll_loss' op expects `labels` to have elements of more than one bit but got 'tensor<4xi1>'}}
  %y = pop.nll_loss mean %x, %l : tensor<4x3xf32>, tensor<4xi1> -> tensor<f32>
  return
}

// -----

// nll_loss: c2, shape.
func.func @f(%x: tensor<4x3x5xf32>, %l: tensor<4x3xi32>) {
  // expected-error @below {{'pop.nll_loss' op expects `labels` of shape [4, 5] but got 'tensor<4x3xi32>'}}
  %y = pop.nll_loss mean %x, %l : tensor<4x3x5xf32>, tensor<4x3xi32> -> tensor<f32>
  return
}

// -----

// nll_loss: c3, shape.
func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi32>, %w: tensor<4xf32>) {
  // expected-error @below {{'pop.nll_loss' op expects `weights` of shape [3] but got 'tensor<4xf32>'}}
  %y = pop.nll_loss mean %x, %l, %w : tensor<4x3xf32>, tensor<4xi32>, tensor<4xf32> -> tensor<f32>
  return
}

// -----

// nll_loss: c3, type.
func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi32>, %w: tensor<3xf16>) {
  // expected-error @below {{'pop.nll_loss' op expects `weights` of element type 'f32' but got 'f16'}}
  %y = pop.nll_loss mean %x, %l, %w : tensor<4x3xf32>, tensor<4xi32>, tensor<3xf16> -> tensor<f32>
  return
}

// -----

// nll_loss: c4.
func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi32>) {
  // expected-error @below {{'pop.nll_loss' op expects `accum` to be `blocked` but got #pop.accum<chain>}}
  %y = pop.nll_loss mean %x, %l {accum = #pop.accum<chain>} : tensor<4x3xf32>, tensor<4xi32> -> tensor<f32>
  return
}

// -----

// nll_loss: c4, blocks of one.
func.func @f(%x: tensor<1x3xf32>, %l: tensor<1xi32>) {
  // expected-error @below {{'pop.nll_loss' op expects `block` of at least 2 for 3 positions but got #pop.accum<blocked, block = 1, lanes = 1>}}
  %y = pop.nll_loss mean %x, %l {accum = #pop.accum<blocked, block = 1, lanes = 1>} : tensor<1x3xf32>, tensor<1xi32> -> tensor<f32>
  return
}

// -----

// nll_loss: c5.
func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi32>) {
  // expected-error @below {{'pop.nll_loss' op expects `result` of type 'tensor<4xf32>' but got 'tensor<4x3xf32>'}}
  %y = pop.nll_loss none %x, %l : tensor<4x3xf32>, tensor<4xi32> -> tensor<4x3xf32>
  return
}

// -----

// cross_entropy_loss: c1.
func.func @f(%x: tensor<4xf32>, %l: tensor<4xi32>) {
  // expected-error @below {{'pop.cross_entropy_loss' op expects `input` of rank 2 or more but got 'tensor<4xf32>'}}
  %y = pop.cross_entropy_loss mean %x, %l : tensor<4xf32>, tensor<4xi32> -> tensor<f32>
  return
}

// -----

// cross_entropy_loss: c2, type.
func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi1>) {
  // expected-error @below {{'pop.cross_entropy_loss' op expects `labels` to have elements of more than one bit but got 'tensor<4xi1>'}}
  %y = pop.cross_entropy_loss mean %x, %l : tensor<4x3xf32>, tensor<4xi1> -> tensor<f32>
  return
}

// -----

// cross_entropy_loss: c2, shape.
func.func @f(%x: tensor<4x3x5xf32>, %l: tensor<4x3xi32>) {
  // expected-error @below {{'pop.cross_entropy_loss' op expects `labels` of shape [4, 5] but got 'tensor<4x3xi32>'}}
  %y = pop.cross_entropy_loss mean %x, %l : tensor<4x3x5xf32>, tensor<4x3xi32> -> tensor<f32>
  return
}

// -----

// cross_entropy_loss: c3, shape.
func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi32>, %w: tensor<4xf32>) {
  // expected-error @below {{'pop.cross_entropy_loss' op expects `weights` of shape [3] but got 'tensor<4xf32>'}}
  %y = pop.cross_entropy_loss mean %x, %l, %w : tensor<4x3xf32>, tensor<4xi32>, tensor<4xf32> -> tensor<f32>
  return
}

// -----

// cross_entropy_loss: c3, type.
func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi32>, %w: tensor<3xf16>) {
  // expected-error @below {{'pop.cross_entropy_loss' op expects `weights` of element type 'f32' but got 'f16'}}
  %y = pop.cross_entropy_loss mean %x, %l, %w : tensor<4x3xf32>, tensor<4xi32>, tensor<3xf16> -> tensor<f32>
  return
}

// -----

// cross_entropy_loss: c4.
func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi32>) {
  // expected-error @below {{'pop.cross_entropy_loss' op expects `accum` to be `blocked` but got #pop.accum<chain>}}
  %y = pop.cross_entropy_loss mean %x, %l {accum = #pop.accum<chain>} : tensor<4x3xf32>, tensor<4xi32> -> tensor<f32>
  return
}

// -----

// cross_entropy_loss: c4, blocks of one.
func.func @f(%x: tensor<1x3xf32>, %l: tensor<1xi32>) {
  // expected-error @below {{'pop.cross_entropy_loss' op expects `block` of at least 2 for 3 positions but got #pop.accum<blocked, block = 1, lanes = 1>}}
  %y = pop.cross_entropy_loss mean %x, %l {accum = #pop.accum<blocked, block = 1, lanes = 1>} : tensor<1x3xf32>, tensor<1xi32> -> tensor<f32>
  return
}

// -----

// cross_entropy_loss: c5.
func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi32>) {
  // expected-error @below {{'pop.cross_entropy_loss' op expects `result` of type 'tensor<4xf32>' but got 'tensor<4x3xf32>'}}
  %y = pop.cross_entropy_loss none %x, %l : tensor<4x3xf32>, tensor<4xi32> -> tensor<4x3xf32>
  return
}
