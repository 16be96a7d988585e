// RUN: ipu-opt %s --verify-diagnostics --pass-pipeline='builtin.module(func.func(pop-merge-collectives{max-bytes=-1}))'

// expected-error @below {{'pop-merge-collectives' expects option 'max-bytes' to be at least 1 but got -1}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
