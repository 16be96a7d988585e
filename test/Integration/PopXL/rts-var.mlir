// rts_var: the same as in remote-rts-var.mlir, with the parts on the chip.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK{LITERAL}: shard : tensor<2x1xf32> = dense<[[4.0], [6.0]]>
// CHECK-NEXT{LITERAL}: out : tensor<2x2xf32> = dense<[[4.0, 6.0], [4.0, 6.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.variable @rts_var : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.stream @shard device_to_host : tensor<1xf32>
  pop.stream @out device_to_host : tensor<2xf32>
  func.func @main() {
    %r = pop.get_variable @rts_var : !pop.ref<1xf32>
    %shard = pop.read %r : !pop.ref<1xf32>
    %x = pop.all_gather %shard : tensor<1xf32> to tensor<2xf32>
    %c = pop.constant dense<[3.0, 4.0]> : tensor<2xf32>
    %y = pop.add %x, %c : tensor<2xf32>
    %new = pop.replica_slice %y : tensor<2xf32> to tensor<1xf32>
    pop.copy_ %r, %new : !pop.ref<1xf32>, tensor<1xf32>
    %again = pop.read %r : !pop.ref<1xf32>
    pop.host_store %again, @shard : tensor<1xf32>
    %all = pop.all_gather %again : tensor<1xf32> to tensor<2xf32>
    pop.expect_eq %all, dense<[4.0, 6.0]> : tensor<2xf32>
    pop.host_store %all, @out : tensor<2xf32>
    return
  }
}
