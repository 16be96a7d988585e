// RUN: ipu-opt %s --split-input-file --pop-print-replica-equal=replicas=2 -o /dev/null | FileCheck %s

// Views of a ref: what is written to a part is true of the part, and of what is
// in it; the whole, and parts that overlap, are equal only if they were.

// CHECK-LABEL: @main(all)
// CHECK: 'pop.copy_': modifies operand 0 none
// CHECK-NEXT: #7 'pop.copy_': modifies operand 0 all
// CHECK-NEXT: #8 'pop.read': none
// CHECK-NEXT: #9 'pop.read': all
// CHECK-NEXT: #10 'pop.read': none
// CHECK-NEXT: #11 'pop.read': none
// CHECK-NEXT: #12 'pop.read': all
// CHECK-NEXT: #13 'pop.zero_': modifies operand 0 all
// CHECK-NEXT: #14 'pop.read': all
// CHECK-NEXT: #15 'pop.read': all
pop.stream @x host_to_device : tensor<4xf32>
func.func @main(%a: tensor<2xf32>) {
  %x = pop.host_load @x : tensor<4xf32>
  %r = pop.alloc zero : !pop.ref<4xf32>
  %lower = pop.ref_slice %r {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %upper = pop.ref_slice %r {starts = array<i64: 2>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %middle = pop.ref_slice %r {starts = array<i64: 1>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %first = pop.ref_slice %lower {starts = array<i64: 0>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<2xf32> -> !pop.ref<1xf32>
  pop.copy_ %r, %x : !pop.ref<4xf32>, tensor<4xf32>
  pop.copy_ %lower, %a : !pop.ref<2xf32>, tensor<2xf32>
  %0 = pop.read %r : !pop.ref<4xf32>
  %1 = pop.read %lower : !pop.ref<2xf32>
  %2 = pop.read %upper : !pop.ref<2xf32>
  %3 = pop.read %middle : !pop.ref<2xf32>
  %4 = pop.read %first : !pop.ref<1xf32>
  pop.zero_ %r : !pop.ref<4xf32>
  %5 = pop.read %middle : !pop.ref<2xf32>
  %6 = pop.read %r : !pop.ref<4xf32>
  return
}

// -----

// A part that differs makes the whole differ, and what overlaps it.

// CHECK-LABEL: @main()
// CHECK: 'pop.copy_': modifies operand 0 none
// CHECK-NEXT: 'pop.read': none
// CHECK-NEXT: 'pop.read': none
// CHECK-NEXT: 'pop.read': all
pop.stream @x host_to_device : tensor<2xf32>
func.func @main() {
  %x = pop.host_load @x : tensor<2xf32>
  %r = pop.alloc zero : !pop.ref<4xf32>
  %lower = pop.ref_slice %r {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %even = pop.ref_slice %r {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 2>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %last = pop.ref_slice %r {starts = array<i64: 3>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<1xf32>
  pop.copy_ %lower, %x : !pop.ref<2xf32>, tensor<2xf32>
  %0 = pop.read %r : !pop.ref<4xf32>
  %1 = pop.read %even : !pop.ref<2xf32>
  %2 = pop.read %last : !pop.ref<1xf32>
  return
}

// -----

// A collective in place makes other views of the tensor equal.

// CHECK-LABEL: @main()
// CHECK: 'pop.from_tensor': none
// CHECK-NEXT: 'pop.ref_transpose': none
// CHECK: 'pop.copy_': modifies operand 0 all
// CHECK-NEXT: 'pop.read': all
pop.stream @x host_to_device : tensor<2x2xf32>
func.func @main() {
  %x = pop.host_load @x : tensor<2x2xf32>
  %r = pop.from_tensor %x : tensor<2x2xf32>
  %t = pop.ref_transpose %r {permutation = array<i64: 1, 0>} : !pop.ref<2x2xf32> -> !pop.ref<2x2xf32>
  %0 = pop.read %r : !pop.ref<2x2xf32>
  %1 = pop.all_reduce add %0 : tensor<2x2xf32>
  pop.copy_ %r, %1 : !pop.ref<2x2xf32>, tensor<2x2xf32>
  %2 = pop.read %t : !pop.ref<2x2xf32>
  return
}

// -----

// Any number of views are told apart.

// CHECK-LABEL: @main()
// CHECK-COUNT-20: 'pop.ref_slice'
// CHECK: #23 'pop.read': none
// CHECK-NEXT: #24 'pop.read': all
pop.stream @x host_to_device : tensor<1xf32>
func.func @main() {
  %x = pop.host_load @x : tensor<1xf32>
  %r = pop.alloc zero : !pop.ref<32xf32>
  %0 = pop.ref_slice %r {starts = array<i64: 0>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %1 = pop.ref_slice %r {starts = array<i64: 1>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %2 = pop.ref_slice %r {starts = array<i64: 2>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %3 = pop.ref_slice %r {starts = array<i64: 3>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %4 = pop.ref_slice %r {starts = array<i64: 4>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %5 = pop.ref_slice %r {starts = array<i64: 5>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %6 = pop.ref_slice %r {starts = array<i64: 6>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %7 = pop.ref_slice %r {starts = array<i64: 7>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %8 = pop.ref_slice %r {starts = array<i64: 8>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %9 = pop.ref_slice %r {starts = array<i64: 9>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %10 = pop.ref_slice %r {starts = array<i64: 10>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %11 = pop.ref_slice %r {starts = array<i64: 11>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %12 = pop.ref_slice %r {starts = array<i64: 12>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %13 = pop.ref_slice %r {starts = array<i64: 13>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %14 = pop.ref_slice %r {starts = array<i64: 14>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %15 = pop.ref_slice %r {starts = array<i64: 15>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %16 = pop.ref_slice %r {starts = array<i64: 16>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %17 = pop.ref_slice %r {starts = array<i64: 17>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %18 = pop.ref_slice %r {starts = array<i64: 18>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  %19 = pop.ref_slice %r {starts = array<i64: 19>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<32xf32> -> !pop.ref<1xf32>
  pop.copy_ %19, %x : !pop.ref<1xf32>, tensor<1xf32>
  %20 = pop.read %19 : !pop.ref<1xf32>
  %21 = pop.read %18 : !pop.ref<1xf32>
  return
}
