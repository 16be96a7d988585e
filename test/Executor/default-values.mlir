// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute)' -o /dev/null | FileCheck %s --check-prefixes=X,CHECK
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=*=ones check})' -o /dev/null | FileCheck %s --check-prefixes=X,CHECK
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=x=ones})' -o /dev/null | FileCheck %s --check-prefixes=ONES,CHECK
// RUN: ipu-run %s --cost fast | FileCheck %s --check-prefixes=X,CHECK
// RUN: ipu-run %s --cost fast --input '*=ones' | FileCheck %s --check-prefixes=X,CHECK
// RUN: ipu-run %s --cost fast --input x=ones --engine interp | FileCheck %s --check-prefixes=ONES,CHECK

// A stream to which the host gives nothing has its default value in each transfer
// and on each replica. Only its own name replaces it.

// X: y : tensor<2x2x2xi32> = dense<{{\[\[\[}}5, 6], [5, 6]], {{\[\[}}5, 6], [5, 6]]]>
// ONES: y : tensor<2x2x2xi32> = dense<{{\[\[\[}}1, 1], [1, 1]], {{\[\[}}1, 1], [1, 1]]]>
// CHECK: z : tensor<2x0xf32> = dense<>

#one = #ipu.map<[2], grid = [1], blocks = [all]>
#none = #ipu.map<[0], grid = [1], blocks = [all]>
!v = memref<2xi32, #one>
!n = memref<0xf32, #none>
module attributes {ipu.host_transfers = 2 : i64, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<2xi32> {default_value = dense<[5, 6]> : tensor<2xi32>}
  ipu.stream @n host_to_device : tensor<0xf32> {default_value = dense<> : tensor<0xf32>}
  ipu.stream @y device_to_host replicated : tensor<2xi32>
  ipu.stream @z device_to_host : tensor<0xf32>
  func.func @main() {
    %x = ipu.var "x" : !v
    %n = ipu.var "n" : !n
    ipu.repeat 2 {
      ipu.host_load @x to %x : !v
      ipu.host_store %x to @y : !v
      ipu.host_load @n to %n : !n
      ipu.host_store %n to @z : !n
    }
    return
  }
}
