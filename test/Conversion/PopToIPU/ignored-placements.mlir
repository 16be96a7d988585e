// The lowering warns once of placements that it ignores.
//
// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-to-ipu-pipeline -o /dev/null

// expected-warning @below {{the lowering ignores 'pop.phase', 'pop.recompute', 'pop.stage', 'pop.execution_context': ops are executed in the order of the program}}
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 2 : i64}>} {
  // expected-note @below {{this 'func.func' is the first op with 'pop.phase'}}
  func.func @main(%x: tensor<4xf32> {pop.phase = 0 : i64}) -> tensor<4xf32> {
    // expected-note @below {{this 'pop.exp' is the first op with 'pop.stage'}}
    // expected-note @below {{this 'pop.exp' is the first op with 'pop.recompute'}}
    %0 = pop.exp %x {pop.vgraph = 0 : i64, pop.phase = 1 : i64, pop.stage = 0 : i64, pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
    // expected-note @below {{this 'pop.sin' is the first op with 'pop.execution_context'}}
    %1 = pop.sin %0 {pop.vgraph = 0 : i64, pop.phase = 0 : i64, pop.stage = 0 : i64, pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<4xf32>
    %2 = pop.ipu_copy %1 from 0 to 1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}

// -----

// These ask for nothing else than what happens: ops are in the order of their phases.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = pop.exp %x {pop.vgraph = 0 : i64, pop.phase = 0 : i64, pop.batch_phase = 1 : i64, pop.recompute = #pop<recompute checkpoint>, pop.execution_context = #pop<execution_context normal>} : tensor<4xf32>
    %1 = pop.exp %0 {pop.vgraph = 0 : i64, pop.phase = 1 : i64} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
