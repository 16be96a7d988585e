// RUN: ipu-opt %s --verify-diagnostics --pop-place-graphs

// expected-error @below {{'func.func' op is called on several virtual graphs, or in several stages, so it is cloned, but its code is loaded; define a function for each of them}}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {no_inline} {
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{the code is loaded here}}
  pop.remote_code_load @f to executable {pop.vgraph = 0 : i64}
  %0 = call @f(%x) {pop.vgraph = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
  %2 = call @f(%1) {pop.vgraph = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
