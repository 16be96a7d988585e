// RUN: ipu-opt %s --pop-verify-placement --split-input-file --verify-diagnostics

func.func @main(%x: tensor<4xf32>) {
  // expected-note@+1 {{'pop.exp' op of the stage is on virtual graph 0}}
  %0 = pop.exp %x {pop.vgraph = 0 : i64, pop.stage = 1 : i64} : tensor<4xf32>
  // expected-error@+1 {{'pop.log' op of stage 1 is on virtual graph 1, but expects all ops of a stage on one virtual graph}}
  %1 = pop.log %0 {pop.vgraph = 1 : i64, pop.stage = 1 : i64} : tensor<4xf32>
  return
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {ipus = 2 : i64}>} {
  func.func @main(%x: tensor<4xf32>) {
    // expected-error@+1 {{'pop.exp' op is on virtual graph 2, but a replica of the target has 2 IPUs}}
    %0 = pop.exp %x {pop.vgraph = 2 : i64} : tensor<4xf32>
    return
  }
}

// -----

pop.remote_buffer @b : 2 x tensor<4xf32>
func.func @main() {
  // expected-note@+1 {{the remote buffer is placed here}}
  %0 = pop.remote_load @b[0] {pop.vgraph = 0 : i64} : tensor<4xf32>
  // expected-error@+1 {{'pop.remote_store' op is on virtual graph 1, but remote buffer b is on virtual graph 0}}
  pop.remote_store %0, @b[1] {pop.vgraph = 1 : i64} : tensor<4xf32>
  return
}

// -----

// expected-note@+1 {{the remote buffer is placed here}}
pop.remote_buffer @b : 2 x tensor<4xf32> {pop.vgraph = 3 : i64}
func.func @main() {
  // expected-error@+1 {{'pop.remote_load' op is on virtual graph 0, but remote buffer b is on virtual graph 3}}
  %0 = pop.remote_load @b[0] {pop.vgraph = 0 : i64} : tensor<4xf32>
  return
}

// -----

// expected-note@+1 {{the tensor is placed here}}
pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {pop.vgraph = 0 : i64}
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  %v = pop.ref_slice %w {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  // expected-error@+1 {{'pop.exp_' op is on virtual graph 1, but a tensor that it reads or writes is on virtual graph 0}}
  pop.exp_ %v {pop.vgraph = 1 : i64} : !pop.ref<2xf32>
  return
}

// -----

func.func @main() {
  // expected-note@+1 {{the tensor is placed here}}
  %r = pop.alloc zero {pop.vgraph = 2 : i64} : !pop.ref<4xf32>
  // expected-error@+1 {{'pop.read' op is on virtual graph 1, but a tensor that it reads or writes is on virtual graph 2}}
  %0 = pop.read %r {pop.vgraph = 1 : i64} : !pop.ref<4xf32>
  return
}

// -----

// expected-note@+1 {{this function is called}}
func.func private @update(%r: !pop.ref<4xf32> {pop.vgraph = 1 : i64}) {
  pop.exp_ %r {pop.vgraph = 1 : i64} : !pop.ref<4xf32>
  return
}
// expected-note@+1 {{the tensor is placed here}}
pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {pop.vgraph = 0 : i64}
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  // expected-error@+1 {{'func.call' op passes a ref to a tensor on virtual graph 0 as argument #0, which is on virtual graph 1}}
  call @update(%w) : (!pop.ref<4xf32>) -> ()
  return
}

// -----

// expected-note@+1 {{the tensor is placed here}}
func.func private @update(%r: !pop.ref<4xf32> {pop.vgraph = 1 : i64}) {
  // expected-error@+1 {{'pop.exp_' op is on virtual graph 0, but a tensor that it reads or writes is on virtual graph 1}}
  pop.exp_ %r {pop.vgraph = 0 : i64} : !pop.ref<4xf32>
  return
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'pop.exp' op of the execution context 'accumulate_outer' is expected in the entry function but is in 'f'}}
  %0 = pop.exp %x {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'pop.exp' op of the execution context 'subgraph' is expected in a function that the entry calls but is in 'main'}}
  %0 = pop.exp %x {pop.execution_context = #pop<execution_context subgraph>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // expected-note@+1 {{the operand is placed here}}
  %0 = pop.exp %x {pop.vgraph = 2 : i64} : tensor<4xf32>
  // expected-error@+1 {{'pop.ipu_copy' op reads operand #0 on virtual graph 0, but the operand is on virtual graph 2}}
  %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
  return
}

// -----

// A transfer is where its exchange is if it does not say where it is itself.
// expected-note@+1 {{the remote buffer is placed here}}
pop.remote_buffer @b : 2 x tensor<4xf32> {pop.vgraph = 0 : i64}
func.func @main() -> tensor<4xf32> {
  %0 = pop.remote_exchange {
    // expected-error @below {{'pop.remote_load' op is on virtual graph 1, but remote buffer b is on virtual graph 0}}
    %1 = pop.remote_load @b[1] : tensor<4xf32>
    pop.yield %1 : tensor<4xf32>
  } {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

pop.stream @x host_to_device : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  // expected-note @below {{'pop.remote_exchange' op of the stage is on virtual graph 1}}
  %0 = pop.remote_exchange {
    // expected-error @below {{'pop.host_load' op of stage 7 is on virtual graph 0, but expects all ops of a stage on one virtual graph}}
    %1 = pop.host_load @x {pop.vgraph = 0 : i64} : tensor<4xf32>
    pop.yield %1 : tensor<4xf32>
  } {pop.stage = 7 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @tile_sets(%x: tensor<4xf32>) {
  // expected-note@+1 {{the operand is placed here}}
  %0 = pop.exp %x : tensor<4xf32>
  // expected-error@+1 {{'pop.exp' op reads operand #0 on I/O tiles, but the operand is on compute tiles; insert 'pop.io_tile_copy'}}
  %1 = pop.exp %0 {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
  return
}

// -----

func.func @tile_set_of_write(%r: !pop.ref<4xf32>, %x: tensor<4xf32>) {
  // expected-note@+1 {{the operand is placed here}}
  %0 = pop.io_tile_copy %x to io : tensor<4xf32>
  // expected-error@+1 {{'pop.copy_' op reads operand #1 on compute tiles, but the operand is on I/O tiles; insert 'pop.io_tile_copy'}}
  pop.copy_ %r, %0 : !pop.ref<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @tile_set_of_copy(%x: tensor<4xf32>) {
  %0 = pop.io_tile_copy %x to io : tensor<4xf32>
  // expected-note@+1 {{the operand is placed here}}
  %1 = pop.exp %0 {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
  // expected-error@+1 {{'pop.io_tile_copy' op reads operand #0 on compute tiles, but the operand is on I/O tiles; insert 'pop.io_tile_copy'}}
  %2 = pop.io_tile_copy %1 to io : tensor<4xf32>
  return
}
