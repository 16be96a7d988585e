// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f})' --verify-diagnostics

// expected-error @below {{'pop-autodiff' expects function 'f' with a body}}
module {
  func.func @g(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}

// -----

// expected-error @below {{'pop-autodiff' expects function 'f' with a body}}
func.func private @f(%x: tensor<f32>) -> tensor<f32>

// -----

// expected-error @below {{'func.func' op has no float result that depends on a value whose gradient is required}}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = pop.stop_gradient %x : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @below {{'func.func' op expects one block, because it is differentiated, but got 2}}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^next
^next:
  return %x : tensor<f32>
}

// -----

// The way from the op to the result is shown.
func.func private @f(%x: tensor<2x4xf32>, %w: tensor<4x2xf32>) -> tensor<2x2x2xf32> {
  // expected-error @below {{'pop.matmul_partials' op has no gradient, but is on a path from a value whose gradient is required to a result whose gradient is provided}}
  %0 = pop.matmul_partials %x, %w {block = 2 : i64} : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2x2xf32>
  // expected-note @below {{the gradient comes from this 'pop.exp'}}
  %1 = pop.exp %0 : tensor<2x2x2xf32>
  // expected-note @below {{the gradient comes from this 'func.return'}}
  return %1 : tensor<2x2x2xf32>
}

// -----

pop.variable @w : tensor<f32> = dense<1.0> : tensor<f32>
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %w = pop.get_variable @w : !pop.ref<f32>
  // expected-note @below {{the gradient comes from this 'pop.read'}}
  %0 = pop.read %w : !pop.ref<f32>
  // expected-error @below {{'pop.add_' op writes a tensor whose gradient is required; expects no op to write tensors on differentiated paths}}
  pop.add_ %w, %x : !pop.ref<f32>, tensor<f32>
  %1 = pop.mul %0, %x : tensor<f32>
  return %1 : tensor<f32>
}

// -----

// What is written into a tensor in memory is read from there.
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %r = pop.alloc zero : !pop.ref<f32>
  // expected-error @below {{'pop.copy_' op writes a tensor whose gradient is required; expects no op to write tensors on differentiated paths}}
  pop.copy_ %r, %x : !pop.ref<f32>, tensor<f32>
  // expected-note @below {{the gradient comes from this 'pop.read'}}
  %0 = pop.read %r : !pop.ref<f32>
  return %0 : tensor<f32>
}

// -----

// In a callee, too.
pop.variable @w : tensor<f32> = dense<1.0> : tensor<f32>
func.func private @update(%r: !pop.ref<f32>, %x: tensor<f32>) {
  pop.add_ %r, %x : !pop.ref<f32>, tensor<f32>
  return
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %w = pop.get_variable @w : !pop.ref<f32>
  // expected-error @below {{'func.call' op writes a tensor whose gradient is required; expects no op to write tensors on differentiated paths}}
  call @update(%w, %x) : (!pop.ref<f32>, tensor<f32>) -> ()
  // expected-note @below {{the gradient comes from this 'pop.read'}}
  %0 = pop.read %w : !pop.ref<f32>
  %1 = pop.mul %0, %x : tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func private @f(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op cannot be differentiated: expects a constant number of iterations, or attribute 'pop.max_trip_count' with lower bound 0 and step 1}}
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<f32> {
    %1 = pop.exp %a : tensor<f32>
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func private @f(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  // expected-error @below {{'scf.for' op cannot be differentiated: expects a constant lower bound and a constant step}}
  %0 = scf.for %i = %n to %c9 step %c1 iter_args(%a = %x) -> tensor<f32> {
    %1 = pop.exp %a : tensor<f32>
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func private @f(%x: tensor<f32>, %c: i1) -> tensor<f32> {
  // expected-error @below {{'scf.while' op cannot be differentiated: expects attribute 'pop.max_trip_count', the largest number of iterations}}
  %0 = scf.while (%a = %x) : (tensor<f32>) -> tensor<f32> {
    scf.condition(%c) %a : tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>):
    %1 = pop.exp %a : tensor<f32>
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.next_seed' op is in @f, which is differentiated; run 'pop-random-setup' before}}
  %seed = pop.next_seed
  %0 = pop.dropout %x, %seed, 0.5 : tensor<4xf32>, tensor<2xui32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @g(%x: tensor<f32>) -> tensor<f32>
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'func.call' op has no gradient: expects a call of a function with a body}}
  %0 = call @g(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The host gives another tensor each time.
pop.stream @s host_to_device : tensor<f32>
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'pop.host_load' op is needed for gradients of @f but cannot be recomputed; expects stitching strategy 'add_fwd_outputs'}}
  %0 = pop.host_load @s : tensor<f32>
  %1 = pop.mul %0, %x : tensor<f32>
  return %1 : tensor<f32>
}
func.func @main() {
  return
}

// -----

// Nor is a variable the same that is written.
pop.variable @n : tensor<f32> = dense<1.0> : tensor<f32>
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %n = pop.get_variable @n : !pop.ref<f32>
  // expected-error @below {{'pop.read' op is needed for gradients of @f but cannot be recomputed; expects stitching strategy 'add_fwd_outputs'}}
  %0 = pop.read %n : !pop.ref<f32>
  %1 = pop.stop_gradient %0 : tensor<f32>
  %2 = pop.mul %1, %x : tensor<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  pop.add_ %n, %one : !pop.ref<f32>, tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Of whatever type.
pop.variable @n : tensor<i32> = dense<1> : tensor<i32>
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %n = pop.get_variable @n : !pop.ref<i32>
  // expected-error @below {{'pop.read' op is needed for gradients of @f but cannot be recomputed; expects stitching strategy 'add_fwd_outputs'}}
  %0 = pop.read %n : !pop.ref<i32>
  %1 = pop.cast %0 : tensor<i32> to tensor<f32>
  %2 = pop.mul %1, %x : tensor<f32>
  %one = pop.constant dense<1> : tensor<i32>
  pop.add_ %n, %one : !pop.ref<i32>, tensor<i32>
  return %2 : tensor<f32>
}

// -----

// A caller writes it, before it calls the backward graph of its callee.
pop.variable @n : tensor<f32> = dense<1.0> : tensor<f32>
func.func private @scale(%x: tensor<f32>) -> tensor<f32> {
  %n = pop.get_variable @n : !pop.ref<f32>
  // expected-error @below {{'pop.read' op is needed for gradients of @scale but cannot be recomputed; expects stitching strategy 'add_fwd_outputs'}}
  %0 = pop.read %n : !pop.ref<f32>
  %1 = pop.stop_gradient %0 : tensor<f32>
  %2 = pop.mul %1, %x : tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @scale(%x) : (tensor<f32>) -> tensor<f32>
  %n = pop.get_variable @n : !pop.ref<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  pop.add_ %n, %one : !pop.ref<f32>, tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The callee gets it as an argument.
pop.variable @n : tensor<f32> = dense<1.0> : tensor<f32>
func.func private @scale(%x: tensor<f32>, %n: !pop.ref<f32>) -> tensor<f32> {
  %row = pop.ref_reshape %n : !pop.ref<f32> to !pop.ref<1xf32>
  // expected-error @below {{'pop.read' op is needed for gradients of @scale but cannot be recomputed; expects stitching strategy 'add_fwd_outputs'}}
  %0 = pop.read %row : !pop.ref<1xf32>
  %1 = pop.stop_gradient %0 : tensor<1xf32>
  %2 = pop.reshape %1 : tensor<1xf32> to tensor<f32>
  %3 = pop.mul %2, %x : tensor<f32>
  return %3 : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %n = pop.get_variable @n : !pop.ref<f32>
  %0 = call @scale(%x, %n) : (tensor<f32>, !pop.ref<f32>) -> tensor<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  pop.add_ %n, %one : !pop.ref<f32>, tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A callee reads on a differentiated path what its caller writes.
pop.variable @w : tensor<f32> = dense<1.0> : tensor<f32>
func.func private @scale(%x: tensor<f32>) -> tensor<f32> {
  %w = pop.get_variable @w : !pop.ref<f32>
  // expected-note @below {{the gradient comes from this 'pop.read'}}
  %0 = pop.read %w : !pop.ref<f32>
  %1 = pop.mul %0, %x : tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @scale(%x) : (tensor<f32>) -> tensor<f32>
  %w = pop.get_variable @w : !pop.ref<f32>
  // expected-error @below {{'pop.add_' op writes a tensor whose gradient is required; expects no op to write tensors on differentiated paths}}
  pop.add_ %w, %0 : !pop.ref<f32>, tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @below {{'func.func' op expects attribute 'pop.custom_gradient' to name a function but got @nothing}}
func.func private @f(%x: tensor<f32>) -> tensor<f32> attributes {pop.custom_gradient = @nothing} {
  return %x : tensor<f32>
}

// -----

// expected-error @below {{'func.func' op is a backward graph of type '(tensor<f32>) -> tensor<f32>' but '(tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>' is expected}}
func.func private @gradient(%dy: tensor<f32>) -> tensor<f32> {
  return %dy : tensor<f32>
}
// expected-note @below {{it is the backward graph of this function}}
func.func private @f(%x: tensor<f32>) -> tensor<f32> attributes {pop.custom_gradient = @gradient} {
  return %x : tensor<f32>
}

// -----

// expected-error @below {{'func.func' op declares the backward graph of @f with type '(tensor<f32>) -> tensor<f32>' but the backward graph has type '(tensor<f32>, tensor<f32>) -> tensor<f32>'}}
func.func private @f_backward(tensor<f32>) -> tensor<f32>
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = pop.sin %x : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A call that writes is not executed twice.
pop.variable @n : tensor<f32> = dense<0.0> : tensor<f32>
func.func private @counts(%x: tensor<f32>) -> tensor<f32> {
  %n = pop.get_variable @n : !pop.ref<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  pop.add_ %n, %one : !pop.ref<f32>, tensor<f32>
  %0 = pop.exp %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'func.call' op is needed for gradients of @f but cannot be recomputed; expects stitching strategy 'add_fwd_outputs'}}
  %0 = call @counts(%x) : (tensor<f32>) -> tensor<f32>
  %1 = pop.sin %0 : tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Nor is one that reads what is written.
pop.variable @n : tensor<f32> = dense<0.0> : tensor<f32>
func.func private @reads(%x: tensor<f32>) -> tensor<f32> {
  %n = pop.get_variable @n : !pop.ref<f32>
  %0 = pop.read %n : !pop.ref<f32>
  %1 = pop.stop_gradient %0 : tensor<f32>
  %2 = pop.add %x, %1 : tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'func.call' op is needed for gradients of @f but cannot be recomputed; expects stitching strategy 'add_fwd_outputs'}}
  %0 = call @reads(%x) : (tensor<f32>) -> tensor<f32>
  %n = pop.get_variable @n : !pop.ref<f32>
  pop.copy_ %n, %x : !pop.ref<f32>, tensor<f32>
  %1 = pop.sin %0 : tensor<f32>
  return %1 : tensor<f32>
}

// -----

// What a callee writes is written, too.
func.func private @set(%r: !pop.ref<f32>, %x: tensor<f32>) {
  pop.copy_ %r, %x : !pop.ref<f32>, tensor<f32>
  return
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %r = pop.alloc zero : !pop.ref<f32>
  // expected-error @below {{'func.call' op writes a tensor whose gradient is required; expects no op to write tensors on differentiated paths}}
  call @set(%r, %x) : (!pop.ref<f32>, tensor<f32>) -> ()
  // expected-note @below {{the gradient comes from this 'pop.read'}}
  %0 = pop.read %r : !pop.ref<f32>
  return %0 : tensor<f32>
}

// -----

// A variable is written by one name and read by another.
pop.variable @v : tensor<f32> = dense<1.0> : tensor<f32>
func.func private @set(%x: tensor<f32>) {
  %r = pop.get_variable @v : !pop.ref<f32>
  // expected-error @below {{'pop.copy_' op writes a tensor whose gradient is required; expects no op to write tensors on differentiated paths}}
  pop.copy_ %r, %x : !pop.ref<f32>, tensor<f32>
  return
}
func.func private @get() -> tensor<f32> {
  %r = pop.get_variable @v : !pop.ref<f32>
  // expected-note @below {{the gradient comes from this 'pop.read'}}
  %0 = pop.read %r : !pop.ref<f32>
  return %0 : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  call @set(%x) : (tensor<f32>) -> ()
  %0 = call @get() : () -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

pop.variable @w : tensor<f32> = dense<1.0> : tensor<f32>
func.func private @gradient(%dy: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  return %dy : tensor<f32>
}
// expected-error @below {{'func.func' op reads variable @w, whose gradient is required, but its backward graph @gradient returns gradients of arguments only}}
func.func private @f(%x: tensor<f32>) -> tensor<f32> attributes {pop.custom_gradient = @gradient} {
  %r = pop.get_variable @w : !pop.ref<f32>
  %w = pop.read %r : !pop.ref<f32>
  %0 = pop.mul %x, %w : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A scalar that is no tensor is not kept.
func.func private @f(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c = tensor.extract %p[] : tensor<i1>
  // expected-error @below {{gradients need this value of a region, but it cannot be kept because its type 'i1' is not a tensor type, and cannot be computed again because its op has effects}}
  %0:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %q = %c) -> (tensor<f32>, i1) {
    %1 = scf.if %q -> tensor<f32> {
      %2 = pop.exp %a : tensor<f32>
      scf.yield %2 : tensor<f32>
    } else {
      scf.yield %a : tensor<f32>
    }
    scf.yield %1, %q : tensor<f32>, i1
  }
  return %0#0 : tensor<f32>
}

// -----

// Nor are values followed into other ops with regions.
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tensor.generate' op has no gradient: expects loops and branches of dialect 'scf'}}
  %0 = tensor.generate {
  ^bb0(%i: index):
    %1 = tensor.extract %x[%i] : tensor<4xf32>
    tensor.yield %1 : f32
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @f(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i32>
  %count = arith.index_cast %e : i32 to index
  // expected-error @below {{'scf.for' op cannot be differentiated: expects fewer than 2^31 iterations}}
  %0 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> tensor<f32> {
    %1 = pop.exp %a : tensor<f32>
    scf.yield %1 : tensor<f32>
  } {pop.max_trip_count = 4294967297 : i64}
  return %0 : tensor<f32>
}

// -----

func.func private @f_backward(tensor<f32>, tensor<f32>) -> tensor<f32>
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = pop.stop_gradient %x : tensor<f32>
  // expected-error @below {{'func.call' op uses the backward graph @f_backward of @f, but is in @f, from which this backward graph is computed}}
  %1 = call @f_backward(%0, %0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = pop.stop_gradient %1 : tensor<f32>
  %3 = pop.sin %x : tensor<f32>
  %4 = pop.mul %3, %2 : tensor<f32>
  return %4 : tensor<f32>
}

// -----

func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %c1 = arith.constant 1 : index
  %low = arith.constant 5000000000 : index
  %high = arith.constant 5000000002 : index
  // expected-error @below {{'scf.for' op cannot be differentiated: expects a lower bound and a step that fit 32 bits}}
  %0 = scf.for %i = %low to %high step %c1 iter_args(%a = %x) -> tensor<f32> {
    %1 = pop.exp %a : tensor<f32>
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// Gradients of refs are tensors, which no argument of the backward graph of a
// result would be.
pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<2xf32>
// expected-error @below {{'func.func' op expects only tensors as results, because it is differentiated, but result #1 is a '!pop.ref<2xf32>'}}
func.func private @f(%x: tensor<2xf32>) -> (tensor<2xf32>, !pop.ref<2xf32>) {
  %v = pop.get_variable @v : !pop.ref<2xf32>
  return %x, %v : tensor<2xf32>, !pop.ref<2xf32>
}
func.func @main() {
  return
}

// -----

// What calls a graph of several blocks depends on it.
// expected-error @below {{'func.func' op expects one block, because it is differentiated, but got 3}}
func.func private @g(%x: tensor<2xf32>, %p: i1) -> tensor<2xf32> {
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  return %x : tensor<2xf32>
^bb2:
  return %x : tensor<2xf32>
}
func.func private @f(%x: tensor<2xf32>, %p: i1) -> tensor<2xf32> {
  %0 = call @g(%x, %p) : (tensor<2xf32>, i1) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main() {
  return
}

// -----

// The row of an iteration is computed in 32 bits.
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant -2000000000 : index
  %c1 = arith.constant 1300000000 : index
  %c2 = arith.constant 2000000000 : index
  // expected-error @below {{'scf.for' op cannot be differentiated: expects indices and their differences to fit 32 bits but got indices from -2000000000 to 1900000000}}
  %a = scf.for %i = %c0 to %c2 step %c1 iter_args(%b = %x) -> (tensor<2xf32>) {
    %m = pop.sin %b : tensor<2xf32>
    scf.yield %m : tensor<2xf32>
  }
  return %a : tensor<2xf32>
}
func.func @main() {
  return
}
