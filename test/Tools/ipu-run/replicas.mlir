// A stream that is not the same for all replicas has one more dimension on the
// host's side.

// RUN: ipu-run %s --input x=ramp | FileCheck %s
// CHECK: y : tensor<3x2xf32> = dense<{{\[\[}}0.0, 0.16666667], [0.33333334, 0.5], [0.6666667, 0.8333333]]>
// RUN: ipu-run %s --input x=ramp --target replicas=1 | FileCheck %s --check-prefix=ONE
// ONE: y : tensor<2xf32> = dense<[0.0, 0.5]>
// RUN: sh %S/Inputs/status.sh 2 ipu-run %s 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: no value for input 'x' : tensor<3x2xf32>

#m = #ipu.map<[2], grid = [1], blocks = [all]>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 3 : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<2xf32>
  ipu.stream @y device_to_host replicated : tensor<2xf32>
  func.func @main() {
    %0 = ipu.var "x" : memref<2xf32, #m>
    ipu.host_load @x to %0 : memref<2xf32, #m> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 8>
    ipu.host_store %0 to @y : memref<2xf32, #m> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 8>
    return
  }
}
