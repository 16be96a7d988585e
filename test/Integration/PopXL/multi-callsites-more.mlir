// More programs like that of multi-callsites.mlir.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ones engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ones check})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ramp engine=jit})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ramp check})' | FileCheck %s --check-prefix=RAMP

// CHECK{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[-6.0, 19.0], [4.5, 5.0]]>
// RAMP{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[-7.0, 18.25], [4.0, 4.75]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @input_stream host_to_device : tensor<2x2xf32>
  pop.stream @output_stream device_to_host : tensor<2x2xf32>
  func.func private @increment(%x: tensor<2x2xf32>, %value: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = pop.add %x, %value : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
  func.func @main() {
    %x = pop.host_load @input_stream : tensor<2x2xf32>
    %value1 = pop.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %value2 = pop.constant dense<[[-8.0, 16.0], [0.5, 0.0]]> : tensor<2x2xf32>
    %o = func.call @increment(%x, %value1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %p = func.call @increment(%o, %value2) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    pop.host_store %p, @output_stream : tensor<2x2xf32>
    return
  }
}
