// RUN: ipu-opt %s --ipu-execute="engine=interp profile=%t.interp" -o /dev/null
// RUN: ipu-opt %s --ipu-execute="engine=none profile=%t.none" -o /dev/null
// RUN: cmp %t.interp %t.none
// RUN: %python %S/Inputs/ops.py %t.none | FileCheck %s
// RUN: ipu-run %s --engine none --summary | FileCheck %s --check-prefix=SUMMARY

// Two tiles. Gemm_0 is three times a compute set of 100 cycles with 3072 operations
// in f16 on the matrix unit, 128 a cycle on each tile: 9216 / (318 * 256) of the
// peak with its way back. 300 + 18 + 40 + 60 + 60 cycles in all. The second
// compute set is one of f32 vectors, 2 a cycle on each tile: 6 / (40 * 4).
// What has no name goes by what it is and where.

// CHECK: flops 6 0 0 9216 0
// CHECK: peaks 2 4 32 128 0
// 6 / (478 * 4) + 9216 / (478 * 256)
// CHECK: utilisation 78451
// CHECK: Gemm_0 steps [0, 1] cycles 318 0 0 0 318 share 665 flops 0 0 0 9216 0 utilisation 113207 bytes 0
// CHECK-NEXT: sync profile-ops.mlir:[[#]]:5 steps [2] cycles 0 0 60 0 60 share 125 flops 0 0 0 0 0 utilisation 0 bytes 0
// CHECK-NEXT: copy profile-ops.mlir:[[#]]:5 steps [3] cycles 40 0 0 0 40 share 83 flops 6 0 0 0 0 utilisation 37500 bytes 0
// CHECK-NEXT: sync profile-ops.mlir:[[#]]:5 steps [4] cycles 0 0 60 0 60 share 125 flops 0 0 0 0 0 utilisation 0 bytes 0
// CHECK-NOT: {{.}}

// SUMMARY: time by kind cycles share steps
// SUMMARY-NEXT: compute 358 74.8 % 7
// SUMMARY-NEXT: sync 120 25.1 % 2
// SUMMARY-NEXT: compute: balance 97.2 %; 9,222 flops of a replica; utilisation of units 7.8 %
// SUMMARY: ops with most cycles mostly cycles share
// SUMMARY-NEXT: Gemm_0 compute (amp) 318 66.5 %
// SUMMARY-NEXT: sync profile-ops.mlir:[[#]]:5 sync 60 12.5 %
// SUMMARY-NEXT: sync profile-ops.mlir:[[#]]:5 sync 60 12.5 %
// SUMMARY-NEXT: copy profile-ops.mlir:[[#]]:5 compute 40 8.3 %
// SUMMARY: advice: compute Gemm_0 in larger pieces: it uses 11.3 % of the peaks{{.*}} (at most 58.9 % of time)

#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
#a = #ipu.map<[1, 2, 16], grid = [2], blocks = [all, p0 * 1 : 1, all]>
#b = #ipu.map<[1, 16, 48], grid = [2], blocks = [all, all, all]>
#c = #ipu.map<[1, 2, 48], grid = [2], blocks = [all, p0 * 1 : 1, all]>
!v = memref<?xf32, strided<[1], offset: ?>>
!t = memref<?x?x?xf16, strided<[?, ?, 1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>} {
  ipu.codelet @copy(%x : !v, %y : !v) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.copy ins(%x : !v) outs(%y : !v)
  }
  ipu.codelet @matmul(%a : !t, %b : !t, %c : !t) inputs 2 cost <matmul, supervisor = 11, worker = 29> {
    %zero = arith.constant 0.0 : f16
    linalg.fill ins(%zero : f16) outs(%c : !t)
    linalg.batch_matmul ins(%a, %b : !t, !t) outs(%c : !t)
  }
  func.func @main() {
    %x = ipu.var "x" init(dense<1.0> : tensor<6xf32>) : memref<6xf32, #m>
    %y = ipu.var "y" : memref<6xf32, #m>
    %a = ipu.var "a" init(dense<1.0> : tensor<1x2x16xf16>) : memref<1x2x16xf16, #a>
    %b = ipu.var "b" copies : memref<1x16x48xf16, #b>
    %c = ipu.var "c" : memref<1x2x48xf16, #c>
    ipu.repeat 3 {
      ipu.compute_set "pop.matmul" {
        ipu.vertices @matmul ins(%a, %b : memref<1x2x16xf16, #a>, memref<1x16x48xf16, #b>) outs(%c : memref<1x2x48xf16, #c>) access [#a, #b, #c]
      } cost <cycles = [100], total = 200, tile = 0, flops = 3072, bytes = 0> loc("Gemm_0"("model.onnx":0:0))
    } cost <cycles = [6], total = 12, tile = 0, flops = 0, bytes = 0> loc("Gemm_0"("model.onnx":0:0))
    ipu.sync internal cost <cycles = [60], total = 120, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "copy" {
      ipu.vertices @copy ins(%x : memref<6xf32, #m>) outs(%y : memref<6xf32, #m>) access [#m, #m]
    } cost <cycles = [40], total = 60, tile = 1, flops = 6, bytes = 0>
    ipu.sync internal cost <cycles = [60], total = 120, tile = 0, flops = 0, bytes = 0>
    return
  }
}
