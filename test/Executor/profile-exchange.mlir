// What exchanges move, by tile, by link and in all executions, how evenly tiles work, and
// what code is made of.
//
// RUN: ipu-run %s --pass-pipeline 'builtin.module(ipu-estimate-cost)' --engine none --profile %t.json
// RUN: %python %S/Inputs/check-profile.py %t.json
// RUN: %python %S/Inputs/exchanges.py %t.json | FileCheck %s

// Tile 3, on the second IPU, gets what tiles 0, 1 and 2 hold of @x; its own part stays.
// Three times, and then what is on tile 3 goes to tiles 2 and 3: one element is received.
// CHECK: step 1: set-up 100 sent 24 local 8 runs 3 from 0 8 to 3 24 links {{\[\[}}0, 1, 16]]
// CHECK-NEXT: step 3: set-up 100 sent 4 local 4 runs 1 from 3 4 to 2 4 links []
// CHECK-NEXT: run: set-up 400 tiles {{\[\[}}0, 2, 24, 0], [2, 3, 24, 4], [3, 4, 4, 72]] links {{\[\[}}0, 1, 48]]

// Tile 3 copies nothing, tile 2 half of what tiles 0 and 1 do.
// CHECK-NEXT: step 0: tile cycles 0 0 0 [[HALF:[1-9][0-9]*]] [[HALF]] [[HALF]] [[MOST:[1-9][0-9]*]] [[MOST]] [[MOST]]

// CHECK-NEXT: codelets copy
// CHECK-NEXT: functions main

#x = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#one = #ipu.map<[8], grid = [1], blocks = [p0 * 8 : 8], first = 3>
#two = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1], first = 2>
#y = #ipu.map<[100], grid = [3], blocks = [p0 * 40 : 40]>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, ipus = 2 : i64}>} {
  ipu.codelet @copy(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 11, worker = 29, cycles = 4, per = 1> {
    linalg.copy ins(%x : !b) outs(%y : !b)
  }
  func.func @main() {
    %x = ipu.var "x" init(dense<1.0> : tensor<8xf32>) : memref<8xf32, #x>
    %y = ipu.var "y" init(dense<1.0> : tensor<100xf32>) : memref<100xf32, #y>
    %one = ipu.var "one" init(dense<0.0> : tensor<8xf32>) : memref<8xf32, #one>
    %two = ipu.var "two" init(dense<0.0> : tensor<2xf32>) : memref<2xf32, #two>
    ipu.compute_set "copy" {
      ipu.vertices @copy ins(%y : memref<100xf32, #y>) outs(%y : memref<100xf32, #y>) access [#y, #y]
    }
    ipu.repeat 3 {
      ipu.exchange "gather" {
        ipu.move %x to %one : memref<8xf32, #x> to memref<8xf32, #one>
      }
    }
    %part = memref.reinterpret_cast %one to offset: [0], sizes: [2], strides: [1] : memref<8xf32, #one> to memref<2xf32, strided<[1]>, #one>
    ipu.exchange "spread" {
      ipu.move %part to %two : memref<2xf32, strided<[1]>, #one> to memref<2xf32, #two>
    }
    return
  }
}
