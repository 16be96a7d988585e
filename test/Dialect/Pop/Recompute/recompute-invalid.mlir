// RUN: ipu-opt %s --pop-recompute --split-input-file --verify-diagnostics
// RUN: ipu-opt %s --pop-annotate-recompute=method=all --pop-recompute --split-input-file --verify-diagnostics

// Marks that contradict what can be recomputed.

pop.stream @x host_to_device broadcast : tensor<4xf32>
func.func @effects() -> tensor<4xf32> {
  // expected-error @below {{'pop.host_load' op has attribute 'pop.recompute' with value 'recompute' but has effects that must not be repeated; expects 'checkpoint', which keeps its results, or no mark}}
  %0 = pop.host_load @x {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %1 = pop.mul %0, %scale : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @copy(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  // expected-error @below {{'pop.ipu_copy' op has attribute 'pop.recompute' with value 'recompute' but copies between IPUs or tile sets; expects 'checkpoint'}}
  %0 = pop.ipu_copy %x from 0 to 1 {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one {pop.vgraph = 1 : i64} : tensor<4xf32>
  %1 = pop.mul %0, %scale {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @collective(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.all_reduce' op has attribute 'pop.recompute' with value 'recompute' but communicates with other replicas; expects 'checkpoint'}}
  %0 = pop.all_reduce add %x {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %1 = pop.mul %0, %scale : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

pop.variable @w : tensor<4xf32> = dense<0.5> : tensor<4xf32>
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = pop.get_variable @w : !pop.ref<4xf32>
  %w = pop.read %r : !pop.ref<4xf32>
  %0 = pop.mul %x, %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @overwritten(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'func.call' op has attribute 'pop.recompute' with value 'recompute' but reads what a later op may write; expects 'checkpoint'}}
  %0 = call @f(%x) {pop.recompute = #pop<recompute recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %r = pop.get_variable @w : !pop.ref<4xf32>
  pop.copy_ %r, %0 : !pop.ref<4xf32>, tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %1 = pop.mul %0, %scale : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<stream>} {
  func.func @stream(%x: tensor<4xf16>) -> tensor<4xf16> {
    // expected-error @below {{'pop.exp' op has attribute 'pop.recompute' with value 'recompute' but draws random bits of the generator 'stream'; expects 'checkpoint'}}
    %0 = pop.exp %x {pop.recompute = #pop<recompute recompute>} : tensor<4xf16>
    %one = pop.constant dense<1.0> : tensor<4xf16>
    %scale = pop.loss_scale %one : tensor<4xf16>
    %1 = pop.mul %0, %scale : tensor<4xf16>
    return %1 : tensor<4xf16>
  }
}

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @unknown_advances(%x: tensor<4xf16>, %n: index) -> tensor<4xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{'pop.exp' op has attribute 'pop.recompute' with value 'recompute' but draws random bits after which the number of advances is not a constant; expects 'checkpoint'}}
    %0 = pop.exp %x {pop.recompute = #pop<recompute recompute>, pop.draw = #pop.draw<1>} : tensor<4xf16>
    scf.for %i = %c0 to %n step %c1 {
      pop.advance_draws
    }
    %one = pop.constant dense<1.0> : tensor<4xf16>
    %scale = pop.loss_scale %one : tensor<4xf16>
    %1 = pop.mul %0, %scale {pop.draw = #pop.draw<2>} : tensor<4xf16>
    pop.advance_draws
    return %1 : tensor<4xf16>
  }
}

// -----

func.func @recomputed(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.exp' op has attribute 'pop.recompute' with value 'recomputed' but is in the forward pass; expects 'recompute' or 'checkpoint'}}
  %0 = pop.exp %x {pop.recompute = #pop<recompute recomputed>} : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %1 = pop.mul %0, %scale : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @in_region(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{the op with the region is here}}
  %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%y = %x) -> (tensor<4xf32>) {
    // expected-error @below {{'pop.exp' op has attribute 'pop.recompute' with value 'recompute' but is in a region, which is recomputed as a whole; expects the mark at 'scf.for'}}
    %e = pop.exp %y {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %1 = pop.mul %0, %scale : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @no_backward_pass(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.exp' op has attribute 'pop.recompute' with value 'recompute' but its block has no backward pass, which starts with a 'pop.loss_scale' or an op with attribute 'pop.training_role'; run 'pop-autodiff', and inline its calls}}
  %0 = pop.exp %x {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @several_ipus(%x: tensor<4xf32>, %b: i1) -> tensor<4xf32> {
  // expected-error @below {{'scf.if' op has attribute 'pop.recompute' with value 'recompute' but has ops on different virtual graphs, or in different stages or phases; expects 'checkpoint'}}
  %0 = scf.if %b -> (tensor<4xf32>) {
    %e = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  } else {
    %s = pop.sin %x {pop.vgraph = 1 : i64} : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } {pop.recompute = #pop<recompute recompute>}
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %1 = pop.mul %0, %scale : tensor<4xf32>
  return %1 : tensor<4xf32>
}
