// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(pop-lower-control-flow))'

func.func @predicate(%p: tensor<i1>, %q: tensor<i1>) {
  %0 = tensor.extract %p[] : tensor<i1>
  %1 = tensor.extract %q[] : tensor<i1>
  // expected-note @+1 {{computed here by 'arith.andi'}}
  %2 = arith.andi %0, %1 : i1
  // expected-error @+1 {{expects its condition to be a constant or the 'tensor.extract' of a tensor of one element; compute with tensors instead of scalars}}
  scf.if %2 {
  }
  return
}

// -----

func.func @bound(%n: tensor<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.extract %n[%c1] : tensor<2xi32>
  // expected-note @+1 {{computed here by 'arith.index_cast'}}
  %1 = arith.index_cast %0 : i32 to index
  // expected-error @+1 {{expects its upper bound to be a constant or the 'tensor.extract' of a tensor of one element}}
  scf.for %i = %c0 to %1 step %c1 {
  }
  return
}

// -----

func.func @step(%n: tensor<i32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = tensor.extract %n[] : tensor<i32>
  %1 = arith.index_cast %0 : i32 to index
  // expected-error @+1 {{expects its step to be a positive constant}}
  scf.for %i = %c0 to %c4 step %1 {
  }
  return
}

// -----

func.func @index() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-note @+1 {{loop defined here}}
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @+1 {{uses the iteration index of a loop as a scalar; expects 'pop.from_scalar' to make it a tensor}}
    %0 = arith.addi %i, %c1 : index
    %1 = pop.from_scalar %0 : index to tensor<i32>
    %r = pop.from_tensor %1 : tensor<i32>
  }
  return
}

// -----

func.func @carries_scalars(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{carries a value of type 'f32' but only tensors can be carried}}
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> f32 {
    scf.yield %a : f32
  }
  return %r : f32
}

// -----

func.func @too_many() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 4000000000 : index
  // expected-error @+1 {{has more than 2^31 - 1 iterations}}
  scf.for %i = %c0 to %many step %c1 {
  }
  return
}

// -----

func.func @long_step(%n: tensor<i32>) {
  %c0 = arith.constant 0 : index
  %long = arith.constant 4000000000 : index
  %0 = tensor.extract %n[] : tensor<i32>
  %1 = arith.index_cast %0 : i32 to index
  // expected-error @+1 {{expects its step to be less than 2^31}}
  scf.for %i = %c0 to %1 step %long {
  }
  return
}

// -----

func.func @carries_index_tensors(%x: tensor<3xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{carries a value of type 'tensor<3xindex>' but only tensors of static shape and pop element type can be carried}}
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> tensor<3xindex> {
    scf.yield %a : tensor<3xindex>
  }
  return
}

// -----

func.func @carries_dynamic_tensors(%p: tensor<i1>, %x: tensor<?xf32>) {
  %0 = tensor.extract %p[] : tensor<i1>
  // expected-error @+1 {{carries a value of type 'tensor<?xf32>' but only tensors of static shape and pop element type can be carried}}
  %r = scf.if %0 -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return
}

// -----

func.func @wide_bounds() {
  %c0 = arith.constant 0 : i256
  %c1 = arith.constant 1 : i256
  // expected-error @+1 {{expects bounds of at most 64 bits but got 'i256'}}
  scf.for %i = %c0 to %c1 step %c1 : i256 {
  }
  return
}

// -----

func.func @unsigned() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %last = arith.constant -1 : i32
  // expected-error @+1 {{expects a signed comparison of its bounds}}
  scf.for unsigned %i = %c0 to %last step %c1 : i32 {
  }
  return
}

// -----

func.func @wide_lower_bound(%n: tensor<i32>) {
  %c1 = arith.constant 1 : index
  %wide = arith.constant 5000000000 : index
  %0 = tensor.extract %n[] : tensor<i32>
  %1 = arith.index_cast %0 : i32 to index
  // expected-error @+1 {{expects its lower bound to fit 32 bits but got 5000000000}}
  scf.for %i = %wide to %1 step %c1 {
  }
  return
}

// -----

// The last index is 2^31.
func.func @wide_index(%r: !pop.ref<i64>) {
  %c0 = arith.constant 0 : index
  %half = arith.constant 1073741824 : index
  %wide = arith.constant 2147483649 : index
  // expected-error @+1 {{expects iteration indices that fit 32 bits, because the body uses them}}
  scf.for %i = %c0 to %wide step %half {
    %0 = pop.from_scalar %i : index to tensor<i64>
    pop.copy_ %r, %0 : !pop.ref<i64>, tensor<i64>
  }
  return
}

// -----

func.func @bit_as_bound(%p: tensor<i1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.extract %p[] : tensor<i1>
  // expected-note @+1 {{computed here by 'arith.index_cast'}}
  %1 = arith.index_cast %0 : i1 to index
  // expected-error @+1 {{expects its upper bound to be a constant or the 'tensor.extract' of a tensor of one element}}
  scf.for %i = %c0 to %1 step %c1 {
  }
  return
}

// -----

func.func @wide_case(%x: !pop.ref<2xf32>, %i: tensor<i32>) {
  %s = tensor.extract %i[] : tensor<i32>
  %n = arith.index_cast %s : i32 to index
  // expected-error @below {{'scf.index_switch' op expects cases that fit 32 bits but got 2147483648}}
  scf.index_switch %n
  case 2147483648 {
    scf.yield
  }
  default {
  }
  return
}

// -----

func.func @switch_carries(%x: tensor<2xf32>, %i: tensor<i32>) -> f32 {
  %c = arith.constant 1.0 : f32
  %s = tensor.extract %i[] : tensor<i32>
  %n = arith.index_cast %s : i32 to index
  // expected-error @below {{'scf.index_switch' op carries a value of type 'f32' but only tensors can be carried}}
  %r = scf.index_switch %n -> f32
  default {
    scf.yield %c : f32
  }
  return %r : f32
}

// -----

func.func @switch_on_scalar(%x: !pop.ref<2xf32>, %n: index) {
  // expected-error @below {{'scf.index_switch' op expects its argument to be}}
  scf.index_switch %n
  default {
  }
  return
}
