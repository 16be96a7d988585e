// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(ipu-materialize-exchange,ipu-estimate-cost))' | FileCheck %s

// Nothing overflows, and nothing takes memory or time for each element.

// Halves of the columns, of 2^39 elements each, and a view that shows one
// element as often: verified as boxes. All are on one tile, each element of the
// second view on its own.
#x = #ipu.map<[549755813888], grid = [], blocks = [all]>
#y = #ipu.map<[1099511627776], grid = [], blocks = [all]>
!x = memref<1048576x524288xf32, #x>
!y = memref<1048576x1048576xf32, #y>
!one = memref<1048576x524288xf32, strided<[0, 0], offset: 7>, #x>
!left = memref<1048576x524288xf32, strided<[1048576, 1]>, #y>
!right = memref<1048576x524288xf32, strided<[1048576, 1], offset: 524288>, #y>
// CHECK-LABEL: func.func @boxes
func.func @boxes() {
  %x = ipu.var "x" : !x
  %y = ipu.var "y" : !y
  %one = memref.reinterpret_cast %x to offset: [7], sizes: [1048576, 524288], strides: [0, 0] : !x to !one
  %left = memref.reinterpret_cast %y to offset: [0], sizes: [1048576, 524288], strides: [1048576, 1] : !y to !left
  %right = memref.reinterpret_cast %y to offset: [524288], sizes: [1048576, 524288], strides: [1048576, 1] : !y to !right
  ipu.exchange "e" {
    ipu.move %x to %left : !x to !left
    ipu.move %one to %right : !one to !right
  // 2^42 bytes in 2^20 + 2^39 runs: 288 + 2^42 / 8 + 5 * (2^20 + 2^39), less
  // than 587 + 2^42 * 3.13.
  // CHECK: } cost <cycles = [3298540126496], total = 3298540126496, tile = 0, flops = 0, bytes = 0>
  }
  return
}

// -----

// Costs stay at 2^53.
!b = memref<?xf32, strided<[1], offset: ?>>
#m = #ipu.map<[72057594037927936], grid = [], blocks = [all]>
module attributes {ipu.target = #ipu.target<"gc200", {
    tiles = 1 : i64, workers = 9223372036854775807 : i64,
    compute_set_cycles = 9223372036854775807 : i64,
    sync_internal_cycles = 9223372036854775807 : i64}>} {
  ipu.codelet @c(%y : !b) inputs 0 cost <reduce, supervisor = 1, worker = 1, combined = 9223372036854775807> {}
  // CHECK-LABEL: func.func @costs
  func.func @costs() {
    // CHECK: ipu.sync internal cost <cycles = [9007199254740992], total = 9007199254740992,
    ipu.sync internal
    %y = ipu.var "y" : memref<72057594037927936xf32, #m>
    ipu.compute_set "c" {
      ipu.vertices @c outs(%y : memref<72057594037927936xf32, #m>) access [#m]
    // CHECK: } cost <cycles = [9007199254740992], total = 9007199254740992, tile = 0, flops = 9007199254740992, bytes = 0>
    }
    return
  }
}

// -----

// Canonical forms of maps do not overflow: no exchange is needed.
!b = memref<?x?xf32, strided<[?, 1], offset: ?>>
#m = #ipu.map<[4, 2], grid = [1], blocks = [p0 * 4611686018427387904 : 4, all]>
#n = #ipu.map<[4, 2, 1], grid = [1], blocks = [p0 * 4611686018427387904 : 4, all, all]>
module {
  ipu.codelet @c(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {}
  // CHECK-LABEL: func.func @canonical
  // CHECK-NOT: ipu.exchange
  func.func @canonical() {
    %x = ipu.var "x" : memref<8xf32, #n>
    %y = ipu.var "y" : memref<8xf32, #m>
    ipu.compute_set "c" {
      ipu.vertices @c ins(%x : memref<8xf32, #n>) outs(%y : memref<8xf32, #m>) access [#m, #m]
    }
    return
  }
}
