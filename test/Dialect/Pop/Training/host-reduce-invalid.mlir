// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-host-reduce

// expected-error @+1 {{'func.func' op updates no weights; 'pop-host-reduce' expects a 'pop.optimizer_step', which 'pop-add-optimizer' creates}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'pop-host-reduce' expects no symbol 'host_program', the name of the program of the host}}
module @host_program {}
func.func @main() {
  return
}

// -----

pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
pop.stream @x host_to_device : tensor<4xf32>
func.func @main() {
  %rw = pop.get_variable @w : !pop.ref<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // expected-note @+1 {{it is in this op}}
  scf.for %i = %c0 to %c3 step %c1 {
    %g = pop.host_load @x : tensor<4xf32>
    %w = pop.read %rw : !pop.ref<4xf32>
    // expected-error @+1 {{'pop.optimizer_step' op is not in the body of the entry function; 'pop-host-reduce' expects one update in each run}}
    %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
  }
  return
}

// -----

pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
pop.stream @x host_to_device : tensor<4xf32>
func.func @main() {
  %rw = pop.get_variable @w : !pop.ref<4xf32>
  %g = pop.host_load @x : tensor<4xf32>
  %w = pop.read %rw : !pop.ref<4xf32>
  // expected-error @+1 {{'pop.optimizer_step' op has the execution context 'accumulate_outer'; 'pop-host-reduce' expects 'pop-main-loops' to have made the loop over the parts of a batch}}
  %0 = pop.optimizer_step <sgd0> %w, %g {pop.execution_context = #pop<execution_context accumulate_outer>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
  return
}

// -----

// Updates of arguments are results.
func.func @main(%w: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'pop.optimizer_step' op has a result that the device needs in the same run; 'pop-host-reduce' expects that results of updates only become the values of whole variables, at the end of the run}}
  %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{it is used here}}
  return %0 : tensor<4xf32>
}

// -----

pop.variable @w : tensor<8xf32> = dense<1.0> : tensor<8xf32>
pop.stream @x host_to_device : tensor<4xf32>
func.func @main() {
  %rw = pop.get_variable @w : !pop.ref<8xf32>
  %part = pop.ref_slice %rw {starts = array<i64: 0>, sizes = array<i64: 4>, steps = array<i64: 1>} : !pop.ref<8xf32> -> !pop.ref<4xf32>
  %g = pop.host_load @x : tensor<4xf32>
  %w = pop.read %part : !pop.ref<4xf32>
  // expected-error @+1 {{'pop.optimizer_step' op has a result that the device needs in the same run}}
  %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{it is used here}}
  pop.copy_ %part, %0 : !pop.ref<4xf32>, tensor<4xf32>
  return
}

// -----

// The device needs the weight after its update.
// expected-error @+1 {{'pop.variable' op is updated by an optimizer, but it is read after the update; 'pop-host-reduce' expects only reads of the whole variable, before its update, in the entry function}}
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
pop.stream @x host_to_device : tensor<4xf32>
pop.stream @y device_to_host : tensor<4xf32>
func.func @main() {
  %rw = pop.get_variable @w : !pop.ref<4xf32>
  %g = pop.host_load @x : tensor<4xf32>
  %w = pop.read %rw : !pop.ref<4xf32>
  %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
  // expected-note @+1 {{it is used here}}
  %y = pop.read %rw : !pop.ref<4xf32>
  pop.host_store %y, @y : tensor<4xf32>
  return
}

// -----

// The gradients of the parts of a batch are added to the velocity.
// expected-error @+1 {{'pop.variable' op is updated by an optimizer, but 'pop.accumulate_' uses it}}
pop.variable @v : tensor<4xf32> = dense<0.0> : tensor<4xf32>
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
pop.stream @x host_to_device : tensor<4xf32>
func.func @main() {
  %rw = pop.get_variable @w : !pop.ref<4xf32>
  %rv = pop.get_variable @v : !pop.ref<4xf32>
  %g = pop.host_load @x : tensor<4xf32>
  // expected-note @+1 {{it is used here}}
  pop.accumulate_ add %rv, %g : !pop.ref<4xf32>, tensor<4xf32>
  %v = pop.read %rv : !pop.ref<4xf32>
  %w = pop.read %rw : !pop.ref<4xf32>
  %0, %1 = pop.optimizer_step <sgd1, momentum = 0.9> %w state(%v) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
  pop.copy_ %rv, %1 : !pop.ref<4xf32>, tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{'pop.variable' op is updated by an optimizer, but another function uses it}}
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
pop.stream @x host_to_device : tensor<4xf32>
pop.stream @y device_to_host : tensor<4xf32>
func.func private @f() -> tensor<4xf32> {
  // expected-note @+1 {{it is used here}}
  %rw = pop.get_variable @w : !pop.ref<4xf32>
  %w = pop.read %rw : !pop.ref<4xf32>
  return %w : tensor<4xf32>
}
func.func @main() {
  %y = call @f() : () -> tensor<4xf32>
  pop.host_store %y, @y : tensor<4xf32>
  %rw = pop.get_variable @w : !pop.ref<4xf32>
  %g = pop.host_load @x : tensor<4xf32>
  %w = pop.read %rw : !pop.ref<4xf32>
  %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
  return
}

// -----

module attributes {ipu.target = #ipu.target<"c600", {replicas = 4 : i64}>} {
  // expected-error @+1 {{'pop.variable' op has groups of replicas; 'pop-host-reduce' expects updated variables to be equal on all replicas}}
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
  pop.stream @x host_to_device : tensor<4xf32>
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<4xf32>
    %g = pop.host_load @x : tensor<4xf32>
    %s = pop.all_reduce add %g {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32>
    %w = pop.read %rw : !pop.ref<4xf32>
    %0 = pop.optimizer_step <sgd0> %w, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
}

// -----

// Groups of replicas combine their own gradients.
module attributes {ipu.target = #ipu.target<"c600", {replicas = 4 : i64}>} {
  // expected-error @+1 {{'pop.variable' op may become different on replicas; 'pop-host-reduce' expects updated variables to be equal on all replicas}}
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  pop.stream @x host_to_device : tensor<4xf32>
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<4xf32>
    %g = pop.host_load @x : tensor<4xf32>
    %s = pop.all_reduce add %g {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32>
    %w = pop.read %rw : !pop.ref<4xf32>
    %0 = pop.optimizer_step <sgd0> %w, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"c600", {replicas = 2 : i64}>} {
  // expected-error @+1 {{'pop.variable' op is distributed over replicas; 'pop-host-reduce' expects updated variables to be equal on all replicas}}
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.stream @x host_to_device : tensor<2xf32>
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<2xf32>
    %g = pop.host_load @x : tensor<2xf32>
    %s = pop.all_reduce add %g : tensor<2xf32>
    %w = pop.read %rw : !pop.ref<2xf32>
    %0 = pop.optimizer_step <sgd0> %w, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    pop.copy_ %rw, %0 : !pop.ref<2xf32>, tensor<2xf32>
    return
  }
}

// -----

// Without a collective, gradients differ between replicas.
module attributes {ipu.target = #ipu.target<"c600", {replicas = 2 : i64}>} {
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  pop.stream @x host_to_device : tensor<4xf32>
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<4xf32>
    // expected-note @+1 {{the device computes the value here}}
    %g = pop.host_load @x : tensor<4xf32>
    %w = pop.read %rw : !pop.ref<4xf32>
    // expected-error @+1 {{'pop.optimizer_step' op needs a value that may differ between replicas; 'pop-host-reduce' expects a 'pop.all_reduce' of the gradient of 'w' in the body of the entry function}}
    %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
}

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<stream>} {
  pop.variable @w : tensor<4xf16> = dense<1.0> : tensor<4xf16>
  pop.stream @x host_to_device : tensor<4xf16>
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<4xf16>
    %g = pop.host_load @x : tensor<4xf16>
    %w = pop.read %rw : !pop.ref<4xf16>
    // expected-error @+1 {{'pop.optimizer_step' op rounds with the generator 'stream', whose bits depend on the tiles; 'pop-host-reduce' expects the generator 'counter'}}
    %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    pop.copy_ %rw, %0 : !pop.ref<4xf16>, tensor<4xf16>
    return
  }
}

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.variable @w : tensor<4xf16> = dense<1.0> : tensor<4xf16>
  pop.stream @x host_to_device : tensor<4xf16>
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<4xf16>
    %g = pop.host_load @x : tensor<4xf16>
    %w = pop.read %rw : !pop.ref<4xf16>
    // expected-error @+1 {{'pop.optimizer_step' op has no attribute 'pop.draw'; 'pop-host-reduce' expects 'pop-number-draws' to have run}}
    %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    pop.copy_ %rw, %0 : !pop.ref<4xf16>, tensor<4xf16>
    return
  }
}

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.variable @w : tensor<4xf16> = dense<1.0> : tensor<4xf16>
  pop.variable @a : tensor<4xf16> = dense<1.0> : tensor<4xf16>
  pop.stream @x host_to_device : tensor<i1>
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<4xf16>
    %ra = pop.get_variable @a : !pop.ref<4xf16>
    %more = pop.host_load @x : tensor<i1>
    %do = tensor.extract %more[] : tensor<i1>
    %w = pop.read %rw : !pop.ref<4xf16>
    // expected-error @+1 {{'scf.while' op advances the random bits an unknown number of times; 'pop-host-reduce' expects this number to be constant}}
    scf.while : () -> () {
      scf.condition(%do)
    } do {
      pop.mul_ %ra, %w {pop.draw = #pop.draw<0>} : !pop.ref<4xf16>, tensor<4xf16>
      pop.advance_draws
      scf.yield
    }
    %g = pop.read %ra : !pop.ref<4xf16>
    %0 = pop.optimizer_step <sgd0> %w, %g {pop.draw = #pop.draw<1>} : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    pop.copy_ %rw, %0 : !pop.ref<4xf16>, tensor<4xf16>
    pop.advance_draws
    return
  }
}

// -----

// expected-error @+1 {{'pop.variable' op has the name of the function of the program of the host; 'pop-host-reduce' expects another name}}
pop.variable @main : tensor<4xf32> = dense<1.0> : tensor<4xf32>
pop.stream @x host_to_device : tensor<4xf32>
func.func @train() {
  %r = pop.get_variable @main : !pop.ref<4xf32>
  %g = pop.host_load @x : tensor<4xf32>
  %w = pop.read %r : !pop.ref<4xf32>
  %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  pop.copy_ %r, %0 : !pop.ref<4xf32>, tensor<4xf32>
  return
}

// -----

pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
// expected-error @+1 {{'pop.stream' op has the name of the function of the program of the host; 'pop-host-reduce' expects another name}}
pop.stream @main host_to_device : tensor<f32>
pop.stream @x host_to_device : tensor<4xf32>
func.func @train() {
  %r = pop.get_variable @w : !pop.ref<4xf32>
  %g = pop.host_load @x : tensor<4xf32>
  %lr = pop.host_load @main : tensor<f32>
  %w = pop.read %r : !pop.ref<4xf32>
  %0 = pop.optimizer_step <sgd0, lr = operand> %w, %g settings(%lr) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  pop.copy_ %r, %0 : !pop.ref<4xf32>, tensor<4xf32>
  return
}
