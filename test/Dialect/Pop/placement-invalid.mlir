// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'func.func' op expects attribute 'pop.vgraph' only on an op other than a module, function or terminator}}
func.func @function() attributes {pop.vgraph = 0 : i64} {
  return
}

// -----

// expected-error@+1 {{'builtin.module' op expects attribute 'pop.stage' only on an op other than a module, function or terminator}}
module attributes {pop.stage = 0 : i64} {}

// -----

func.func @terminator() {
  // expected-error@+1 {{'func.return' op expects attribute 'pop.recompute' only on an op other than a module, function or terminator}}
  return {pop.recompute = #pop<recompute recompute>}
}

// -----

func.func @negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{'pop.exp' op expects attribute 'pop.vgraph' to be an i64 of at least 0 but got -1 : i64}}
  %0 = pop.exp %x {pop.vgraph = -1 : i64} : tensor<4xf32>
  return
}

// -----

func.func @width(%x: tensor<4xf32>) {
  // expected-error@+1 {{'pop.exp' op expects attribute 'pop.stage' to be an i64 of at least 0 but got 1 : i32}}
  %0 = pop.exp %x {pop.stage = 1 : i32} : tensor<4xf32>
  return
}

// -----

func.func @phase(%x: tensor<4xf32>) {
  // expected-error@+1 {{'pop.exp' op expects attribute 'pop.phase' to be an i64 of at least -1 but got -2 : i64}}
  %0 = pop.exp %x {pop.phase = -2 : i64} : tensor<4xf32>
  return
}

// -----

func.func @batch_phase(%x: tensor<4xf32>) {
  // expected-error@+1 {{'pop.exp' op expects attribute 'pop.batch_phase' to be an i64 of at least -1 but got "a"}}
  %0 = pop.exp %x {pop.batch_phase = "a"} : tensor<4xf32>
  return
}

// -----

func.func @recompute(%x: tensor<4xf32>) {
  // expected-error@+1 {{'pop.exp' op expects attribute 'pop.recompute' to be a '#pop<recompute ...>' but got #pop<tile_set io>}}
  %0 = pop.exp %x {pop.recompute = #pop<tile_set io>} : tensor<4xf32>
  return
}

// -----

func.func @context(%x: tensor<4xf32>) {
  // expected-error@+1 {{'pop.exp' op expects attribute 'pop.execution_context' to be a '#pop<execution_context ...>' but got 1 : i64}}
  %0 = pop.exp %x {pop.execution_context = 1 : i64} : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{'func.func' op expects argument attribute 'pop.vgraph' to be an i64 of at least 0 but got "0"}}
func.func @argument(%x: tensor<4xf32> {pop.vgraph = "0"}) {
  return
}

// -----

// Arguments are not executed.
// expected-error@+1 {{'func.func' op has unknown argument attribute 'pop.recompute' of dialect 'pop'}}
func.func @argument_recompute(%x: tensor<4xf32> {pop.recompute = #pop<recompute recompute>}) {
  return
}

// -----

func.func @role(%x: tensor<4xf32>) {
  // expected-error@+1 {{'pop.exp' op expects attribute 'pop.training_role' to be "backward", "recomputed" or "update" but got "forward"}}
  %0 = pop.exp %x {pop.training_role = "forward"} : tensor<4xf32>
  return
}
