// What fuzz-replica-equal runs on the device: an annotation that does not hold is an error.

// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-to-ipu-pipeline)' -o %t.mlir
// RUN: ipu-test-opt %t.mlir --test-replica-equal-runs -o /dev/null | FileCheck %s
// RUN: sed 's/replica_partition<none of 2>/replica_partition<all of 2>/' %t.mlir > %t.wrong.mlir
// RUN: not ipu-test-opt %t.wrong.mlir --test-replica-equal-runs -o /dev/null 2>&1 | FileCheck %s --check-prefix WRONG

// CHECK: program of 2 replicas
// CHECK-NEXT: ipu.host_load computed 3 0,1 0,1
// CHECK-NEXT: ipu.collective computed 3 0,0 0,0

// WRONG: error: 'ipu.host_load' op
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64, replicas = 2 : i64}>} {
  pop.stream @x host_to_device : tensor<4xf32>
  pop.stream @y device_to_host : tensor<4xf32>
  func.func @main() {
    %x = pop.host_load @x : tensor<4xf32>
    %y = pop.all_reduce add %x : tensor<4xf32>
    pop.host_store %y, @y : tensor<4xf32>
    return
  }
}
