// tensor_addition: a variable and a constant of i8.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK: output_stream : tensor<i8> = dense<4>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @variable_a : tensor<i8> = dense<3> : tensor<i8>
  pop.stream @output_stream device_to_host : tensor<i8>
  func.func @main() {
    %r = pop.get_variable @variable_a : !pop.ref<i8>
    %a = pop.read %r : !pop.ref<i8>
    %b = pop.constant dense<1> : tensor<i8>
    %o = pop.add %a, %b : tensor<i8>
    pop.host_store %o, @output_stream : tensor<i8>
    return
  }
}
