// multi_call_graph_input: the graph itself asks for the value that it adds, and each
// call gives it another variable. Here that is one more argument, by reference.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ones engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ones check})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ramp engine=jit})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ramp check})' | FileCheck %s --check-prefix=RAMP

// CHECK{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[4.0, 4.0], [4.0, 4.0]]>
// CHECK-NEXT{LITERAL}: mixed : tensor<2x2xf32> = dense<[[4.0, -4.0], [4.0, -4.0]]>
// RAMP{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[3.0, 3.25], [3.5, 3.75]]>
// RAMP-NEXT{LITERAL}: mixed : tensor<2x2xf32> = dense<[[3.0, -4.75], [3.5, -4.25]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @input_stream host_to_device : tensor<2x2xf32>
  pop.stream @output_stream device_to_host : tensor<2x2xf32>
  pop.stream @mixed device_to_host : tensor<2x2xf32>
  pop.variable @value1 : tensor<2xf32> = dense<1.0> : tensor<2xf32>
  pop.variable @value2 : tensor<2xf32> = dense<2.0> : tensor<2xf32>
  pop.variable @value3 : tensor<2xf32> = dense<[2.0, -6.0]> : tensor<2xf32>
  func.func private @increment(%x: tensor<2x2xf32>, %value: !pop.ref<2xf32>) -> tensor<2x2xf32> {
    %0 = pop.read %value : !pop.ref<2xf32>
    %1 = pop.add %x, %0 : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  }
  func.func @main() {
    %x = pop.host_load @input_stream : tensor<2x2xf32>
    %value1 = pop.get_variable @value1 : !pop.ref<2xf32>
    %value2 = pop.get_variable @value2 : !pop.ref<2xf32>
    %value3 = pop.get_variable @value3 : !pop.ref<2xf32>
    %o = func.call @increment(%x, %value1) : (tensor<2x2xf32>, !pop.ref<2xf32>) -> tensor<2x2xf32>
    %p = func.call @increment(%o, %value2) : (tensor<2x2xf32>, !pop.ref<2xf32>) -> tensor<2x2xf32>
    pop.host_store %p, @output_stream : tensor<2x2xf32>
    %q = func.call @increment(%o, %value3) : (tensor<2x2xf32>, !pop.ref<2xf32>) -> tensor<2x2xf32>
    pop.host_store %q, @mixed : tensor<2x2xf32>
    return
  }
}
