// RUN: ipu-opt %s --split-input-file --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null
// RUN: ipu-opt %s --split-input-file --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp check=true" -o /dev/null
// RUN: ipu-opt %s --split-input-file --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp engine=interp threads=2" -o /dev/null

// Values that loops, branches and calls carry, against what they must be.

// A loop that swaps what it carries: after an odd number of rounds they have
// changed places.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %x = pop.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %y = pop.constant dense<[3.0, 4.0]> : tensor<2xf32>
    %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2xf32>, tensor<2xf32>) {
      scf.yield %b, %a : tensor<2xf32>, tensor<2xf32>
    }
    pop.expect_eq %r#0, dense<[3.0, 4.0]> : tensor<2xf32>
    pop.expect_eq %r#1, dense<[1.0, 2.0]> : tensor<2xf32>
    return
  }
}

// -----

// Fibonacci with the index and nested loops.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c10 = arith.constant 10 : index
    %zero = pop.constant dense<0> : tensor<i32>
    %one = pop.constant dense<1> : tensor<i32>
    %r:2 = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %zero, %b = %one) -> (tensor<i32>, tensor<i32>) {
      %0 = pop.add %a, %b : tensor<i32>
      scf.yield %b, %0 : tensor<i32>, tensor<i32>
    }
    pop.expect_eq %r#0, dense<55> : tensor<i32>
    // sum over i in 1, 4, 7 of i * (0 + 1 + 2).
    %s = scf.for %i = %c1 to %c10 step %c3 iter_args(%a = %zero) -> tensor<i32> {
      %outer = pop.from_scalar %i : index to tensor<i32>
      %t = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a) -> tensor<i32> {
        %inner = pop.from_scalar %j : index to tensor<i32>
        %0 = pop.mul %outer, %inner : tensor<i32>
        %1 = pop.add %b, %0 : tensor<i32>
        scf.yield %1 : tensor<i32>
      }
      scf.yield %t : tensor<i32>
    }
    pop.expect_eq %s, dense<36> : tensor<i32>
    return
  }
}

// -----

// Doubling until a limit; a loop whose number of rounds was computed; one that
// runs not at all.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %limit = pop.constant dense<100.0> : tensor<f32>
    %x = pop.constant dense<3.0> : tensor<f32>
    %n0 = pop.constant dense<0> : tensor<i32>
    %one = pop.constant dense<1> : tensor<i32>
    %r:2 = scf.while (%a = %x, %n = %n0) : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>) {
      %0 = pop.less %a, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %1 = tensor.extract %0[] : tensor<i1>
      %2 = pop.add %n, %one : tensor<i32>
      scf.condition(%1) %a, %2 : tensor<f32>, tensor<i32>
    } do {
    ^bb0(%b: tensor<f32>, %m: tensor<i32>):
      %0 = pop.add %b, %b : tensor<f32>
      scf.yield %0, %m : tensor<f32>, tensor<i32>
    }
    pop.expect_eq %r#0, dense<192.0> : tensor<f32>
    pop.expect_eq %r#1, dense<7> : tensor<i32>
    // Seven rounds from 0 to 13 by 2 (r#1 + 6 is the bound).
    %six = pop.constant dense<6> : tensor<i32>
    %bound = pop.add %r#1, %six : tensor<i32>
    %2 = tensor.extract %bound[] : tensor<i32>
    %3 = arith.index_cast %2 : i32 to index
    %s = scf.for %i = %c0 to %3 step %c2 iter_args(%b = %n0) -> tensor<i32> {
      %i0 = pop.from_scalar %i : index to tensor<i32>
      %4 = pop.add %b, %i0 : tensor<i32>
      scf.yield %4 : tensor<i32>
    }
    pop.expect_eq %s, dense<42> : tensor<i32>
    %minus = pop.neg %bound : tensor<i32>
    %5 = tensor.extract %minus[] : tensor<i32>
    %6 = arith.index_cast %5 : i32 to index
    %t = scf.for %i = %c0 to %6 step %c1 iter_args(%b = %one) -> tensor<i32> {
      %7 = pop.add %b, %b : tensor<i32>
      scf.yield %7 : tensor<i32>
    }
    pop.expect_eq %t, dense<1> : tensor<i32>
    return
  }
}

// -----

// A graph called with other tensors each time; results outlive later calls;
// refs are modified where they should be.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  pop.variable @w : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  pop.variable @v : tensor<2xf32> = dense<10.0> : tensor<2xf32>
  func.func @add(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = pop.add %x, %y : tensor<2xf32>
    %1 = pop.sub %x, %y : tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
  func.func @double(%r: !pop.ref<2xf32>) {
    %0 = pop.read %r : !pop.ref<2xf32>
    pop.add_ %r, %0 : !pop.ref<2xf32>, tensor<2xf32>
    return
  }
  func.func @twice(%r: !pop.ref<2xf32>) {
    call @double(%r) : (!pop.ref<2xf32>) -> ()
    call @double(%r) : (!pop.ref<2xf32>) -> ()
    return
  }
  func.func @main() {
    %x = pop.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %y = pop.constant dense<[0.5, 0.25]> : tensor<2xf32>
    %a:2 = call @add(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %b:2 = call @add(%a#1, %a#0) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    pop.expect_eq %a#0, dense<[1.5, 2.25]> : tensor<2xf32>
    pop.expect_eq %a#1, dense<[0.5, 1.75]> : tensor<2xf32>
    pop.expect_eq %b#0, dense<[2.0, 4.0]> : tensor<2xf32>
    pop.expect_eq %b#1, dense<[-1.0, -0.5]> : tensor<2xf32>

    %w = pop.get_variable @w : !pop.ref<4xf32>
    %v = pop.get_variable @v : !pop.ref<2xf32>
    %odd = pop.ref_slice %w {starts = array<i64: 1>, sizes = array<i64: 2>, steps = array<i64: 2>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
    %before = pop.read %w : !pop.ref<4xf32>
    call @twice(%odd) : (!pop.ref<2xf32>) -> ()
    call @twice(%v) : (!pop.ref<2xf32>) -> ()
    %after = pop.read %w : !pop.ref<4xf32>
    pop.expect_eq %before, dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    pop.expect_eq %after, dense<[1.0, 8.0, 3.0, 16.0]> : tensor<4xf32>
    %0 = pop.read %v : !pop.ref<2xf32>
    pop.expect_eq %0, dense<40.0> : tensor<2xf32>
    return
  }
}

// -----

// Branches on tensors, in a loop, that write a variable.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  pop.variable @even : tensor<i32> = dense<0> : tensor<i32>
  pop.variable @odd : tensor<i32> = dense<0> : tensor<i32>
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %two = pop.constant dense<2> : tensor<i32>
    %zero = pop.constant dense<0> : tensor<i32>
    %even = pop.get_variable @even : !pop.ref<i32>
    %odd = pop.get_variable @odd : !pop.ref<i32>
    %last = scf.for %i = %c0 to %c7 step %c1 iter_args(%l = %zero) -> tensor<i32> {
      %n = pop.from_scalar %i : index to tensor<i32>
      %rest = pop.rem %n, %two : tensor<i32>
      %is = pop.equal %rest, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %p = tensor.extract %is[] : tensor<i1>
      %next = scf.if %p -> tensor<i32> {
        pop.add_ %even, %n : !pop.ref<i32>, tensor<i32>
        scf.yield %l : tensor<i32>
      } else {
        pop.add_ %odd, %n : !pop.ref<i32>, tensor<i32>
        scf.yield %n : tensor<i32>
      }
      scf.yield %next : tensor<i32>
    }
    %0 = pop.read %even : !pop.ref<i32>
    %1 = pop.read %odd : !pop.ref<i32>
    pop.expect_eq %0, dense<12> : tensor<i32>
    pop.expect_eq %1, dense<9> : tensor<i32>
    pop.expect_eq %last, dense<5> : tensor<i32>
    return
  }
}

// -----

// Counted by tensors, rounding up goes beyond what 32 bits hold with a sign;
// and so does what lies between the bounds.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x: tensor<i32>) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 1073741824 : index
    %zero = pop.mul %x, %x : tensor<i32>
    %last = pop.constant dense<2147483647> : tensor<i32>
    %first = pop.constant dense<-2147483648> : tensor<i32>
    %one = pop.constant dense<1> : tensor<i32>
    %to = pop.add %last, %zero : tensor<i32>
    %from = pop.add %first, %zero : tensor<i32>
    %0 = tensor.extract %to[] : tensor<i32>
    %1 = arith.index_cast %0 : i32 to index
    %2 = tensor.extract %from[] : tensor<i32>
    %3 = arith.index_cast %2 : i32 to index
    %n = pop.alloc zero : !pop.ref<i32>
    scf.for %i = %c0 to %1 step %step {
      pop.add_ %n, %one : !pop.ref<i32>, tensor<i32>
    }
    %two = pop.read %n : !pop.ref<i32>
    pop.expect_eq %two, dense<2> : tensor<i32>
    scf.for %i = %3 to %1 step %step {
      pop.add_ %n, %one : !pop.ref<i32>, tensor<i32>
    }
    %six = pop.read %n : !pop.ref<i32>
    pop.expect_eq %six, dense<6> : tensor<i32>
    scf.for %i = %1 to %3 step %step {
      pop.add_ %n, %one : !pop.ref<i32>, tensor<i32>
    }
    %same = pop.read %n : !pop.ref<i32>
    pop.expect_eq %same, dense<6> : tensor<i32>
    return
  }
}

// -----

// Predicates and bounds are read where they are used: not all of what used them
// at first is still there when the refs change.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @p : tensor<i1> = dense<true> : tensor<i1>
  pop.variable @n : tensor<i32> = dense<3> : tensor<i32>
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %p = pop.get_variable @p : !pop.ref<i1>
    %n = pop.get_variable @n : !pop.ref<i32>
    %0 = pop.read %p : !pop.ref<i1>
    %1 = tensor.extract %0[] : tensor<i1>
    %2 = pop.read %n : !pop.ref<i32>
    %3 = tensor.extract %2[] : tensor<i32>
    %4 = arith.index_cast %3 : i32 to index
    %one = pop.constant dense<1> : tensor<i32>
    %r = pop.alloc zero : !pop.ref<i32>
    scf.if %1 {
      pop.add_ %r, %one : !pop.ref<i32>, tensor<i32>
    }
    scf.for %i = %c0 to %4 step %c1 {
      pop.add_ %r, %one : !pop.ref<i32>, tensor<i32>
    }
    pop.zero_ %p : !pop.ref<i1>
    pop.zero_ %n : !pop.ref<i32>
    scf.if %1 {
      pop.add_ %r, %one : !pop.ref<i32>, tensor<i32>
    }
    scf.for %i = %c0 to %4 step %c1 {
      pop.add_ %r, %one : !pop.ref<i32>, tensor<i32>
    }
    %y = pop.read %r : !pop.ref<i32>
    pop.expect_eq %y, dense<8> : tensor<i32>
    return
  }
}

// -----

// A branch in a branch, on predicates that are used before: canonicalisation
// makes one branch of both.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @p : tensor<3xi1> = dense<[true, true, false]> : tensor<3xi1>
  func.func @main() {
    %p = pop.get_variable @p : !pop.ref<3xi1>
    %0 = pop.read %p : !pop.ref<3xi1>
    %a = pop.slice %0 {starts = array<i64: 0>, sizes = array<i64: 1>, steps = array<i64: 1>} : tensor<3xi1> -> tensor<1xi1>
    %b = pop.slice %0 {starts = array<i64: 1>, sizes = array<i64: 1>, steps = array<i64: 1>} : tensor<3xi1> -> tensor<1xi1>
    %c = pop.slice %0 {starts = array<i64: 2>, sizes = array<i64: 1>, steps = array<i64: 1>} : tensor<3xi1> -> tensor<1xi1>
    %d = pop.reshape %a : tensor<1xi1> to tensor<i1>
    %e = pop.reshape %b : tensor<1xi1> to tensor<i1>
    %f = pop.reshape %c : tensor<1xi1> to tensor<i1>
    %yes = tensor.extract %d[] : tensor<i1>
    %too = tensor.extract %e[] : tensor<i1>
    %no = tensor.extract %f[] : tensor<i1>
    %one = pop.constant dense<1> : tensor<i32>
    %r = pop.alloc zero : !pop.ref<i32>
    scf.if %too {
      pop.add_ %r, %one : !pop.ref<i32>, tensor<i32>
    }
    scf.if %no {
      pop.add_ %r, %one : !pop.ref<i32>, tensor<i32>
    }
    scf.if %yes {
      scf.if %too {
        pop.add_ %r, %one : !pop.ref<i32>, tensor<i32>
      }
    }
    scf.if %yes {
      scf.if %too {
        scf.if %no {
          pop.add_ %r, %one : !pop.ref<i32>, tensor<i32>
        }
      }
    }
    %y = pop.read %r : !pop.ref<i32>
    pop.expect_eq %y, dense<2> : tensor<i32>
    return
  }
}
