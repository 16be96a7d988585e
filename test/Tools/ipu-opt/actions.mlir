// Steps of algorithms are actions.
//
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(pop-decompose),pop-map-tensors)' --log-actions-to=- --mlir-disable-threading -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: ipu-opt %s --sdy-basic-propagate --log-actions-to=- -o /dev/null 2>&1 | FileCheck %s --check-prefix=SDY

// PLAN: begins {{.*}} `ipu-plan-op` find partitions of 'pop.matmul'
// PLAN: completed `ipu-plan-op`
// PLAN: begins {{.*}} `ipu-plan-program` choose tile mappings together in 'func.func'

// SDY: begins {{.*}} `sdy-propagate` propagate shardings through 'pop.matmul'
// SDY: begins {{.*}} `sdy-propagate` propagate shardings through 'pop.relu'

sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = pop.relu %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
