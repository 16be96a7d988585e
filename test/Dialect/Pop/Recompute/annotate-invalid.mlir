// RUN: split-file %s %t
// RUN: ipu-opt %t/budget.mlir --pop-annotate-recompute='method=budget budget=20' --verify-diagnostics
// RUN: ipu-opt %t/losses.mlir --pop-annotate-recompute=method=pipeline --split-input-file --verify-diagnostics
// RUN: not ipu-opt %t/budget.mlir --pop-annotate-recompute=method=pipeline 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not ipu-opt %t/budget.mlir --pop-annotate-recompute=method=budget 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not ipu-opt %t/budget.mlir --pop-annotate-recompute=budget=20 2>&1 | FileCheck %s --check-prefix=UNUSED

// STAGES: error: 'func.func' op has no op with attribute 'pop.stage', but method 'pipeline' recomputes the stages of a pipeline
// MISSING: error: 'pop-annotate-recompute' expects option 'budget' to be at least 1 with method 'budget' but got 0
// UNUSED: error: 'pop-annotate-recompute' expects option 'budget' only with method 'budget'

//--- budget.mlir

// expected-error @below {{'func.func' op has at least 48 live bytes with each recomputation that was found; expects a budget of at least this number but got 20}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<f32>
  %scale = pop.loss_scale %one : tensor<f32>
  %1 = pop.mul %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}

//--- losses.mlir

// Two losses in different stages.

func.func @two_losses(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
  %1 = pop.sin %0 {pop.stage = 1 : i64} : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  // expected-note @below {{the other one is here}}
  %s0 = pop.loss_scale %one {pop.stage = 2 : i64} : tensor<4xf32>
  // expected-error @below {{'pop.loss_scale' op is in another pipeline stage than another 'pop.loss_scale'; expects all losses of a pipeline in one stage}}
  %s1 = pop.loss_scale %one {pop.stage = 3 : i64} : tensor<4xf32>
  %2 = pop.mul %s0, %1 {pop.stage = 2 : i64} : tensor<4xf32>
  %3 = pop.mul %s1, %0 {pop.stage = 3 : i64} : tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The last stage has no input and no checkpoint.

func.func @no_checkpoint() -> tensor<4xf32> {
  %c = pop.constant dense<1.0> : tensor<4xf32>
  %0 = pop.exp %c {pop.stage = 0 : i64} : tensor<4xf32>
  // expected-error @below {{'pop.sin' op is in the last stage of the forward pass, but no value is kept from which the stage can be recomputed; expects an input of the stage, or an op with 'pop.recompute = #pop<recompute checkpoint>'}}
  %1 = pop.sin %0 {pop.stage = 0 : i64} : tensor<4xf32>
  %scale = pop.loss_scale %c {pop.stage = 1 : i64} : tensor<4xf32>
  %2 = pop.mul %scale, %1 {pop.stage = 1 : i64} : tensor<4xf32>
  return %2 : tensor<4xf32>
}
