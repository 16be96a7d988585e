// RUN: ipu-opt %s --split-input-file --pop-print-replica-equal=replicas=2 -o /dev/null | FileCheck %s

// Parts that together cover a ref make it equal, and so do parts of parts.

// CHECK-LABEL: @main()
// CHECK-NEXT: 'pop.get_variable': all
// CHECK: 'pop.add_': modifies operand 0 none
// CHECK: 'pop.copy_': modifies operand 0 all
// CHECK-NEXT: 'pop.read': none
// CHECK-NEXT: 'pop.copy_': modifies operand 0 all
// CHECK-NEXT: 'pop.read': none
// CHECK-NEXT: 'pop.copy_': modifies operand 0 all
// CHECK-NEXT: 'pop.read': all
pop.variable @w : tensor<8xf32> = dense<1.0> : tensor<8xf32>
pop.stream @x host_to_device : tensor<8xf32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<8xf32>
  %x = pop.host_load @x : tensor<8xf32>
  %even = pop.ref_slice %w {starts = array<i64: 0>, sizes = array<i64: 4>, steps = array<i64: 2>} : !pop.ref<8xf32> -> !pop.ref<4xf32>
  %odd = pop.ref_slice %w {starts = array<i64: 1>, sizes = array<i64: 4>, steps = array<i64: 2>} : !pop.ref<8xf32> -> !pop.ref<4xf32>
  %low = pop.ref_slice %odd {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %high = pop.ref_slice %odd {starts = array<i64: 2>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %four = pop.constant dense<4.0> : tensor<4xf32>
  %two = pop.constant dense<2.0> : tensor<2xf32>
  pop.add_ %w, %x : !pop.ref<8xf32>, tensor<8xf32>
  pop.copy_ %low, %two : !pop.ref<2xf32>, tensor<2xf32>
  %0 = pop.read %odd : !pop.ref<4xf32>
  pop.copy_ %even, %four : !pop.ref<4xf32>, tensor<4xf32>
  %1 = pop.read %w : !pop.ref<8xf32>
  pop.copy_ %high, %two : !pop.ref<2xf32>, tensor<2xf32>
  %2 = pop.read %w : !pop.ref<8xf32>
  return
}

// -----

// A function replaces one half on some way: the other half is not mixed with
// it, though the function knows of no halves.

// CHECK-LABEL: @main(all)
// CHECK: 'func.call': modifies operand 0 none
// CHECK-NEXT: 'pop.read': all
// CHECK-NEXT: 'pop.read': none
pop.stream @x host_to_device : tensor<2xf32>
func.func private @f(%r: !pop.ref<4xf32>, %p: i1) {
  scf.if %p {
    pop.zero_ %r : !pop.ref<4xf32>
  }
  return
}
func.func @main(%p: i1) {
  %x = pop.host_load @x : tensor<2xf32>
  %r = pop.alloc zero : !pop.ref<4xf32>
  %low = pop.ref_slice %r {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %high = pop.ref_slice %r {starts = array<i64: 2>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  pop.copy_ %high, %x : !pop.ref<2xf32>, tensor<2xf32>
  call @f(%r, %p) : (!pop.ref<4xf32>, i1) -> ()
  %0 = pop.read %low : !pop.ref<2xf32>
  %1 = pop.read %high : !pop.ref<2xf32>
  return
}

// -----

// The same through a transposed ref, of which the callee replaces a row.

// CHECK-LABEL: @main()
// CHECK: 'func.call': modifies operand 0 none
// CHECK-NEXT: 'pop.read': all
// CHECK-NEXT: 'pop.read': none
pop.stream @x host_to_device : tensor<2x2xf32>
func.func private @f(%r: !pop.ref<2x2xf32>) {
  %row = pop.ref_slice %r {starts = array<i64: 0, 0>, sizes = array<i64: 1, 2>, steps = array<i64: 1, 1>} : !pop.ref<2x2xf32> -> !pop.ref<1x2xf32>
  pop.zero_ %row : !pop.ref<1x2xf32>
  return
}
func.func @main() {
  %x = pop.host_load @x : tensor<2x2xf32>
  %r = pop.from_tensor %x : tensor<2x2xf32>
  %t = pop.ref_transpose %r {permutation = array<i64: 1, 0>} : !pop.ref<2x2xf32> -> !pop.ref<2x2xf32>
  %column = pop.ref_slice %r {starts = array<i64: 0, 0>, sizes = array<i64: 2, 1>, steps = array<i64: 1, 1>} : !pop.ref<2x2xf32> -> !pop.ref<2x1xf32>
  %row = pop.ref_slice %r {starts = array<i64: 0, 0>, sizes = array<i64: 1, 2>, steps = array<i64: 1, 1>} : !pop.ref<2x2xf32> -> !pop.ref<1x2xf32>
  call @f(%t) : (!pop.ref<2x2xf32>) -> ()
  %0 = pop.read %column : !pop.ref<2x1xf32>
  %1 = pop.read %row : !pop.ref<1x2xf32>
  return
}

// -----

// Rows that a loop over all rows makes equal, one by one.

// CHECK-LABEL: @main()
// CHECK: 'pop.remote_load': none
// CHECK-NEXT: 'pop.all_reduce': all
// CHECK: 'pop.remote_load': all
// CHECK: 'pop.remote_load': all
pop.remote_buffer @g : 4 x tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = pop.host_load @x : tensor<2xf32>
  pop.remote_store %x, @g[1] : tensor<2xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %row = pop.from_scalar %i : index to tensor<i32>
    %0 = pop.remote_load @g[%row] : tensor<2xf32>
    %1 = pop.all_reduce mean %0 : tensor<2xf32>
    pop.remote_exchange {
      pop.remote_store %1, @g[%row] : tensor<2xf32>
    }
  }
  %2 = pop.remote_load @g[1] : tensor<2xf32>
  %n = pop.host_load @n : tensor<i32>
  %3 = pop.remote_load @g[%n] : tensor<2xf32>
  return
}
pop.stream @n host_to_device broadcast : tensor<i32>

// -----

// A loop over some rows, counted from another one; a store under a condition;
// one that is followed by another store of the iteration.

// CHECK-LABEL: @main(all)
// CHECK: 'pop.remote_load': none
// CHECK-NEXT: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': none
// CHECK-NEXT: 'pop.remote_load': none
// CHECK-NEXT: 'pop.remote_load': none
pop.remote_buffer @a : 6 x tensor<2xf32>
pop.remote_buffer @b : 2 x tensor<2xf32>
pop.remote_buffer @c : 2 x tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
func.func @main(%p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %three = pop.constant dense<3> : tensor<i32>
  %zero = pop.constant dense<0.0> : tensor<2xf32>
  %x = pop.host_load @x : tensor<2xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %row = pop.from_scalar %i : index to tensor<i32>
    %low = pop.add %row, %three : tensor<i32>
    pop.remote_store %x, @a[%row] : tensor<2xf32>
    pop.remote_store %x, @a[%low] : tensor<2xf32>
    pop.remote_store %x, @b[%row] : tensor<2xf32>
    pop.remote_store %x, @c[%row] : tensor<2xf32>
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %row = pop.from_scalar %i : index to tensor<i32>
    %low = pop.add %row, %three : tensor<i32>
    pop.remote_store %zero, @a[%low] : tensor<2xf32>
    scf.if %p {
      pop.remote_store %zero, @b[%row] : tensor<2xf32>
    }
    pop.remote_store %zero, @c[%row] : tensor<2xf32>
    pop.remote_store %x, @c[0] : tensor<2xf32>
  }
  %1 = pop.remote_load @a[1] : tensor<2xf32>
  %4 = pop.remote_load @a[4] : tensor<2xf32>
  %5 = pop.remote_load @b[1] : tensor<2xf32>
  %6 = pop.remote_load @c[0] : tensor<2xf32>
  %7 = pop.remote_load @c[1] : tensor<2xf32>
  return
}

// -----

// A row by a constant is that row.

// CHECK-LABEL: @main()
// CHECK: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': none
pop.remote_buffer @b : 2 x tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
func.func @main() {
  %x = pop.host_load @x : tensor<2xf32>
  %one = pop.constant dense<1> : tensor<i32>
  pop.remote_store %x, @b[%one] : tensor<2xf32>
  %0 = pop.remote_load @b[0] : tensor<2xf32>
  %1 = pop.remote_load @b[1] : tensor<2xf32>
  return
}

// -----

// The counter of a loop in a ref, before and after it counts on.

// CHECK-LABEL: @main()
// CHECK: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': none
pop.remote_buffer @a : 3 x tensor<2xf32>
pop.remote_buffer @b : 4 x tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = pop.constant dense<0> : tensor<i32>
  %one = pop.constant dense<1> : tensor<i32>
  %t = pop.constant dense<1.0> : tensor<2xf32>
  %x = pop.host_load @x : tensor<2xf32>
  pop.remote_store %x, @a[0] : tensor<2xf32>
  pop.remote_store %x, @b[0] : tensor<2xf32>
  pop.remote_store %x, @b[3] : tensor<2xf32>
  %k = pop.from_tensor %zero : tensor<i32>
  scf.for %i = %c0 to %c3 step %c1 {
    %0 = pop.read %k : !pop.ref<i32>
    pop.remote_store %t, @a[%0] : tensor<2xf32>
    %1 = pop.add %0, %one : tensor<i32>
    pop.copy_ %k, %1 : !pop.ref<i32>, tensor<i32>
    %2 = pop.read %k : !pop.ref<i32>
    pop.remote_store %t, @b[%2] : tensor<2xf32>
  }
  %3 = pop.remote_load @a[0] : tensor<2xf32>
  %4 = pop.remote_load @b[3] : tensor<2xf32>
  %5 = pop.remote_load @b[0] : tensor<2xf32>
  return
}

// -----

// Rows from last to first: by a difference, by a negative factor, by a counter
// that the loop carries and counts down, by one in a ref, and by the negated
// counter. Of a buffer with one row more the first one stays as it was.

// CHECK-LABEL: @main()
// CHECK: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': none
// CHECK-NEXT: 'pop.remote_load': all
pop.remote_buffer @a : 3 x tensor<2xf32>
pop.remote_buffer @b : 3 x tensor<2xf32>
pop.remote_buffer @c : 3 x tensor<2xf32>
pop.remote_buffer @d : 3 x tensor<2xf32>
pop.remote_buffer @e : 3 x tensor<2xf32>
pop.remote_buffer @f : 4 x tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = pop.constant dense<1> : tensor<i32>
  %two = pop.constant dense<2> : tensor<i32>
  %three = pop.constant dense<3> : tensor<i32>
  %minus = pop.constant dense<-1> : tensor<i32>
  %t = pop.constant dense<1.0> : tensor<2xf32>
  %x = pop.host_load @x : tensor<2xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    %row = pop.from_scalar %i : index to tensor<i32>
    pop.remote_store %x, @a[%row] : tensor<2xf32>
    pop.remote_store %x, @b[%row] : tensor<2xf32>
    pop.remote_store %x, @c[%row] : tensor<2xf32>
    pop.remote_store %x, @d[%row] : tensor<2xf32>
    pop.remote_store %x, @e[%row] : tensor<2xf32>
    pop.remote_store %x, @f[%row] : tensor<2xf32>
    pop.remote_store %x, @f[3] : tensor<2xf32>
  }
  %k = pop.from_tensor %two : tensor<i32>
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%c = %two) -> tensor<i32> {
    %row = pop.from_scalar %i : index to tensor<i32>
    %1 = pop.sub %two, %row : tensor<i32>
    pop.remote_store %t, @a[%1] : tensor<2xf32>
    %2 = pop.mul %row, %minus : tensor<i32>
    %3 = pop.add %2, %two : tensor<i32>
    pop.remote_store %t, @b[%3] : tensor<2xf32>
    pop.remote_store %t, @c[%c] : tensor<2xf32>
    %4 = pop.sub %c, %one : tensor<i32>
    %5 = pop.read %k : !pop.ref<i32>
    pop.remote_store %t, @d[%5] : tensor<2xf32>
    %6 = pop.sub %5, %one : tensor<i32>
    pop.copy_ %k, %6 : !pop.ref<i32>, tensor<i32>
    %7 = pop.neg %row : tensor<i32>
    %8 = pop.sub %7, %minus : tensor<i32>
    %9 = pop.add %8, %one : tensor<i32>
    pop.remote_store %t, @e[%9] : tensor<2xf32>
    %10 = pop.sub %three, %row : tensor<i32>
    pop.remote_store %t, @f[%10] : tensor<2xf32>
    scf.yield %4 : tensor<i32>
  }
  %11 = pop.remote_load @a[0] : tensor<2xf32>
  %12 = pop.remote_load @b[0] : tensor<2xf32>
  %13 = pop.remote_load @c[0] : tensor<2xf32>
  %14 = pop.remote_load @d[0] : tensor<2xf32>
  %15 = pop.remote_load @e[0] : tensor<2xf32>
  %16 = pop.remote_load @f[0] : tensor<2xf32>
  %17 = pop.remote_load @f[1] : tensor<2xf32>
  return
}

// -----

// Two loops that together count all rows; a sum that is some rows twice, which
// is not followed so far; an inner loop that may not be entered; and what is
// counted by one loop twice.

// CHECK-LABEL: @main(all)
// CHECK: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': none
// CHECK-NEXT: 'pop.remote_load': none
// CHECK-NEXT: 'pop.remote_load': none
// CHECK-NEXT: 'pop.remote_load': all
pop.remote_buffer @a : 4 x tensor<2xf32>
pop.remote_buffer @b : 4 x tensor<2xf32>
pop.remote_buffer @c : 4 x tensor<2xf32>
pop.remote_buffer @d : 4 x tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %two = pop.constant dense<2> : tensor<i32>
  %t = pop.constant dense<1.0> : tensor<2xf32>
  %x = pop.host_load @x : tensor<2xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %row = pop.from_scalar %i : index to tensor<i32>
    pop.remote_store %x, @a[%row] : tensor<2xf32>
    pop.remote_store %x, @b[%row] : tensor<2xf32>
    pop.remote_store %x, @c[%row] : tensor<2xf32>
    pop.remote_store %x, @d[%row] : tensor<2xf32>
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %0 = pop.from_scalar %i : index to tensor<i32>
    %1 = pop.mul %0, %two : tensor<i32>
    scf.for %j = %c0 to %c2 step %c1 {
      %2 = pop.from_scalar %j : index to tensor<i32>
      %3 = pop.add %1, %2 : tensor<i32>
      pop.remote_store %t, @a[%3] : tensor<2xf32>
      %4 = pop.add %0, %2 : tensor<i32>
      pop.remote_store %t, @b[%4] : tensor<2xf32>
      %5 = pop.add %3, %0 : tensor<i32>
      %6 = pop.sub %5, %0 : tensor<i32>
      pop.remote_store %t, @d[%6] : tensor<2xf32>
    }
    scf.for %k = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c2 step %c1 {
        %2 = pop.from_scalar %j : index to tensor<i32>
        %3 = pop.add %1, %2 : tensor<i32>
        pop.remote_store %t, @c[%3] : tensor<2xf32>
      }
    }
  }
  %7 = pop.remote_load @a[3] : tensor<2xf32>
  %8 = pop.remote_load @b[0] : tensor<2xf32>
  %9 = pop.remote_load @b[3] : tensor<2xf32>
  %10 = pop.remote_load @c[3] : tensor<2xf32>
  %11 = pop.remote_load @d[3] : tensor<2xf32>
  return
}

// -----

// A row that would be negative may be any, as may one after a number was
// negative and then cast; a number that wraps around is none of a range.

// CHECK-LABEL: @main()
// CHECK: 'pop.remote_load': none
// CHECK-NEXT: 'pop.remote_load': none
// CHECK-NEXT: 'pop.remote_load': none
pop.remote_buffer @a : 3 x tensor<2xf32>
pop.remote_buffer @b : 3 x tensor<2xf32>
pop.remote_buffer @c : 3 x tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = pop.constant dense<1> : tensor<i32>
  %two = pop.constant dense<2> : tensor<i32>
  %many = pop.constant dense<126> : tensor<i8>
  %t = pop.constant dense<1.0> : tensor<2xf32>
  %x = pop.host_load @x : tensor<2xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    %row = pop.from_scalar %i : index to tensor<i32>
    pop.remote_store %x, @a[%row] : tensor<2xf32>
    pop.remote_store %x, @b[%row] : tensor<2xf32>
    pop.remote_store %x, @c[%row] : tensor<2xf32>
  }
  scf.for %i = %c0 to %c3 step %c1 {
    %row = pop.from_scalar %i : index to tensor<i32>
    %0 = pop.sub %one, %row : tensor<i32>
    pop.remote_store %t, @a[%0] : tensor<2xf32>
    %1 = pop.neg %row : tensor<i32>
    %2 = pop.cast %1 : tensor<i32> to tensor<i8>
    %3 = pop.cast %2 : tensor<i8> to tensor<i32>
    %4 = pop.add %3, %two : tensor<i32>
    pop.remote_store %t, @b[%4] : tensor<2xf32>
    %5 = pop.cast %row : tensor<i32> to tensor<i8>
    %6 = pop.add %5, %many : tensor<i8>
    %7 = pop.sub %6, %many : tensor<i8>
    %8 = pop.cast %7 : tensor<i8> to tensor<i32>
    pop.remote_store %t, @c[%8] : tensor<2xf32>
  }
  %9 = pop.remote_load @a[0] : tensor<2xf32>
  %10 = pop.remote_load @b[0] : tensor<2xf32>
  %11 = pop.remote_load @c[0] : tensor<2xf32>
  return
}

// -----

// Rows: the other one is left as it is, and both together are all.

// CHECK-LABEL: @main()
// CHECK: 'pop.add_': modifies operand 0 none
// CHECK: 'pop.copy_': modifies operand 0 all
// CHECK-NEXT: 'pop.read': none
// CHECK-NEXT: 'pop.read': all
// CHECK-NEXT: 'pop.copy_': modifies operand 0 all
// CHECK-NEXT: 'pop.read': all
pop.variable @w : tensor<2x4xf32> = dense<1.0> : tensor<2x4xf32>
pop.stream @x host_to_device : tensor<2x4xf32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2x4xf32>
  %x = pop.host_load @x : tensor<2x4xf32>
  %0 = pop.ref_row %w[0] : !pop.ref<2x4xf32> -> !pop.ref<4xf32>
  %1 = pop.ref_row %w[1] : !pop.ref<2x4xf32> -> !pop.ref<4xf32>
  %four = pop.constant dense<4.0> : tensor<4xf32>
  pop.add_ %w, %x : !pop.ref<2x4xf32>, tensor<2x4xf32>
  pop.copy_ %1, %four : !pop.ref<4xf32>, tensor<4xf32>
  %2 = pop.read %w : !pop.ref<2x4xf32>
  %3 = pop.read %1 : !pop.ref<4xf32>
  pop.copy_ %0, %four : !pop.ref<4xf32>, tensor<4xf32>
  %4 = pop.read %w : !pop.ref<2x4xf32>
  return
}
