// More programs like that of repeat-graph-1.mlir.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// CHECK{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[-11.25, -2.875], [4.625, -21.875]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @x : tensor<2x2xf32> = dense<[[1.0, -2.0], [0.5, 8.0]]> : tensor<2x2xf32>
  pop.variable @W : tensor<2x2xf32> = dense<[[0.5, -1.0], [2.0, 0.25]]> : tensor<2x2xf32>
  pop.variable @b : tensor<2xf32> = dense<[1.0, -4.0]> : tensor<2xf32>
  pop.stream @output_stream device_to_host : tensor<2x2xf32>
  func.func private @linear(%x: tensor<2x2xf32>, %rW: !pop.ref<2x2xf32>, %rb: !pop.ref<2xf32>) -> tensor<2x2xf32> {
    %W = pop.read %rW : !pop.ref<2x2xf32>
    %b = pop.read %rb : !pop.ref<2xf32>
    %0 = pop.matmul %x, %W : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = pop.add %0, %b : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  }
  func.func @main() {
    %rx = pop.get_variable @x : !pop.ref<2x2xf32>
    %W = pop.get_variable @W : !pop.ref<2x2xf32>
    %b = pop.get_variable @b : !pop.ref<2xf32>
    %x = pop.read %rx : !pop.ref<2x2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %o = scf.for %i = %c0 to %c2 step %c1 iter_args(%y = %x) -> (tensor<2x2xf32>) {
      %0 = func.call @linear(%y, %W, %b) : (tensor<2x2xf32>, !pop.ref<2x2xf32>, !pop.ref<2xf32>) -> tensor<2x2xf32>
      scf.yield %0 : tensor<2x2xf32>
    }
    pop.host_store %o, @output_stream : tensor<2x2xf32>
    return
  }
}
