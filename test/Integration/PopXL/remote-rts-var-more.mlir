// More programs like that of remote-rts-var.mlir.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// A part that is padded: replica 1 has one element and a zero.
// CHECK{LITERAL}: shard : tensor<2x2xf32> = dense<[[4.0, 2.0], [5.75, 0.0]]>
// CHECK-NEXT{LITERAL}: out : tensor<2x3xf32> = dense<[[4.0, 2.0, 5.75], [4.0, 2.0, 5.75]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.remote_buffer @buffer : 1 x tensor<2xf32>
  pop.variable @rts_var : tensor<3xf32> = dense<[1.0, -2.0, 0.5]> : tensor<3xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>, buffer = @buffer, row = 0 : i64}
  pop.stream @shard device_to_host : tensor<2xf32>
  pop.stream @out device_to_host : tensor<3xf32>
  func.func @main() {
    %shard = pop.remote_load @buffer[0] : tensor<2xf32>
    %x = pop.all_gather %shard : tensor<2xf32> to tensor<3xf32>
    %c = pop.constant dense<[3.0, 4.0, 5.25]> : tensor<3xf32>
    %y = pop.add %x, %c : tensor<3xf32>
    %new = pop.replica_slice %y : tensor<3xf32> to tensor<2xf32>
    pop.remote_store %new, @buffer[0] : tensor<2xf32>
    %again = pop.remote_load @buffer[0] : tensor<2xf32>
    pop.host_store %again, @shard : tensor<2xf32>
    %all = pop.all_gather %again : tensor<2xf32> to tensor<3xf32>
    pop.expect_eq %all, dense<[4.0, 2.0, 5.75]> : tensor<3xf32>
    pop.host_store %all, @out : tensor<3xf32>
    return
  }
}
