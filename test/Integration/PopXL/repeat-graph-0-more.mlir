// More programs like that of repeat-graph-0.mlir: five iterations, and none.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[6.0, 0.5], [-0.75, 23.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @x : tensor<2x2xf32> = dense<[[1.0, -2.0], [0.5, 8.0]]> : tensor<2x2xf32>
  pop.variable @value : tensor<2x2xf32> = dense<[[1.0, 0.5], [-0.25, 3.0]]> : tensor<2x2xf32>
  pop.stream @output_stream device_to_host : tensor<2x2xf32>
  func.func private @increment(%x: tensor<2x2xf32>, %value: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = pop.add %x, %value : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
  func.func @main() {
    %rx = pop.get_variable @x : !pop.ref<2x2xf32>
    %rv = pop.get_variable @value : !pop.ref<2x2xf32>
    %x = pop.read %rx : !pop.ref<2x2xf32>
    %value = pop.read %rv : !pop.ref<2x2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 5 : index
    %o = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<2x2xf32>) {
      %0 = func.call @increment(%y, %value) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      scf.yield %0 : tensor<2x2xf32>
    }
    pop.host_store %o, @output_stream : tensor<2x2xf32>
    return
  }
}

// -----

// CHECK{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[1.0, -2.0], [0.5, 8.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @x : tensor<2x2xf32> = dense<[[1.0, -2.0], [0.5, 8.0]]> : tensor<2x2xf32>
  pop.variable @value : tensor<2x2xf32> = dense<[[1.0, 0.5], [-0.25, 3.0]]> : tensor<2x2xf32>
  pop.stream @output_stream device_to_host : tensor<2x2xf32>
  func.func private @increment(%x: tensor<2x2xf32>, %value: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = pop.add %x, %value : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
  func.func @main() {
    %rx = pop.get_variable @x : !pop.ref<2x2xf32>
    %rv = pop.get_variable @value : !pop.ref<2x2xf32>
    %x = pop.read %rx : !pop.ref<2x2xf32>
    %value = pop.read %rv : !pop.ref<2x2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 0 : index
    %o = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<2x2xf32>) {
      %0 = func.call @increment(%y, %value) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      scf.yield %0 : tensor<2x2xf32>
    }
    pop.host_store %o, @output_stream : tensor<2x2xf32>
    return
  }
}
