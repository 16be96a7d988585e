// RUN: ipu-opt %s --split-input-file --pop-state-to-variables --verify-diagnostics

// expected-error @below {{'func.func' op argument #0, which result #0 updates, expects attribute 'pop.default', the initial value of the variable}}
func.func @main(%w: tensor<4xf32>) -> (tensor<4xf32> {pop.updates = #pop.graph_value<argument 0>}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op result #0 updates #pop.graph_value<argument 1>; expects an argument of the function}}
func.func @main(%w: tensor<4xf32>) -> (tensor<4xf32> {pop.updates = #pop.graph_value<argument 1>}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op result #0 updates #pop.graph_value<variable @w>; expects an argument of the function}}
func.func @main(%w: tensor<4xf32>) -> (tensor<4xf32> {pop.updates = #pop.graph_value<variable @w>}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op result #0 expects the type 'tensor<2xf32>' of argument #1, which the result updates, but got 'tensor<4xf32>'}}
func.func @main(%w: tensor<4xf32>, %v: tensor<2xf32>) -> (tensor<4xf32> {pop.updates = #pop.graph_value<argument 1>}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op results #0 and #1 both update argument #0; expects one update}}
func.func @main(%w: tensor<4xf32> {pop.default = dense<1.0> : tensor<4xf32>})
    -> (tensor<4xf32> {pop.updates = #pop.graph_value<argument 0>}, tensor<4xf32> {pop.updates = #pop.graph_value<argument 0>}) {
  return %w, %w : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op argument #0 expects a tensor of static shape and pop element type but got 'i32'}}
func.func @main(%w: i32) -> (i32 {pop.updates = #pop.graph_value<argument 0>}) {
  return %w : i32
}
