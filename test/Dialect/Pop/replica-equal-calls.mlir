// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-print-replica-equal=replicas=2 -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-annotate-replica-equal="replicas=2 clone-callees" | FileCheck %s --check-prefix=CLONE

// Calls that disagree.

// CHECK-LABEL: @f(none, all)
// CHECK-NEXT: 'pop.add': none
// CHECK-LABEL: @main(all)
// CHECK-NEXT: 'pop.host_load': none
// CHECK-NEXT: 'func.call': none
// CHECK-NEXT: 'func.call': none

// CLONE-LABEL: func.func private @f(%{{.*}}: tensor<2xf32> {pop.replica_equal = #pop.replica_partition<all of 2>}
// CLONE: pop.add {{.*}}replica_partition<all of 2>
// CLONE-LABEL: func.func private @f_0(%{{.*}}: tensor<2xf32> {pop.replica_equal = #pop.replica_partition<none of 2>}
// CLONE: pop.add {{.*}}replica_partition<none of 2>
// CLONE-LABEL: func.func @main
// CLONE: call @f({{.*}}replica_partition<all of 2>
// CLONE: call @f_0({{.*}}replica_partition<none of 2>
pop.stream @x host_to_device : tensor<2xf32>
// expected-warning @below {{argument #0 of @f has different replica partitions in different calls: the analysis assumes replica partition 'none'}}
func.func private @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pop.add %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  %x = pop.host_load @x : tensor<2xf32>
  // expected-note @below {{replica partition in this call: 'all'}}
  %0 = call @f(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{replica partition in this call: 'none'}}
  %1 = call @f(%x, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// The same of refs, through two levels of calls. With clones each tensor is as
// good as if calls were inlined.

// CHECK-LABEL: @inner(none)
// CHECK-NEXT: 'pop.neg_': modifies operand 0 none
// CHECK-LABEL: @outer(none)
// CHECK-NEXT: 'func.call': modifies operand 0 none
// CHECK-LABEL: @main()
// CHECK: 'pop.from_tensor': none
// CHECK-NEXT: 'pop.alloc': all
// CHECK-NEXT: 'func.call': modifies operand 0 none
// CHECK-NEXT: 'func.call': modifies operand 0 none

// CLONE-LABEL: func.func private @inner(
// CLONE-LABEL: func.func private @inner_0(
// CLONE-LABEL: func.func private @outer(
// CLONE: call @inner(
// CLONE-LABEL: func.func private @outer_0(
// CLONE: call @inner_0(
// CLONE-LABEL: func.func @main
// CLONE: call @outer({{.*}}modified = [#pop.replica_partition<none of 2>]
// CLONE: call @outer_0({{.*}}modified = [#pop.replica_partition<all of 2>]
pop.stream @x host_to_device : tensor<2xf32>
func.func private @inner(%r: !pop.ref<2xf32>) {
  pop.neg_ %r : !pop.ref<2xf32>
  return
}
// expected-warning @below {{argument #0 of @outer has different replica partitions in different calls: the analysis assumes replica partition 'none'}}
func.func private @outer(%r: !pop.ref<2xf32>) {
  call @inner(%r) : (!pop.ref<2xf32>) -> ()
  return
}
func.func @main() {
  %x = pop.host_load @x : tensor<2xf32>
  %r = pop.from_tensor %x : tensor<2xf32>
  %s = pop.alloc zero : !pop.ref<2xf32>
  // expected-note @below {{replica partition in this call: 'none'}}
  call @outer(%r) : (!pop.ref<2xf32>) -> ()
  // expected-note @below {{replica partition in this call: 'all'}}
  call @outer(%s) : (!pop.ref<2xf32>) -> ()
  return
}

// -----

// A function without arguments, which modifies a variable, and one that is
// called under a condition that differs.

// CHECK-LABEL: @update()
// CHECK-NEXT: 'pop.get_variable': none
// CHECK-NEXT: 'pop.host_load': none
// CHECK-NEXT: 'pop.copy_': modifies operand 0 none
// CHECK-LABEL: @constant()
// CHECK-NEXT: 'pop.constant': none
// CHECK-LABEL: @main()
// CHECK: 'pop.get_variable': none
// CHECK: 'pop.read': none
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
pop.stream @p host_to_device : tensor<i1>
func.func private @update() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %x = pop.host_load @x : tensor<2xf32>
  pop.copy_ %w, %x : !pop.ref<2xf32>, tensor<2xf32>
  return
}
func.func private @constant() -> tensor<2xf32> {
  %0 = pop.constant dense<1.0> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main() {
  call @update() : () -> ()
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %0 = pop.read %w : !pop.ref<2xf32>
  %p = pop.host_load @p : tensor<i1>
  %q = tensor.extract %p[] : tensor<i1>
  scf.if %q {
    %1 = func.call @constant() : () -> tensor<2xf32>
  }
  return
}

// -----

// A function gets a part of a ref and modifies a part of that.

// CHECK-LABEL: @f(none)
// CHECK: 'pop.copy_': modifies operand 0 all
// CHECK-LABEL: @main()
// CHECK: 'func.call': modifies operand 0 none
// CHECK-NEXT: 'pop.read': all
// CHECK-NEXT: 'pop.read': none
// CHECK-NEXT: 'pop.read': none
pop.stream @x host_to_device : tensor<4xf32>
func.func private @f(%r: !pop.ref<2xf32>) {
  %0 = pop.ref_slice %r {starts = array<i64: 0>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<2xf32> -> !pop.ref<1xf32>
  %c = pop.constant dense<1.0> : tensor<1xf32>
  pop.copy_ %0, %c : !pop.ref<1xf32>, tensor<1xf32>
  return
}
func.func @main() {
  %x = pop.host_load @x : tensor<4xf32>
  %r = pop.from_tensor %x : tensor<4xf32>
  %upper = pop.ref_slice %r {starts = array<i64: 2>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %third = pop.ref_slice %r {starts = array<i64: 2>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<1xf32>
  %last = pop.ref_slice %r {starts = array<i64: 3>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<1xf32>
  call @f(%upper) : (!pop.ref<2xf32>) -> ()
  %0 = pop.read %third : !pop.ref<1xf32>
  %1 = pop.read %last : !pop.ref<1xf32>
  %2 = pop.read %r : !pop.ref<4xf32>
  return
}

// -----

// A step of training, with the collective and the update in functions: the
// weights stay equal.

// CHECK-LABEL: @reduce(none)
// CHECK-NEXT: 'pop.all_reduce': all
// CHECK-LABEL: @update(all, all)
// CHECK-NEXT: 'pop.scaled_add_': modifies operand 0 all
// CHECK-LABEL: @main()
// CHECK-NEXT: 'pop.get_variable': all
// CHECK-NEXT: 'pop.host_load': none
// CHECK-NEXT: 'pop.host_load': none
// CHECK-NEXT: 'pop.read': all
// CHECK-NEXT: 'pop.matmul': none
// CHECK-NEXT: 'pop.sub': none
// CHECK-NEXT: 'pop.transpose': none
// CHECK-NEXT: 'pop.matmul': none
// CHECK-NEXT: 'func.call': all
// CHECK-NEXT: 'func.call': modifies operand 0 all
pop.variable @w : tensor<4x4xf32> = dense<1.0> : tensor<4x4xf32>
pop.stream @inputs host_to_device : tensor<4x4xf32>
pop.stream @labels host_to_device : tensor<4x4xf32>
func.func private @reduce(%g: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = pop.all_reduce add %g : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @update(%w: !pop.ref<4x4xf32>, %g: tensor<4x4xf32>) {
  pop.scaled_add_ %w, %g {b = -0.1} : !pop.ref<4x4xf32>, tensor<4x4xf32>
  return
}
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<4x4xf32>
  %x = pop.host_load @inputs : tensor<4x4xf32>
  %l = pop.host_load @labels : tensor<4x4xf32>
  %t = pop.read %w : !pop.ref<4x4xf32>
  %y = pop.matmul %x, %t : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = pop.sub %y, %l : tensor<4x4xf32>
  %xt = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<4x4xf32> -> tensor<4x4xf32>
  %g = pop.matmul %xt, %d : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = call @reduce(%g) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  call @update(%w, %r) : (!pop.ref<4x4xf32>, tensor<4x4xf32>) -> ()
  return
}

// -----

// The same, all in one function.

// CHECK-LABEL: @main()
// CHECK: 'pop.all_reduce': all
// CHECK-NEXT: 'pop.scaled_add_': modifies operand 0 all
pop.variable @w : tensor<4x4xf32> = dense<1.0> : tensor<4x4xf32>
pop.stream @inputs host_to_device : tensor<4x4xf32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<4x4xf32>
  %x = pop.host_load @inputs : tensor<4x4xf32>
  %t = pop.read %w : !pop.ref<4x4xf32>
  %y = pop.matmul %x, %t : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = pop.all_reduce add %y : tensor<4x4xf32>
  pop.scaled_add_ %w, %r {b = -0.1} : !pop.ref<4x4xf32>, tensor<4x4xf32>
  return
}

// -----

// A call that makes one part of a tensor equal and another one differ: what
// overlaps both differs.

// CHECK-LABEL: @f(none, none, all)
// CHECK-LABEL: @main(all)
// CHECK: 'func.call': modifies operand 0 all, operand 1 none
// CHECK-NEXT: 'pop.read': all
// CHECK-NEXT: 'pop.read': none
// CHECK-NEXT: 'pop.read': none
pop.stream @x host_to_device : tensor<4xf32>
func.func private @f(%r: !pop.ref<2xf32>, %s: !pop.ref<2xf32>, %a: tensor<2xf32>) {
  pop.copy_ %r, %a : !pop.ref<2xf32>, tensor<2xf32>
  pop.neg_ %s : !pop.ref<2xf32>
  return
}
func.func @main(%a: tensor<2xf32>) {
  %x = pop.host_load @x : tensor<4xf32>
  %r = pop.from_tensor %x : tensor<4xf32>
  %lower = pop.ref_slice %r {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %upper = pop.ref_slice %r {starts = array<i64: 2>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %middle = pop.ref_slice %r {starts = array<i64: 1>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  call @f(%lower, %upper, %a) : (!pop.ref<2xf32>, !pop.ref<2xf32>, tensor<2xf32>) -> ()
  %0 = pop.read %lower : !pop.ref<2xf32>
  %1 = pop.read %upper : !pop.ref<2xf32>
  %2 = pop.read %middle : !pop.ref<2xf32>
  return
}

// -----

// A program that calls @main: what it leaves is there when the next run starts.

// CHECK-LABEL: @main()
// CHECK: 'pop.read': none
// CHECK-LABEL: @entry()
// CHECK-NEXT: 'pop.get_variable': none
pop.variable @w : tensor<i32> = dense<1> : tensor<i32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<i32>
  %0 = pop.read %w : !pop.ref<i32>
  return
}
func.func @entry() {
  %w = pop.get_variable @w : !pop.ref<i32>
  %i = pop.replica_index : tensor<i32>
  call @main() : () -> ()
  pop.copy_ %w, %i : !pop.ref<i32>, tensor<i32>
  return
}

// -----

// A function that reads one parameter before it writes the other one may get one
// ref for both: it reads what the call passes, and nothing else is affected.

// CHECK-LABEL: @decay(all, all)
// CHECK-NEXT: 'pop.read': all
// CHECK: 'pop.copy_': modifies operand 0 all
// CHECK-LABEL: @main()
// CHECK: 'func.call': modifies operand 1 all
// CHECK: 'pop.read': all
// CHECK: 'pop.read': none
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
pop.variable @own : tensor<4xf32> = dense<1.0> : tensor<2x4xf32> {groups = #pop.replica_groups<stride = 1, size = 1>}
func.func private @decay(%from: !pop.ref<4xf32>, %to: !pop.ref<4xf32>) {
  %0 = pop.read %from : !pop.ref<4xf32>
  %1 = pop.mul %0, %0 : tensor<4xf32>
  pop.copy_ %to, %1 : !pop.ref<4xf32>, tensor<4xf32>
  return
}
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  %same = pop.ref_reshape %w : !pop.ref<4xf32> to !pop.ref<4xf32>
  call @decay(%w, %same) : (!pop.ref<4xf32>, !pop.ref<4xf32>) -> ()
  %0 = pop.read %w : !pop.ref<4xf32>
  %own = pop.get_variable @own : !pop.ref<4xf32>
  %1 = pop.read %own : !pop.ref<4xf32>
  return
}

// -----

// One that reads after it wrote gets what is written by either name, also if it
// names a variable itself. Other tensors are as they are.

// CHECK-LABEL: @late(none, none)
// CHECK: 'pop.read': none
// CHECK-LABEL: @named(none)
// CHECK: 'pop.get_variable': none
// CHECK: 'pop.read': none
// CHECK-LABEL: @equal(all)
// CHECK: 'pop.get_variable': all
// CHECK: 'pop.read': all
// CHECK-LABEL: @main()
// CHECK: 'func.call': modifies operand 1 none
// CHECK: 'func.call': modifies operand 0 none
// CHECK: 'func.call': modifies operand 0 all
// CHECK: 'pop.read': all
// CHECK: 'pop.read': none
pop.variable @v : tensor<4xf32> = dense<1.0> : tensor<4xf32> {retrieval = #pop<retrieval all_replicas>}
pop.variable @u : tensor<4xf32> = dense<1.0> : tensor<4xf32>
pop.variable @other : tensor<4xf32> = dense<1.0> : tensor<4xf32>
pop.variable @own : tensor<4xf32> = dense<1.0> : tensor<2x4xf32> {groups = #pop.replica_groups<stride = 1, size = 1>, retrieval = #pop<retrieval all_replicas>}
pop.stream @x host_to_device : tensor<4xf32>
func.func private @late(%from: !pop.ref<4xf32>, %to: !pop.ref<4xf32>) {
  %x = pop.host_load @x : tensor<4xf32>
  pop.copy_ %to, %x : !pop.ref<4xf32>, tensor<4xf32>
  %0 = pop.read %from : !pop.ref<4xf32>
  return
}
func.func private @named(%to: !pop.ref<4xf32>) {
  %x = pop.host_load @x : tensor<4xf32>
  pop.copy_ %to, %x : !pop.ref<4xf32>, tensor<4xf32>
  %v = pop.get_variable @v : !pop.ref<4xf32>
  %0 = pop.read %v : !pop.ref<4xf32>
  return
}
func.func private @equal(%to: !pop.ref<4xf32>) {
  %c = pop.constant dense<2.0> : tensor<4xf32>
  pop.copy_ %to, %c : !pop.ref<4xf32>, tensor<4xf32>
  %u = pop.get_variable @u : !pop.ref<4xf32>
  %0 = pop.read %u : !pop.ref<4xf32>
  return
}
func.func @main() {
  %r = pop.alloc zero : !pop.ref<4xf32>
  call @late(%r, %r) : (!pop.ref<4xf32>, !pop.ref<4xf32>) -> ()
  %v = pop.get_variable @v : !pop.ref<4xf32>
  call @named(%v) : (!pop.ref<4xf32>) -> ()
  pop.zero_ %v : !pop.ref<4xf32>
  %u = pop.get_variable @u : !pop.ref<4xf32>
  call @equal(%u) : (!pop.ref<4xf32>) -> ()
  %other = pop.get_variable @other : !pop.ref<4xf32>
  %0 = pop.read %other : !pop.ref<4xf32>
  %own = pop.get_variable @own : !pop.ref<4xf32>
  %1 = pop.read %own : !pop.ref<4xf32>
  return
}

// -----

// What differs at the first call reaches the second one only as the function
// left it, around the loop.

// CHECK-LABEL: @f(none)
// CHECK-LABEL: @main()
// CHECK: 'scf.for'
// CHECK-NEXT: 'func.call': modifies operand 0 none

// CLONE-LABEL: func.func private @f(
// CLONE-LABEL: func.func private @f_0(
// CLONE-LABEL: func.func @main
// CLONE: call @f({{.*}}modified = [#pop.replica_partition<none of 2>]
// CLONE: scf.for
// CLONE-NEXT: call @f_0({{.*}}modified = [#pop.replica_partition<all of 2>]
// expected-warning @below {{argument #0 of @f has different replica partitions in different calls: the analysis assumes replica partition 'none'}}
func.func private @f(%r: !pop.ref<i32>) {
  %c = pop.constant dense<1> : tensor<i32>
  pop.add_ %r, %c : !pop.ref<i32>, tensor<i32>
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i = pop.replica_index : tensor<i32>
  %r = pop.from_tensor %i : tensor<i32>
  // expected-note @below {{replica partition in this call: 'none'}}
  call @f(%r) : (!pop.ref<i32>) -> ()
  %c = pop.constant dense<1> : tensor<i32>
  pop.copy_ %r, %c : !pop.ref<i32>, tensor<i32>
  scf.for %k = %c0 to %c4 step %c1 {
    // expected-note @below {{replica partition in this call: 'all'}}
    func.call @f(%r) : (!pop.ref<i32>) -> ()
  }
  return
}

// -----

// Two calls of one clone pass what is equal: there is one clone of the inner
// function for both, and not one for each way to it.

// CLONE-LABEL: func.func private @inner(
// CLONE-LABEL: func.func private @inner_0(
// CLONE-NOT: func.func private @inner
// CLONE-LABEL: func.func private @both(
// CLONE: call @inner(
// CLONE: call @inner(
// CLONE-LABEL: func.func private @both_0(
// CLONE: call @inner_0(
// CLONE: call @inner(
pop.variable @a : tensor<i32> = dense<1> : tensor<i32>
pop.variable @b : tensor<i32> = dense<1> : tensor<i32>
pop.variable @m : tensor<i32> = dense<1> : tensor<i32> {retrieval = #pop<retrieval all_replicas>}
// expected-warning @below {{argument #0 of @inner has different replica partitions in different calls: the analysis assumes replica partition 'none'}}
func.func private @inner(%r: !pop.ref<i32>) {
  %c = pop.constant dense<2> : tensor<i32>
  pop.mul_ %r, %c : !pop.ref<i32>, tensor<i32>
  return
}
// expected-warning @below {{argument #0 of @both has different replica partitions in different calls: the analysis assumes replica partition 'none'}}
// expected-warning @below {{argument #1 of @both has different replica partitions in different calls: the analysis assumes replica partition 'none'}}
func.func private @both(%r: !pop.ref<i32>, %s: !pop.ref<i32>) {
  // expected-note @below {{replica partition in this call: 'none'}}
  call @inner(%r) : (!pop.ref<i32>) -> ()
  // expected-note @below {{replica partition in this call: 'all'}}
  call @inner(%s) : (!pop.ref<i32>) -> ()
  return
}
func.func @main() {
  %a = pop.get_variable @a : !pop.ref<i32>
  %b = pop.get_variable @b : !pop.ref<i32>
  %m = pop.get_variable @m : !pop.ref<i32>
  // expected-note @below {{replica partition in this call: 'all'}}
  call @both(%a, %b) : (!pop.ref<i32>, !pop.ref<i32>) -> ()
  // expected-note @below {{replica partition in this call: 'none'}}
  call @both(%m, %b) : (!pop.ref<i32>, !pop.ref<i32>) -> ()
  %i = pop.replica_index : tensor<i32>
  pop.copy_ %m, %i : !pop.ref<i32>, tensor<i32>
  return
}

// -----

// A function that returns its argument: what it gives is executed by some
// replicas only, but what others get of it is the argument.

// CHECK-LABEL: @same(all, none)
// CHECK-LABEL: @main()
// CHECK: 'scf.if'
// CHECK-NEXT: 'func.call': none, none from all, none
// CHECK-NEXT: 'pop.neg': none from all
// CHECK-NEXT: 'pop.neg': none from none
// CHECK: 'func.call': none, none from none, none
// CHECK-NEXT: 'pop.sub': all from none, none
func.func private @same(%a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0 = pop.add %a, %b : tensor<i32>
  return %a, %0 : tensor<i32>, tensor<i32>
}
func.func private @also(%a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  return %a, %b : tensor<i32>, tensor<i32>
}
func.func @main() {
  %i = pop.replica_index : tensor<i32>
  %c = pop.constant dense<1> : tensor<i32>
  %p = pop.less %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %q = tensor.extract %p[] : tensor<i1>
  scf.if %q {
    %0, %1 = func.call @same(%c, %i) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    %2 = pop.neg %0 : tensor<i32>
    %3 = pop.neg %1 : tensor<i32>
  }
  %4, %5 = func.call @also(%i, %i) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  %6 = pop.sub %4, %i : tensor<i32>
  return
}

// -----

// A function that is passed what it names itself, and only shows by that name:
// the refs of that name see what is written by the other one, and what is written
// there leaves other elements of it as they are.

// CHECK-LABEL: @shows
// CHECK: 'pop.get_variable': none
// CHECK: 'pop.copy_': modifies operand 0 none
// CHECK: 'pop.read': all from all
// CHECK: 'pop.read': none from none
// CHECK-LABEL: @reads
// CHECK: 'pop.read': none from none
pop.variable @v : tensor<2xi32> = dense<0> : tensor<2xi32>
func.func private @shows(%r: !pop.ref<2xi32>) {
  %i = pop.replica_index : tensor<i32>
  %named = pop.get_variable @v : !pop.ref<2xi32>
  %0 = pop.ref_row %r[0] : !pop.ref<2xi32> -> !pop.ref<i32>
  pop.copy_ %0, %i : !pop.ref<i32>, tensor<i32>
  %1 = pop.ref_row %r[1] : !pop.ref<2xi32> -> !pop.ref<i32>
  %2 = pop.read %1 : !pop.ref<i32>
  %3 = pop.read %0 : !pop.ref<i32>
  return
}
pop.variable @u : tensor<2xi32> = dense<0> : tensor<2xi32>
func.func private @reads(%r: !pop.ref<2xi32>) {
  %i = pop.replica_index : tensor<i32>
  %named = pop.get_variable @u : !pop.ref<2xi32>
  %0 = pop.ref_row %r[0] : !pop.ref<2xi32> -> !pop.ref<i32>
  pop.copy_ %0, %i : !pop.ref<i32>, tensor<i32>
  %1 = pop.read %named : !pop.ref<2xi32>
  return
}
func.func @main() {
  %v = pop.get_variable @v : !pop.ref<2xi32>
  %u = pop.get_variable @u : !pop.ref<2xi32>
  call @shows(%v) : (!pop.ref<2xi32>) -> ()
  call @reads(%u) : (!pop.ref<2xi32>) -> ()
  return
}

// -----

// A callee that passes its parameter on twice: what the inner function leaves by
// either name is seen by all callers, whichever name it writes last.

// CHECK-LABEL: @twice
// CHECK: 'func.call': modifies operand 0 none, operand 1 none
// CHECK-LABEL: @main()
// CHECK: 'func.call': modifies operand 0 none from all
// CHECK-NEXT: 'pop.read': none from none
func.func private @first(%p: !pop.ref<i32>, %q: !pop.ref<i32>) {
  pop.zero_ %q : !pop.ref<i32>
  %i = pop.replica_index : tensor<i32>
  pop.copy_ %p, %i : !pop.ref<i32>, tensor<i32>
  return
}
func.func private @twice(%a: !pop.ref<i32>) {
  call @first(%a, %a) : (!pop.ref<i32>, !pop.ref<i32>) -> ()
  return
}
func.func @main() {
  %v = pop.alloc zero : !pop.ref<i32>
  call @twice(%v) : (!pop.ref<i32>) -> ()
  %0 = pop.read %v : !pop.ref<i32>
  return
}
