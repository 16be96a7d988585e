// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=x=ramp,once=ramp})' -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{check inputs=x=ramp,once=ramp})' -o /dev/null | FileCheck %s

// Four loads of three tensors: the fourth is the first again. Each store has a
// place of its own, the fourth that of the first; what is never stored is zero.
// A stream for all replicas has no dimension for them.
// CHECK: y : tensor<3x2x1xi32> = dense<{{\[\[\[}}0], [1]], {{\[\[}}2], [3]], {{\[\[}}4], [5]]]>
// CHECK: z : tensor<3x1xi32> = dense<{{\[\[}}0], [0], [0]]>
// CHECK: w : tensor<3x1xi32> = dense<{{\[\[}}0], [1], [0]]>

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!v = memref<1xi32, #one>
module attributes {ipu.host_transfers = 3 : i64, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<1xi32>
  ipu.stream @once host_to_device : tensor<1xi32>
  ipu.stream @y device_to_host replicated : tensor<1xi32>
  ipu.stream @z device_to_host : tensor<1xi32>
  ipu.stream @w device_to_host : tensor<1xi32>
  func.func @main() {
    %x = ipu.var "x" : !v
    ipu.repeat 4 {
      ipu.host_load @x to %x : !v
      ipu.host_store %x to @y : !v
    }
    ipu.host_store %x to @z : !v
    ipu.repeat 2 {
      ipu.host_load @once to %x : !v
      ipu.host_store %x to @w : !v
    }
    return
  }
}
