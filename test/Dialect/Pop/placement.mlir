// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --pop-verify-placement | FileCheck %s

module attributes {ipu.target = #ipu.target<"gc200", {ipus = 2 : i64}>} {
  // CHECK: pop.variable @w : tensor<4xf32> = dense<0.000000e+00> : tensor<4xf32> {pop.vgraph = 1 : i64}
  pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {pop.vgraph = 1 : i64}
  // CHECK: pop.remote_buffer @b : 2 x tensor<4xf32> {pop.vgraph = 1 : i64}
  pop.remote_buffer @b : 2 x tensor<4xf32> {pop.vgraph = 1 : i64}

  // CHECK: func.func private @update(%{{.*}}: !pop.ref<4xf32> {pop.vgraph = 1 : i64}, %{{.*}}: tensor<4xf32> {pop.phase = -1 : i64, pop.stage = 2 : i64, pop.tile_set = #pop<tile_set io>})
  func.func private @update(%w: !pop.ref<4xf32> {pop.vgraph = 1 : i64}, %x: tensor<4xf32> {pop.phase = -1 : i64, pop.stage = 2 : i64, pop.tile_set = #pop<tile_set io>}) {
    // CHECK: pop.add_ {{.*}} {pop.execution_context = #pop<execution_context subgraph>, pop.tile_set = #pop<tile_set io>, pop.vgraph = 1 : i64}
    pop.add_ %w, %x {pop.vgraph = 1 : i64, pop.tile_set = #pop<tile_set io>, pop.execution_context = #pop<execution_context subgraph>} : !pop.ref<4xf32>, tensor<4xf32>
    return
  }

  // Tensors may cross virtual graphs.
  func.func @main(%x: tensor<4xf32> {pop.name = "x", pop.vgraph = 0 : i64}) {
    // CHECK: pop.exp {{.*}} {pop.batch_phase = -1 : i64, pop.phase = 0 : i64, pop.recompute = #pop<recompute checkpoint>, pop.stage = 0 : i64, pop.vgraph = 0 : i64}
    %0 = pop.exp %x {pop.vgraph = 0 : i64, pop.stage = 0 : i64, pop.phase = 0 : i64, pop.batch_phase = -1 : i64, pop.recompute = #pop<recompute checkpoint>} : tensor<4xf32>
    // CHECK: pop.exp {{.*}} {pop.execution_context = #pop<execution_context accumulate_outer>, pop.stage = 1 : i64, pop.vgraph = 1 : i64}
    %1 = pop.exp %0 {pop.vgraph = 1 : i64, pop.stage = 1 : i64, pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<4xf32>
    %w = pop.get_variable @w : !pop.ref<4xf32>
    func.call @update(%w, %1) {pop.vgraph = 1 : i64} : (!pop.ref<4xf32>, tensor<4xf32>) -> ()
    pop.remote_store %1, @b[0] {pop.vgraph = 1 : i64} : tensor<4xf32>
    // Several stages may be on one virtual graph.
    %2 = pop.remote_load @b[0] {pop.vgraph = 1 : i64, pop.stage = 3 : i64} : tensor<4xf32>
    return
  }
}
