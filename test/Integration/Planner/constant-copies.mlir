// The tiles that read weights hold copies of them, if these copies fit. So the exchange of
// a convolution moves no weights. Each reader of weights has its own clone of the weights,
// and clones with equal tile mappings are merged. Without copies, an exchange moves the
// weights.

// RUN: ipu-opt %s --pop-to-ipu-pipeline | FileCheck %s --check-prefix=COPIES
// RUN: ipu-opt %s --pop-to-ipu-pipeline=copy-constants=false | FileCheck %s --check-prefix=MOVED
// RUN: ipu-run %s --copy-constants=false --emit ipu | FileCheck %s --check-prefix=MOVED
// RUN: sed 's/tile_memory = 65536/tile_memory = 20640/' %s | ipu-opt --pop-to-ipu-pipeline | FileCheck %s --check-prefix=MOVED

// COPIES: #[[$W:.+]] = #ipu.map<[1, 32, 2, 16, 1, 3, 1, 3], grid = [2, 2, 2, 2], blocks = [all, p1 * 16 : 16, p0 * 1 : 1, all, all, all, all, all]
// COPIES: %[[W:.+]] = ipu.var "pop.constant" copies init({{.*}}) : memref<32x32x3x3xf16, #[[$W]]>
// COPIES: %[[V:.+]] = ipu.var "pop.constant" copies init
// COPIES-NOT: ipu.var "pop.constant"
// COPIES-NOT: ipu.move %[[W]]
// COPIES-NOT: ipu.move %[[V]]
// COPIES: return

// MOVED: %[[W:.+]] = ipu.var "pop.constant" init
// MOVED: %[[V:.+]] = ipu.var "pop.constant" init
// MOVED: ipu.move %[[W]]
// MOVED: ipu.move %[[V]]

// Copies have the same values, on one IPU and on two IPUs.
// RUN: %python %S/Inputs/fill-constants.py %s > %t.mlir
// RUN: ipu-run %t.mlir --input '*=random:1' > %t.copies
// RUN: ipu-run %t.mlir --input '*=random:1' --engine interp --check > %t.checked
// RUN: cmp %t.copies %t.checked
// RUN: ipu-run %t.mlir --input '*=random:1' --pass-pipeline 'pop-to-ipu-pipeline{copy-constants=false}' > %t.moved
// RUN: cmp %t.copies %t.moved
// RUN: ipu-run %t.mlir --input '*=random:1' --planner generic > %t.generic
// RUN: cmp %t.copies %t.generic
// RUN: ipu-run %t.mlir --input '*=random:1' --target c600,tiles=16,ipus=2 --check > %t.ipus
// RUN: cmp %t.copies %t.ipus

module attributes {ipu.target = #ipu.target<"c600", {tiles = 16 : i64, tile_memory = 65536 : i64}>} {
  func.func @main(%x: tensor<1x32x8x8xf16>) -> tensor<1x32x8x8xf16> {
    %w = pop.constant dense<0.125> : tensor<32x32x3x3xf16>
    %v = pop.constant dense<0.25> : tensor<32x32x1x1xf16>
    %0 = pop.conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x32x8x8xf16>, tensor<32x32x3x3xf16>) -> tensor<1x32x8x8xf16>
    %1 = pop.relu %0 : tensor<1x32x8x8xf16>
    %2 = pop.conv %1, %v : (tensor<1x32x8x8xf16>, tensor<32x32x1x1xf16>) -> tensor<1x32x8x8xf16>
    // A second reader of the same weights.
    %3 = pop.conv %2, %v : (tensor<1x32x8x8xf16>, tensor<32x32x1x1xf16>) -> tensor<1x32x8x8xf16>
    return %3 : tensor<1x32x8x8xf16>
  }
}
