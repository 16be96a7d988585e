// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-split-ops,canonicalize,cse)' --remark-format=emitRemark --remarks-filter=ipu-split 2>&1 | FileCheck %s

// The partial sums of all blocks do not fit. Each serial part computes the
// partial sum of one block, which is added to the sum of the parts before it.

// CHECK: [Passed] pop-split-ops | {{.*}} form=summed-ops,
module attributes {ipu.target = #ipu.target<"c600", {tiles = 2 : i64, tile_memory = 125000 : i64}>} {
  // CHECK-LABEL: func.func @block_by_block
  // CHECK: %[[P0:.*]] = pop.matmul_partials {{.*}} -> tensor<1x64x64xf32>
  // CHECK: %[[S0:.*]] = pop.reshape %[[P0]]
  // CHECK: %[[P1:.*]] = pop.matmul_partials {{.*}} -> tensor<1x64x64xf32>
  // CHECK: %[[R1:.*]] = pop.reshape %[[P1]]
  // CHECK: %[[S1:.*]] = pop.add %[[S0]], %[[R1]]
  // CHECK: pop.matmul_partials
  // CHECK: %[[S2:.*]] = pop.add %[[S1]], %{{.*}}
  // CHECK: pop.matmul_partials
  // CHECK: %[[S3:.*]] = pop.add %[[S2]], %{{.*}}
  // CHECK-NOT: pop.concat
  // CHECK: return %[[S3]]
  func.func @block_by_block(%x: tensor<64x256xf32>, %w: tensor<256x64xf32>) -> tensor<64x64xf32> {
    %0 = pop.matmul_partials %x, %w {block = 64 : i64} : (tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<4x64x64xf32>
    %1 = pop.reduce sum %0 {accum = #pop.accum<blocked, block = 4, lanes = 1>, axes = array<i64: 0>} : tensor<4x64x64xf32> -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}

// -----

// A part with several blocks adds their partial sums to the sum so far, in the
// same order as the whole reduction.

module attributes {ipu.target = #ipu.target<"c600", {tiles = 16 : i64, tile_memory = 230000 : i64}>} {
  // CHECK-LABEL: func.func @several_blocks
  // CHECK: %[[S0:.*]] = pop.reduce sum %{{.*}} {accum = #pop.accum<blocked, block = [[$B:[0-9]+]], lanes = 1>
  // CHECK: %[[P1:.*]] = pop.matmul_partials {{.*}} -> tensor<[[$B]]x32x256xf32>
  // CHECK: %[[R0:.*]] = pop.reshape %[[S0]]
  // CHECK: %[[C1:.*]] = pop.concat %[[R0]], %[[P1]] {axis = 0 : i64}
  // CHECK: pop.reduce sum %[[C1]]
  // CHECK: return
  func.func @several_blocks(%x: tensor<32x2048xf32>, %w: tensor<2048x256xf32>) -> tensor<32x256xf32> {
    %0 = pop.matmul_partials %x, %w {block = 64 : i64} : (tensor<32x2048xf32>, tensor<2048x256xf32>) -> tensor<32x32x256xf32>
    %1 = pop.reduce sum %0 {accum = #pop.accum<blocked, block = 32, lanes = 1>, axes = array<i64: 0>} : tensor<32x32x256xf32> -> tensor<32x256xf32>
    return %1 : tensor<32x256xf32>
  }
}

// -----

// Lanes are not one chain, so their sums stay whole.

module attributes {ipu.target = #ipu.target<"c600", {tiles = 2 : i64, tile_memory = 125000 : i64}>} {
  // CHECK-LABEL: func.func @lanes
  // CHECK-NOT: pop.add
  // CHECK-COUNT-1: pop.reduce sum {{.*}} lanes = 16
  // CHECK: return
  func.func @lanes(%x: tensor<64x1024xf32>, %w: tensor<1024x16xf32>) -> tensor<64x16xf32> {
    %0 = pop.matmul_partials %x, %w {block = 32 : i64} : (tensor<64x1024xf32>, tensor<1024x16xf32>) -> tensor<32x64x16xf32>
    %1 = pop.reduce sum %0 {accum = #pop.accum<blocked, block = 32, lanes = 16>, axes = array<i64: 0>} : tensor<32x64x16xf32> -> tensor<64x16xf32>
    return %1 : tensor<64x16xf32>
  }
}
