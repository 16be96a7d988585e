// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost))' | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost{level=detailed}))' | FileCheck %s --check-prefixes=CHECK,DETAILED
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost{level=exact}))' 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: 'exact'

!b = memref<?xf32, strided<[1], offset: ?>>
!i = memref<?xi32, strided<[1], offset: ?>>

// 80 elements in parts of 14: tiles 0 to 4 have 14, tile 5 has 10, tiles 6 and 7
// have none.
#m = #ipu.map<[80], grid = [8], blocks = [p0 * 14 : 14]>
// The same on tiles 5 to 8.
#n = #ipu.map<[40], grid = [4], blocks = [p0 * 14 : 14], first = 5>
!m = memref<80xf32, #m>
!n = memref<40xf32, #n>

#table = #ipu.map<[9], grid = [2], blocks = [all]>
#indices = #ipu.map<[20], grid = [2], blocks = [p0 * 13 : 13]>

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 5 : i64, ipus = 2 : i64}>} {
  ipu.codelet @add(%y : !b) inputs 0 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {}
  ipu.codelet @gather(%t : !b, %i : !i, %y : !b) inputs 2 cost <gather, supervisor = 0, worker = 30, cycles = 2, per = 2> {}
  // CHECK-LABEL: func.func @main
  func.func @main() {
    %m = ipu.var "m" : !m
    %n = ipu.var "n" : !n
    // 14 elements: 7 pairs, 2 for the busiest worker: 11 + 6 * (29 + 3 * 2) = 221.
    // 10: 11 + 6 * (29 + 3) = 203. 5 * 221 + 203 = 1308.
    // CHECK: ipu.compute_set "one"
    ipu.compute_set "one" {
      ipu.vertices @add outs(%m : !m) access [#m]
    }
    // CHECK: cost <cycles = [251, 233], total = 1308, tile = 0, flops = 80, bytes = 0>

    // Tile 5 has a vertex of each, of 10 and of 14 elements: 203 + 221 = 424. Or, if
    // workers go on as they are free: of the first, five take 6 * (29 + 3) = 192 and
    // one 174; that one goes on at 11 + 174 with the second's 6 * (29 + 6) = 210,
    // the others at 11 + 192 with 192: all end at 395. Tiles 6 and 7 have 14 and 12
    // elements, 221 and 203, tile 8 none. 1105 + 424 + 221 + 203 = 1953, or 1924.
    // CHECK: ipu.compute_set "both"
    ipu.compute_set "both" {
      ipu.vertices @add outs(%m : !m) access [#m]
      ipu.vertices @add outs(%n : !n) access [#n]
    }
    // FAST: cost <cycles = [251, 454], total = 1953, tile = 5, flops = 120, bytes = 0>
    // DETAILED: cost <cycles = [251, 425], total = 1924, tile = 5, flops = 120, bytes = 0>

    // 13 and 7 indices: 3 and 2 for the busiest worker, of one element each:
    // 6 * (30 + 3 * (19 + 2)) = 558 and 6 * (30 + 2 * 21) = 432.
    %t = ipu.var "t" copies : memref<9xf32, #table>
    %i = ipu.var "i" : memref<20xi32, #indices>
    %y = ipu.var "y" : memref<20xf32, #indices>
    // CHECK: ipu.compute_set "gather"
    ipu.compute_set "gather" {
      ipu.vertices @gather ins(%t, %i : memref<9xf32, #table>, memref<20xi32, #indices>) outs(%y : memref<20xf32, #indices>) access [#table, #indices, #indices]
    }
    // CHECK: cost <cycles = [588, 0], total = 990, tile = 0, flops = 0, bytes = 0>

    // CHECK: ipu.compute_set "none"
    ipu.compute_set "none" {
    }
    // CHECK: cost <cycles = [0, 0], total = 0, tile = 0, flops = 0, bytes = 0>
    return
  }
}
