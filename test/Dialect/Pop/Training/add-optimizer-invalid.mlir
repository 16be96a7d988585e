// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-add-optimizer{reduce=accumulator accumulation-factor=2})' --verify-diagnostics
// expected-error @below {{'pop-add-optimizer' expects function 'main' with a body of one block}}
func.func private @main()
func.func private @g(%w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op has no optimizer for 'arg0'; expects attribute 'pop.optimizer' or option 'optimizer'}}
func.func @main(%w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op returns no gradient; expects a result with attribute 'pop.gradient_of'}}
func.func @main(%w: tensor<2xf32>) -> tensor<2xf32> attributes {pop.optimizer = #pop.optimizer<sgd0>} {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op has an optimizer for argument #1 of type 'tensor<2xi32>'; expects a result that is the gradient of this argument}}
func.func @main(%w: tensor<2xf32>, %i: tensor<2xi32> {pop.optimizer = #pop.optimizer<sgd0>})
    -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0>} {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{'pop.variable' op has an optimizer; expects a result of 'main' that is the gradient of this variable}}
pop.variable @n : tensor<2xi32> = dense<0> : tensor<2xi32> {pop.optimizer = #pop.optimizer<sgd0>}
func.func @main(%w: tensor<2xf32>)
    -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0>} {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op result #0 is the gradient of @v, which is not a variable}}
func.func @main(%w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<variable @v>}) attributes {pop.optimizer = #pop.optimizer<sgd0>} {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op result #0 is the gradient of #pop.graph_value<argument 1>, which the function does not have}}
func.func @main(%w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 1>}) attributes {pop.optimizer = #pop.optimizer<sgd0>} {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op expects result #0, the gradient of 'arg0', to have type 'tensor<2xi32>' but got 'tensor<2xf32>'}}
func.func @main(%i: tensor<2xi32>, %w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0>} {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op results #0 and #1 are both the gradient of 'arg0'; expects one gradient}}
func.func @main(%w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}, tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0>} {
  return %w, %w : tensor<2xf32>, tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op expects no callers, because 'pop-add-optimizer' adds arguments and results for the states of optimizers}}
func.func @main(%w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0>} {
  return %w : tensor<2xf32>
}
func.func @other(%w: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{it is used here}}
  %0 = call @main(%w) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op adds gradients of 'arg0' to the velocity of 'sgd1'; expects setting 'dampening' to be constant, or optimizer 'sgd2'}}
func.func @main(%w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd1, dampening = @d>} {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op has an optimizer of 'arg0' whose velocity starts from the weight; expects setting 'weight_decay' to be constant, or optimizer 'sgd2'}}
func.func @main(%w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd1, weight_decay = @d>} {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op has a state 'Master___arg0' that starts from the weight; expects attribute 'pop.default' of the argument}}
func.func @main(%w: tensor<2xf16>) -> (tensor<2xf16> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0, master = true>} {
  return %w : tensor<2xf16>
}

// -----

// expected-error @below {{'func.func' op has an optimizer of 'arg0' whose setting 'lr' is 'operand'; expects a number, a stream or a schedule}}
func.func @main(%w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0, lr = operand>} {
  return %w : tensor<2xf32>
}

// -----

// expected-note @below {{the symbol is defined here}}
pop.stream @lr device_to_host : tensor<f32>
// expected-error @below {{'func.func' op has an optimizer of 'arg0' with a setting that stream 'lr' gives; expects a stream of 'tensor<f32>' to the device}}
func.func @main(%w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0, lr = @lr>} {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op has optimizers of 'arg0' and 'arg1' with different settings 'loss_scale', 2.000000e+00 : f64 and 1.000000e+00 : f64; expects one loss scale}}
func.func @main(%w: tensor<2xf32> {pop.optimizer = #pop.optimizer<sgd0, loss_scale = 2>}, %u: tensor<2xf32> {pop.optimizer = #pop.optimizer<sgd0>})
    -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}, tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 1>}) {
  return %w, %u : tensor<2xf32>, tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op expects a 'pop.loss_scale', from which the gradients of the loss are computed}}
func.func @main(%w: tensor<2xf32> {pop.optimizer = #pop.optimizer<sgd0, loss_scale = 2>})
    -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op result #0 is the gradient of 'arg0' of type 'f32'; expects a statically shaped tensor of floats}}
func.func @main(%w: f32) -> (f32 {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0>} {
  return %w : f32
}

// -----

// expected-error @below {{'func.func' op result #0 is the gradient of 'arg0' of type 'tensor<2xi32>'; expects a statically shaped tensor of floats}}
func.func @main(%w: tensor<2xi32>) -> (tensor<2xi32> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<adam>} {
  return %w : tensor<2xi32>
}

// -----

// expected-error @below {{'func.func' op result #0 is the gradient of 'arg0' of type 'tensor<2x?xf32>'; expects a statically shaped tensor of floats}}
func.func @main(%w: tensor<2x?xf32>) -> (tensor<2x?xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<adam>} {
  return %w : tensor<2x?xf32>
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {replicas = 4 : i64}>} {
  // expected-error @below {{'pop.variable' op is distributed over groups of 2 replicas, and has groups of replicas with different values; 'pop-add-optimizer' expects either equal values on all 4 replicas or one group of all replicas}}
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32> {groups = #pop.replica_groups<stride = 1, size = 2>, sharding = #pop.replica_groups<stride = 1, size = 2>, pop.optimizer = #pop.optimizer<sgd0>}
  func.func @main(%g: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<variable @w>}) {
    return %g : tensor<2xf32>
  }
}

// -----

// The gradient is that of the part.
//
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>, pop.optimizer = #pop.optimizer<sgd0>}
  // expected-error @below {{'func.func' op expects result #0, the gradient of 'w', to have type 'tensor<2xf32>' but got 'tensor<4xf32>'}}
  func.func @main(%g: tensor<4xf32>) -> (tensor<4xf32> {pop.gradient_of = #pop.graph_value<variable @w>}) {
    return %g : tensor<4xf32>
  }
}

// -----

// expected-error @below {{'func.func' op has a state 'Master___arg0' that starts from the weight; expects the weight's values to be dense}}
func.func @main(%w: tensor<2xf16> {pop.default = sparse<0, 1.0> : tensor<2xf16>})
    -> (tensor<2xf16> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0, master = true>} {
  return %w : tensor<2xf16>
}

// -----

// expected-error @below {{'func.func' op has a state 'Master___arg0' that starts from the weight; expects a resource that has the weight's values}}
func.func @main(%w: tensor<2xf16> {pop.default = dense_resource<nothing> : tensor<2xf16>})
    -> (tensor<2xf16> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0, master = true>} {
  return %w : tensor<2xf16>
}

// -----

// expected-error @below {{'func.func' op expects a 'pop.loss_scale', from which the gradients of the loss are computed}}
func.func @main(%w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0, loss_scale = @scale>} {
  return %w : tensor<2xf32>
}

// -----

pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32> {pop.vgraph = 1 : i64}
// expected-error @below {{'func.func' op has the gradient of 'w' on virtual graph 0, but the weight is on virtual graph 1; copy the gradient with 'pop.ipu_copy'}}
func.func @main(%g: tensor<4xf32>) -> (tensor<4xf32> {pop.gradient_of = #pop.graph_value<variable @w>})
    attributes {pop.optimizer = #pop.optimizer<sgd0>} {
  %0 = pop.neg %g {pop.vgraph = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
