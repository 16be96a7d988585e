// RUN: ipu-opt %s --sdy-propagation-pipeline --split-input-file --verify-diagnostics
// RUN: ipu-opt %s --sdy-basic-propagate --split-input-file --verify-diagnostics
// RUN: ipu-opt %s --sdy-populate-op-sharding-rules --split-input-file | FileCheck %s

sdy.mesh @mesh = <["x"=2]>
// Sizes that are compared, such as those of tensors in conflict, fit 64 bits. Ops with larger
// types have no rule.
// expected-error @below {{'func.func' op argument 0 expects a type of at most 2^56 elements but got 'tensor<4294967296x4294967296xf32>'}}
func.func public @main(%a: tensor<4294967296x4294967296xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}) -> tensor<4294967296x4294967296xf32> {
  // CHECK: stablehlo.negate %arg0 : tensor
  %0 = stablehlo.negate %a : tensor<4294967296x4294967296xf32>
  return %0 : tensor<4294967296x4294967296xf32>
}
