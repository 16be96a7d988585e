// distributed_rts_simple and distributed_rts_simple_manual: a weight of two elements,
// one on each of two replicas, is gathered; a gradient that is the same on both is
// scattered and added. With R replicas, 1 + 1 is 1 + R where the gradient is summed
// (what the original does, whose text says 2), and 2 for its mean or a replica's own.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK{LITERAL}: out : tensor<2x2xf32> = dense<[[3.0, 3.0], [3.0, 3.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.stream @out device_to_host : tensor<2xf32>
  func.func @main() {
    %shard = pop.get_variable @w : !pop.ref<1xf32>
    %0 = pop.read %shard : !pop.ref<1xf32>
    %full = pop.all_gather %0 : tensor<1xf32> to tensor<2xf32>
    // What a forward pass would use.
    pop.expect_eq %full, dense<1.0> : tensor<2xf32>
    %grad = pop.constant dense<1.0> : tensor<2xf32>
    %part = pop.reduce_scatter add %grad : tensor<2xf32> to tensor<1xf32>
    pop.add_ %shard, %part : !pop.ref<1xf32>, tensor<1xf32>
    %1 = pop.read %shard : !pop.ref<1xf32>
    %new = pop.all_gather %1 : tensor<1xf32> to tensor<2xf32>
    pop.host_store %new, @out : tensor<2xf32>
    return
  }
}
