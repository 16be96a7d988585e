// More programs like that of create-multi-graphs.mlir.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ones engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ones check})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ramp engine=jit})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ramp check})' | FileCheck %s --check-prefix=RAMP

// CHECK{LITERAL}: output_stream : tensor<2x1xf32> = dense<[[-16.0], [-16.0]]>
// RAMP{LITERAL}: output_stream : tensor<2x1xf32> = dense<[[-2.25], [-10.25]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @input_stream host_to_device : tensor<2x2xf32>
  pop.stream @output_stream device_to_host : tensor<2x1xf32>
  pop.variable @W : tensor<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  pop.variable @w : tensor<2xf32> = dense<[5.0, -6.0]> : tensor<2xf32>
  func.func private @matmul_matrix(%x: tensor<2x2xf32>, %r: !pop.ref<2x2xf32>) -> tensor<2x2xf32> {
    %w = pop.read %r : !pop.ref<2x2xf32>
    %0 = pop.matmul %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
  func.func private @matmul_vector(%x: tensor<2x2xf32>, %r: !pop.ref<2x1xf32>) -> tensor<2x1xf32> {
    %w = pop.read %r : !pop.ref<2x1xf32>
    %0 = pop.matmul %x, %w : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>
  }
  func.func @main() {
    %x = pop.host_load @input_stream : tensor<2x2xf32>
    %W = pop.get_variable @W : !pop.ref<2x2xf32>
    %v = pop.get_variable @w : !pop.ref<2xf32>
    %w = pop.ref_reshape %v : !pop.ref<2xf32> to !pop.ref<2x1xf32>
    %y = func.call @matmul_matrix(%x, %W) : (tensor<2x2xf32>, !pop.ref<2x2xf32>) -> tensor<2x2xf32>
    %z = func.call @matmul_vector(%y, %w) : (tensor<2x2xf32>, !pop.ref<2x1xf32>) -> tensor<2x1xf32>
    pop.host_store %z, @output_stream : tensor<2x1xf32>
    return
  }
}
