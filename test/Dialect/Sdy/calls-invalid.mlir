// RUN: ipu-opt %s --split-input-file --verify-diagnostics --sdy-flatten-call-graph
// RUN: ipu-opt %s --split-input-file --verify-diagnostics --sdy-import-func-calls
// RUN: ipu-opt %s --split-input-file --verify-diagnostics --sdy-propagation-pipeline=inline-calls=false

func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @a(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @a(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note @below {{@b is called here}}
  %0 = call @b(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @b(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @leaf(%a) : (tensor<8xf32>) -> tensor<8xf32>
  // expected-note @below {{@c is called here}}
  %1 = call @c(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @c(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'func.call' op expects no recursion, but this call is part of a recursion of @a}}
  %0 = call @a(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @leaf(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----

func.func @itself(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'func.call' op expects no recursion, but this call is part of a recursion of @itself}}
  %0 = call @itself(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
