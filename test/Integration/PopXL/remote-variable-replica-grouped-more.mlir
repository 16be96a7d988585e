// More programs like that of remote-variable-replica-grouped.mlir.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK{LITERAL}: out : tensor<2x32xi32> = dense<[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32], [33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.remote_buffer @buffer : 1 x tensor<32xi32>
  pop.variable @remote_v : tensor<32xi32> = dense<[
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
    [32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]]> : tensor<2x32xi32> {groups = #pop.replica_groups<stride = 1, size = 1>, buffer = @buffer, row = 0 : i64}
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
