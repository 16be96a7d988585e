// RUN: ipu-opt %s --split-input-file --pop-print-replica-equal=replicas=4 -o /dev/null | FileCheck %s

// Branches with a condition that is the same on all replicas, and one that is
// not: results, what the branches compute and what they write depend on it.

// CHECK-LABEL: @main(all, all, all)
// CHECK-NEXT: 'pop.get_variable': none
// CHECK-NEXT: 'pop.host_load': none
// CHECK-NEXT: 'scf.if': all
// CHECK-NEXT: 'pop.neg': all
// CHECK: 'tensor.extract': none
// CHECK-NEXT: 'scf.if': none
// CHECK-NEXT: #8 'pop.neg': none
// CHECK-NEXT: #9 'pop.copy_': modifies operand 0 none
// CHECK-NEXT: #10 'pop.constant': none
// CHECK: 'pop.read': none
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
pop.stream @p host_to_device : tensor<i1>
func.func @main(%same: i1, %a: tensor<2xf32>, %b: tensor<2xf32>) {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %p = pop.host_load @p : tensor<i1>
  %0 = scf.if %same -> tensor<2xf32> {
    %1 = pop.neg %a : tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  } else {
    scf.yield %b : tensor<2xf32>
  }
  %q = tensor.extract %p[] : tensor<i1>
  %2 = scf.if %q -> tensor<2xf32> {
    %3 = pop.neg %a : tensor<2xf32>
    pop.copy_ %w, %a : !pop.ref<2xf32>, tensor<2xf32>
    %c = pop.constant dense<1.0> : tensor<2xf32>
    scf.yield %3 : tensor<2xf32>
  } else {
    scf.yield %b : tensor<2xf32>
  }
  %4 = pop.read %w : !pop.ref<2xf32>
  return
}

// -----

// The branches are not equal though the condition is; and one that is refined by
// a condition which is equal in groups.

// CHECK-LABEL: @main(all, all)
// CHECK: 'scf.if': none
// CHECK: 'pop.all_reduce': {0,1}{2,3}
// CHECK: 'scf.if': {0,1}{2,3}
pop.stream @x host_to_device : tensor<2xf32>
pop.stream @p host_to_device : tensor<i8>
func.func @main(%same: i1, %a: tensor<2xf32>) {
  %x = pop.host_load @x : tensor<2xf32>
  %0 = scf.if %same -> tensor<2xf32> {
    scf.yield %a : tensor<2xf32>
  } else {
    scf.yield %x : tensor<2xf32>
  }
  %p = pop.host_load @p : tensor<i8>
  %1 = pop.all_reduce max %p {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<i8>
  %2 = tensor.extract %1[] : tensor<i8>
  %3 = arith.trunci %2 : i8 to i1
  %4 = scf.if %3 -> tensor<2xf32> {
    scf.yield %a : tensor<2xf32>
  } else {
    %5 = pop.neg %a : tensor<2xf32>
    scf.yield %5 : tensor<2xf32>
  }
  return
}

// -----

// A branch without operands and without results.

// CHECK-LABEL: @main(all)
// CHECK: 'pop.constant': all
func.func @main(%same: i1) {
  scf.if %same {
  }
  scf.if %same {
    %c = pop.constant dense<1.0> : tensor<2xf32>
  }
  return
}

// -----

// What a loop carries is different from its second iteration on; the counter is
// the same, also where all bounds are constants.

// CHECK-LABEL: @main(all)
// CHECK: 'pop.host_load': none
// CHECK-NEXT: 'scf.for': none, none, all
// CHECK-NEXT: 'pop.from_scalar': all
// CHECK-NEXT: 'pop.add': none
pop.stream @x host_to_device : tensor<i32>
func.func @main(%a: tensor<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = pop.host_load @x : tensor<i32>
  %0:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %a, %v = %a, %w = %a) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
    %t = pop.from_scalar %i : index to tensor<i32>
    %1 = pop.add %v, %x : tensor<i32>
    scf.yield %v, %1, %t : tensor<i32>, tensor<i32>, tensor<i32>
  }
  return
}

// -----

// Replicas that do not make the same number of iterations: all that is carried,
// and all that is written in the loop.

// CHECK-LABEL: @main(all, all)
// CHECK-NEXT: 'pop.alloc': all
// CHECK-NEXT: 'pop.alloc': all
// CHECK: 'arith.index_cast': none
// CHECK-NEXT: 'scf.for': none
// CHECK: 'pop.copy_': modifies operand 0 none
// CHECK: 'pop.read': none
// CHECK-NEXT: 'pop.read': all
func.func @main(%a: tensor<i32>, %b: tensor<i32>) {
  %r = pop.alloc zero : !pop.ref<i32>
  %s = pop.alloc zero : !pop.ref<i32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = pop.replica_index : tensor<i32>
  %n = tensor.extract %i[] : tensor<i32>
  %end = arith.index_cast %n : i32 to index
  %0 = scf.for %k = %c0 to %end step %c1 iter_args(%u = %a) -> tensor<i32> {
    pop.copy_ %r, %b : !pop.ref<i32>, tensor<i32>
    scf.yield %b : tensor<i32>
  }
  %1 = pop.read %r : !pop.ref<i32>
  %2 = pop.read %s : !pop.ref<i32>
  return
}

// -----

// A while loop whose condition comes to differ.

// CHECK-LABEL: @main(all, all)
// CHECK: 'scf.while': none
// CHECK: 'scf.while': all
pop.stream @x host_to_device : tensor<i1>
func.func @main(%a: tensor<2xf32>, %p: tensor<i1>) {
  %0 = scf.while (%u = %a) : (tensor<2xf32>) -> tensor<2xf32> {
    %x = pop.host_load @x : tensor<i1>
    %q = tensor.extract %x[] : tensor<i1>
    scf.condition(%q) %u : tensor<2xf32>
  } do {
  ^bb0(%v: tensor<2xf32>):
    %1 = pop.neg %v : tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  }
  %2 = scf.while (%u = %a) : (tensor<2xf32>) -> tensor<2xf32> {
    %q = tensor.extract %p[] : tensor<i1>
    scf.condition(%q) %u : tensor<2xf32>
  } do {
  ^bb0(%v: tensor<2xf32>):
    %1 = pop.neg %v : tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  }
  return
}

// -----

// A ref that a loop makes differ at the end of an iteration differs at its
// start; one that it makes equal again before it is read does not.

// CHECK-LABEL: @main(all)
// CHECK: #7 'pop.read': none
// CHECK-NEXT: #8 'pop.copy_': modifies operand 0 none
// CHECK-NEXT: #9 'pop.copy_': modifies operand 0 none
// CHECK-NEXT: #10 'pop.copy_': modifies operand 0 all
// CHECK-NEXT: #11 'pop.read': all
pop.stream @x host_to_device : tensor<2xf32>
func.func @main(%a: tensor<2xf32>) {
  %r = pop.alloc zero : !pop.ref<2xf32>
  %s = pop.alloc zero : !pop.ref<2xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = pop.host_load @x : tensor<2xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = pop.read %r : !pop.ref<2xf32>
    pop.copy_ %r, %x : !pop.ref<2xf32>, tensor<2xf32>
    pop.copy_ %s, %x : !pop.ref<2xf32>, tensor<2xf32>
    pop.copy_ %s, %a : !pop.ref<2xf32>, tensor<2xf32>
    %1 = pop.read %s : !pop.ref<2xf32>
  }
  return
}

// -----

// A broadcast stream of which replicas may have taken different numbers of
// tensors.

// CHECK-LABEL: @main()
// CHECK: 'scf.if'
// CHECK-NEXT: 'pop.host_load': none
// CHECK: 'pop.host_load': none
// CHECK: 'pop.host_load': all
pop.stream @p host_to_device : tensor<i1>
pop.stream @x host_to_device broadcast : tensor<f32>
pop.stream @y host_to_device broadcast : tensor<f32>
func.func @main() {
  %p = pop.host_load @p : tensor<i1>
  %q = tensor.extract %p[] : tensor<i1>
  %a = scf.if %q -> tensor<f32> {
    %0 = pop.host_load @x : tensor<f32>
    scf.yield %0 : tensor<f32>
  } else {
    %c = pop.constant dense<0.0> : tensor<f32>
    scf.yield %c : tensor<f32>
  }
  %b = pop.host_load @x : tensor<f32>
  %c = pop.host_load @y : tensor<f32>
  return
}

// -----

// Blocks: what is computed behind a branch that replicas take differently.

// CHECK-LABEL: @main(all, all)
// CHECK-NEXT: 'pop.replica_index': none
// CHECK: 'arith.trunci': none
// CHECK: 'pop.neg': all
// CHECK-NEXT: 'pop.add': none
func.func @main(%a: tensor<2xf32>, %same: i1) -> tensor<2xf32> {
  %i = pop.replica_index : tensor<i32>
  %0 = tensor.extract %i[] : tensor<i32>
  %1 = arith.trunci %0 : i32 to i1
  %2 = pop.neg %a : tensor<2xf32>
  cf.cond_br %1, ^bb1(%a : tensor<2xf32>), ^bb1(%2 : tensor<2xf32>)
^bb1(%x: tensor<2xf32>):
  %3 = pop.add %x, %a : tensor<2xf32>
  return %3 : tensor<2xf32>
}
