// RUN: ipu-opt %s --sdy-constant-or-scalar-splitter | FileCheck %s --check-prefix=CONSTANT
// RUN: ipu-opt %s --sdy-add-data-flow-edges | FileCheck %s --check-prefix=EDGE
// RUN: ipu-opt %s --sdy-add-data-flow-edges --sdy-sink-data-flow-edges | FileCheck %s --check-prefix=SINK
// RUN: ipu-opt %s --sdy-import-frontend-rules | FileCheck %s --check-prefix=RULE

// Passes bring the dialect along where the program has nothing of it.

// CONSTANT: sdy.constant dense<1.000000e+00> : tensor<8xf32>
// EDGE: %[[R:.*]] = scf.for
// EDGE: sdy.data_flow_edge %[[R]] : tensor<8xf32>
// SINK-NOT: sdy.data_flow_edge
// RULE: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>
func.func @main(%a: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %d = stablehlo.custom_call @f(%c) {mhlo.frontend_attributes = {sdy.sharding_rule = "#sdy.op_sharding_rule<([i])->([i]) {i=8}>"}} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = scf.for %i = %n to %n step %n iter_args(%v = %a) -> (tensor<8xf32>) {
    %s = arith.addf %v, %d : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
