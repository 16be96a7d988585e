// The reduction reads the columns of its operand in contiguous memory. If it used
// the tiles of the exponential, each tile would copy its column within the tile,
// which takes 288 + 32 + 5 * 64 cycles. If the exponential is on the last tiles,
// each column arrives at another tile in 64 + 2 cycles, after 100 cycles of setup.

// RUN: ipu-opt %s --pop-to-ipu-pipeline --mlir-print-local-scope --mlir-print-ir-after=pop-map-tensors -o %t.mlir 2>&1 | FileCheck %s --check-prefix=MAP
// RUN: FileCheck %s < %t.mlir
// RUN: ipu-run %s --input '*=random:1' --check > %t.last
// RUN: ipu-run %s --input '*=random:1' --planner generic > %t.generic
// RUN: diff %t.last %t.generic
// The last tiles are those before the I/O tiles.
// RUN: ipu-run %s --target gc200,tiles=18,io_tiles=2 --emit ipu | FileCheck %s --check-prefix=IO
// If no tile is free, both ops are on the same tiles.
// RUN: ipu-run %s --target gc200,tiles=8 --input '*=random:1' --check > %t.all
// RUN: diff %t.last %t.all

// MAP: pop.exp {{.*}}blocks = [all, p0 * 1 : 1], first = 8>
// MAP: pop.reduce max {{.*}}blocks = [p0 * 1 : 1]>

// CHECK: ipu.exchange "pop.reduce"
// CHECK: cost <cycles = [166]

// IO: blocks = [all, p0 * 1 : 1], first = 8>
// IO: cost <cycles = [166]

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  func.func @main(%x: tensor<64x8xf32>) -> tensor<8xf32> {
    %0 = pop.exp %x : tensor<64x8xf32>
    %1 = pop.transpose %0 {permutation = array<i64: 1, 0>} : tensor<64x8xf32> -> tensor<8x64xf32>
    %2 = pop.reduce max %1 {axes = array<i64: 1>} : tensor<8x64xf32> -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
