// What each of four replicas in two groups starts with: variables on the chip and in
// remote memory, whole and distributed over the group. What the host reads back is
// tested by PopXLSessionTest.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK{LITERAL}: out_chip : tensor<4x3xf32> = dense<[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [-4.0, 5.0, 6.5], [-4.0, 5.0, 6.5]]>
// CHECK-NEXT{LITERAL}: out_chip_rts : tensor<4x2xf32> = dense<[[11.0, 12.0], [13.0, 0.0], [6.0, 15.0], [16.5, 0.0]]>
// CHECK-NEXT{LITERAL}: out_remote : tensor<4x3xf32> = dense<[[21.0, 22.0, 23.0], [21.0, 22.0, 23.0], [16.0, 25.0, 26.5], [16.0, 25.0, 26.5]]>
// CHECK-NEXT{LITERAL}: out_remote_rts : tensor<4x2xf32> = dense<[[31.0, 32.0], [33.0, 0.0], [26.0, 35.0], [36.5, 0.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  pop.variable @chip : tensor<3xf32> = dense<[[1.0, 2.0, 3.0], [-4.0, 5.0, 6.5]]> : tensor<2x3xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
  pop.variable @chip_rts : tensor<3xf32> = dense<[[11.0, 12.0, 13.0], [6.0, 15.0, 16.5]]> : tensor<2x3xf32> {groups = #pop.replica_groups<stride = 1, size = 2>, sharding = #pop.replica_groups<stride = 1, size = 2>, retrieval = #pop<retrieval all_replicas>}
  pop.remote_buffer @buffer2 : 2 x tensor<3xf32>
  pop.variable @remote : tensor<3xf32> = dense<[[21.0, 22.0, 23.0], [16.0, 25.0, 26.5]]> : tensor<2x3xf32> {groups = #pop.replica_groups<stride = 1, size = 2>, buffer = @buffer2, row = 1 : i64}
  pop.remote_buffer @buffer3 : 2 x tensor<2xf32>
  pop.variable @remote_rts : tensor<3xf32> = dense<[[31.0, 32.0, 33.0], [26.0, 35.0, 36.5]]> : tensor<2x3xf32> {groups = #pop.replica_groups<stride = 1, size = 2>, sharding = #pop.replica_groups<stride = 1, size = 2>, buffer = @buffer3, row = 1 : i64, retrieval = #pop<retrieval all_replicas>}
  pop.stream @out_chip device_to_host : tensor<3xf32>
  pop.stream @out_chip_rts device_to_host : tensor<2xf32>
  pop.stream @out_remote device_to_host : tensor<3xf32>
  pop.stream @out_remote_rts device_to_host : tensor<2xf32>
  func.func @main() {
    %r0 = pop.get_variable @chip : !pop.ref<3xf32>
    %t0 = pop.read %r0 : !pop.ref<3xf32>
    pop.host_store %t0, @out_chip : tensor<3xf32>
    %r1 = pop.get_variable @chip_rts : !pop.ref<2xf32>
    %t1 = pop.read %r1 : !pop.ref<2xf32>
    pop.host_store %t1, @out_chip_rts : tensor<2xf32>
    %t2 = pop.remote_load @buffer2[1] : tensor<3xf32>
    pop.host_store %t2, @out_remote : tensor<3xf32>
    %t3 = pop.remote_load @buffer3[1] : tensor<2xf32>
    pop.host_store %t3, @out_remote_rts : tensor<2xf32>
    return
  }
}
