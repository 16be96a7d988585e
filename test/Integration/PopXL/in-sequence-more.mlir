// More programs like that of in-sequence.mlir.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// Reads before the region and in it: a value that was read stays as it was when
// the variable changes later.
// CHECK: before : tensor<3xf32> = dense<[1.0, 2.0, 3.0]>
// CHECK-NEXT: after : tensor<3xf32> = dense<[5.0, 6.0, 7.0]>
// CHECK-NEXT: both : tensor<3xf32> = dense<[6.0, 8.0, 10.0]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @x : tensor<3xf32> = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  pop.stream @before device_to_host : tensor<3xf32>
  pop.stream @after device_to_host : tensor<3xf32>
  pop.stream @both device_to_host : tensor<3xf32>
  func.func @main() {
    %x = pop.get_variable @x : !pop.ref<3xf32>
    %c = pop.constant dense<[5.0, 6.0, 7.0]> : tensor<3xf32>
    %0 = pop.read %x : !pop.ref<3xf32>
    pop.host_store %0, @before : tensor<3xf32>
    %2 = pop.in_sequence {
      pop.copy_ %x, %c : !pop.ref<3xf32>, tensor<3xf32>
      %1 = pop.read %x : !pop.ref<3xf32>
      pop.host_store %1, @after : tensor<3xf32>
      pop.yield %1 : tensor<3xf32>
    } : tensor<3xf32>
    pop.zero_ %x : !pop.ref<3xf32>
    %3 = pop.add %0, %2 : tensor<3xf32>
    pop.host_store %3, @both : tensor<3xf32>
    return
  }
}
