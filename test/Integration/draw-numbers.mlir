// What transforms do to the random bits of rounding: numbers, offsets and advances
// keep them where ops are moved, computed again, or executed in other iterations.
// RUN: rm -rf %t && mkdir %t
// RUN: ipu-run %s --entry loop --input x=random:1 --input y=random:2 --runs 2 --output-dir %t/loop

// A pipelined loop, in two runs, draws what the loop does; so does one of two
// iterations in each, and one that is computed by a function.
// RUN: ipu-run %s --entry pipelined --input x=random:1 --input y=random:2 --runs 2 --output-dir %t/pipelined --check
// RUN: cmp %t/loop/z.npy %t/pipelined/z.npy
// RUN: ipu-run %s --entry unrolled --input x=random:1 --input y=random:2 --runs 2 --output-dir %t/unrolled
// RUN: cmp %t/loop/z.npy %t/unrolled/z.npy
// RUN: ipu-run %s --entry called --input x=random:1 --input y=random:2 --runs 2 --output-dir %t/called
// RUN: cmp %t/loop/z.npy %t/called/z.npy
// RUN: ipu-opt %s -pop-number-draws -inline -o %t/inlined.mlir
// RUN: ipu-run %t/inlined.mlir --entry called --input x=random:1 --input y=random:2 --runs 2 --output-dir %t/inlined
// RUN: cmp %t/loop/z.npy %t/inlined/z.npy

// Without the offset they do not, and each iteration, run and call has bits of its
// own.
// RUN: sed 's/, offset = -1//' %s > %t/apart.mlir
// RUN: ipu-run %t/apart.mlir --entry pipelined --input x=random:1 --input y=random:2 --runs 2 --output-dir %t/apart
// RUN: not cmp %t/loop/z.npy %t/apart/z.npy
// RUN: ipu-run %s --entry loop --input x=random:1 --input y=random:2 --output-dir %t/first
// RUN: not cmp %t/loop/z.npy %t/first/z.npy
// RUN: ipu-run %s --entry again --input x=random:1 --input y=random:2 --output-dir %t/again
// RUN: not cmp %t/again/first.npy %t/again/iteration.npy
// RUN: not cmp %t/again/first.npy %t/again/call.npy
// RUN: not cmp %t/again/iteration.npy %t/again/call.npy

// What is computed again after seven advances, at its offset.
// RUN: cmp %t/again/first.npy %t/again/recomputed.npy

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>, pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @loop(%x: tensor<400xf16> {pop.name = "x"}, %y: tensor<400xf16> {pop.name = "y"}) -> (tensor<400xf16> {pop.name = "z"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %0:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %x, %s = %y) -> (tensor<400xf16>, tensor<400xf16>) {
      %1 = pop.mul %p, %y {pop.draw = #pop.draw<10>} : tensor<400xf16>
      %2 = pop.add %s, %1 {pop.draw = #pop.draw<11>} : tensor<400xf16>
      scf.yield %1, %2 : tensor<400xf16>, tensor<400xf16>
    }
    return %0#1 : tensor<400xf16>
  }

  // The sum of an iteration is in the next one.
  func.func @pipelined(%x: tensor<400xf16> {pop.name = "x"}, %y: tensor<400xf16> {pop.name = "y"}) -> (tensor<400xf16> {pop.name = "z"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %0 = pop.mul %x, %y {pop.draw = #pop.draw<10>} : tensor<400xf16>
    pop.advance_draws
    %1:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %0, %s = %y) -> (tensor<400xf16>, tensor<400xf16>) {
      %2 = pop.mul %p, %y {pop.draw = #pop.draw<10>} : tensor<400xf16>
      %3 = pop.add %s, %p {pop.draw = #pop.draw<11, offset = -1>} : tensor<400xf16>
      pop.advance_draws
      scf.yield %2, %3 : tensor<400xf16>, tensor<400xf16>
    }
    %4 = pop.add %1#1, %1#0 {pop.draw = #pop.draw<11, offset = -1>} : tensor<400xf16>
    return %4 : tensor<400xf16>
  }

  func.func @unrolled(%x: tensor<400xf16> {pop.name = "x"}, %y: tensor<400xf16> {pop.name = "y"}) -> (tensor<400xf16> {pop.name = "z"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %x, %s = %y) -> (tensor<400xf16>, tensor<400xf16>) {
      %1 = pop.mul %p, %y {pop.draw = #pop.draw<10>} : tensor<400xf16>
      %2 = pop.mul %1, %y {pop.draw = #pop.draw<10, offset = 1>} : tensor<400xf16>
      %3 = pop.add %s, %1 {pop.draw = #pop.draw<11>} : tensor<400xf16>
      %4 = pop.add %3, %2 {pop.draw = #pop.draw<11, offset = 1>} : tensor<400xf16>
      pop.advance_draws
      pop.advance_draws
      scf.yield %2, %4 : tensor<400xf16>, tensor<400xf16>
    }
    return %0#1 : tensor<400xf16>
  }

  func.func private @iteration(%p: tensor<400xf16>, %s: tensor<400xf16>, %y: tensor<400xf16>) -> (tensor<400xf16>, tensor<400xf16>) {
    %1 = pop.mul %p, %y {pop.draw = #pop.draw<10>} : tensor<400xf16>
    %2 = pop.add %s, %1 {pop.draw = #pop.draw<11>} : tensor<400xf16>
    return %1, %2 : tensor<400xf16>, tensor<400xf16>
  }
  func.func @called(%x: tensor<400xf16> {pop.name = "x"}, %y: tensor<400xf16> {pop.name = "y"}) -> (tensor<400xf16> {pop.name = "z"}) {
    %0:2 = call @iteration(%x, %y, %y) : (tensor<400xf16>, tensor<400xf16>, tensor<400xf16>) -> (tensor<400xf16>, tensor<400xf16>)
    %1:2 = call @iteration(%0#0, %0#1, %y) : (tensor<400xf16>, tensor<400xf16>, tensor<400xf16>) -> (tensor<400xf16>, tensor<400xf16>)
    %2:2 = call @iteration(%1#0, %1#1, %y) : (tensor<400xf16>, tensor<400xf16>, tensor<400xf16>) -> (tensor<400xf16>, tensor<400xf16>)
    %3:2 = call @iteration(%2#0, %2#1, %y) : (tensor<400xf16>, tensor<400xf16>, tensor<400xf16>) -> (tensor<400xf16>, tensor<400xf16>)
    return %3#1 : tensor<400xf16>
  }

  // A read keeps what the loop computes apart from what is computed before it.
  pop.variable @w : tensor<400xf16> = dense<0.0> : tensor<400xf16>
  func.func private @round(%x: tensor<400xf16>, %y: tensor<400xf16>) -> tensor<400xf16> {
    %0 = pop.mul %x, %y {pop.draw = #pop.draw<12>} : tensor<400xf16>
    return %0 : tensor<400xf16>
  }
  func.func @again(%x: tensor<400xf16> {pop.name = "x"}, %y: tensor<400xf16> {pop.name = "y"})
      -> (tensor<400xf16> {pop.name = "first"}, tensor<400xf16> {pop.name = "iteration"}, tensor<400xf16> {pop.name = "call"}, tensor<400xf16> {pop.name = "recomputed"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %w = pop.get_variable @w : !pop.ref<400xf16>
    pop.copy_ %w, %x : !pop.ref<400xf16>, tensor<400xf16>
    %0 = pop.mul %x, %y {pop.draw = #pop.draw<12>} : tensor<400xf16>
    %1 = call @round(%x, %y) : (tensor<400xf16>, tensor<400xf16>) -> tensor<400xf16>
    %2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%p = %x) -> tensor<400xf16> {
      %v = pop.read %w : !pop.ref<400xf16>
      %4 = pop.mul %v, %y {pop.draw = #pop.draw<12>} : tensor<400xf16>
      scf.yield %4 : tensor<400xf16>
    }
    %3 = call @round(%x, %y) : (tensor<400xf16>, tensor<400xf16>) -> tensor<400xf16>
    %5 = pop.mul %x, %y {pop.draw = #pop.draw<12, offset = -7>} : tensor<400xf16>
    return %0, %2, %3, %5 : tensor<400xf16>, tensor<400xf16>, tensor<400xf16>, tensor<400xf16>
  }
}
