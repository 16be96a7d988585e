// UNSUPPORTED: asan
// RUN: %mlir_opt %load_plugin --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-allocate,ipu-execute{engine=interp})' %s | FileCheck %s
// RUN: ipu-opt %load_plugin --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-allocate,ipu-execute{engine=interp})' %s | FileCheck %s

// The models that steps get above their dialect are there, once, whoever the
// host is.

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>} {
  // CHECK: func.func @main() attributes {ipu.memory = #ipu.memory_summary<
  func.func @main() {
    %0 = ipu.var "x" : memref<4xf32, #m>
    %1 = ipu.var "w" init(dense<1.0> : tensor<4xf32>) : memref<4xf32, #m>
    // CHECK: ipu.exchange "copy"
    // CHECK: cost <cycles = [
    ipu.exchange "copy" {
      ipu.move %1 to %0 : memref<4xf32, #m> to memref<4xf32, #m>
    }
    ipu.expect %0, dense<1.0> : tensor<4xf32> : memref<4xf32, #m>
    // CHECK: ipu.sync internal cost <
    ipu.sync internal
    return
  }
}
