// basic_graph: a graph that adds 1, called once.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ones engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ones check})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ramp engine=jit})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ramp check})' | FileCheck %s --check-prefix=RAMP

// CHECK{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[2.0, 2.0], [2.0, 2.0]]>
// RAMP{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[1.0, 1.25], [1.5, 1.75]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @input_stream host_to_device : tensor<2x2xf32>
  pop.stream @output_stream device_to_host : tensor<2x2xf32>
  func.func private @increment(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %c1 = pop.constant dense<1.0> : tensor<f32>
    %0 = pop.add %x, %c1 : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
  func.func @main() {
    %x = pop.host_load @input_stream : tensor<2x2xf32>
    %o = func.call @increment(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    pop.host_store %o, @output_stream : tensor<2x2xf32>
    return
  }
}
