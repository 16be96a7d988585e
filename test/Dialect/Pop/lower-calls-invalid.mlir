// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-lower-calls

// expected-error @+1 {{is the entry function, but its argument 0 is a ref; expects a tensor, or a variable instead of the argument}}
func.func @main(%r: !pop.ref<2xf32>) {
  return
}

// -----

// expected-error @+1 {{is the entry function and cannot be called}}
func.func @main() {
  return
}
func.func @other() {
  call @main() : () -> ()
  return
}

// -----

// expected-error @+1 {{passes a value of type 'f32' but calls can only pass tensors and refs}}
func.func @f(%x: f32) {
  return
}
func.func @main() {
  %0 = arith.constant 1.0 : f32
  call @f(%0) : (f32) -> ()
  return
}

// -----

// expected-error @+1 {{expects a called function with a body of one block}}
func.func private @f()
func.func @main() {
  call @f() : () -> ()
  return
}

// -----

// expected-error @+1 {{returns a ref as result 0; expects only tensors as results}}
func.func private @f(%r: !pop.ref<2xf32>) -> !pop.ref<2xf32> {
  return %r : !pop.ref<2xf32>
}
func.func @main() {
  %r = pop.alloc zero : !pop.ref<2xf32>
  %0 = call @f(%r) : (!pop.ref<2xf32>) -> !pop.ref<2xf32>
  return
}

// -----

// expected-error @+1 {{passes a value of type 'tensor<?xf32>' but calls can only pass tensors of static shape and pop element type}}
func.func @f(%x: tensor<?xf32>) {
  return
}
func.func @main(%x: tensor<?xf32>) {
  call @f(%x) : (tensor<?xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{passes a value of type 'tensor<2xindex>' but calls can only pass tensors of static shape and pop element type}}
func.func @f(%x: tensor<2xindex>) -> tensor<2xindex> {
  return %x : tensor<2xindex>
}
func.func @main(%x: tensor<2xindex>) {
  %0 = call @f(%x) : (tensor<2xindex>) -> tensor<2xindex>
  return
}
