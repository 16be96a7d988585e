// Graphs, variables and buffers that do not go together: each program is refused
// where the mistake is, and nothing runs.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ones"})'

// A variable with values for two groups, of which there are four.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  // expected-error @below {{'pop.variable' op expects `value` of shape [4, 2] for 4 groups of replicas but got [2, 2]}}
  pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<2x2xf32> {groups = #pop.replica_groups<stride = 1, size = 1>}
  func.func @main() {
    return
  }
}

// -----

// A value of another shape.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  // expected-error @below {{'pop.variable' op expects `value` of shape [2, 2] for 2 groups of replicas but got [2, 3]}}
  pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<2x3xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
  func.func @main() {
    return
  }
}

// -----

// Groups of three of four replicas.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  func.func @main() {
    %i = pop.replica_index : tensor<i32>
    // expected-error @below {{'pop.all_reduce' op expects groups whose stride times size divides 4 replicas but got #pop.replica_groups<stride = 1, size = 3>, with the product 3}}
    %0 = pop.all_reduce add %i {groups = #pop.replica_groups<stride = 1, size = 3>} : tensor<i32>
    pop.expect_eq %0, dense<0> : tensor<i32>
    return
  }
}

// -----

// Groups of a variable that do not divide the replicas.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 6 : i64}>} {
  // expected-error @below {{'pop.variable' op expects groups whose stride times size divides 6 replicas but got #pop.replica_groups<stride = 2, size = 2>, with the product 4}}
  pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<3x2xf32> {groups = #pop.replica_groups<stride = 2, size = 2>}
  func.func @main() {
    return
  }
}

// -----

// Lists of other replicas than the target has.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %i = pop.replica_index : tensor<i32>
    // expected-error @below {{'pop.all_reduce' op expects groups with 2 replicas in all but got #pop.replica_groups<[[0, 2], [1, 3]]> with 4}}
    %0 = pop.all_reduce add %i {groups = #pop.replica_groups<[[0, 2], [1, 3]]>} : tensor<i32>
    pop.expect_eq %0, dense<0> : tensor<i32>
    return
  }
}

// -----

// A part that is not that of the groups: all four replicas where none are named.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  pop.variable @v : tensor<4xf32> = dense<1.0> : tensor<4xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  func.func @main() {
    %r = pop.get_variable @v : !pop.ref<2xf32>
    %0 = pop.read %r : !pop.ref<2xf32>
    // expected-error @below {{'pop.all_gather' op expects 'tensor<4xf32>' to be divided into parts of type 'tensor<1xf32>' in groups of 4 but got 'tensor<2xf32>'}}
    %1 = pop.all_gather %0 : tensor<2xf32> to tensor<4xf32>
    pop.expect_eq %1, dense<0.0> : tensor<4xf32>
    return
  }
}

// -----

// A variable distributed over replicas of several groups.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  // expected-error @below {{'pop.variable' op expects each group of `sharding` in one group of `groups` but got #pop.replica_groups<stride = 2, size = 2> and #pop.replica_groups<stride = 1, size = 2>}}
  pop.variable @v : tensor<4xf32> = dense<1.0> : tensor<2x4xf32> {groups = #pop.replica_groups<stride = 1, size = 2>, sharding = #pop.replica_groups<stride = 2, size = 2>}
  func.func @main() {
    return
  }
}

// -----

// A replica that is not there.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %i = pop.replica_index : tensor<i32>
    // expected-error @below {{'pop.collective_permute' op expects replicas from 0 to 1 in `pairs` but got 2}}
    %0 = pop.collective_permute %i {pairs = [[0, 2]]} : tensor<i32>
    pop.expect_eq %0, dense<0> : tensor<i32>
    return
  }
}

// -----

// A row that the buffer does not have.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.remote_buffer @b : 3 x tensor<2xf32>
  func.func @main() {
    // expected-error @below {{'pop.remote_load' op expects `static_row` to be from 0 to 2, the last row of @b, but got 3}}
    %0 = pop.remote_load @b[3] : tensor<2xf32>
    return
  }
}

// -----

// A row that the loop runs past.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.remote_buffer @b : 3 x tensor<2xf32>
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %t = pop.constant dense<1.0> : tensor<2xf32>
    scf.for %i = %c0 to %c4 step %c1 {
      %row = pop.from_scalar %i : index to tensor<i32>
      // expected-error @below {{'ipu.remote_store' op expects a row number of remote buffer 'b', which has 3 rows, but got 3 on replica 0}}
      pop.remote_store %t, @b[%row] : tensor<2xf32>
    }
    return
  }
}

// -----

// A store to what the host gives.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<2xf32>
  func.func @main() {
    %t = pop.constant dense<1.0> : tensor<2xf32>
    // expected-error @below {{'pop.host_store' op expects a stream of direction `device_to_host` but @x has direction `host_to_device`}}
    pop.host_store %t, @x : tensor<2xf32>
    return
  }
}

// -----

// A load of what the host gets.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @y device_to_host : tensor<2xf32>
  func.func @main() {
    // expected-error @below {{'pop.host_load' op expects a stream of direction `host_to_device` but @y has direction `device_to_host`}}
    %t = pop.host_load @y : tensor<2xf32>
    return
  }
}

// -----

// A graph that calls itself through another one.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-note @below {{@g is called here}}
    %0 = func.call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'func.call' op expects no recursion, but this call is part of a recursion of @f}}
    %0 = func.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @main() {
    %t = pop.constant dense<1.0> : tensor<2xf32>
    %0 = func.call @f(%t) : (tensor<2xf32>) -> tensor<2xf32>
    pop.expect_eq %0, dense<1.0> : tensor<2xf32>
    return
  }
}

// -----

// A ref that is one or the other.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @cond host_to_device : tensor<i1>
  pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<2xf32>
  pop.variable @w : tensor<2xf32> = dense<2.0> : tensor<2xf32>
  func.func @main() {
    %cond = pop.host_load @cond : tensor<i1>
    // expected-note @below {{the value may be this ref}}
    %v = pop.get_variable @v : !pop.ref<2xf32>
    // expected-note @below {{the value may be this ref}}
    %w = pop.get_variable @w : !pop.ref<2xf32>
    %p = tensor.extract %cond[] : tensor<i1>
    // expected-error @below {{'scf.if' op has result #0 of type '!pop.ref<2xf32>', but expects refs only from variables, new tensors, views and arguments of functions}}
    %r = scf.if %p -> (!pop.ref<2xf32>) {
      scf.yield %v : !pop.ref<2xf32>
    } else {
      scf.yield %w : !pop.ref<2xf32>
    }
    pop.zero_ %r : !pop.ref<2xf32>
    return
  }
}

// -----

// A ref that a graph gives back.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<2xf32>
  // expected-error @below {{'func.func' op returns result #0 of type '!pop.ref<2xf32>', but expects refs only from variables, new tensors, views and arguments of functions}}
  func.func private @f() -> !pop.ref<2xf32> {
    // expected-note @below {{the value may be this ref}}
    %v = pop.get_variable @v : !pop.ref<2xf32>
    return %v : !pop.ref<2xf32>
  }
  func.func @main() {
    // expected-error @below {{'func.call' op has result #0 of type '!pop.ref<2xf32>', but expects refs only from variables, new tensors, views and arguments of functions}}
    %r = func.call @f() : () -> !pop.ref<2xf32>
    pop.zero_ %r : !pop.ref<2xf32>
    return
  }
}

// -----

// A ref that changes from iteration to iteration.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<2xf32>
  pop.variable @w : tensor<2xf32> = dense<2.0> : tensor<2xf32>
  func.func @main() {
    // expected-note @below {{the value may be this ref}}
    %v = pop.get_variable @v : !pop.ref<2xf32>
    // expected-note @below {{the value may be this ref}}
    %w = pop.get_variable @w : !pop.ref<2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // expected-error @below {{'scf.for' op has argument #1 of a region of type '!pop.ref<2xf32>', but expects refs only from variables, new tensors, views and arguments of functions}}
    %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %v, %b = %w) -> (!pop.ref<2xf32>, !pop.ref<2xf32>) {
      pop.zero_ %a : !pop.ref<2xf32>
      scf.yield %b, %a : !pop.ref<2xf32>, !pop.ref<2xf32>
    }
    return
  }
}

// -----

// A reduction in a branch that replicas do not take together.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<2xf32> {retrieval = #pop<retrieval all_replicas>}
  func.func @main() {
    %v = pop.get_variable @v : !pop.ref<2xf32>
    %i = pop.replica_index : tensor<i32>
    %zero = pop.constant dense<0> : tensor<i32>
    // expected-note @below {{true on replica 0}}
    // expected-note @below {{false on replica 1}}
    %is_first = pop.equal %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p = tensor.extract %is_first[] : tensor<i1>
    // expected-error @below {{'ipu.if' op expects control-flow predicate "pop.equal" to be equal on all replicas, because they execute 'ipu.collective' together}}
    scf.if %p {
      %0 = pop.read %v : !pop.ref<2xf32>
      // expected-note @below {{'ipu.collective' op is here}}
      %1 = pop.all_reduce add %0 : tensor<2xf32>
      pop.copy_ %v, %1 : !pop.ref<2xf32>, tensor<2xf32>
    }
    return
  }
}

// -----

// A load of code that is inlined.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  // expected-note @below {{the symbol is here}}
  func.func private @f() {
    return
  }
  func.func @main() {
    // expected-error @below {{'pop.remote_code_load' op expects @f to be a function with a body and the attribute 'no_inline' but it lacks the attribute}}
    pop.remote_code_load @f to executable
    func.call @f() : () -> ()
    return
  }
}

// -----

// A scalar that is computed.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @n host_to_device : tensor<i32>
  func.func @main() {
    %t = pop.host_load @n : tensor<i32>
    %n = tensor.extract %t[] : tensor<i32>
    %c3 = arith.constant 3 : i32
    // expected-note @below {{computed here by 'arith.cmpi'}}
    %p = arith.cmpi slt, %n, %c3 : i32
    // expected-error @below {{'scf.if' op expects its condition to be a constant or the 'tensor.extract' of a tensor of one element; compute with tensors instead of scalars}}
    scf.if %p {
      pop.expect_eq %t, dense<0> : tensor<i32>
    }
    return
  }
}
