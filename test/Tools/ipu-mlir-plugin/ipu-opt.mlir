// UNSUPPORTED: asan
// RUN: ipu-opt %load_plugin --pass-pipeline='builtin.module(pop-decompose)' %s | FileCheck %s

// The plugin is harmless in a tool that has the same dialects and passes.

// CHECK-LABEL: func.func @softmax
// CHECK: pop.reduce max
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = pop.softmax %x {axis = 1 : i64} : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
