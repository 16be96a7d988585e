// Branches that use variables and slices of them, read and written; numpy says what
// each gives.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=ones engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=ones check})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=cond=zeros,x=ramp engine=jit})' | FileCheck %s --check-prefix=ELSE
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=cond=zeros,x=ramp check})' | FileCheck %s --check-prefix=ELSE

// CHECK: y : tensor<3xf32> = dense<[2.0, 3.0, 4.0]>
// CHECK-NEXT: v : tensor<6xf32> = dense<[10.0, 20.0, 31.0, 41.0, 51.0, 60.0]>
// ELSE: y : tensor<3xf32> = dense<[0.0, 16.666668, 40.0]>
// ELSE-NEXT: v : tensor<6xf32> = dense<[0.0, 0.0, 0.0, 40.0, 50.0, 60.0]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @cond host_to_device : tensor<i1>
  pop.stream @x host_to_device : tensor<3xf32>
  pop.stream @y device_to_host : tensor<3xf32>
  pop.stream @v device_to_host : tensor<6xf32>
  pop.variable @w : tensor<3xf32> = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  pop.variable @v.data : tensor<6xf32> = dense<[10.0, 20.0, 30.0, 40.0, 50.0, 60.0]> : tensor<6xf32>
  func.func @main() {
    %cond = pop.host_load @cond : tensor<i1>
    %x = pop.host_load @x : tensor<3xf32>
    %w = pop.get_variable @w : !pop.ref<3xf32>
    %v = pop.get_variable @v.data : !pop.ref<6xf32>
    %low = pop.ref_slice %v {starts = array<i64: 0>, sizes = array<i64: 3>, steps = array<i64: 1>} : !pop.ref<6xf32> -> !pop.ref<3xf32>
    %middle = pop.ref_slice %v {starts = array<i64: 2>, sizes = array<i64: 3>, steps = array<i64: 1>} : !pop.ref<6xf32> -> !pop.ref<3xf32>
    %high = pop.ref_slice %v {starts = array<i64: 3>, sizes = array<i64: 3>, steps = array<i64: 1>} : !pop.ref<6xf32> -> !pop.ref<3xf32>
    %p = tensor.extract %cond[] : tensor<i1>
    %y = scf.if %p -> (tensor<3xf32>) {
      %0 = pop.read %w : !pop.ref<3xf32>
      %1 = pop.add %x, %0 : tensor<3xf32>
      pop.add_ %middle, %x : !pop.ref<3xf32>, tensor<3xf32>
      scf.yield %1 : tensor<3xf32>
    } else {
      %0 = pop.read %high : !pop.ref<3xf32>
      %1 = pop.mul %x, %0 : tensor<3xf32>
      pop.zero_ %low : !pop.ref<3xf32>
      scf.yield %1 : tensor<3xf32>
    }
    pop.host_store %y, @y : tensor<3xf32>
    %all = pop.read %v : !pop.ref<6xf32>
    pop.host_store %all, @v : tensor<6xf32>
    return
  }
}
