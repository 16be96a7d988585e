// RUN: ipu-opt %s | ipu-opt --mlir-print-local-scope | FileCheck %s

// Grids whose tiles are numbered IPU by IPU.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 6 : i64, ipus = 4 : i64}>} {
  // CHECK-LABEL: func.func @main
  func.func @main() {
    // CHECK: ipu.var "image" : memref<8x8xf32, #ipu.map<[8, 8], grid = [4, 4], blocks = [p0 * 2 : 2, p1 * 2 : 2], ipus = [2, 2] * 6>>
    %0 = ipu.var "image" : memref<8x8xf32, #ipu.map<[8, 8], grid = [4, 4], blocks = [p0 * 2 : 2, p1 * 2 : 2], ipus = [2, 2] * 6>>
    // CHECK: ipu.var "all" copies : memref<8x8xf32, #ipu.map<[8, 8], grid = [4, 2], blocks = [p0 * 2 : 3, all], first = 6, ipus = [2, 1] * 6, layout = affine_map<(d0, d1) -> (d1, d0)>>>
    %1 = ipu.var "all" copies : memref<8x8xf32, #ipu.map<[8, 8], grid = [4, 2], blocks = [p0 * 2 : 3, all], first = 6, ipus = [2, 1] * 6, layout = affine_map<(i, j) -> (j, i)>>>
    // CHECK: ipu.var "scalar" copies : memref<f32, #ipu.map<[], grid = [4], blocks = [], ipus = [2] * 6>>
    %2 = ipu.var "scalar" copies : memref<f32, #ipu.map<[], grid = [4], blocks = [], ipus = [2] * 6>>
    return
  }
}
