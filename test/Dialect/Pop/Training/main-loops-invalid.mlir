// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(pop-main-loops{batches-per-step=2 accumulation-factor=3})"
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-main-loops{batches-per-step=0})" 2>&1 | FileCheck %s --check-prefix=BATCHES
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-main-loops{accumulation-factor=-1})" 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-main-loops{batches-per-step=4294967296 accumulation-factor=4294967296})" 2>&1 | FileCheck %s --check-prefix=NUMBER

// NUMBER: error: 'pop-main-loops' expects at most 2147483647 parts of batches but got options 'batches-per-step' = 4294967296 and 'accumulation-factor' = 4294967296
// BATCHES: error: 'pop-main-loops' expects option 'batches-per-step' to be at least 1 but got 0
// PARTS: error: 'pop-main-loops' expects option 'accumulation-factor' to be at least 1 but got -1

// expected-error @below {{'func.func' op has arguments; 'pop-main-loops' expects streams and variables instead}}
func.func @main(%x: tensor<2xf32>) {
  return
}

// -----

// A value of a part is lost at the end of it.
pop.stream @x host_to_device : tensor<2xf32>
pop.stream @y device_to_host : tensor<2xf32>
func.func @main() {
  // expected-note @below {{'pop.host_load' computes it}}
  %0 = pop.host_load @x : tensor<2xf32>
  // expected-error @below {{'pop.host_store' op is executed after the parts of each batch but uses a value that is computed for each part of a batch; expects a variable for this value}}
  pop.host_store %0, @y {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<2xf32>
  return
}

// -----

pop.stream @x host_to_device : tensor<2xf32>
pop.stream @y device_to_host : tensor<2xf32>
func.func @main() {
  // expected-note @below {{'pop.host_load' computes it}}
  %0 = pop.host_load @x {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<2xf32>
  // expected-error @below {{'pop.host_store' op is executed for each part of a batch but uses a value that is computed after the parts of each batch; expects a variable for this value}}
  pop.host_store %0, @y : tensor<2xf32>
  return
}

// -----

pop.stream @x host_to_device : tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  // expected-note @below {{'pop.host_load' computes it}}
  %0 = pop.host_load @x {pop.execution_context = #pop<execution_context optimizer_from_host>} : tensor<2xf32>
  // expected-error @below {{'pop.copy_' op is executed after all batches but uses a value that is computed before the parts of each batch; expects a variable for this value}}
  pop.copy_ %w, %0 {pop.execution_context = #pop<execution_context weights_to_host>} : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// expected-error @below {{'pop.stream' op 'x' moves tensors for each part of a batch and after the parts of each batch; expects two streams}}
pop.stream @x host_to_device : tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %0 = pop.host_load @x : tensor<2xf32>
  pop.add_ %w, %0 : !pop.ref<2xf32>, tensor<2xf32>
  %1 = pop.host_load @x {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<2xf32>
  pop.copy_ %w, %1 {pop.execution_context = #pop<execution_context accumulate_outer>} : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

pop.stream @x host_to_device : tensor<2xf32>
// expected-error @below {{'func.func' op expects the anchor of result #0 to have an interval of at most 6, the number of values of the result, but got 7}}
func.func @main() -> (tensor<2xf32> {pop.anchor = #pop.anchor<every, 7>}) {
  %0 = pop.host_load @x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

pop.stream @x host_to_device : tensor<2xi1>
// expected-error @below {{'func.func' op returns the sum of values of type 'tensor<2xi1>' as result #0; expects numbers}}
func.func @main() -> (tensor<2xi1> {pop.anchor = #pop.anchor<sum>}) {
  %0 = pop.host_load @x : tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

// The optimizer divides by another number of parts.
pop.stream @x host_to_device : tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main() {
  %r = pop.get_variable @w : !pop.ref<2xf32>
  %w = pop.read %r : !pop.ref<2xf32>
  %x = pop.host_load @x : tensor<2xf32>
  // expected-error @below {{'pop.optimizer_step' op expects `accumulations` to be 1 or the value of option 'accumulation-factor', 3, but got 2}}
  %0 = pop.optimizer_step <sgd0> %w, %x {accumulations = 2 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  pop.copy_ %r, %0 : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// expected-error @below {{'pop.stream' op 'x' moves 4611686018427387904 tensors for each part of a batch, 6 times in a run; expects fewer than 2^63 tensors in a run}}
pop.stream @x host_to_device : tensor<2xf32> {transfers = 4611686018427387904 : i64}
func.func @main() -> tensor<2xf32> {
  %0 = pop.host_load @x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
