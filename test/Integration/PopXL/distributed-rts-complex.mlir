// distributed_rts_complex: 16 replicas in four groups of four, {0, 4, 8, 12} and so on;
// each group's variable is distributed over pairs of its replicas: {0, 4} and
// {8, 12}, and so on.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK{LITERAL}: shard : tensor<16x2xf32> = dense<[[2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]>
// CHECK-NEXT{LITERAL}: out : tensor<16x4xf32> = dense<[[2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 16 : i64}>} {
  pop.variable @v : tensor<4xf32> = dense<1.0> : tensor<4x4xf32> {groups = #pop.replica_groups<stride = 4, size = 4>, sharding = #pop.replica_groups<stride = 4, size = 2>}
  pop.stream @shard device_to_host : tensor<2xf32>
  pop.stream @out device_to_host : tensor<4xf32>
  func.func @main() {
    %r = pop.get_variable @v : !pop.ref<2xf32>
    %0 = pop.read %r : !pop.ref<2xf32>
    %full = pop.all_gather %0 {groups = #pop.replica_groups<stride = 4, size = 2>} : tensor<2xf32> to tensor<4xf32>
    %c = pop.constant dense<1.0> : tensor<4xf32>
    %1 = pop.add %full, %c : tensor<4xf32>
    %2 = pop.replica_slice %1 {groups = #pop.replica_groups<stride = 4, size = 2>} : tensor<4xf32> to tensor<2xf32>
    pop.copy_ %r, %2 : !pop.ref<2xf32>, tensor<2xf32>
    %3 = pop.read %r : !pop.ref<2xf32>
    pop.host_store %3, @shard : tensor<2xf32>
    %4 = pop.all_gather %3 {groups = #pop.replica_groups<stride = 4, size = 2>} : tensor<2xf32> to tensor<4xf32>
    pop.host_store %4, @out : tensor<4xf32>
    return
  }
}
