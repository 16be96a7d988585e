// RUN: ipu-opt %s --sdy-populate-op-sharding-rules | FileCheck %s
// RUN: ipu-opt %s --sdy-populate-op-sharding-rules=conservative-propagation=true | FileCheck %s

// Ops whose result is their operand.

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @identity(
func.func @identity(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: sdy.sharding_constraint {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {?}]> : tensor<4x8xf32>
  // CHECK: sdy.propagation_barrier {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<4x8xf32>
  // CHECK: sdy.reshard
  // CHECK-NOT: sdy.sharding_rule
  %2 = sdy.reshard %1 <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
