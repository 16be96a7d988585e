// in_sequence: a variable is written and then read. Program order is the schedule,
// so that the region is not needed for that: what it adds is that nothing comes
// between its ops.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK: output_stream : tensor<f32> = dense<5.0>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @x : tensor<f32> = dense<1.0> : tensor<f32>
  pop.stream @output_stream device_to_host : tensor<f32>
  func.func @main() {
    %x = pop.get_variable @x : !pop.ref<f32>
    %c5 = pop.constant dense<5.0> : tensor<f32>
    pop.in_sequence {
      pop.copy_ %x, %c5 : !pop.ref<f32>, tensor<f32>
      %0 = pop.read %x : !pop.ref<f32>
      pop.host_store %0, @output_stream : tensor<f32>
    }
    return
  }
}
