// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-weights-from-host

#first = #pop<execution_context weights_from_host>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{'pop.neg' computes it}}
  %0 = pop.neg %x : tensor<2xf32>
  // expected-error @below {{'pop.exp' op is executed when weights are loaded but uses a value that is computed in each run; expects a variable for this value}}
  %1 = pop.exp %0 {pop.execution_context = #first} : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

#first = #pop<execution_context weights_from_host>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{'pop.exp' op is executed when weights are loaded but uses a value that is computed in each run}}
  %0 = pop.exp %x {pop.execution_context = #first} : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A value that a region uses is a use of the op.

#first = #pop<execution_context weights_from_host>
pop.variable @w : tensor<2xf32> = dense<3.0> : tensor<2xf32>
func.func @main(%x: tensor<2xf32>, %n: index) {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // expected-error @below {{'scf.for' op is executed when weights are loaded but uses a value that is computed in each run}}
  scf.for %i = %c0 to %c3 step %c1 {
    pop.add_ %w, %x : !pop.ref<2xf32>, tensor<2xf32>
  } {pop.execution_context = #first}
  return
}

// -----

#first = #pop<execution_context weights_from_host>
func.func @main() -> tensor<2xf32> {
  // expected-note @below {{'pop.alloc' computes it}}
  %0 = pop.alloc undef {pop.execution_context = #first} : !pop.ref<2xf32>
  pop.zero_ %0 {pop.execution_context = #first} : !pop.ref<2xf32>
  // expected-error @below {{'pop.read' op is executed in each run but uses a value of type '!pop.ref<2xf32>' that is computed when weights are loaded; expects a tensor}}
  %1 = pop.read %0 : !pop.ref<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// expected-error @below {{'pop.scratch' op expects `value` of type 'tensor<2xf32>' but got 'tensor<3xf32>'}}
pop.scratch @s : tensor<2xf32> = dense<0.0> : tensor<3xf32>
