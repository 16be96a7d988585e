// RUN: ipu-opt %s --split-input-file --pop-print-replica-equal=replicas=2 -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-annotate-replica-equal="replicas=2 fold=false" | FileCheck %s --check-prefix=UNFOLDED

// Loops that are always entered give what their body makes; others may give
// what they get.

// CHECK-LABEL: @main(all)
// CHECK: 'scf.for': all
// CHECK-NEXT: 'pop.all_reduce': all
// CHECK: 'scf.for': none
// CHECK: 'scf.for': none
// CHECK: 'pop.read': all
pop.stream @x host_to_device : tensor<2xf32>
func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = pop.host_load @x : tensor<2xf32>
  %r = pop.from_tensor %x : tensor<2xf32>
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %1 = pop.all_reduce add %a : tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  }
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %3 = pop.all_reduce add %a : tensor<2xf32>
    scf.yield %3 : tensor<2xf32>
  }
  %4 = scf.for %i = %c3 to %c0 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %5 = pop.all_reduce add %a : tensor<2xf32>
    scf.yield %5 : tensor<2xf32>
  }
  scf.for %i = %c0 to %c3 step %c1 {
    pop.zero_ %r : !pop.ref<2xf32>
  }
  %6 = pop.read %r : !pop.ref<2xf32>
  return
}

// -----

// Branches and choices between one value and itself, and a value that a loop
// passes on as it is.

// CHECK-LABEL: @main(all)
// CHECK: 'tensor.extract': none
// CHECK-NEXT: 'scf.if': all, none
// CHECK: 'pop.select': all
// CHECK-NEXT: 'arith.select': all
// CHECK-NEXT: 'pop.neg': all
// CHECK-NEXT: 'arith.select': none
// CHECK: 'scf.for': all, none
pop.stream @p host_to_device : tensor<i1>
pop.stream @n host_to_device : tensor<i32>
func.func @main(%a: tensor<2xf32>) {
  %p = pop.host_load @p : tensor<i1>
  %q = tensor.extract %p[] : tensor<i1>
  %0:2 = scf.if %q -> (tensor<2xf32>, tensor<2xf32>) {
    scf.yield %a, %a : tensor<2xf32>, tensor<2xf32>
  } else {
    %1 = pop.neg %a : tensor<2xf32>
    scf.yield %a, %1 : tensor<2xf32>, tensor<2xf32>
  }
  %2 = pop.select %p, %a, %a : tensor<i1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %3 = arith.select %q, %a, %a : tensor<2xf32>
  %other = pop.neg %2 : tensor<2xf32>
  %4 = arith.select %q, %a, %other : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = pop.host_load @n : tensor<i32>
  %m = tensor.extract %n[] : tensor<i32>
  %k = arith.index_cast %m : i32 to index
  %5:2 = scf.for %i = %c0 to %k step %c1 iter_args(%b = %a, %c = %a) -> (tensor<2xf32>, tensor<2xf32>) {
    %6 = pop.neg %b : tensor<2xf32>
    scf.yield %b, %6 : tensor<2xf32>, tensor<2xf32>
  }
  return
}

// -----

// The same nested: a branch in a branch, a loop in a branch, a choice in one, a
// choice between what branches give, and a branch in a loop that gives what the
// loop carries. What is computed on the way is executed by some replicas only.

// CHECK-LABEL: @main(all)
// CHECK: 'scf.if': all from none
// CHECK-NEXT: 'scf.if': none from none
// CHECK: 'scf.if': all from none
// CHECK-NEXT: 'scf.for': none from
// CHECK: 'scf.if': all from none
// CHECK-NEXT: 'pop.select': none from
// CHECK: 'pop.select': all from none, all, all
// CHECK-NEXT: 'scf.for': all from
// CHECK: 'scf.if': none from none
// CHECK: 'arith.select': all from none, all, all
pop.stream @p host_to_device : tensor<i1>
pop.stream @n host_to_device : tensor<i32>
func.func @main(%a: tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = pop.host_load @p : tensor<i1>
  %q = tensor.extract %p[] : tensor<i1>
  %n = pop.host_load @n : tensor<i32>
  %m = tensor.extract %n[] : tensor<i32>
  %k = arith.index_cast %m : i32 to index
  %0 = scf.if %q -> tensor<2xf32> {
    %1 = scf.if %q -> tensor<2xf32> {
      scf.yield %a : tensor<2xf32>
    } else {
      scf.yield %a : tensor<2xf32>
    }
    scf.yield %1 : tensor<2xf32>
  } else {
    scf.yield %a : tensor<2xf32>
  }
  %2 = scf.if %q -> tensor<2xf32> {
    %3 = scf.for %i = %c0 to %k step %c1 iter_args(%b = %a) -> tensor<2xf32> {
      scf.yield %b : tensor<2xf32>
    }
    scf.yield %3 : tensor<2xf32>
  } else {
    scf.yield %a : tensor<2xf32>
  }
  %4 = scf.if %q -> tensor<2xf32> {
    %5 = pop.select %p, %2, %a : tensor<i1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
    scf.yield %5 : tensor<2xf32>
  } else {
    scf.yield %a : tensor<2xf32>
  }
  %6 = pop.select %p, %4, %a : tensor<i1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %7 = scf.for %i = %c0 to %k step %c1 iter_args(%b = %6) -> tensor<2xf32> {
    %8 = scf.if %q -> tensor<2xf32> {
      scf.yield %b : tensor<2xf32>
    } else {
      scf.yield %b : tensor<2xf32>
    }
    scf.yield %8 : tensor<2xf32>
  }
  %9 = arith.select %q, %0, %7 : tensor<2xf32>
  return
}

// -----

// What is not one value: one that a branch inside computes, what an iteration
// computes and a branch passes on, and a choice that repeats the value.

// CHECK-LABEL: @main(all, all)
// CHECK: 'scf.if': none from none
// CHECK: 'scf.for': none from
// CHECK: 'pop.select': all from none, all, all
// CHECK-NEXT: 'pop.select': all from none, all, all
// CHECK-NEXT: 'pop.select': none from none, all, all
pop.stream @p host_to_device : tensor<i1>
pop.stream @ps host_to_device : tensor<2x2xi1>
pop.stream @n host_to_device : tensor<i32>
func.func @main(%a: tensor<2xf32>, %s: tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = pop.host_load @p : tensor<i1>
  %ps = pop.host_load @ps : tensor<2x2xi1>
  %q = tensor.extract %p[] : tensor<i1>
  %n = pop.host_load @n : tensor<i32>
  %m = tensor.extract %n[] : tensor<i32>
  %k = arith.index_cast %m : i32 to index
  %0 = scf.if %q -> tensor<2xf32> {
    %1 = scf.if %q -> tensor<2xf32> {
      scf.yield %a : tensor<2xf32>
    } else {
      %2 = pop.neg %a : tensor<2xf32>
      scf.yield %2 : tensor<2xf32>
    }
    scf.yield %1 : tensor<2xf32>
  } else {
    scf.yield %a : tensor<2xf32>
  }
  %3 = scf.for %i = %c0 to %k step %c1 iter_args(%b = %a) -> tensor<2xf32> {
    %4 = pop.neg %b : tensor<2xf32>
    %5 = scf.if %q -> tensor<2xf32> {
      scf.yield %4 : tensor<2xf32>
    } else {
      scf.yield %4 : tensor<2xf32>
    }
    scf.yield %5 : tensor<2xf32>
  }
  %6 = pop.select %ps, %s, %s : tensor<2x2xi1>, tensor<2xf32>, tensor<2xf32> -> tensor<2x2xf32>
  %7 = pop.select %p, %s, %s : tensor<i1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %8 = pop.select %p, %6, %7 : tensor<i1>, tensor<2x2xf32>, tensor<2xf32> -> tensor<2x2xf32>
  return
}

// -----

// Where replicas do not execute an op equally often, what it gives is no more
// equal than that, whatever value it is.

// CHECK-LABEL: @main(all)
// CHECK: 'scf.for': from all, none, all
// CHECK-NEXT: 'scf.if': none from all
pop.stream @n host_to_device : tensor<i32>
func.func @main(%a: tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %n = pop.host_load @n : tensor<i32>
  %m = tensor.extract %n[] : tensor<i32>
  %k = arith.index_cast %m : i32 to index
  scf.for %i = %c0 to %k step %c1 {
    %0 = scf.if %true -> tensor<2xf32> {
      scf.yield %a : tensor<2xf32>
    } else {
      scf.yield %a : tensor<2xf32>
    }
  }
  return
}

// -----

// A constant condition: the other branch is never taken.

// CHECK-LABEL: @main(all)
// CHECK: 'scf.if': all
// CHECK: 'pop.read': all
pop.stream @x host_to_device : tensor<2xf32>
func.func @main(%a: tensor<2xf32>) {
  %x = pop.host_load @x : tensor<2xf32>
  %r = pop.from_tensor %x : tensor<2xf32>
  %true = arith.constant true
  %0 = scf.if %true -> tensor<2xf32> {
    pop.zero_ %r : !pop.ref<2xf32>
    scf.yield %a : tensor<2xf32>
  } else {
    pop.copy_ %r, %x : !pop.ref<2xf32>, tensor<2xf32>
    scf.yield %x : tensor<2xf32>
  }
  %1 = pop.read %r : !pop.ref<2xf32>
  return
}

// -----

// What ops are whatever their operands are, as they fold: constants, which
// decide branches, and other values. What they are computed of does not matter.

// CHECK-LABEL: @main(all)
// CHECK-NEXT: 'pop.replica_index': none
// CHECK-NEXT: 'pop.not': none
// CHECK-NEXT: 'pop.and': all from none, none
// CHECK: 'pop.less': all
// CHECK-NEXT: 'pop.min': none
// CHECK-NEXT: 'pop.max': all
// CHECK-NEXT: 'pop.max': all from none, all
// CHECK-NEXT: 'tensor.extract': all
// CHECK-NEXT: 'scf.if': all
// CHECK: 'pop.less_equal': none
func.func @main(%a: tensor<i32>) {
  %i = pop.replica_index : tensor<i32>
  %not = pop.not %i : tensor<i32>
  %zero = pop.and %i, %not : tensor<i32>
  %one = pop.constant dense<1> : tensor<i32>
  %p = pop.less %zero, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %low = pop.min %i, %one : tensor<i32>
  %high = pop.max %a, %one : tensor<i32>
  %0 = pop.max %low, %high : tensor<i32>
  %q = tensor.extract %p[] : tensor<i1>
  %1 = scf.if %q -> tensor<i32> {
    scf.yield %a : tensor<i32>
  } else {
    scf.yield %i : tensor<i32>
  }
  %f = pop.cast %i : tensor<i32> to tensor<f32>
  %n = pop.less_equal %f, %f : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return
}

// -----

// Without folds, ops compute anything.

// CHECK-LABEL: @main()
// CHECK: 'pop.sub': all
// UNFOLDED: pop.sub {{.*}}replica_equal = [#pop.replica_partition<none of 2>]
func.func @main() {
  %i = pop.replica_index : tensor<i32>
  %0 = pop.sub %i, %i : tensor<i32>
  return
}
