// Gradients of ops on I/O tiles, in functions that are called, have the bits of the
// program without I/O tiles. Two ops read a copy on I/O tiles, and one op its source.

// RUN: rm -rf %t && mkdir %t
// RUN: ipu-opt %s --pop-remove-vgraphs=tile-sets -o %t/unplaced.mlir
// RUN: ipu-run %s --input x=random:2 --gradients y=x --output-dir %t/placed --check
// RUN: ipu-run %t/unplaced.mlir --input x=random:2 --gradients y=x --output-dir %t/unplaced
// RUN: cmp %t/placed/Gradient___x.npy %t/unplaced/Gradient___x.npy

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 1 : i64, io_tiles = 2 : i64}>} {
  func.func private @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {no_inline} {
    %0 = pop.exp %x : tensor<4x4xf32>
    %1 = pop.io_tile_copy %0 to io : tensor<4x4xf32>
    %2 = pop.sin %1 {pop.tile_set = #pop<tile_set io>} : tensor<4x4xf32>
    %3 = pop.cos %1 {pop.tile_set = #pop<tile_set io>} : tensor<4x4xf32>
    %4 = pop.mul %2, %3 {pop.tile_set = #pop<tile_set io>} : tensor<4x4xf32>
    %5 = pop.io_tile_copy %4 to compute : tensor<4x4xf32>
    %6 = pop.mul %5, %0 : tensor<4x4xf32>
    return %6 : tensor<4x4xf32>
  }
  func.func @main(%x: tensor<4x4xf32> {pop.name = "x"}) -> (tensor<4x4xf32> {pop.name = "y"}) {
    %0 = func.call @f(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = func.call @f(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
