// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-infer-stages

func.func @back(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.vgraph = 1 : i64} : tensor<4xf32>
  // expected-note @below {{the result is defined here}}
  %1 = pop.ipu_copy %0 from 1 to 0 : tensor<4xf32>
  // expected-error @below {{'pop.log' op is on virtual graph 0 and so in stage 0, but reads a result of stage 1; place it on virtual graph 1 or a later one, or state 'pop.stage' of all ops}}
  %2 = pop.log %1 {pop.vgraph = 0 : i64} : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

func.func @some(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.exp' op expects attribute 'pop.stage', because another op has it; state the stages of all ops or of none}}
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  // expected-note @below {{this op is in a stage}}
  %1 = pop.log %0 {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @unplaced(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.exp' op expects attribute 'pop.vgraph', from which its stage follows; 'pop-auto-vgraph' and 'pop-place-graphs' place programs}}
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
