// An expectation of the program that does not hold: status 1, where it is, and
// what differs.

// RUN: sh %S/Inputs/status.sh 1 ipu-run %s 2>&1 | FileCheck %s
// RUN: sh %S/Inputs/status.sh 1 ipu-run %s --engine interp 2>&1 | FileCheck %s

#m = #ipu.map<[2], grid = [1], blocks = [all]>
module {
  func.func @main() {
    %0 = ipu.var "x" init(dense<[1.0, 2.0]> : tensor<2xf32>) : memref<2xf32, #m>
    // CHECK-NOT: :[[#@LINE+1]]:
    ipu.expect %0, dense<[1.0, 2.0]> : tensor<2xf32> : memref<2xf32, #m>
    // CHECK: expectations.mlir:[[#@LINE+1]]:5: error:
    ipu.expect %0, dense<[1.0, 3.0]> : tensor<2xf32> : memref<2xf32, #m>
    return
  }
}
// CHECK: ipu-run: error: an expectation of the program does not hold
