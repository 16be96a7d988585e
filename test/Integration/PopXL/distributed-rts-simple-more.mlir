// More programs like that of distributed-rts-simple.mlir.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK{LITERAL}: out : tensor<2x2xf32> = dense<[[2.0, 2.0], [2.0, 2.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.variable @w : tensor<2xf32> = dense<[1.0, -4.0]> : tensor<2xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.stream @out device_to_host : tensor<2xf32>
  func.func @main() {
    %shard = pop.get_variable @w : !pop.ref<1xf32>
    %0 = pop.read %shard : !pop.ref<1xf32>
    %full = pop.all_gather %0 : tensor<1xf32> to tensor<2xf32>
    // What a forward pass would use.
    pop.expect_eq %full, dense<[1.0, -4.0]> : tensor<2xf32>
    %grad = pop.constant dense<[0.5, 3.0]> : tensor<2xf32>
    %part = pop.reduce_scatter add %grad : tensor<2xf32> to tensor<1xf32>
    pop.add_ %shard, %part : !pop.ref<1xf32>, tensor<1xf32>
    %1 = pop.read %shard : !pop.ref<1xf32>
    %new = pop.all_gather %1 : tensor<1xf32> to tensor<2xf32>
    pop.host_store %new, @out : tensor<2xf32>
    return
  }
}

// -----

// CHECK{LITERAL}: out : tensor<2x2xf32> = dense<[[2.0, 2.0], [2.0, 2.0]]>
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
    %part = pop.reduce_scatter mean %grad : tensor<2xf32> to tensor<1xf32>
    pop.add_ %shard, %part : !pop.ref<1xf32>, tensor<1xf32>
    %1 = pop.read %shard : !pop.ref<1xf32>
    %new = pop.all_gather %1 : tensor<1xf32> to tensor<2xf32>
    pop.host_store %new, @out : tensor<2xf32>
    return
  }
}

// -----

// CHECK{LITERAL}: out : tensor<2x2xf32> = dense<[[1.5, -1.0], [1.5, -1.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.variable @w : tensor<2xf32> = dense<[1.0, -4.0]> : tensor<2xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.stream @out device_to_host : tensor<2xf32>
  func.func @main() {
    %shard = pop.get_variable @w : !pop.ref<1xf32>
    %0 = pop.read %shard : !pop.ref<1xf32>
    %full = pop.all_gather %0 : tensor<1xf32> to tensor<2xf32>
    // What a forward pass would use.
    pop.expect_eq %full, dense<[1.0, -4.0]> : tensor<2xf32>
    %grad = pop.constant dense<[0.5, 3.0]> : tensor<2xf32>
    %part = pop.reduce_scatter mean %grad : tensor<2xf32> to tensor<1xf32>
    pop.add_ %shard, %part : !pop.ref<1xf32>, tensor<1xf32>
    %1 = pop.read %shard : !pop.ref<1xf32>
    %new = pop.all_gather %1 : tensor<1xf32> to tensor<2xf32>
    pop.host_store %new, @out : tensor<2xf32>
    return
  }
}

// -----

// CHECK{LITERAL}: out : tensor<2x2xf32> = dense<[[2.0, 2.0], [2.0, 2.0]]>
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
    %part = pop.reduce_scatter local %grad : tensor<2xf32> to tensor<1xf32>
    pop.add_ %shard, %part : !pop.ref<1xf32>, tensor<1xf32>
    %1 = pop.read %shard : !pop.ref<1xf32>
    %new = pop.all_gather %1 : tensor<1xf32> to tensor<2xf32>
    pop.host_store %new, @out : tensor<2xf32>
    return
  }
}

// -----

// CHECK{LITERAL}: out : tensor<2x2xf32> = dense<[[1.5, -1.0], [1.5, -1.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.variable @w : tensor<2xf32> = dense<[1.0, -4.0]> : tensor<2xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.stream @out device_to_host : tensor<2xf32>
  func.func @main() {
    %shard = pop.get_variable @w : !pop.ref<1xf32>
    %0 = pop.read %shard : !pop.ref<1xf32>
    %full = pop.all_gather %0 : tensor<1xf32> to tensor<2xf32>
    // What a forward pass would use.
    pop.expect_eq %full, dense<[1.0, -4.0]> : tensor<2xf32>
    %grad = pop.constant dense<[0.5, 3.0]> : tensor<2xf32>
    %part = pop.reduce_scatter local %grad : tensor<2xf32> to tensor<1xf32>
    pop.add_ %shard, %part : !pop.ref<1xf32>, tensor<1xf32>
    %1 = pop.read %shard : !pop.ref<1xf32>
    %new = pop.all_gather %1 : tensor<1xf32> to tensor<2xf32>
    pop.host_store %new, @out : tensor<2xf32>
    return
  }
}
