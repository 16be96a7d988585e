// More programs like that of call-with-info.mlir.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// Two variables and two slices of a third one, all by the same graph.
// CHECK{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[-0.5, -1.0], [3.0, 3.5]]>
// CHECK-NEXT{LITERAL}: blocks : tensor<4x4xf32> = dense<[[0.0, 0.75, 2.0, 3.0], [4.0, 4.25, 6.0, 7.0], [8.0, 9.0, 10.5, 11.0], [12.0, 13.0, 13.5, 15.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @x : tensor<2x2xf32> = dense<[[-1.0, -2.0], [2.0, 3.0]]> : tensor<2x2xf32>
  pop.variable @y : tensor<4x4xf32> = dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0]]> : tensor<4x4xf32>
  pop.stream @output_stream device_to_host : tensor<2x2xf32>
  pop.stream @blocks device_to_host : tensor<4x4xf32>
  func.func private @increment(%x: !pop.ref<2x2xf32>, %value: tensor<2x2xf32>) {
    pop.add_ %x, %value : !pop.ref<2x2xf32>, tensor<2x2xf32>
    return
  }
  func.func private @move(%x: !pop.ref<2x1xf32>, %value: tensor<2x1xf32>) {
    pop.add_ %x, %value : !pop.ref<2x1xf32>, tensor<2x1xf32>
    return
  }
  func.func @main() {
    %x = pop.get_variable @x : !pop.ref<2x2xf32>
    %y = pop.get_variable @y : !pop.ref<4x4xf32>
    %value = pop.constant dense<[[0.5, 1.0], [1.0, 0.5]]> : tensor<2x2xf32>
    func.call @increment(%x, %value) : (!pop.ref<2x2xf32>, tensor<2x2xf32>) -> ()
    // The column [1, 5] and the one below, [10, 14].
    %a = pop.ref_slice %y {starts = array<i64: 0, 1>, sizes = array<i64: 2, 1>, steps = array<i64: 1, 1>} : !pop.ref<4x4xf32> -> !pop.ref<2x1xf32>
    %b = pop.ref_slice %y {starts = array<i64: 2, 2>, sizes = array<i64: 2, 1>, steps = array<i64: 1, 1>} : !pop.ref<4x4xf32> -> !pop.ref<2x1xf32>
    %va = pop.constant dense<[[-0.25], [-0.75]]> : tensor<2x1xf32>
    %vb = pop.constant dense<[[0.5], [-0.5]]> : tensor<2x1xf32>
    func.call @move(%a, %va) : (!pop.ref<2x1xf32>, tensor<2x1xf32>) -> ()
    func.call @move(%b, %vb) : (!pop.ref<2x1xf32>, tensor<2x1xf32>) -> ()
    %0 = pop.read %x : !pop.ref<2x2xf32>
    %1 = pop.read %y : !pop.ref<4x4xf32>
    pop.host_store %0, @output_stream : tensor<2x2xf32>
    pop.host_store %1, @blocks : tensor<4x4xf32>
    return
  }
}
