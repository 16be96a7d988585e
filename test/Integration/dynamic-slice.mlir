// Boxes that start where a tensor says, with all bits.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 5 : i64}>} {
  // What is computed from inputs, which count 0, 1, 2, ..., is not folded.
  func.func @main(%x: tensor<4x3xi32> {pop.name = "x"}, %n: tensor<2xi32> {pop.name = "n"}, %b: tensor<1xui8> {pop.name = "b"}) {
    // From row 1; the start along the second dimension is 0.
    %one = pop.constant dense<[1, -1]> : tensor<2xi32>
    %s = pop.add %n, %one : tensor<2xi32>
    %0 = pop.dynamic_slice %x[%s] {axes = array<i64: 0, 1>, sizes = array<i64: 2, 2>} : tensor<4x3xi32>, tensor<2xi32> -> tensor<2x2xi32>
    pop.expect_eq %0, dense<[[3, 4], [6, 7]]> : tensor<2x2xi32>
    // The same numbers for the dimensions the other way around.
    %1 = pop.dynamic_slice %x[%s] {axes = array<i64: 1, 0>, sizes = array<i64: 2, 2>} : tensor<4x3xi32>, tensor<2xi32> -> tensor<2x2xi32>
    pop.expect_eq %1, dense<[[1, 2], [4, 5]]> : tensor<2x2xi32>
    // Starts outside: -7 and 101 are 0 and 1.
    %far = pop.constant dense<[-7, 100]> : tensor<2xi32>
    %f = pop.add %n, %far : tensor<2xi32>
    %2 = pop.dynamic_slice %x[%f] {axes = array<i64: 0, 1>, sizes = array<i64: 2, 2>} : tensor<4x3xi32>, tensor<2xi32> -> tensor<2x2xi32>
    pop.expect_eq %2, dense<[[1, 2], [4, 5]]> : tensor<2x2xi32>
    // 200 of ui8 is not negative.
    %wide = pop.constant dense<200> : tensor<ui8>
    %u = pop.add %b, %wide : (tensor<1xui8>, tensor<ui8>) -> tensor<1xui8>
    %3 = pop.dynamic_slice %x[%u] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<4x3xi32>, tensor<1xui8> -> tensor<1x3xi32>
    pop.expect_eq %3, dense<[[9, 10, 11]]> : tensor<1x3xi32>

    %p = pop.constant dense<[[-1, -2], [-3, -4]]> : tensor<2x2xi32>
    %4 = pop.dynamic_update %x, %p[%s] {axes = array<i64: 0, 1>} : tensor<4x3xi32>, tensor<2x2xi32>, tensor<2xi32>
    pop.expect_eq %4, dense<[[0, 1, 2], [-1, -2, 5], [-3, -4, 8], [9, 10, 11]]> : tensor<4x3xi32>
    %5 = pop.dynamic_update %x, %p[%f] {axes = array<i64: 0, 1>} : tensor<4x3xi32>, tensor<2x2xi32>, tensor<2xi32>
    pop.expect_eq %5, dense<[[0, -1, -2], [3, -3, -4], [6, 7, 8], [9, 10, 11]]> : tensor<4x3xi32>
    %row = pop.constant dense<[[-1, -2, -3]]> : tensor<1x3xi32>
    %6 = pop.dynamic_update %x, %row[%u] {axes = array<i64: 0>} : tensor<4x3xi32>, tensor<1x3xi32>, tensor<1xui8>
    pop.expect_eq %6, dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [-1, -2, -3]]> : tensor<4x3xi32>
    // Zeros of either sign, denormals and NaNs stay what they are.
    %h = pop.constant dense<[-0.0, 0x0001, 0x7C00, 0x7E01]> : tensor<4xf16>
    %part = pop.constant dense<[-0.0]> : tensor<1xf16>
    %at = pop.slice %n {starts = array<i64: 1>, sizes = array<i64: 1>, steps = array<i64: 1>} : tensor<2xi32> -> tensor<1xi32>
    %7 = pop.dynamic_slice %h[%at] {axes = array<i64: 0>, sizes = array<i64: 3>} : tensor<4xf16>, tensor<1xi32> -> tensor<3xf16>
    pop.expect_eq %7, dense<[0x0001, 0x7C00, 0x7E01]> : tensor<3xf16>
    %8 = pop.dynamic_update %h, %part[%at] {axes = array<i64: 0>} : tensor<4xf16>, tensor<1xf16>, tensor<1xi32>
    pop.expect_eq %8, dense<[-0.0, -0.0, 0x7C00, 0x7E01]> : tensor<4xf16>
    return
  }
}

// -----

// In place, in a loop: row i becomes [i, i + 1]; the last row is also that of i = 3.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 5 : i64}>} {
  pop.variable @v : tensor<3x2xf32> = dense<1.0> : tensor<3x2xf32>
  func.func @main(%n: tensor<1x2xi32> {pop.name = "n"}) {
    %v = pop.get_variable @v : !pop.ref<3x2xf32>
    %x = pop.cast %n : tensor<1x2xi32> to tensor<1x2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %t = pop.from_scalar %i : index to tensor<i32>
      %s = pop.reshape %t : tensor<i32> to tensor<1xi32>
      %f = pop.cast %s : tensor<1xi32> to tensor<1xf32>
      %u = pop.add %x, %f : (tensor<1x2xf32>, tensor<1xf32>) -> tensor<1x2xf32>
      pop.dynamic_update_ %v, %u[%s] {axes = array<i64: 0>} : !pop.ref<3x2xf32>, tensor<1x2xf32>, tensor<1xi32>
    }
    %y = pop.read %v : !pop.ref<3x2xf32>
    pop.expect_eq %y, dense<[[0.0, 1.0], [1.0, 2.0], [3.0, 4.0]]> : tensor<3x2xf32>
    return
  }
}

// -----

// In place along a middle dimension, with a start that the host gives: rows of
// other tiles, and starts that are clamped. A slice reads the ref in place.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 5 : i64}>} {
  pop.variable @v : tensor<2x4x3xi32> = dense<7> : tensor<2x4x3xi32>
  pop.variable @w : tensor<9xf16> = dense<7.0> : tensor<9xf16>
  func.func @main(%n: tensor<2x2x3xi32> {pop.name = "n"}, %i: tensor<1xi8> {pop.name = "i"}, %h: tensor<3xf16> {pop.name = "h"}) {
    %v = pop.get_variable @v : !pop.ref<2x4x3xi32>
    %one = pop.constant dense<1> : tensor<1xi8>
    %s = pop.add %i, %one : tensor<1xi8>
    pop.dynamic_update_ %v, %n[%s] {axes = array<i64: 1>} : !pop.ref<2x4x3xi32>, tensor<2x2x3xi32>, tensor<1xi8>
    %0 = pop.read %v : !pop.ref<2x4x3xi32>
    pop.expect_eq %0, dense<[[[7, 7, 7], [0, 1, 2], [3, 4, 5], [7, 7, 7]], [[7, 7, 7], [6, 7, 8], [9, 10, 11], [7, 7, 7]]]> : tensor<2x4x3xi32>
    %many = pop.constant dense<100> : tensor<1xi8>
    %far = pop.add %i, %many : tensor<1xi8>
    pop.dynamic_update_ %v, %n[%far] {axes = array<i64: 1>} : !pop.ref<2x4x3xi32>, tensor<2x2x3xi32>, tensor<1xi8>
    %minus = pop.constant dense<-100> : tensor<1xi8>
    %before = pop.add %i, %minus : tensor<1xi8>
    %1 = pop.read %v : !pop.ref<2x4x3xi32>
    %2 = pop.dynamic_slice %1[%far] {axes = array<i64: 1>, sizes = array<i64: 1>} : tensor<2x4x3xi32>, tensor<1xi8> -> tensor<2x1x3xi32>
    pop.expect_eq %2, dense<[[[3, 4, 5]], [[9, 10, 11]]]> : tensor<2x1x3xi32>
    %3 = pop.dynamic_slice %1[%before] {axes = array<i64: 1>, sizes = array<i64: 3>} : tensor<2x4x3xi32>, tensor<1xi8> -> tensor<2x3x3xi32>
    pop.expect_eq %3, dense<[[[7, 7, 7], [0, 1, 2], [0, 1, 2]], [[7, 7, 7], [6, 7, 8], [6, 7, 8]]]> : tensor<2x3x3xi32>
    // Vertices have parts of the positions.
    %w = pop.get_variable @w : !pop.ref<9xf16>
    pop.dynamic_update_ %w, %h[%s] {axes = array<i64: 0>} : !pop.ref<9xf16>, tensor<3xf16>, tensor<1xi8>
    %4 = pop.read %w : !pop.ref<9xf16>
    %5 = pop.slice %4 {starts = array<i64: 4>, sizes = array<i64: 5>, steps = array<i64: 1>} : tensor<9xf16> -> tensor<5xf16>
    pop.expect_eq %5, dense<7.0> : tensor<5xf16>
    %6 = pop.slice %4 {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : tensor<9xf16> -> tensor<2xf16>
    pop.expect_eq %6, dense<[7.0, 0.0]> : tensor<2xf16>
    return
  }
}

// -----

// A loop carries a cache. Each iteration replaces a row along two dimensions,
// and reads the whole cache and the row before.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 5 : i64}>} {
  func.func @main(%n: tensor<1x1x2xi32> {pop.name = "n"}) {
    %zeros = pop.constant dense<0> : tensor<2x3x2xi32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %sum0 = pop.constant dense<0> : tensor<i32>
    %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%cache = %zeros, %sum = %sum0) -> (tensor<2x3x2xi32>, tensor<i32>) {
      %t = pop.from_scalar %i : index to tensor<i32>
      %s = pop.reshape %t : tensor<i32> to tensor<1xi32>
      %start = pop.concat %s, %s {axis = 0 : i64} : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %u = pop.add %n, %t : (tensor<1x1x2xi32>, tensor<i32>) -> tensor<1x1x2xi32>
      %new = pop.dynamic_update %cache, %u[%start] {axes = array<i64: 1, 0>} : tensor<2x3x2xi32>, tensor<1x1x2xi32>, tensor<2xi32>
      %all = pop.reduce sum %new {axes = array<i64: 0, 1, 2>} : tensor<2x3x2xi32> -> tensor<i32>
      %next = pop.add %sum, %all : tensor<i32>
      scf.yield %new, %next : tensor<2x3x2xi32>, tensor<i32>
    }
    pop.expect_eq %r#0, dense<[[[0, 1], [0, 0], [0, 0]], [[0, 0], [1, 2], [2, 3]]]> : tensor<2x3x2xi32>
    // 1, 1 + 3 and 1 + 3 + 5.
    pop.expect_eq %r#1, dense<14> : tensor<i32>
    return
  }
}
