// remote_variable: a variable in a row of a remote buffer is loaded, added to and
// stored.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK: out : tensor<i32> = dense<3>
// CHECK-NEXT: after : tensor<i32> = dense<3>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.remote_buffer @buffer : 1 x tensor<i32>
  pop.variable @remote_x : tensor<i32> = dense<1> : tensor<i32> {buffer = @buffer, row = 0 : i64}
  pop.stream @out device_to_host : tensor<i32>
  pop.stream @after device_to_host : tensor<i32>
  func.func @main() {
    %x = pop.remote_load @buffer[0] : tensor<i32>
    %c2 = pop.constant dense<2> : tensor<i32>
    %y = pop.add %x, %c2 : tensor<i32>
    pop.remote_store %y, @buffer[0] : tensor<i32>
    pop.host_store %y, @out : tensor<i32>
    %z = pop.remote_load @buffer[0] : tensor<i32>
    pop.host_store %z, @after : tensor<i32>
    return
  }
}
