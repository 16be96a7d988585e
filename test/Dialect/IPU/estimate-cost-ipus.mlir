// RUN: ipu-opt %s --ipu-estimate-cost --split-input-file | FileCheck %s

// Control costs only the IPUs that execute it: those of the steps in the bodies
// and in the called functions. Functions @f and @g are on IPUs 1 and 2, @h calls
// @g, and @empty has no steps.

#s1 = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4], first = 2>
#s2 = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4], first = 4>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, ipus = 4 : i64}>} {
  func.func @f() {
    %x = ipu.var "x" : memref<8xf32, #s1>
    %y = ipu.var "y" : memref<8xf32, #s1>
    ipu.exchange "a" {
      ipu.move %x to %y : memref<8xf32, #s1> to memref<8xf32, #s1>
    }
    return
  }
  func.func @g() {
    %x = ipu.var "x" : memref<8xf32, #s2>
    %y = ipu.var "y" : memref<8xf32, #s2>
    ipu.exchange "b" {
      ipu.move %x to %y : memref<8xf32, #s2> to memref<8xf32, #s2>
    }
    return
  }
  // CHECK-LABEL: func.func @h
  func.func @h() {
    // CHECK: ipu.call @g cost <cycles = [0, 0, 12, 0], total = 24, tile = 4,
    ipu.call @g
    return
  }
  func.func @empty() {
    return
  }
  // CHECK-LABEL: func.func @main
  func.func @main() {
    // CHECK: ipu.call @f cost <cycles = [0, 12, 0, 0], total = 24, tile = 2,
    ipu.call @f
    // CHECK: ipu.call @h cost <cycles = [0, 0, 12, 0], total = 24, tile = 4,
    ipu.call @h
    // CHECK: ipu.call @empty cost <cycles = [0, 0, 0, 0], total = 0, tile = 0,
    ipu.call @empty
    // CHECK: ipu.repeat 2 {
    // CHECK: ipu.repeat 3 {
    // CHECK: ipu.call @h
    // CHECK: } cost <cycles = [0, 0, 6, 0], total = 12, tile = 4,
    // CHECK: } cost <cycles = [0, 6, 6, 0], total = 24, tile = 2,
    ipu.repeat 2 {
      ipu.call @f
      ipu.repeat 3 {
        ipu.call @h
      }
    }
    // CHECK: ipu.sync ipus on [0, 3]
    // CHECK: } cost <cycles = [6, 0, 0, 6], total = 24, tile = 0,
    ipu.repeat 2 {
      ipu.sync ipus on [0, 3]
    }
    // CHECK: ipu.sync internal cost
    // CHECK: } cost <cycles = [6, 6, 6, 6], total = 48, tile = 0,
    ipu.repeat 2 {
      ipu.sync internal
    }
    // The code of @g is on its IPU.
    // CHECK: ipu.code_copy
    // CHECK: } cost <cycles = [0, 0, 6, 0], total = 12, tile = 4,
    ipu.repeat 2 {
      ipu.code_copy @g from io_buffer to executable
    }
    return
  }
}

// -----

// Functions that call each other in a circle have a cost; ipu-allocate refuses them.

#s1 = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4], first = 2>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, ipus = 2 : i64}>} {
  // CHECK-LABEL: func.func @a
  func.func @a() {
    // CHECK: ipu.call @b cost <cycles = [0, 12],
    ipu.call @b
    return
  }
  // CHECK-LABEL: func.func @b
  func.func @b() {
    %x = ipu.var "x" : memref<8xf32, #s1>
    %y = ipu.var "y" : memref<8xf32, #s1>
    ipu.exchange "a" {
      ipu.move %x to %y : memref<8xf32, #s1> to memref<8xf32, #s1>
    }
    // CHECK: ipu.call @a cost <cycles = [0, 12],
    ipu.call @a
    return
  }
}
