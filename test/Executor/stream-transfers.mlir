// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=*=ramp engine=jit})' -o /dev/null 2>&1 | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=*=ramp engine=interp})' -o /dev/null 2>&1 | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=*=ramp check})' -o /dev/null 2>&1 | FileCheck %s

// The number of a stream is its own, or the module's. A fourth load of two tensors is
// the second again, and a store to one of one tensor replaces it: warnings say whose
// number that is.

// CHECK-NOT: warning
// CHECK: :[[# @LINE + 28]]:7: warning: stream 'two' is stored at least 4 times in a run but the host has 2 tensors; after the last tensor, the first one is replaced; attribute 'transfers' of the stream sets the number of tensors
// CHECK-NOT: warning
// CHECK: :[[# @LINE + 27]]:7: warning: stream 'one' is stored at least 4 times in a run but the host has 1 tensor; after the last tensor, the first one is replaced; attribute 'transfers' of the stream sets the number of tensors
// CHECK-NOT: warning
// CHECK: :[[# @LINE + 26]]:7: warning: stream 'three' is stored at least 4 times in a run but the host has 3 tensors; after the last tensor, the first one is replaced; attribute 'host_transfers' of the module sets the number of tensors
// CHECK-NOT: warning
// CHECK: :[[# @LINE + 20]]:7: warning: stream 'in' is loaded at least 4 times in a run but the host has 2 tensors; after the last tensor, the first one is loaded again; attribute 'transfers' of the stream sets the number of tensors
// CHECK-NOT: warning
// CHECK: two : tensor<2x2x1xi32> = dense<{{\[\[\[}}0], [1]], {{\[\[}}2], [3]]]>
// CHECK: one : tensor<2x1xi32> = dense<{{\[\[}}2], [3]]>
// CHECK: three : tensor<3x2x1xi32> = dense<{{\[\[\[}}2], [3]], {{\[\[}}2], [3]], {{\[\[}}0], [1]]]>
// CHECK: four : tensor<4x1xi32> = dense<{{\[\[}}7], [7], [7], [7]]>

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!v = memref<1xi32, #one>
module attributes {ipu.host_transfers = 3 : i64, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.stream @in host_to_device replicated : tensor<1xi32> {transfers = 2 : i64}
  ipu.stream @default host_to_device : tensor<1xi32> {default_value = dense<7> : tensor<1xi32>, transfers = 4 : i64}
  ipu.stream @two device_to_host replicated : tensor<1xi32> {transfers = 2 : i64}
  ipu.stream @one device_to_host replicated : tensor<1xi32> {transfers = 1 : i64}
  ipu.stream @three device_to_host replicated : tensor<1xi32>
  ipu.stream @four device_to_host : tensor<1xi32> {transfers = 4 : i64}
  func.func @main() {
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    ipu.repeat 4 {
      ipu.host_load @in to %x : !v
      ipu.host_load @default to %y : !v
      ipu.host_store %x to @two : !v
      ipu.host_store %x to @one : !v
      ipu.host_store %x to @three : !v
      ipu.host_store %y to @four : !v
    }
    return
  }
}
