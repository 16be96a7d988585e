// More programs like that of distributed-rts-complex.mlir.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK{LITERAL}: shard : tensor<16x2xf32> = dense<[[2.0, 0.0], [12.0, 10.0], [22.0, 20.0], [32.0, 30.0], [3.5, 8.0], [13.5, 18.0], [23.5, 28.0], [33.5, 38.0], [2.0, 0.0], [12.0, 10.0], [22.0, 20.0], [32.0, 30.0], [3.5, 8.0], [13.5, 18.0], [23.5, 28.0], [33.5, 38.0]]>
// CHECK-NEXT{LITERAL}: out : tensor<16x4xf32> = dense<[[2.0, 0.0, 3.5, 8.0], [12.0, 10.0, 13.5, 18.0], [22.0, 20.0, 23.5, 28.0], [32.0, 30.0, 33.5, 38.0], [2.0, 0.0, 3.5, 8.0], [12.0, 10.0, 13.5, 18.0], [22.0, 20.0, 23.5, 28.0], [32.0, 30.0, 33.5, 38.0], [2.0, 0.0, 3.5, 8.0], [12.0, 10.0, 13.5, 18.0], [22.0, 20.0, 23.5, 28.0], [32.0, 30.0, 33.5, 38.0], [2.0, 0.0, 3.5, 8.0], [12.0, 10.0, 13.5, 18.0], [22.0, 20.0, 23.5, 28.0], [32.0, 30.0, 33.5, 38.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 16 : i64}>} {
  pop.variable @v : tensor<4xf32> = dense<[[1.0, 2.0, 3.0, 4.0], [11.0, 12.0, 13.0, 14.0], [21.0, 22.0, 23.0, 24.0], [31.0, 32.0, 33.0, 34.0]]> : tensor<4x4xf32> {groups = #pop.replica_groups<stride = 4, size = 4>, sharding = #pop.replica_groups<stride = 4, size = 2>}
  pop.stream @shard device_to_host : tensor<2xf32>
  pop.stream @out device_to_host : tensor<4xf32>
  func.func @main() {
    %r = pop.get_variable @v : !pop.ref<2xf32>
    %0 = pop.read %r : !pop.ref<2xf32>
    %full = pop.all_gather %0 {groups = #pop.replica_groups<stride = 4, size = 2>} : tensor<2xf32> to tensor<4xf32>
    %c = pop.constant dense<[1.0, -2.0, 0.5, 4.0]> : tensor<4xf32>
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
