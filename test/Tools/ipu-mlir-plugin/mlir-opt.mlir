// UNSUPPORTED: asan
// RUN: %mlir_opt %load_plugin --pass-pipeline='builtin.module(pop-decompose)' %s | FileCheck %s
// RUN: %mlir_opt %load_plugin --help | FileCheck %s --check-prefix=HELP

// A mlir-opt that knows nothing of the project parses its dialects and runs its
// passes.

// HELP: --pop-to-ipu-pipeline

// CHECK-LABEL: func.func @softmax
// CHECK: pop.reduce max
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = pop.softmax %x {axis = 1 : i64} : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
