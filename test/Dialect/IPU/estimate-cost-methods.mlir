// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost))' | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost{level=detailed}))' | FileCheck %s

!b = memref<?x?x?x?xf16, strided<[?, ?, ?, 1], offset: ?>>
#x = #ipu.map<[1, 1, 3, 29], grid = [2], blocks = [all, all, all, all]>
#w = #ipu.map<[1, 8, 3, 7], grid = [2], blocks = [all, p0 * 5 : 5, all, all]>
#y = #ipu.map<[1, 1, 8, 12], grid = [2], blocks = [all, all, p0 * 5 : 5, all]>
!x = memref<1x1x3x29xf16, #x>
!w = memref<1x8x3x7xf16, #w>
!y = memref<1x1x8x12xf16, #y>

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>} {
  // CHECK: ipu.codelet @every_other{{.*}} cost <conv, supervisor = 0, worker = 0, stride = 2>
  ipu.codelet @every_other(%x : !b, %w : !b, %y : !b) inputs 2 cost <conv, supervisor = 0, worker = 0, stride = 2> {}
  // CHECK: ipu.codelet @dilated{{.*}} cost <conv, supervisor = 0, worker = 0, stride = 0>
  ipu.codelet @dilated(%x : !b, %w : !b, %y : !b) inputs 2 cost <conv, supervisor = 0, worker = 0, stride = 0> {}
  // CHECK-LABEL: func.func @main
  func.func @main() {
    %x = ipu.var "x" copies : !x
    %w = ipu.var "w" : !w
    %y = ipu.var "y" : !y
    // Tile 1 has three of eight columns, which 4 x 4 channels hold, and 7 positions of
    // the kernel in two times four: 50 + 12 + 2 * (34 + 20 + 6 * (17 + 19 + 2 * 3)) = 674.
    // Tile 0 has five, for the matrix unit: 50 + 12 + 15 + 19 + 7 * (6 + 64 + 6 * 40) = 2266.
    // CHECK: ipu.compute_set "every_other"
    ipu.compute_set "every_other" {
      ipu.vertices @every_other ins(%x, %w : !x, !w) outs(%y : !y) access [#x, #w, #y]
    }
    // CHECK: cost <cycles = [2296], total = 2940, tile = 0, flops = 4032, bytes = 0>

    // CHECK: ipu.compute_set "dilated"
    ipu.compute_set "dilated" {
      ipu.vertices @dilated ins(%x, %w : !x, !w) outs(%y : !y) access [#x, #w, #y]
    }
    // CHECK: cost <cycles = [2296], total = 4532, tile = 0, flops = 4032, bytes = 0>
    return
  }
}
