// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-merge-steps))' | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-merge-steps{available-memory-proportion=1}))' | FileCheck %s --check-prefix=ALL
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-merge-steps{available-memory-proportion=1.5}))' 2>&1 | FileCheck %s --check-prefix=INVALID

// INVALID: error: expects a proportion of memory from 0 to 1 but got 1.5

// Two parts of an op, done one after the other because together they take too
// much memory: 256 KiB of weights and 64 KiB of copies of each on a tile of 624
// KiB, of which 374 KiB may be filled.

// CHECK-LABEL: func.func @parts
// CHECK: ipu.exchange "part0" {
// CHECK: ipu.compute_set "part0" {
// CHECK: ipu.exchange "part1" {
// CHECK: ipu.compute_set "part1" {

// ALL-LABEL: func.func @parts
// ALL: ipu.exchange "part0+part1" {
// ALL: ipu.compute_set "part0+part1" {

#w = #ipu.map<[4, 16384], grid = [4], blocks = [p0 * 1 : 1, all]>
#p = #ipu.map<[16384], grid = [4], blocks = [p0 * 4096 : 4096]>
#c = #ipu.map<[16384], grid = [4], blocks = [all]>
#o = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.codelet @sum(%x : !b, %y : !b) inputs 1 cost <reduce, supervisor = 0, worker = 17, combined = 16384> {
  }
  func.func @parts() {
    %w = ipu.var "w" init(dense<1.0> : tensor<4x65536xf32>) : memref<4x65536xf32, #ipu.map<[4, 65536], grid = [4], blocks = [p0 * 1 : 1, all]>>
    %x = ipu.var "x" : memref<16384xf32, #p>
    %y = ipu.var "y" : memref<16384xf32, #p>
    %x0 = ipu.var "x0" copies : memref<16384xf32, #c>
    %x1 = ipu.var "x1" : memref<4xf32, #o>
    ipu.sync internal
    ipu.exchange "part0" {
      ipu.move %x to %x0 : memref<16384xf32, #p> to memref<16384xf32, #c>
    }
    ipu.compute_set "part0" {
      ipu.vertices @sum ins(%x0 : memref<16384xf32, #c>) outs(%x1 : memref<4xf32, #o>) access [#c, #o]
    }
    %y0 = ipu.var "y0" copies : memref<16384xf32, #c>
    %y1 = ipu.var "y1" : memref<4xf32, #o>
    ipu.sync internal
    ipu.exchange "part1" {
      ipu.move %y to %y0 : memref<16384xf32, #p> to memref<16384xf32, #c>
    }
    ipu.compute_set "part1" {
      ipu.vertices @sum ins(%y0 : memref<16384xf32, #c>) outs(%y1 : memref<4xf32, #o>) access [#c, #o]
    }
    func.return
  }
}
