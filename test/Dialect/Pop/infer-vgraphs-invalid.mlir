// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-infer-vgraphs

// The op between has no virtual graph of its own.

func.func @between(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{the operand is placed here}}
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.reshape %0 : tensor<4xf32> to tensor<2x2xf32>
  // expected-error @below {{'pop.exp' op reads operand #0 on virtual graph 1, but the operand is on virtual graph 0; insert 'pop.ipu_copy'}}
  %2 = pop.exp %1 {pop.vgraph = 1 : i64} : tensor<2x2xf32>
  return %x : tensor<4xf32>
}

// -----

// A variable that is updated on two IPUs.

pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
func.func @twice(%x: tensor<4xf32>) {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  // expected-note @below {{the operand is placed here}}
  pop.add_ %w, %x {pop.vgraph = 0 : i64} : !pop.ref<4xf32>, tensor<4xf32>
  %y = pop.ipu_copy %x from 0 to 1 : tensor<4xf32>
  // expected-error @below {{'pop.add_' op reads operand #0 on virtual graph 1, but the operand is on virtual graph 0; insert 'pop.ipu_copy'}}
  pop.add_ %w, %y {pop.vgraph = 1 : i64} : !pop.ref<4xf32>, tensor<4xf32>
  return
}

// -----

// expected-note @below {{the variable is placed here}}
pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {pop.vgraph = 2 : i64}
func.func @elsewhere() {
  // expected-error @below {{'pop.get_variable' op is on virtual graph 1, but @w is on virtual graph 2; read it there, and insert 'pop.ipu_copy'}}
  %w = pop.get_variable @w {pop.vgraph = 1 : i64} : !pop.ref<4xf32>
  %0 = pop.read %w {pop.vgraph = 1 : i64} : !pop.ref<4xf32>
  return
}

// -----

func.func @argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.exp' op reads operand #0 on virtual graph 1, but the operand is on virtual graph 0; insert 'pop.ipu_copy'}}
  %0 = pop.exp %x {pop.vgraph = 1 : i64} : tensor<4xf32>
  // expected-note @below {{the operand is placed here}}
  %1 = pop.ipu_copy %x from 0 to 1 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
