// RUN: ipu-opt %s --split-input-file --pop-annotate-replica-equal=replicas=4 --verify-diagnostics -o /dev/null

// Gradients that no all-reduce made equal.

// expected-note@+1 {{'pop.stream' op makes replicas 0 and 1 differ}}
pop.stream @x host_to_device : tensor<2xf32>
// expected-warning@+1 {{'pop.variable' op "w" may become different on replicas 0 and 1, but the host reads the value of only one of these replicas}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  // expected-note@+1 {{'pop.host_load' op passes the difference on}}
  %x = pop.host_load @x : tensor<2xf32>
  %0 = pop.read %w : !pop.ref<2xf32>
  // expected-note@+1 {{'pop.mul' op passes the difference on}}
  %g = pop.mul %0, %x : tensor<2xf32>
  // expected-note@+1 {{'pop.sub_' op passes the difference on}}
  pop.sub_ %w, %g : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// With the all-reduce they are equal, as are variables that the host reads of
// all replicas, or that no run leaves different.

pop.stream @x host_to_device : tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
pop.variable @last : tensor<2xf32> = dense<0.0> : tensor<2xf32> {retrieval = #pop<retrieval all_replicas>}
pop.variable @sum : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %last = pop.get_variable @last : !pop.ref<2xf32>
  %sum = pop.get_variable @sum : !pop.ref<2xf32>
  %x = pop.host_load @x : tensor<2xf32>
  pop.copy_ %last, %x : !pop.ref<2xf32>, tensor<2xf32>
  pop.add_ %sum, %x : !pop.ref<2xf32>, tensor<2xf32>
  %0 = pop.read %sum : !pop.ref<2xf32>
  %g = pop.all_reduce mean %0 : tensor<2xf32>
  pop.sub_ %w, %g : !pop.ref<2xf32>, tensor<2xf32>
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  pop.copy_ %sum, %zero : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// Groups of one start different: only the pairs of each count. The all-reduce
// is over the wrong ones.

// expected-note@+1 {{'pop.stream' op makes replicas 0 and 1 differ}}
pop.stream @x host_to_device : tensor<2xf32>
// expected-warning@+1 {{"w" may become different on replicas 0 and 1, but the host reads the value of only one of these replicas}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2x2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  // expected-note@+1 {{'pop.host_load' op passes the difference on}}
  %x = pop.host_load @x : tensor<2xf32>
  // expected-note@+1 {{'pop.all_reduce' op passes the difference on}}
  %g = pop.all_reduce mean %x {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<2xf32>
  // expected-note@+1 {{'pop.sub_' op passes the difference on}}
  pop.sub_ %w, %g : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// Each replica is to hold a part of the sum, and the parts are those of its
// group: no difference within it, whatever others have.

pop.stream @x host_to_device : tensor<4xf32>
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %x = pop.host_load @x : tensor<4xf32>
  %s = pop.all_reduce mean %x : tensor<4xf32>
  %g = pop.replica_slice %s {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32> to tensor<2xf32>
  pop.sub_ %w, %g : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// A branch that replicas take differently, in a function, and the index of the
// replica itself.

// expected-warning@+1 {{"w" may become different on replicas 0 and 1, but the host reads the value of only one of these replicas}}
pop.variable @w : tensor<f32> = dense<1.0> : tensor<f32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<f32>
  // expected-note@+1 {{'pop.replica_index' op makes replicas 0 and 1 differ}}
  %i = pop.replica_index : tensor<i32>
  // expected-note@+1 {{'tensor.extract' op passes the difference on}}
  %n = tensor.extract %i[] : tensor<i32>
  %one = arith.constant 1 : i32
  // expected-note@+1 {{'arith.cmpi' op passes the difference on}}
  %p = arith.cmpi eq, %n, %one : i32
  func.call @step(%w, %p) : (!pop.ref<f32>, i1) -> ()
  return
}
func.func private @step(%w: !pop.ref<f32>, %p: i1) {
  %two = arith.constant dense<2.0> : tensor<f32>
  // expected-note@+1 {{'scf.if' op passes the difference on}}
  scf.if %p {
    // expected-note@+1 {{'pop.copy_' op passes the difference on}}
    pop.copy_ %w, %two : !pop.ref<f32>, tensor<f32>
  }
  return
}

// -----

// Rows of a remote buffer, and groups that have nothing in common.

// expected-note@+1 {{'pop.stream' op makes replicas 0 and 2 differ}}
pop.stream @x host_to_device : tensor<4xf32>
pop.remote_buffer @b : 2 x tensor<4xf32>
pop.variable @u : tensor<4xf32> = dense<1.0> : tensor<4xf32> {buffer = @b, row = 0 : i64}
// expected-warning@+1 {{"v" may become different on replicas 0 and 2, but the host reads the value of only one of these replicas}}
pop.variable @v : tensor<4xf32> = dense<1.0> : tensor<4xf32> {buffer = @b, row = 1 : i64}
func.func @main() {
  // expected-note@+1 {{'pop.host_load' op passes the difference on}}
  %x = pop.host_load @x : tensor<4xf32>
  // expected-note@+1 {{'pop.broadcast' op passes the difference on}}
  %y = pop.broadcast %x {groups = #pop.replica_groups<stride = 1, size = 2>, root = 1 : i64} : tensor<4xf32>
  // expected-note@+1 {{'pop.remote_store' op passes the difference on}}
  pop.remote_store %y, @b[1] : tensor<4xf32>
  return
}

// -----

// The replicas that differ are others after an exchange.

// expected-warning@+1 {{"w" may become different on replicas 0 and 1, but the host reads the value of only one of these replicas}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
// expected-note@+1 {{'pop.variable' op makes replicas 0 and 2 differ}}
pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<2x2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %v = pop.get_variable @v : !pop.ref<2xf32>
  // expected-note@+1 {{'pop.read' op passes the difference on}}
  %0 = pop.read %v : !pop.ref<2xf32>
  // expected-note@+1 {{'pop.collective_permute' op passes the difference on, to replicas 0 and 1}}
  %1 = pop.collective_permute %0 {pairs = [[0, 0], [2, 1], [1, 2], [3, 3]]} : tensor<2xf32>
  // expected-note@+1 {{'pop.copy_' op passes the difference on}}
  pop.copy_ %w, %1 : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// The host reads each result of the program once.

func.func private @other() -> tensor<i32> {
  // expected-note@+1 {{'pop.replica_index' op makes replicas 0 and 1 differ}}
  %i = pop.replica_index : tensor<i32>
  return %i : tensor<i32>
}
// expected-warning@+1 {{'func.func' op result #1 may differ on replicas 0 and 1, but the host reads the value of only one of these replicas}}
func.func @main() -> (tensor<i32>, tensor<i32>) {
  %one = pop.constant dense<1> : tensor<i32>
  %i = func.call @other() : () -> tensor<i32>
  return %one, %i : tensor<i32>, tensor<i32>
}

// -----

// Updates that round with seeds of their own, because gradients differ.

// expected-note@+1 {{'pop.stream' op makes replicas 0 and 1 differ}}
pop.stream @x host_to_device : tensor<2xf16>
// expected-warning@+1 {{'pop.variable' op "w" may become different on replicas 0 and 1, but the host reads the value of only one of these replicas}}
pop.variable @w : tensor<2xf16> = dense<1.0> : tensor<2xf16>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf16>
  // expected-note@+1 {{'pop.host_load' op passes the difference on}}
  %x = pop.host_load @x : tensor<2xf16>
  // expected-note@+1 {{'pop.sub_' op passes the difference on}}
  pop.sub_ %w, %x {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 4>} : !pop.ref<2xf16>, tensor<2xf16>
  return
}

// -----

// The seeds alone, between replicas whose gradients are equal.

pop.stream @x host_to_device : tensor<2xf16>
// expected-warning@+1 {{'pop.variable' op "w" may become different on replicas 0 and 1, but the host reads the value of only one of these replicas}}
pop.variable @w : tensor<2xf16> = dense<1.0> : tensor<2xf16>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf16>
  %x = pop.host_load @x : tensor<2xf16>
  %g = pop.all_reduce mean %x : tensor<2xf16>
  // expected-note@+1 {{'pop.sub_' op makes replicas 0 and 1 differ, because its rounding method gives these replicas different seeds}}
  pop.sub_ %w, %g {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 4>} : !pop.ref<2xf16>, tensor<2xf16>
  return
}
