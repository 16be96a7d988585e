// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-add-optimizer{accumulation-factor=0})' 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-add-optimizer{optimizer=sgd})' 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-add-optimizer{optimizer={#pop.optimizer<sgd1>} accumulation-factor=2 mean=running})' 2>&1 | FileCheck %s --check-prefix=RUNNING

// FACTOR: error: 'pop-add-optimizer' expects option 'accumulation-factor' to be at least 1 but got 0
// ATTRIBUTE: error: 'pop-add-optimizer' expects option 'optimizer' to be a '#pop.optimizer<...>' but got 'sgd'
// RUNNING: error: 'func.func' op adds gradients of 'arg0' to the velocity of 'sgd1', which cannot be a running mean; expects option 'mean' to be none or post, or optimizer 'sgd2'

func.func @main(%w: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) {
  return %w : tensor<2xf32>
}
