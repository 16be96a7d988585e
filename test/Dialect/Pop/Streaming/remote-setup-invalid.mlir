// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-remote-setup=variables=w*
// RUN: not ipu-opt %s --split-input-file --pop-remote-setup=variables=nothing 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ipu-opt %s --split-input-file --pop-remote-setup="variables=[" 2>&1 | FileCheck %s --check-prefix=GLOB
// RUN: not ipu-opt %s --split-input-file --pop-remote-setup="variables=w min-elements=-1" 2>&1 | FileCheck %s --check-prefix=LEAST

// NAME: error: 'pop-remote-setup' expects option 'variables' to select variables, but no variable has the name 'nothing'
// GLOB: error: 'pop-remote-setup' expects option 'variables' to have 'weights', 'optimizer', 'accumulators' and names with wildcards, but '[' has an error: invalid glob pattern, unmatched '['
// LEAST: error: 'pop-remote-setup' expects option 'min-elements' to be at least 0 but got -1

pop.remote_buffer @b : 1 x tensor<4xf32>
// expected-error @below {{'pop.variable' op 'w' is in streaming memory already; 'pop-remote-setup' expects variables on the chip whose accesses read or write the whole tensor}}
pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {buffer = @b, row = 0 : i64}
func.func @main() {
  return
}

// -----

// expected-error @below {{'pop.variable' op 'w' is accessed by 'func.call', and not only read and written as a whole; 'pop-remote-setup' expects variables on the chip whose accesses read or write the whole tensor}}
pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
func.func private @f(%r: !pop.ref<4xf32>) {
  pop.zero_ %r : !pop.ref<4xf32>
  return
}
func.func @main() {
  %r = pop.get_variable @w : !pop.ref<4xf32>
  // expected-note @below {{it is accessed here}}
  call @f(%r) : (!pop.ref<4xf32>) -> ()
  return
}
