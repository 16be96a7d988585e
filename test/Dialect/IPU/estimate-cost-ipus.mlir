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

// -----

// A condition on IPU 1 is copied to the other IPUs with steps in the bodies: IPU 2 of
// the first branch, IPUs 0 and 3 of the loop. If it is on all of them, as in the other
// branches, they take 199 cycles each.

#p1 = #ipu.map<[], grid = [1], blocks = [], first = 2>
#p12 = #ipu.map<[], grid = [2], blocks = [], first = 2, ipus = [2] * 2>
#s0 = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
#s1 = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4], first = 2>
#s2 = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4], first = 4>
#s3 = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4], first = 6>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, ipus = 4 : i64}>} {
  func.func @g() {
    %x = ipu.var "x" : memref<8xf32, #s2>
    %y = ipu.var "y" : memref<8xf32, #s2>
    ipu.exchange "b" {
      ipu.move %x to %y : memref<8xf32, #s2> to memref<8xf32, #s2>
    }
    return
  }
  // CHECK-LABEL: func.func @main
  func.func @main() {
    %p = ipu.var "p" init(dense<true> : tensor<i1>) : memref<i1, #p1>
    %q = ipu.var "q" copies init(dense<true> : tensor<i1>) : memref<i1, #p12>
    %a = ipu.var "a" : memref<8xf32, #s0>
    %b = ipu.var "b" : memref<8xf32, #s1>
    %c = ipu.var "c" : memref<8xf32, #s1>
    %d = ipu.var "d" : memref<8xf32, #s3>
    // CHECK: ipu.if
    // 199 + 600 for each, and an exchange: 100 + 1596 + 600 + 2 * 587, one cycle on the
    // links, one to send a word, three to receive it.
    // CHECK: } cost <cycles = [0, 4271, 4273, 0], total = 3200, tile = 4, flops = 0, bytes = 1>
    ipu.if %p : memref<i1, #p1> {
      ipu.call @g
    }
    // CHECK: ipu.while
    // The sender takes the latency of two links.
    // CHECK: } cost <cycles = [4273, 5867, 0, 4273], total = 4801, tile = 0, flops = 0, bytes = 2>
    ipu.while %p : memref<i1, #p1> {
      ipu.exchange "c" {
        ipu.move %b to %a : memref<8xf32, #s1> to memref<8xf32, #s0>
      }
    } do {
      ipu.exchange "d" {
        ipu.move %b to %d : memref<8xf32, #s1> to memref<8xf32, #s3>
      }
    }
    // CHECK: ipu.if
    // CHECK: } else {
    // CHECK: } cost <cycles = [0, 199, 0, 0], total = 398, tile = 2, flops = 0, bytes = 0>
    ipu.if %p : memref<i1, #p1> {
    } else {
      ipu.exchange "e" {
        ipu.move %b to %c : memref<8xf32, #s1> to memref<8xf32, #s1>
      }
    }
    // CHECK: ipu.if
    // CHECK: } cost <cycles = [0, 199, 199, 0], total = 796, tile = 2, flops = 0, bytes = 0>
    ipu.if %q : memref<i1, #p12> {
      ipu.call @g
    }
    return
  }
}
