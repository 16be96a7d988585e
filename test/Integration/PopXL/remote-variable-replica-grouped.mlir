// remote_variable_replica_grouped: two replicas, each a group of its own with its
// own row of a remote buffer, and each adds 1.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK{LITERAL}: out : tensor<2x32xi32> = dense<[[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.remote_buffer @buffer : 1 x tensor<32xi32>
  pop.variable @remote_v : tensor<32xi32> = dense<0> : tensor<2x32xi32> {groups = #pop.replica_groups<stride = 1, size = 1>, buffer = @buffer, row = 0 : i64}
  pop.stream @out device_to_host : tensor<32xi32>
  func.func @main() {
    %v = pop.remote_load @buffer[0] : tensor<32xi32>
    %c1 = pop.constant dense<1> : tensor<i32>
    %0 = pop.add %v, %c1 : (tensor<32xi32>, tensor<i32>) -> tensor<32xi32>
    pop.remote_store %0, @buffer[0] : tensor<32xi32>
    %1 = pop.remote_load @buffer[0] : tensor<32xi32>
    pop.host_store %1, @out : tensor<32xi32>
    return
  }
}
