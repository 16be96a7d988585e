// One graph that adds 1 to its input, called with what may change and with what may
// not: the caller then passes a copy.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK: kept : tensor<3xf32> = dense<[1.0, -2.0, 3.0]>
// CHECK-NEXT: copied : tensor<3xf32> = dense<[2.0, -1.0, 4.0]>
// CHECK-NEXT: modified : tensor<3xf32> = dense<[2.0, -1.0, 4.0]>
// CHECK-NEXT: twice : tensor<3xf32> = dense<[3.0, 0.0, 5.0]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @x : tensor<3xf32> = dense<[1.0, -2.0, 3.0]> : tensor<3xf32>
  pop.stream @kept device_to_host : tensor<3xf32>
  pop.stream @copied device_to_host : tensor<3xf32>
  pop.stream @modified device_to_host : tensor<3xf32>
  pop.stream @twice device_to_host : tensor<3xf32>
  func.func private @increment(%x: !pop.ref<3xf32>) -> tensor<3xf32> {
    %c1 = pop.constant dense<1.0> : tensor<f32>
    pop.add_ %x, %c1 : !pop.ref<3xf32>, tensor<f32>
    %0 = pop.read %x : !pop.ref<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @main() {
    %x = pop.get_variable @x : !pop.ref<3xf32>
    %0 = pop.read %x : !pop.ref<3xf32>
    %copy = pop.from_tensor %0 : tensor<3xf32>
    %copied = func.call @increment(%copy) : (!pop.ref<3xf32>) -> tensor<3xf32>
    %kept = pop.read %x : !pop.ref<3xf32>
    pop.host_store %kept, @kept : tensor<3xf32>
    pop.host_store %copied, @copied : tensor<3xf32>
    %1 = func.call @increment(%x) : (!pop.ref<3xf32>) -> tensor<3xf32>
    pop.host_store %1, @modified : tensor<3xf32>
    %2 = func.call @increment(%x) : (!pop.ref<3xf32>) -> tensor<3xf32>
    %3 = pop.read %x : !pop.ref<3xf32>
    pop.host_store %3, @twice : tensor<3xf32>
    return
  }
}
