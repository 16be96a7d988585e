// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-annotate-replica-equal=replicas=2 -o /dev/null
// RUN: ipu-opt %s --split-input-file --pop-annotate-replica-equal="replicas=2 clone-callees" 2>%t | FileCheck %s
// RUN: not grep "^.*: warning: .*different calls" %t

// A function that is called for a variable that stays equal and for one that
// does not: in the second run both calls would pass what differs, as the first
// one left it.

// CHECK-LABEL: func.func private @decay(
// CHECK-LABEL: func.func private @decay_0(
// CHECK-LABEL: func.func @main
// CHECK: call @decay({{.*}}modified = [#pop.replica_partition<all of 2>]
// CHECK: call @decay_0({{.*}}modified = [#pop.replica_partition<none of 2>]
// expected-warning@+1 {{"w" may become different}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
// expected-warning@+2 {{"m" may become different}}
// expected-note@+1 {{'pop.variable' op passes the difference on}}
pop.variable @m : tensor<2xf32> = dense<1.0> : tensor<2xf32>
// expected-note@+1 {{'pop.stream' op makes replicas 0 and 1 differ}}
pop.stream @x host_to_device : tensor<2xf32>
// expected-warning@+1 {{argument #0 of @decay has different replica partitions in different calls: the analysis assumes replica partition 'none'}}
func.func private @decay(%r: !pop.ref<2xf32>) {
  %c = pop.constant dense<0.5> : tensor<2xf32>
  // expected-note@+1 {{'pop.mul_' op passes the difference on}}
  pop.mul_ %r, %c : !pop.ref<2xf32>, tensor<2xf32>
  return
}
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %m = pop.get_variable @m : !pop.ref<2xf32>
  // expected-note@+1 {{replica partition in this call: 'all'}}
  call @decay(%w) : (!pop.ref<2xf32>) -> ()
  // expected-note@+1 {{replica partition in this call: 'none'}}
  call @decay(%m) : (!pop.ref<2xf32>) -> ()
  // expected-note@+1 {{'pop.host_load' op passes the difference on}}
  %x = pop.host_load @x : tensor<2xf32>
  // expected-note@+1 {{'pop.add_' op passes the difference on}}
  pop.add_ %m, %x : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// Two variables that differ after different runs, each by itself: in the end
// both calls pass what differs, and no clone would help.

// CHECK-LABEL: func.func private @show(
// CHECK-NOT: func.func private @show
// CHECK-LABEL: func.func @main
pop.variable @a : tensor<2xf32> = dense<1.0> : tensor<2xf32> {retrieval = #pop<retrieval all_replicas>}
pop.variable @b : tensor<2xf32> = dense<1.0> : tensor<2xf32> {retrieval = #pop<retrieval all_replicas>}
pop.stream @x host_to_device : tensor<2xf32>
pop.stream @y device_to_host : tensor<2xf32>
func.func private @show(%t: tensor<2xf32>) {
  pop.host_store %t, @y : tensor<2xf32>
  return
}
func.func @main() {
  %a = pop.get_variable @a : !pop.ref<2xf32>
  %b = pop.get_variable @b : !pop.ref<2xf32>
  %0 = pop.read %a : !pop.ref<2xf32>
  %1 = pop.read %b : !pop.ref<2xf32>
  call @show(%0) : (tensor<2xf32>) -> ()
  call @show(%1) : (tensor<2xf32>) -> ()
  %x = pop.host_load @x : tensor<2xf32>
  pop.copy_ %b, %0 : !pop.ref<2xf32>, tensor<2xf32>
  pop.copy_ %a, %x : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// A function that reads a variable by its name, and one that is also executed
// by some replicas only.

// CHECK-LABEL: func.func private @read(
// CHECK-LABEL: func.func private @read_0(
// CHECK-LABEL: func.func private @constant(
// CHECK-LABEL: func.func private @constant_0(
pop.variable @w : tensor<i1> = dense<true> : tensor<i1>
pop.stream @x host_to_device : tensor<i1>
// expected-warning@+1 {{@w has different replica partitions in different calls of @read: the analysis assumes replica partition 'none'}}
func.func private @read() -> tensor<i1> {
  %w = pop.get_variable @w : !pop.ref<i1>
  %0 = pop.read %w : !pop.ref<i1>
  return %0 : tensor<i1>
}
// expected-warning@+1 {{@constant is executed under conditions with different replica partitions in different calls: the analysis assumes replica partition 'none'}}
func.func private @constant() -> tensor<i1> {
  %0 = pop.constant dense<true> : tensor<i1>
  return %0 : tensor<i1>
}
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<i1>
  %x = pop.host_load @x : tensor<i1>
  pop.copy_ %w, %x : !pop.ref<i1>, tensor<i1>
  // expected-note@+1 {{replica partition in this call: 'none'}}
  %0 = call @read() : () -> tensor<i1>
  %q = tensor.extract %0[] : tensor<i1>
  scf.if %q {
    // expected-note@+1 {{replica partition in this call: 'none'}}
    %1 = func.call @constant() : () -> tensor<i1>
  }
  // expected-note@+1 {{replica partition in this call: 'all'}}
  %2 = func.call @constant() : () -> tensor<i1>
  %3 = pop.all_reduce logical_or %0 : tensor<i1>
  pop.copy_ %w, %3 : !pop.ref<i1>, tensor<i1>
  // expected-note@+1 {{replica partition in this call: 'all'}}
  %4 = call @read() : () -> tensor<i1>
  return
}

// -----

// Streams start anew in each run, as they are declared: what decided how often
// they were loaded from at the end of the last one does not matter.

// CHECK-LABEL: func.func @main
// CHECK: pop.host_load @x {pop.replica_equal = [#pop.replica_partition<all of 2>]}
// CHECK: pop.host_load @s {pop.replica_equal = [#pop.replica_partition<none of 2>]}
// CHECK: pop.host_load @x {pop.replica_equal = [#pop.replica_partition<none of 2>]}
// CHECK: pop.host_load @x {pop.replica_equal = [#pop.replica_partition<none of 2>]}
// CHECK: pop.host_load @y {pop.replica_equal = [#pop.replica_partition<none of 2>]}
pop.variable @w : tensor<i1> = dense<true> : tensor<i1>
pop.stream @x host_to_device broadcast : tensor<i1>
pop.stream @y host_to_device broadcast : tensor<i1>
pop.stream @s host_to_device : tensor<i1>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<i1>
  %0 = pop.host_load @x : tensor<i1>
  pop.copy_ %w, %0 : !pop.ref<i1>, tensor<i1>
  %1 = pop.host_load @s : tensor<i1>
  %q = tensor.extract %1[] : tensor<i1>
  scf.if %q {
    %2 = pop.host_load @x : tensor<i1>
    %3 = pop.host_load @y : tensor<i1>
  }
  %4 = pop.host_load @x : tensor<i1>
  %5 = pop.host_load @y : tensor<i1>
  return
}

// -----

// No warning says that a function which updates a variable gets different values
// of it: its calls are like iterations of a loop.

// CHECK-LABEL: func.func private @accumulate(
pop.variable @sum : tensor<f32> = dense<0.0> : tensor<f32> {retrieval = #pop<retrieval all_replicas>}
pop.stream @x host_to_device : tensor<f32>
func.func private @accumulate() attributes {no_inline} {
  %r = pop.get_variable @sum : !pop.ref<f32>
  %0 = pop.host_load @x : tensor<f32>
  pop.add_ %r, %0 : !pop.ref<f32>, tensor<f32>
  return
}
func.func @main() {
  %r = pop.get_variable @sum : !pop.ref<f32>
  %zero = pop.constant dense<0.0> : tensor<f32>
  pop.copy_ %r, %zero : !pop.ref<f32>, tensor<f32>
  func.call @accumulate() : () -> ()
  func.call @accumulate() : () -> ()
  return
}
