// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f stitch=add_fwd_outputs})' --verify-diagnostics

// Results are added to calls only.
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = pop.exp %x : tensor<f32>
  %1 = pop.sin %0 : tensor<f32>
  return %1 : tensor<f32>
}
func.func @main() {
  // expected-error @below {{'func.constant' op uses @f, to which stitching strategy 'add_fwd_outputs' adds results; expects calls only}}
  %f = func.constant @f : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// A predicate that takes writing a variable is neither returned nor computed again.
pop.variable @n : tensor<f32> = dense<0.0> : tensor<f32>
func.func private @flag() -> i1 {
  %n = pop.get_variable @n : !pop.ref<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  pop.add_ %n, %one : !pop.ref<f32>, tensor<f32>
  %0 = pop.read %n : !pop.ref<f32>
  %1 = pop.less %0, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2 = tensor.extract %1[] : tensor<i1>
  return %2 : i1
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'func.call' op has a result of type 'i1' that is needed for gradients of @f, but only ranked tensors can become results of @f}}
  %c = call @flag() : () -> i1
  %0 = scf.if %c -> tensor<f32> {
    %1 = pop.exp %x : tensor<f32>
    scf.yield %1 : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %0 : tensor<f32>
}
func.func @main() {
  return
}

// -----

// A new tensor of an iteration that is written is not made again.
func.func private @g(%x: tensor<f32>, %r: !pop.ref<f32>) -> tensor<f32> {
  %0 = pop.read %r : !pop.ref<f32>
  %1 = pop.mul %x, %0 : tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %two = pop.constant dense<2.0> : tensor<f32>
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<f32> {
    // expected-error @below {{gradients need this value of a region, but it cannot be kept because its type '!pop.ref<f32>' is not a tensor type, and cannot be computed again because its op has effects}}
    %r = pop.alloc zero : !pop.ref<f32>
    pop.copy_ %r, %two : !pop.ref<f32>, tensor<f32>
    %1 = func.call @g(%a, %r) : (tensor<f32>, !pop.ref<f32>) -> tensor<f32>
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
func.func @main() {
  return
}

// -----

// What is not known may write all that is read.
func.func private @other(%r: !pop.ref<f32>)
func.func private @f(%x: tensor<f32>, %r: !pop.ref<f32>) -> tensor<f32> {
  // expected-note @below {{the gradient comes from this 'pop.read'}}
  %0 = pop.read %r : !pop.ref<f32>
  // expected-error @below {{'func.call' op writes a tensor whose gradient is required; expects no op to write tensors on differentiated paths}}
  call @other(%r) : (!pop.ref<f32>) -> ()
  %1 = pop.mul %0, %x : tensor<f32>
  return %1 : tensor<f32>
}
func.func @main() {
  return
}
