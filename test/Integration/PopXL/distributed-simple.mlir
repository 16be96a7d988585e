// distributed_simple_example: as many groups as replicas, each adds 1 to its own.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK{LITERAL}: out : tensor<4x2xf32> = dense<[[2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<4x2xf32> {groups = #pop.replica_groups<stride = 1, size = 1>}
  pop.stream @out device_to_host : tensor<2xf32>
  func.func @main() {
    %v = pop.get_variable @v : !pop.ref<2xf32>
    %c1 = pop.constant dense<1.0> : tensor<f32>
    pop.add_ %v, %c1 : !pop.ref<2xf32>, tensor<f32>
    %0 = pop.read %v : !pop.ref<2xf32>
    pop.host_store %0, @out : tensor<2xf32>
    return
  }
}
