// UNSUPPORTED: asan
// RUN: %mlir_opt %load_plugin %s --pass-pipeline='builtin.module(pop-verify-contracts{conditions=VGRAPH,PSTAGE})' --split-input-file --verify-diagnostics

// A mlir-opt that knows nothing of the project checks conditions.

func.func @placed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.relu %x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @not_placed(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.relu' op violates PSTAGE: expects attribute 'pop.stage'}}
  %0 = pop.relu %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
