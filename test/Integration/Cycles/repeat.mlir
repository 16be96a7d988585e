// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(ipu-liveness,ipu-estimate-cost),ipu-execute{profile=%t.json})'
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s

// 100 times: add 11 + 6 * (29 + 3 * ceil(ceil(4 / 6) / 2)) = 203, and 30: 233; a
// sync, 90; back to the start, 6.
// One clock: 100 * (233 + 90 + 6).

// CHECK: compute double 233
// CHECK-NEXT: sync internal 90
// CHECK-NEXT: compute repeat 6
// CHECK-NEXT: clock 32900
#m = #ipu.map<[16], grid = [4], blocks = [p0 * 4 : 4]>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.codelet @double(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
    linalg.add ins(%x, %x : !b, !b) outs(%y : !b)
  }
  func.func @main() {
    %x = ipu.var "x" : memref<16xf32, #m>
    ipu.repeat 100 {
      ipu.compute_set "double" {
        ipu.vertices @double ins(%x : memref<16xf32, #m>) outs(%x : memref<16xf32, #m>) access [#m, #m]
      }
      ipu.sync internal
    }
    func.return
  }
}
