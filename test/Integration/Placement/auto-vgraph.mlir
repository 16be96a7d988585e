// A program that passes place gives the bits of the program on one IPU, also in training.
// Links of the target are fast, so that a small program is worth a split.
//
// DEFINE: %{copies} = pop-inter-ipu-copy,pop-merge-copies,pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp"}
// DEFINE: %{checked} = pop-inter-ipu-copy,pop-merge-copies,pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp check}
// DEFINE: %{train} = pop-graph-pipeline{train=main loss=loss weights=u,v optimizer={#pop.optimizer<adam, lr = 0.01>} batches-per-step=3
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-choose-accumulation,pop-auto-vgraph,%{copies})' -o /dev/null > %t.balanced
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-auto-vgraph{method=segments},%{checked})' -o /dev/null > %t.segments
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp"})' -o /dev/null > %t.plain
// RUN: diff %t.balanced %t.plain
// RUN: diff %t.segments %t.plain
// RUN: ipu-opt %s --pop-choose-accumulation --pop-auto-vgraph | grep -c 'vgraph = 1'
//
// RUN: ipu-opt %s --pass-pipeline='builtin.module(%{train} place-layers},%{checked})' -o /dev/null > %t.trained
// RUN: ipu-opt %s --pass-pipeline='builtin.module(%{train}},pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp"})' -o /dev/null > %t.trained.plain
// RUN: diff %t.trained %t.trained.plain
// RUN: ipu-opt %s --pass-pipeline='builtin.module(%{train} place-layers})' | grep -c 'vgraph = 1'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 2 : i64, link_latency_ns = 0 : i64, sync_ipus_cycles = 0 : i64, rearrange_cycles = 0 : i64}>} {
  func.func private @layer(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %0 = pop.tanh %x : tensor<16x16xf32>
    %1 = pop.mul %0, %x : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
  func.func @main(%x: tensor<16x16xf32> {pop.name = "x"},
                  %u: tensor<16x16xf32> {pop.default = dense<0.125> : tensor<16x16xf32>, pop.name = "u"},
                  %v: tensor<16x16xf32> {pop.default = dense<0.25> : tensor<16x16xf32>, pop.name = "v"}) -> (tensor<f32> {pop.name = "loss"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t = pop.transpose %u {permutation = array<i64: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
    %0 = pop.matmul %x, %t : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %1 = func.call @layer(%0) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %1) -> tensor<16x16xf32> {
      %3 = pop.matmul %a, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %4 = func.call @layer(%3) : (tensor<16x16xf32>) -> tensor<16x16xf32>
      scf.yield %4 : tensor<16x16xf32>
    }
    %5 = pop.matmul %2, %u : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %6 = pop.reduce mean %5 {axes = array<i64: 0, 1>} : tensor<16x16xf32> -> tensor<f32>
    return %6 : tensor<f32>
  }
}
