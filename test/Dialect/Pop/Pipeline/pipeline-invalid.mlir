// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-pipeline)'

// A stage reads a value of a later stage.
func.func @backwards(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // expected-note @below {{the value is computed here}}
    %0 = pop.exp %x {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
    // expected-error @below {{'pop.log' op is in stage 0, but uses a value of the later stage 1; move it to stage 1 or a later one}}
    %1 = pop.log %0 {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
  }
  return
}

// -----

// A stage reads what a later stage computed for the previous micro-batch.
func.func @carried(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-note @below {{this loop carries the value}}
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    // expected-error @below {{'pop.exp' op is in stage 0, but uses a value that stage 1 computes for the previous micro-batch; move it to stage 1 or a later one}}
    %0 = pop.exp %a {pop.stage = 0 : i64} : tensor<4xf32>
    %1 = pop.log %0 {pop.stage = 1 : i64} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// There are fewer micro-batches than stages.
func.func @few(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // expected-error @below {{'scf.for' op has 2 iterations, but a pipeline of 3 stages expects at least 3 micro-batches with this schedule; use more micro-batches or fewer stages}}
  scf.for %i = %c0 to %c2 step %c1 {
    %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
    %1 = pop.log %0 {pop.stage = 1 : i64} : tensor<4xf32>
    %2 = pop.log %1 {pop.stage = 2 : i64} : tensor<4xf32>
  }
  return
}

// -----

// Two stages access a variable, and one of them writes.
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func @update(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pop.get_variable @w : !pop.ref<4xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    // expected-note @below {{the other op is here}}
    %w = pop.read %r {pop.stage = 0 : i64} : !pop.ref<4xf32>
    %0 = pop.add %w, %x {pop.stage = 0 : i64} : tensor<4xf32>
    // expected-error @below {{'pop.add_' op of stage 1 and 'pop.read' of stage 0 access the same memory, and one of them writes it; in a pipeline, stage 0 processes other micro-batches in between; move them to one stage, or accumulate updates and apply them after the loop}}
    pop.add_ %r, %0 {pop.stage = 1 : i64} : !pop.ref<4xf32>, tensor<4xf32>
  }
  return
}

// -----

// Two stages load from one stream.
pop.stream @s host_to_device : tensor<4xf32> {transfers = 16 : i64}
func.func @stream() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // expected-note @below {{the other op is here}}
    %0 = pop.host_load @s {pop.stage = 0 : i64} : tensor<4xf32>
    // expected-error @below {{'pop.host_load' op of stage 1 and 'pop.host_load' of stage 0 access the same memory}}
    %1 = pop.host_load @s {pop.stage = 1 : i64} : tensor<4xf32>
  }
  return
}

// -----

// A ref is passed to another stage.
func.func @ref(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // expected-note @below {{the value is defined here}}
    %r = pop.from_tensor %x {pop.stage = 0 : i64} : tensor<4xf32>
    // expected-error @below {{'pop.read' op is in stage 1, but uses a value of type '!pop.ref<4xf32>' of stage 0; a pipeline can pass only tensors of pop to another stage}}
    %0 = pop.read %r {pop.stage = 1 : i64} : !pop.ref<4xf32>
    %1 = pop.exp %0 {pop.stage = 1 : i64} : tensor<4xf32>
  }
  return
}

// -----

// The index of the loop is used as a scalar.
func.func @index(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // expected-error @below {{'arith.cmpi' op uses the index of a loop over micro-batches; a pipeline expects only 'pop.from_scalar' ops in the body of the loop to use it}}
    %0 = arith.cmpi eq, %i, %c0 : index
    %1 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
    %2 = pop.log %1 {pop.stage = 1 : i64} : tensor<4xf32>
  }
  return
}

// -----

// The number of micro-batches is not a constant.
func.func @count(%x: tensor<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op has ops of several pipeline stages, but its number of iterations, which is the number of micro-batches, is not a constant of 32 bits}}
  scf.for %i = %c0 to %n step %c1 {
    %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
    %1 = pop.log %0 {pop.stage = 1 : i64} : tensor<4xf32>
  }
  return
}

// -----

// An op with effects has no stage.
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func @unstaged(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pop.get_variable @w : !pop.ref<4xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
    %1 = pop.log %0 {pop.stage = 1 : i64} : tensor<4xf32>
    // expected-error @below {{'pop.add_' op is in a loop over micro-batches and expects attribute 'pop.stage', because it has effects; 'pop-infer-stages' states the stages of placed ops}}
    pop.add_ %r, %x : !pop.ref<4xf32>, tensor<4xf32>
  }
  return
}

// -----

// A function has ops of two stages.
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{this op is in stage 0}}
  %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
  // expected-note @below {{this op is in stage 1}}
  %1 = pop.log %0 {pop.stage = 1 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @function(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // expected-error @below {{'func.call' op executes ops of stages 0 and 1, but a pipeline expects it to be in one stage; inline the function, unroll the loop, or move the ops to one stage}}
    %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  }
  return
}

// -----

// The loop carries a value from outside.
func.func @outside(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @below {{'scf.for' op is a loop over micro-batches and carries a value from outside of the loop to its next iteration; a pipeline expects a value that the loop computes}}
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %0 = pop.exp %a {pop.stage = 0 : i64} : tensor<4xf32>
    %1 = pop.log %0 {pop.stage = 1 : i64} : tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A stage uses a copy of its own value.
func.func @copied(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.exp %x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
    // expected-note @below {{the value is copied here}}
    %2 = pop.ipu_copy %1 from 1 to 0 : tensor<4xf32>
    // expected-error @below {{'pop.sin' op is in stage 0, but uses a copy of a value that the stage computes; copies follow the stage that computes their operands, so move the op to a later stage}}
    %3 = pop.sin %2 {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    %4 = pop.log %1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  }
  return
}

// -----

// A value on I/O tiles is passed to another stage.
pop.stream @s host_to_device : tensor<4xf32> {transfers = 8 : i64}
func.func @io() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // expected-note @below {{the value is defined here}}
    %0 = pop.host_load @s {pop.stage = 0 : i64, pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    // expected-error @below {{'pop.io_tile_copy' op is in stage 1, but uses a value of stage 0 on I/O tiles; copy it to compute tiles in stage 0 ('pop.io_tile_copy')}}
    %1 = pop.io_tile_copy %0 to compute {pop.stage = 1 : i64} : tensor<4xf32>
  }
  return
}

// -----

// A scalar of a stage is used in another one.
func.func @scalar(%p: tensor<i1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // expected-note @below {{the value is defined here}}
    %0 = tensor.extract %p[] {pop.stage = 0 : i64} : tensor<i1>
    // expected-error @below {{'pop.from_scalar' op is in stage 1, but uses a value of type 'i1' of stage 0; a pipeline can pass only tensors of pop to another stage}}
    %1 = pop.from_scalar %0 {pop.stage = 1 : i64} : i1 to tensor<i1>
  }
  return
}

// -----

// The loop carries a scalar.
func.func @carried_index(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @below {{'scf.for' op is a loop over micro-batches and carries a value of type 'index'; a pipeline can carry only tensors of pop}}
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%n = %c0) -> (index) {
    %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
    %1 = pop.log %0 {pop.stage = 1 : i64} : tensor<4xf32>
    %next = arith.addi %n, %c1 : index
    scf.yield %next : index
  }
  return
}

// -----

// The index of an outer loop is used in a region.
func.func @outer_index(%x: tensor<4xf32>, %p: tensor<i1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-note @below {{the value is defined here}}
  scf.for %o = %c0 to %c8 step %c1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
      %c = tensor.extract %p[] : tensor<i1>
      scf.if %c {
        // expected-error @below {{'pop.from_scalar' op uses a value of type 'index' from outside of a loop over micro-batches; a pipeline expects constants, tensors, refs, and operands of a 'pop.from_scalar' in the body of the loop}}
        %1 = pop.from_scalar %o {pop.stage = 1 : i64} : index to tensor<i32>
      }
    }
  }
  return
}

// -----

// No loop has ops of two stages.
// expected-error @below {{'pop-pipeline' expects a loop over micro-batches whose ops are in at least two pipeline stages; 'pop-main-loops' makes loops, and 'pop-infer-stages' makes stages}}
module {
  func.func @main(%x: tensor<4xf32>) {
    %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
    %1 = pop.log %0 {pop.stage = 1 : i64} : tensor<4xf32>
    return
  }
}
