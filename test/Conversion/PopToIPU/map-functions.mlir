// RUN: ipu-opt %s --split-input-file --mlir-print-local-scope --pass-pipeline='builtin.module(pop-map-tensors)' | FileCheck %s

// What all calls pass lies where the function wants it: weights are there before,
// and what a call returns is where the next one reads it. So all that the calls
// copy stays on its tiles.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // CHECK: pop.scratch @f.arg0 : tensor<64x64xf32> {ipu.map = [[X:#ipu.map<.*>]]}
  // CHECK: pop.scratch @f.arg1 : tensor<64x64xf32> {ipu.map = [[W:#ipu.map<.*layout.*>]]}
  // CHECK: pop.scratch @f.result0 : tensor<64x64xf32> {ipu.map = [[X]]}
  pop.scratch @f.arg0 : tensor<64x64xf32>
  pop.scratch @f.arg1 : tensor<64x64xf32>
  pop.scratch @f.result0 : tensor<64x64xf32>
  func.func private @f() {
    %x_ref = pop.get_variable @f.arg0 : !pop.ref<64x64xf32>
    %x = pop.read %x_ref : !pop.ref<64x64xf32>
    %w_ref = pop.get_variable @f.arg1 : !pop.ref<64x64xf32>
    %w = pop.read %w_ref : !pop.ref<64x64xf32>
    %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.relu %0 : tensor<64x64xf32>
    %y_ref = pop.get_variable @f.result0 : !pop.ref<64x64xf32>
    pop.copy_ %y_ref, %1 : !pop.ref<64x64xf32>, tensor<64x64xf32>
    return
  }
  // CHECK: func.func @main
  // CHECK-SAME: {ipu.map = [[X]]}
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    // CHECK: pop.constant {ipu.map = [[W]]} dense<1.0
    // CHECK: pop.constant {ipu.map = [[W]]} dense<2.0
    %w0 = pop.constant dense<1.0> : tensor<64x64xf32>
    %w1 = pop.constant dense<2.0> : tensor<64x64xf32>
    %x_ref = pop.get_variable @f.arg0 : !pop.ref<64x64xf32>
    %w_ref = pop.get_variable @f.arg1 : !pop.ref<64x64xf32>
    %y_ref = pop.get_variable @f.result0 : !pop.ref<64x64xf32>
    pop.copy_ %x_ref, %x : !pop.ref<64x64xf32>, tensor<64x64xf32>
    pop.copy_ %w_ref, %w0 : !pop.ref<64x64xf32>, tensor<64x64xf32>
    call @f() : () -> ()
    %0 = pop.read %y_ref : !pop.ref<64x64xf32>
    pop.copy_ %x_ref, %0 : !pop.ref<64x64xf32>, tensor<64x64xf32>
    pop.copy_ %w_ref, %w1 : !pop.ref<64x64xf32>, tensor<64x64xf32>
    call @f() : () -> ()
    %1 = pop.read %y_ref : !pop.ref<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}

// -----

// The function wants its argument as a right operand, the caller as a left one.
// What runs more often decides: the caller's loop.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // CHECK: pop.scratch @f.arg0 : tensor<64x64xf32> {ipu.map = [[RIGHT:#ipu.map<.*d2 floordiv 16, d1 floordiv 8, d2 mod 16, d1 mod 8.*>]]}
  pop.scratch @f.arg0 : tensor<64x64xf32>
  pop.scratch @f.result0 : tensor<64x64xf32>
  pop.variable @v : tensor<64x64xf32> = dense<1.0> : tensor<64x64xf32>
  pop.variable @y : tensor<64x64xf32> = dense<1.0> : tensor<64x64xf32>
  func.func private @f() {
    %v_ref = pop.get_variable @v : !pop.ref<64x64xf32>
    %v = pop.read %v_ref : !pop.ref<64x64xf32>
    %w_ref = pop.get_variable @f.arg0 : !pop.ref<64x64xf32>
    %w = pop.read %w_ref : !pop.ref<64x64xf32>
    %0 = pop.matmul %v, %w {accum = #pop.accum<chain>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %y_ref = pop.get_variable @f.result0 : !pop.ref<64x64xf32>
    pop.copy_ %y_ref, %0 : !pop.ref<64x64xf32>, tensor<64x64xf32>
    return
  }
  // CHECK: func.func @often_here
  func.func @often_here() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    // CHECK: pop.constant {ipu.map = #ipu.map<[1, 64, 64], {{.*}}(d0, d2 floordiv 8, d1, d2 mod 8)>>} dense<1.0
    %w = pop.constant dense<1.0> : tensor<64x64xf32>
    %v_ref = pop.get_variable @v : !pop.ref<64x64xf32>
    %v = pop.read %v_ref : !pop.ref<64x64xf32>
    %y_ref = pop.get_variable @y : !pop.ref<64x64xf32>
    scf.for %i = %c0 to %c100 step %c1 {
      %0 = pop.matmul %w, %v {accum = #pop.accum<chain>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      pop.copy_ %y_ref, %0 : !pop.ref<64x64xf32>, tensor<64x64xf32>
    }
    %w_ref = pop.get_variable @f.arg0 : !pop.ref<64x64xf32>
    pop.copy_ %w_ref, %w : !pop.ref<64x64xf32>, tensor<64x64xf32>
    call @f() : () -> ()
    return
  }
}

// -----

// The same, but the call is in the loop.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // CHECK: pop.scratch @f.arg0 : tensor<64x64xf32> {ipu.map = [[RIGHT:#ipu.map<.*d2 floordiv 16, d1 floordiv 8, d2 mod 16, d1 mod 8.*>]]}
  pop.scratch @f.arg0 : tensor<64x64xf32>
  pop.scratch @f.result0 : tensor<64x64xf32>
  pop.variable @v : tensor<64x64xf32> = dense<1.0> : tensor<64x64xf32>
  pop.variable @y : tensor<64x64xf32> = dense<1.0> : tensor<64x64xf32>
  func.func private @f() {
    %v_ref = pop.get_variable @v : !pop.ref<64x64xf32>
    %v = pop.read %v_ref : !pop.ref<64x64xf32>
    %w_ref = pop.get_variable @f.arg0 : !pop.ref<64x64xf32>
    %w = pop.read %w_ref : !pop.ref<64x64xf32>
    %0 = pop.matmul %v, %w {accum = #pop.accum<chain>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %y_ref = pop.get_variable @f.result0 : !pop.ref<64x64xf32>
    pop.copy_ %y_ref, %0 : !pop.ref<64x64xf32>, tensor<64x64xf32>
    return
  }
  // CHECK: func.func @often_there
  func.func @often_there() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    // CHECK: pop.constant {ipu.map = [[RIGHT]]} dense<1.0
    %w = pop.constant dense<1.0> : tensor<64x64xf32>
    %v_ref = pop.get_variable @v : !pop.ref<64x64xf32>
    %v = pop.read %v_ref : !pop.ref<64x64xf32>
    %y_ref = pop.get_variable @y : !pop.ref<64x64xf32>
    %0 = pop.matmul %w, %v {accum = #pop.accum<chain>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    pop.copy_ %y_ref, %0 : !pop.ref<64x64xf32>, tensor<64x64xf32>
    %w_ref = pop.get_variable @f.arg0 : !pop.ref<64x64xf32>
    scf.for %i = %c0 to %c100 step %c1 {
      pop.copy_ %w_ref, %w : !pop.ref<64x64xf32>, tensor<64x64xf32>
      func.call @f() : () -> ()
    }
    return
  }
}

// -----

// Recursions, which pop-lower-calls refuses, do no harm here, and neither do calls
// that still pass tensors, or that nothing calls.

// CHECK: func.func private @down
// CHECK: pop.relu {{.*}}ipu.map
func.func private @down() {
  %x = pop.constant dense<1.0> : tensor<64xf32>
  %0 = pop.relu %x : tensor<64xf32>
  call @up() : () -> ()
  return
}
// CHECK: func.func private @up
// CHECK: pop.exp {{.*}}ipu.map
func.func private @up() {
  %x = pop.constant dense<1.0> : tensor<64xf32>
  %0 = pop.exp %x : tensor<64xf32>
  call @down() : () -> ()
  call @up() : () -> ()
  return
}
// CHECK: func.func private @passes(%{{.*}}: tensor<64xf32> {ipu.map
// CHECK: pop.neg {{.*}}ipu.map
func.func private @passes(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = pop.neg %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
// CHECK: func.func @main(%{{.*}}: tensor<64xf32> {ipu.map
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = call @passes(%x) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Whichever function of a recursion comes first.

// CHECK: func.func @first
func.func @first() {
  call @round() : () -> ()
  return
}
func.func private @round() {
  call @trip() : () -> ()
  call @loop() : () -> ()
  return
}
func.func private @trip() {
  call @round() : () -> ()
  return
}
// CHECK: func.func private @loop
// CHECK: pop.relu {{.*}}ipu.map
func.func private @loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c5 step %c1 {
    %x = pop.constant dense<1.0> : tensor<64xf32>
    %0 = pop.relu %x : tensor<64xf32>
  }
  return
}
func.func @second() {
  call @trip() : () -> ()
  return
}

// -----

// A function for one op that stays by itself, as those of parts do: tiles hold
// what they read of both operands, which callers bring there, and the one that is
// passed once is not brought there again.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // CHECK: pop.scratch @f.arg0 : tensor<64x64xf32> {ipu.map = #ipu.map<[1, 64, 64], grid = [4, 4], blocks = [all, p0 * 16 : 16, all]
  // CHECK: pop.scratch @f.arg1 : tensor<64x64xf32> {ipu.map = #ipu.map<[1, 64, 64], grid = [4, 4], blocks = [all, all, p1 * 16 : 16]
  pop.scratch @f.arg0 : tensor<64x64xf32>
  pop.scratch @f.arg1 : tensor<64x64xf32>
  pop.scratch @f.result0 : tensor<64x64xf32>
  func.func private @f() attributes {no_inline} {
    %x_ref = pop.get_variable @f.arg0 : !pop.ref<64x64xf32>
    %x = pop.read %x_ref : !pop.ref<64x64xf32>
    %w_ref = pop.get_variable @f.arg1 : !pop.ref<64x64xf32>
    %w = pop.read %w_ref : !pop.ref<64x64xf32>
    %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %y_ref = pop.get_variable @f.result0 : !pop.ref<64x64xf32>
    pop.copy_ %y_ref, %0 : !pop.ref<64x64xf32>, tensor<64x64xf32>
    return
  }
  // What the host writes has each element once.
  // CHECK: func.func @main(%{{.*}}: tensor<128x64xf32> {ipu.map = #ipu.map<[2, {{.*}}blocks = [all, {{.*}}p0 {{.*}}p1 
  func.func @main(%a: tensor<128x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %x_ref = pop.get_variable @f.arg0 : !pop.ref<64x64xf32>
    %w_ref = pop.get_variable @f.arg1 : !pop.ref<64x64xf32>
    %y_ref = pop.get_variable @f.result0 : !pop.ref<64x64xf32>
    pop.copy_ %w_ref, %w : !pop.ref<64x64xf32>, tensor<64x64xf32>
    %a0 = pop.slice %a {starts = array<i64: 0, 0>, sizes = array<i64: 64, 64>, steps = array<i64: 1, 1>} : tensor<128x64xf32> -> tensor<64x64xf32>
    pop.copy_ %x_ref, %a0 : !pop.ref<64x64xf32>, tensor<64x64xf32>
    call @f() : () -> ()
    %0 = pop.read %y_ref : !pop.ref<64x64xf32>
    %1 = pop.copy %0 : tensor<64x64xf32>
    %a1 = pop.slice %a {starts = array<i64: 64, 0>, sizes = array<i64: 64, 64>, steps = array<i64: 1, 1>} : tensor<128x64xf32> -> tensor<64x64xf32>
    pop.copy_ %x_ref, %a1 : !pop.ref<64x64xf32>, tensor<64x64xf32>
    call @f() : () -> ()
    %2 = pop.read %y_ref : !pop.ref<64x64xf32>
    return %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
