// Splits give the same bits: the program on tiles of little memory, where all its
// ops are split, and on large ones, where none is.

// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-to-ipu-pipeline{accumulation=chain},ipu-execute{inputs="*=random:1" results=%t.large})' -o %t.large.mlir
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-to-ipu-pipeline{accumulation=chain available-memory-proportion=0.01},ipu-execute{inputs="*=random:1" results=%t.small})' -o %t.small.mlir
// RUN: cmp %t.large/result0.npy %t.small/result0.npy
// RUN: cmp %t.large/result1.npy %t.small/result1.npy
// RUN: FileCheck %s --check-prefix=LARGE < %t.large.mlir
// RUN: FileCheck %s --check-prefix=SMALL < %t.small.mlir

// LARGE-COUNT-2: ipu.vertices
// LARGE-NOT: ipu.vertices
// SMALL-COUNT-4: ipu.vertices

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  func.func @main(%a: tensor<16x1024xf32>, %b: tensor<1024x16xf32>, %x: tensor<1x64x6x6xf32>, %w: tensor<64x64x3x3xf32>)
      -> (tensor<16x16xf32>, tensor<1x64x4x4xf32>) {
    %0 = pop.matmul %a, %b : (tensor<16x1024xf32>, tensor<1024x16xf32>) -> tensor<16x16xf32>
    %1 = pop.conv %x, %w : (tensor<1x64x6x6xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x4x4xf32>
    return %0, %1 : tensor<16x16xf32>, tensor<1x64x4x4xf32>
  }
}
