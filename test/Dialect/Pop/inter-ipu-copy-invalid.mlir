// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-inter-ipu-copy

// A variable that is updated on two IPUs.

pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
func.func @twice(%x: tensor<4xf32>) {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  // expected-note @below {{the operand is placed here}}
  pop.add_ %w, %x {pop.vgraph = 0 : i64} : !pop.ref<4xf32>, tensor<4xf32>
  // expected-error @below {{'pop.add_' op reads operand #0 on virtual graph 1, but the operand is on virtual graph 0; a ref cannot be copied: read or update it on virtual graph 0, from where tensors are copied}}
  pop.add_ %w, %x {pop.vgraph = 1 : i64} : !pop.ref<4xf32>, tensor<4xf32>
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

// A ref that a call passes to a function on another IPU.

// expected-note @below {{the operand is placed here}}
pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {pop.vgraph = 2 : i64}
func.func private @read(%r: !pop.ref<4xf32>) -> tensor<4xf32> {
  %0 = pop.read %r {pop.vgraph = 1 : i64} : !pop.ref<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main() -> tensor<4xf32> {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  // expected-error @below {{'func.call' op reads operand #0 on virtual graph 1, but the operand is on virtual graph 2; a ref cannot be copied: read or update it on virtual graph 2, from where tensors are copied}}
  %0 = call @read(%w) : (!pop.ref<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A copy from an IPU where the value is not.

func.func @source(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{the operand is placed here}}
  %0 = pop.exp %x {pop.vgraph = 1 : i64} : tensor<4xf32>
  // expected-error @below {{'pop.ipu_copy' op reads operand #0 on virtual graph 0, but the operand is on virtual graph 1; copy it from there}}
  %1 = pop.ipu_copy %0 from 0 to 2 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A call on another IPU than an argument of its callee.

// expected-note @below {{the argument is placed here}}
func.func private @placed(%x: tensor<4xf32> {pop.vgraph = 1 : i64}) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  // expected-error @below {{'func.call' op is on virtual graph 0, but argument #0 of @placed is on virtual graph 1; remove the virtual graph of the call}}
  %0 = call @placed(%x) {pop.vgraph = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
