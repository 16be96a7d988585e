// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-outline{max-slowdown=-5})' 2>&1 | FileCheck %s

// CHECK: error: 'pop-outline' expects option 'max-slowdown' to be at least 0 but got -5

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
