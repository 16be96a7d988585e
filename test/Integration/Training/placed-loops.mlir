// A loop on two IPUs is differentiated: the buffers of its values, and the rows of
// its iterations, are on the IPUs of the values. Losses and weights have the bits
// of the program without placement.
//
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{train=main loss=loss weights=w,u optimizer={#pop.optimizer<adam, lr = 0.1>} batches-per-step=3},pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp"})' -o /dev/null > %t.placed
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-remove-vgraphs,pop-graph-pipeline{train=main loss=loss weights=w,u optimizer={#pop.optimizer<adam, lr = 0.1>} batches-per-step=3},pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp"})' -o /dev/null > %t.unplaced
// RUN: diff %t.placed %t.unplaced
// RUN: FileCheck %s < %t.placed
// CHECK-DAG: loss : tensor<3xf32>
// CHECK-DAG: after_u : tensor<3x4x4xf32>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 2 : i64}>} {
  pop.variable @w : tensor<4x4xf32> = dense<0.125> : tensor<4x4xf32> {pop.vgraph = 0 : i64}
  pop.variable @u : tensor<4x4xf32> = dense<0.25> : tensor<4x4xf32> {pop.vgraph = 1 : i64}
  func.func @main(%x: tensor<4x4xf32> {pop.name = "x", pop.vgraph = 0 : i64})
      -> (tensor<f32> {pop.name = "loss", pop.anchor = #pop.anchor<all>}, tensor<4x4xf32> {pop.name = "after_u", pop.anchor = #pop.anchor<all>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %rw = pop.get_variable @w : !pop.ref<4x4xf32>
    %ru = pop.get_variable @u : !pop.ref<4x4xf32>
    %w = pop.read %rw {pop.vgraph = 0 : i64} : !pop.ref<4x4xf32>
    %u = pop.read %ru {pop.vgraph = 1 : i64} : !pop.ref<4x4xf32>
    %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4x4xf32>) {
      %1 = pop.matmul %a, %w {pop.vgraph = 0 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %2 = pop.tanh %1 {pop.vgraph = 0 : i64} : tensor<4x4xf32>
      %3 = pop.ipu_copy %2 from 0 to 1 : tensor<4x4xf32>
      %4 = pop.matmul %3, %u {pop.vgraph = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %5 = pop.sin %4 {pop.vgraph = 1 : i64} : tensor<4x4xf32>
      %6 = pop.ipu_copy %5 from 1 to 0 : tensor<4x4xf32>
      scf.yield %6 : tensor<4x4xf32>
    }
    %7 = pop.reduce sum %0 {axes = array<i64: 0, 1>, pop.vgraph = 0 : i64} : tensor<4x4xf32> -> tensor<f32>
    return %7, %u : tensor<f32>, tensor<4x4xf32>
  }
}
