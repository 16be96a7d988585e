// RUN: ipu-opt %s --verify-diagnostics --pass-pipeline='builtin.module(pop-order-batch-phases)'

func.func @later(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{the result is defined here}}
  %0 = pop.exp %x {pop.batch_phase = 1 : i64} : tensor<2xf32>
  // expected-error @below {{'pop.tanh' op reads a result of batch phase 1 but is in batch phase 0}}
  %1 = pop.tanh %0 {pop.batch_phase = 0 : i64} : tensor<2xf32>
  return %1 : tensor<2xf32>
}
