// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost))' | FileCheck %s

#quarters = #ipu.map<[1000], grid = [4], blocks = [p0 * 250 : 250]>
#all = #ipu.map<[1000], grid = [4], blocks = [all]>
#three = #ipu.map<[1000], grid = [3], blocks = [all]>

// Tiles receive 3000 bytes of the 4000 that come in over each bus: 4000 / 8. The
// worked example of docs/device-model.md.
// CHECK-LABEL: func.func @pairs
// CHECK: ipu.exchange "all"
// CHECK: cost <cycles = [1024], total = 3696, tile = 0, flops = 0, bytes = 12000>
func.func @pairs() {
  %a = ipu.var "a" : memref<1000xf32, #quarters>
  %b = ipu.var "b" copies : memref<1000xf32, #all>
  ipu.exchange "all" {
    ipu.move %a to %b : memref<1000xf32, #quarters> to memref<1000xf32, #all>
  }
  return
}

// Tile 2 has no mate that wants the same, so that all receive 3000 / 4. Tile 3
// sends its 250 elements.
// CHECK-LABEL: func.func @not_in_pairs
// CHECK: ipu.exchange "three"
// CHECK: cost <cycles = [1274], total = 3772, tile = 0, flops = 0, bytes = 9000>
func.func @not_in_pairs() {
  %a = ipu.var "a" : memref<1000xf32, #quarters>
  %b = ipu.var "b" copies : memref<1000xf32, #three>
  ipu.exchange "three" {
    ipu.move %a to %b : memref<1000xf32, #quarters> to memref<1000xf32, #three>
  }
  return
}
