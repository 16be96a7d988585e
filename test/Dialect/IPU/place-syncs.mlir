// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-place-syncs,ipu-merge-steps),ipu-estimate-cost)' | FileCheck %s

// The example of the description of the pass. Only IPU 1 spends time for the sync.

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2], first = 4>
#n = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4], first = 6>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 2 : i64}>} {
  // CHECK-LABEL: func.func @main
  // CHECK: ipu.sync internal on [1] cost <cycles = [0, 90]
  func.func @main() {
    %x = ipu.var "x" : memref<8xf32, #m>
    %x0 = ipu.var "x0" : memref<8xf32, #n>
    ipu.sync internal
    ipu.exchange "a" {
      ipu.move %x to %x0 : memref<8xf32, #m> to memref<8xf32, #n>
    }
    return
  }
}

// -----

// The first exchange has IPUs 0 and 2, and the second exchange, on IPU 1, has its
// own sync although it depends on nothing. A sync before nothing is for all IPUs.

#a = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#b = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4], first = 4>
#b0 = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2], first = 4>
#c = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2], first = 8>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 3 : i64}>} {
  // CHECK-LABEL: func.func @main
  // CHECK: ipu.sync ipus on [0, 2] cost <cycles = [600, 0, 600]
  // CHECK-NEXT: ipu.exchange "a"
  // CHECK: ipu.sync internal on [1] cost <cycles = [0, 90, 0]
  // CHECK-NEXT: ipu.exchange "b"
  // CHECK: ipu.sync external cost <cycles = [600, 600, 600]
  func.func @main() {
    %x = ipu.var "x" : memref<8xf32, #a>
    %x0 = ipu.var "x0" : memref<8xf32, #c>
    %y = ipu.var "y" : memref<8xf32, #b>
    %y0 = ipu.var "y0" : memref<8xf32, #b0>
    ipu.sync ipus
    ipu.exchange "a" {
      ipu.move %x to %x0 : memref<8xf32, #a> to memref<8xf32, #c>
    }
    ipu.sync internal
    ipu.exchange "b" {
      ipu.move %y to %y0 : memref<8xf32, #b> to memref<8xf32, #b0>
    }
    ipu.sync external
    return
  }
}
