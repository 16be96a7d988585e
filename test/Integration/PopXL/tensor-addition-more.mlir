// More programs like that of tensor-addition.mlir.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// Sums that wrap among them.
// CHECK: output_stream : tensor<4xi8> = dense<[101, -2, 3, -128]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @variable_a : tensor<4xi8> = dense<[100, -3, 2, 127]> : tensor<4xi8>
  pop.stream @output_stream device_to_host : tensor<4xi8>
  func.func @main() {
    %r = pop.get_variable @variable_a : !pop.ref<4xi8>
    %a = pop.read %r : !pop.ref<4xi8>
    %b = pop.constant dense<1> : tensor<4xi8>
    %o = pop.add %a, %b : tensor<4xi8>
    pop.host_store %o, @output_stream : tensor<4xi8>
    return
  }
}
