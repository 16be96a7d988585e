// simple_addition: two streams, their sum to the host.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=ones engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=ones check})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream_0=ramp,input_stream_1=ones engine=jit})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream_0=ramp,input_stream_1=ones check})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=random:7 engine=jit})' | FileCheck %s --check-prefix=RANDOM
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=random:7 engine=interp})' | FileCheck %s --check-prefix=RANDOM

// CHECK{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[2.0, 2.0], [2.0, 2.0]]>
// RAMP{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[1.0, 1.25], [1.5, 1.75]]>
// RANDOM{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[0.8896414, -0.49766588], [-0.73833287, -0.5062835]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @input_stream_0 host_to_device : tensor<2x2xf32>
  pop.stream @input_stream_1 host_to_device : tensor<2x2xf32>
  pop.stream @output_stream device_to_host : tensor<2x2xf32>
  func.func @main() {
    %a = pop.host_load @input_stream_0 : tensor<2x2xf32>
    %b = pop.host_load @input_stream_1 : tensor<2x2xf32>
    %o = pop.add %a, %b : tensor<2x2xf32>
    pop.host_store %o, @output_stream : tensor<2x2xf32>
    return
  }
}
