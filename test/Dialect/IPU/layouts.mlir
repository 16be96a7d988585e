// RUN: ipu-opt %s | ipu-opt --mlir-print-local-scope | FileCheck %s

// In which order tiles store the elements of their boxes.

// CHECK-LABEL: func.func @main
func.func @main() {
  // CHECK: ipu.var "grouped" : memref<16x64x14x14xf16, #ipu.map<[16, 64, 14, 14], grid = [16], blocks = [p0 * 1 : 1, all, all, all], layout = affine_map<(d0, d1, d2, d3) -> (d0, d1 floordiv 16, d2, d3, d1 mod 16)>>>
  %0 = ipu.var "grouped" : memref<16x64x14x14xf16, #ipu.map<[16, 64, 14, 14], grid = [16], blocks = [p0 * 1 : 1, all, all, all],
      layout = affine_map<(n, c, h, w) -> (n, c floordiv 16, h, w, c mod 16)>>>
  // CHECK: ipu.var "columns" : memref<8x6xf32, #ipu.map<[8, 6], grid = [4], blocks = [all, p0 * 2 : 2], first = 3, layout = affine_map<(d0, d1) -> (d1, d0)>>>
  %1 = ipu.var "columns" : memref<8x6xf32, #ipu.map<[8, 6], grid = [4], blocks = [all, p0 * 2 : 2], first = 3,
      layout = affine_map<(i, j) -> (j, i)>>>
  // The order of the domain is none.
  // CHECK: ipu.var "rows" : memref<8x6xf32, #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 2, all]>>
  %2 = ipu.var "rows" : memref<8x6xf32, #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 2, all], layout = affine_map<(i, j) -> (i, j)>>>
  // Boxes overlap, and the last one is smaller.
  // CHECK: ipu.var "halo" copies : memref<5x40xf32, #ipu.map<[5, 40], grid = [3], blocks = [all, p0 * 16 : 20], layout = affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>>>
  %3 = ipu.var "halo" copies : memref<5x40xf32, #ipu.map<[5, 40], grid = [3], blocks = [all, p0 * 16 : 20],
      layout = affine_map<(i, j) -> (j floordiv 4, i, j mod 4)>>>
  return
}
