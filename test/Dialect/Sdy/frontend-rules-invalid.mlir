// RUN: ipu-opt %s --sdy-import-frontend-rules --split-input-file --verify-diagnostics

func.func @text(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+2 {{frontend attribute sdy.sharding_rule should be a #sdy.op_sharding_rule, got "([i])->([i])"}}
  // expected-note@+1 {{expected non-function type}}
  %0 = stablehlo.custom_call @a(%a) {mhlo.frontend_attributes = {sdy.sharding_rule = "([i])->([i])"}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @kind(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{frontend attribute sdy.sharding_rule should be a #sdy.op_sharding_rule, got "1"}}
  %0 = stablehlo.custom_call @a(%a) {mhlo.frontend_attributes = {sdy.sharding_rule = "1"}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @misfit(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{operand 0 mapping rank must match: 1 != 2}}
  %0 = stablehlo.custom_call @a(%a) {mhlo.frontend_attributes = {sdy.sharding_rule = "#sdy.op_sharding_rule<([i])->([i, j]) {i=4, j=8}>"}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
