// RUN: ipu-opt %s --split-input-file --mlir-print-local-scope --pass-pipeline='builtin.module(pop-map-tensors)' | FileCheck %s

// The example of the pass description: an elementwise op follows its operand.

// CHECK-LABEL: func.func @main
// CHECK-SAME: tensor<2944xf32> {ipu.map = #ipu.map<[2944], grid = [1472], blocks = [p0 * 2 : 2]>}
// CHECK: pop.relu %{{.*}} {ipu.map = #ipu.map<[2944], grid = [1472], blocks = [p0 * 2 : 2]>}
func.func @main(%x: tensor<2944xf32>) -> tensor<2944xf32> {
  %0 = pop.relu %x : tensor<2944xf32>
  return %0 : tensor<2944xf32>
}

// -----

// A matmul is cut over m and n, and its operands lie along the cuts, in the order in
// which its vertices read them; what follows it elementwise stays with it, whatever
// the factorisation of the elements, and over a view.

// CHECK-LABEL: func.func @matmul
// CHECK-SAME: tensor<256x256xf32> {ipu.map = #ipu.map<{{.*}}, layout = affine_map<(d0, d1, d2) -> (d0, d2 floordiv 8, d1, d2 mod 8)>>}
// CHECK-SAME: tensor<256x256xf32> {ipu.map = #ipu.map<{{.*}}, layout = affine_map<(d0, d1, d2) -> (d0, d2 floordiv [[N:[0-9]+]], d1 floordiv 8, d2 mod [[N]], d1 mod 8)>>}
// CHECK: pop.matmul {{.*}} {accum = #pop.accum<chain>, ipu.map = #ipu.map<[1, 256, 256], [[GRID:grid = \[[0-9]+, [0-9]+\]]], blocks = [all, [[BLOCKS:p0 \* [0-9]+ : [0-9]+, p1 \* [0-9]+ : [0-9]+]]], layout = affine_map<(d0, d1, d2) -> (d0, d2 floordiv [[G:[0-9]+]], d1, d2 mod [[G]])>>}
// CHECK: pop.add {{.*}} {ipu.map = #ipu.map<[1, 256, 256], [[GRID]], blocks = [all, [[BLOCKS]]], layout = affine_map<(d0, d1, d2) -> (d0, d2 floordiv [[G]], d1, d2 mod [[G]])>>}
// CHECK: pop.exp {{.*}} {ipu.map = #ipu.map<[1, 256, 256], [[GRID]], blocks = [all, [[BLOCKS]]], layout = affine_map<(d0, d1, d2) -> (d0, d2 floordiv [[G]], d1, d2 mod [[G]])>>}
// CHECK: pop.reshape %{{[0-9]+}} : tensor
// CHECK: pop.tanh {{.*}} {ipu.map = #ipu.map<[1, 256, 256], [[GRID]], blocks = [all, [[BLOCKS]]], layout = affine_map<(d0, d1, d2) -> (d0, d2 floordiv [[G]], d1, d2 mod [[G]])>>}
func.func @matmul(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>, %c : tensor<256xf32>) -> tensor<65536xf32> {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = pop.add %0, %c : (tensor<256x256xf32>, tensor<256xf32>) -> tensor<256x256xf32>
  %2 = pop.exp %1 : tensor<256x256xf32>
  %3 = pop.reshape %2 : tensor<256x256xf32> to tensor<65536xf32>
  %4 = pop.tanh %3 : tensor<65536xf32>
  return %4 : tensor<65536xf32>
}

// -----

// Maps that are there are kept, and others go with them: the constant goes where
// its only other reader is.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // CHECK-LABEL: func.func @small
  // CHECK-SAME: tensor<2xf16> {ipu.map = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>}
  // CHECK-SAME: tensor<3xf16> {ipu.map = #ipu.map<[3], grid = [2], blocks = [p0 * 2 : 2]>}
  // CHECK-SAME: tensor<f32> {ipu.map = #ipu.map<[1], grid = [], blocks = [all]>}
  // CHECK-SAME: tensor<0x4xf32> {ipu.map = #ipu.map<[0], grid = [], blocks = [all]>}
  func.func @small(%a: tensor<2xf16>, %b: tensor<3xf16>, %c: tensor<f32>, %d: tensor<0x4xf32>) {
    // CHECK: pop.constant {ipu.map = #ipu.map<[4], grid = [], blocks = [all], first = 5>}
    %0 = pop.constant dense<1.0> : tensor<2x2xf32>
    // CHECK: pop.relu {{.*}} {ipu.map = #ipu.map<[4], grid = [], blocks = [all], first = 5>}
    %1 = pop.relu %0 {ipu.map = #ipu.map<[4], grid = [], blocks = [all], first = 5>} : tensor<2x2xf32>
    // CHECK: pop.add {{.*}} {ipu.map = #ipu.map<[4], grid = [], blocks = [all], first = 5>}
    %2 = pop.add %0, %1 : tensor<2x2xf32>
    return
  }
}

// -----

// Ops that care decide the maps of their operands. The right operand of the matmul
// lies transposed, and all of its columns are wanted by all tiles: these share it
// along k, in groups of 8, and not in its order, which would be along n.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // CHECK-LABEL: func.func @operands
  // CHECK-SAME: %{{.*}}: tensor<16x256xf32> {ipu.map = #ipu.map<[16, 256], grid = [16], blocks = [all, p0 * 16 : 16], layout = affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, d0 mod 16, d1 mod 8)>>}
  // CHECK: pop.matmul {{.*}} {accum = #pop.accum<chain>, ipu.map = #ipu.map<[1, 96, 16], grid = [16], blocks = [all, p0 * 6 : 6, all], layout = affine_map<(d0, d1, d2) -> (d0, d2 floordiv 8, d1, d2 mod 8)>>}
  func.func @operands(%a: tensor<96x256xf32>, %b: tensor<16x256xf32>) -> tensor<96x16xf32> {
    %0 = pop.transpose %b {permutation = array<i64: 1, 0>} : tensor<16x256xf32> -> tensor<256x16xf32>
    %1 = pop.matmul %a, %0 {accum = #pop.accum<chain>} : (tensor<96x256xf32>, tensor<256x16xf32>) -> tensor<96x16xf32>
    return %1 : tensor<96x16xf32>
  }
}

// -----

// Elementwise ops follow transposed operands. A transposed value that is returned is
// copied, and the copy stays on the tiles of the value.

// CHECK-LABEL: func.func @transposed
// CHECK-SAME: -> (tensor<256x256xf32> {ipu.map = #ipu.map<[256, 256], [[GRID:grid = \[[0-9]+, [0-9]+\]]], blocks = [p1 * [[COLUMNS:[0-9]+ : [0-9]+]], p0 * [[ROWS:[0-9]+ : [0-9]+]]]{{.*}}>}, tensor<256x256xf32>)
// CHECK: pop.matmul {{.*}}ipu.map = #ipu.map<[1, 256, 256], [[GRID]], blocks = [all, p0 * [[ROWS]], p1 * [[COLUMNS]]],
// CHECK: pop.exp {{.*}}ipu.map = #ipu.map<[256, 256], [[GRID]], blocks = [p1 * [[COLUMNS]], p0 * [[ROWS]]]
func.func @transposed(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<256x256xf32>) {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = pop.transpose %0 {permutation = array<i64: 1, 0>} : tensor<256x256xf32> -> tensor<256x256xf32>
  %2 = pop.exp %1 : tensor<256x256xf32>
  return %1, %2 : tensor<256x256xf32>, tensor<256x256xf32>
}

// -----

// A tile mapping of a result is kept. (It is not used if the value need not be
// copied.)

// CHECK-LABEL: func.func @given
// CHECK-SAME: -> (tensor<4x3xf32> {ipu.map = #ipu.map<[12], grid = [3], blocks = [p0 * 4 : 4], first = 2>})
func.func @given(%a: tensor<3x4xf32>) -> (tensor<4x3xf32> {ipu.map = #ipu.map<[12], grid = [3], blocks = [p0 * 4 : 4], first = 2>}) {
  %0 = pop.transpose %a {permutation = array<i64: 1, 0>} : tensor<3x4xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// Four tiles have partial sums of the same rows and of two groups of columns. Eleven
// parts of the rows have 187 rows, but 188 rows are shared evenly: each tile gets half of
// the rows of one group.

module attributes {ipu.target = #ipu.target<"c600">} {
  // CHECK-LABEL: func.func @shared
  // CHECK: pop.matmul_partials {{.*}}ipu.map = #ipu.map<[4, 1, 2048, 1024], grid = [11, 4, 32], blocks = [p1 * 1 : 1, all, p0 * 188 : 188, p2 * 32 : 32],
  // CHECK: pop.reduce {{.*}}ipu.map = #ipu.map<[2048, 32, 32], grid = [22, 2, 32], blocks = [p0 * 94 : 94, p2 * 1 : 1, p1 * 16 : 16],
  func.func @shared(%a: tensor<2048x1024xf16>, %b: tensor<1024x1024xf16>) -> tensor<2048x1024xf32> {
    %0 = pop.matmul_partials %a, %b {block = 256 : i64} : (tensor<2048x1024xf16>, tensor<1024x1024xf16>) -> tensor<4x2048x1024xf32>
    %1 = pop.reduce sum %0 {accum = #pop.accum<blocked, block = 4, lanes = 1>, axes = array<i64: 0>} : tensor<4x2048x1024xf32> -> tensor<2048x1024xf32>
    return %1 : tensor<2048x1024xf32>
  }

  // The convolution has the rows and columns of an image as one dimension. The pad puts
  // zeros between the rows, and keeps the groups of channels.
  // CHECK-LABEL: func.func @separated
  // CHECK: pop.conv {{.*}}ipu.map = #ipu.map<[16, 1, 64, 784],
  // CHECK: pop.pad {{.*}}ipu.map = #ipu.map<[16, 1, 64, 28, 1, 2, 28], {{.*}}layout = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d2 floordiv 16, d0, d3, d6, d2 mod 16)>>
  func.func @separated(%x: tensor<16x64x784xf16>, %w: tensor<64x64x1xf16>) -> tensor<16x64x28x2x28x1xf32> {
    %0 = pop.conv %x, %w {accum = #pop.accum<chain>} : (tensor<16x64x784xf16>, tensor<64x64x1xf16>) -> tensor<16x64x784xf32>
    %1 = pop.reshape %0 : tensor<16x64x784xf32> to tensor<16x64x28x1x28x1xf32>
    %2 = pop.pad %1 {high = array<i64: 0, 0, 0, 1, 0, 0>, low = array<i64: 0, 0, 0, 0, 0, 0>, value = 0.000000e+00 : f32} : tensor<16x64x28x1x28x1xf32> -> tensor<16x64x28x2x28x1xf32>
    return %2 : tensor<16x64x28x2x28x1xf32>
  }
}

// -----

// Depthwise convolutions of f16 have their channels in groups of four.

// CHECK-LABEL: func.func @main
// CHECK-SAME: tensor<1x32x18x18xf16> {ipu.map = #ipu.map<[1, 32, 1, 18, 18], {{.*}}, blocks = [all, p0 * 4 : 4, {{[^]]*}}], {{.*}}layout = affine_map<(d0, d1, d2, d3, d4) -> (d2, d1 floordiv 4, d0, d3, d4, d1 mod 4)>>}
// CHECK-SAME: tensor<32x1x3x3xf16> {ipu.map = #ipu.map<{{.*}}, layout = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d0 floordiv 4, d3, d4, d0 mod 4)>>}
// CHECK: pop.conv {{.*}}, layout = affine_map<(d0, d1, d2, d3, d4) -> (d2, d1 floordiv 4, d0, d3, d4, d1 mod 4)>>}
func.func @main(%x: tensor<1x32x18x18xf16>, %w: tensor<32x1x3x3xf16>) -> tensor<1x32x16x16xf32> {
  %0 = pop.conv %x, %w {groups = 32 : i64, accum = #pop.accum<chain>} : (tensor<1x32x18x18xf16>, tensor<32x1x3x3xf16>) -> tensor<1x32x16x16xf32>
  return %0 : tensor<1x32x16x16xf32>
}

// -----

// A depth that has no factor in common with that of the matrix unit is not
// divided into groups, and its elements are innermost.

// CHECK-LABEL: func.func @main
// CHECK-SAME: tensor<49x256xf16> {ipu.map = #ipu.map<[1, 49, 256], {{.*}}, layout = affine_map<(d0, d1, d2) -> (d0, d2 floordiv [[N:[0-9]+]], d2 mod [[N]], d1)>>}
func.func @main(%a: tensor<256x49xf16>, %b: tensor<49x256xf16>) -> tensor<256x256xf32> {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<256x49xf16>, tensor<49x256xf16>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}

// -----

// Sums in two stages: the tiles with the four blocks of a group share its sums, and
// the tiles with the two groups share what is added last.

module attributes {ipu.target = #ipu.target<"c600", {tiles = 64 : i64}>} {
  // CHECK-LABEL: func.func @two_stages
  // CHECK: pop.conv_partials {{.*}}ipu.map = #ipu.map<[2, 4, 1, 64, 1, 32, 1, 1], grid = [2, 4, 4, 2], blocks = [p0 * 1 : 1, p1 * 1 : 1, all, p2 * 16 : 16, all, p3 * 16 : 16, all, all],
  // CHECK: pop.reduce sum {{.*}}axes = array<i64: 1>, ipu.map = #ipu.map<[2, 4, 16, 1, 2, 16, 1, 1], grid = [2, 4, 4, 2], blocks = [p0 * 1 : 1, p2 * 1 : 1, p1 * 4 : 4, all, p3 * 1 : 1, all, all, all],
  // CHECK: pop.reduce sum {{.*}}axes = array<i64: 0>, ipu.map = #ipu.map<[4, 4, 4, 1, 2, 16, 1, 1], grid = [2, 4, 4, 2], blocks = [p2 * 1 : 1, p1 * 1 : 1, p0 * 2 : 2, all, p3 * 1 : 1, all, all, all],
  func.func @two_stages(%x: tensor<64x4x8x8xf16>, %w: tensor<32x4x8x8xf16>) -> tensor<64x32x1x1xf32> {
    %0 = pop.conv_partials %x, %w {channels = 4 : i64, kernel = array<i64: 4, 2>} : (tensor<64x4x8x8xf16>, tensor<32x4x8x8xf16>) -> tensor<2x4x1x64x32x1x1xf32>
    %1 = pop.reshape %0 : tensor<2x4x1x64x32x1x1xf32> to tensor<2x4x64x32x1x1xf32>
    %2 = pop.reduce sum %1 {accum = #pop.accum<blocked, block = 4, lanes = 1>, axes = array<i64: 1>} : tensor<2x4x64x32x1x1xf32> -> tensor<2x64x32x1x1xf32>
    %3 = pop.reduce sum %2 {accum = #pop.accum<blocked, block = 2, lanes = 1>, axes = array<i64: 0>} : tensor<2x64x32x1x1xf32> -> tensor<64x32x1x1xf32>
    return %3 : tensor<64x32x1x1xf32>
  }
}

// -----

// The best plan of the product is also its generic mapping, which its operands follow.

module attributes {ipu.target = #ipu.target<"c600">} {
  // CHECK-LABEL: func.func @best_is_generic
  // CHECK: pop.matmul_partials {{.*}}ipu.map = #ipu.map<[22, 1, 1, 1000], grid = [{{22, 63|63, 22}}], blocks = [p{{[01]}} * 1 : 1, all, all, p{{[01]}} * 16 : 16],
  func.func @best_is_generic(%x: tensor<1x2048xf16>, %w: tensor<2048x1000xf16>) -> tensor<1x1000xf32> {
    %0 = pop.matmul_partials %x, %w {block = 96 : i64} : (tensor<1x2048xf16>, tensor<2048x1000xf16>) -> tensor<22x1x1000xf32>
    %1 = pop.reduce sum %0 {accum = #pop.accum<blocked, block = 22, lanes = 1>, axes = array<i64: 0>} : tensor<22x1x1000xf32> -> tensor<1x1000xf32>
    return %1 : tensor<1x1000xf32>
  }
}

// -----

// A constant is cloned for each of its readers, so that each clone has copies on the
// tiles of its reader. Clones with equal tile mappings are merged.

module attributes {ipu.target = #ipu.target<"c600", {tiles = 8 : i64}>} {
  // CHECK-LABEL: func.func @clones
  // CHECK: %[[COPIED:.+]] = pop.constant {ipu.map = #ipu.map<[1, 32], grid = [8], blocks = [all, all]>}
  // CHECK: %[[SPLIT:.+]] = pop.constant {ipu.map = #ipu.map<[32], grid = [8], blocks = [p0 * 4 : 4]>}
  // CHECK-NOT: pop.constant
  // CHECK: pop.reshape %[[SPLIT]]
  // CHECK: pop.mul %{{.*}}, %[[COPIED]]
  // CHECK: pop.add %{{.*}}, %[[COPIED]]
  func.func @clones(%x: tensor<32x64xf16>, %y: tensor<64x32xf16>) -> (tensor<32x64xf16>, tensor<64x32xf16>, tensor<64x32xf16>) {
    %b = pop.constant dense<0.5> : tensor<32xf16>
    %0 = pop.reshape %b : tensor<32xf16> to tensor<32x1xf16>
    %1 = pop.mul %x, %0 : (tensor<32x64xf16>, tensor<32x1xf16>) -> tensor<32x64xf16>
    %2 = pop.mul %y, %b : (tensor<64x32xf16>, tensor<32xf16>) -> tensor<64x32xf16>
    %3 = pop.add %2, %b : (tensor<64x32xf16>, tensor<32xf16>) -> tensor<64x32xf16>
    return %1, %2, %3 : tensor<32x64xf16>, tensor<64x32xf16>, tensor<64x32xf16>
  }
}

// -----

// The clones of a large and of a small constant fit into the memory.

module attributes {ipu.target = #ipu.target<"c600", {tiles = 8 : i64, tile_memory = 28672 : i64}>} {
  // CHECK-LABEL: func.func @clones_of_all
  // CHECK: pop.constant {ipu.map = #ipu.map<[1, 1024], grid = [8], blocks = [all, all]>} dense<5.000000e-01>
  // CHECK-NEXT: pop.constant {ipu.map = #ipu.map<[1024], grid = [8], blocks = [p0 * 128 : 128]>} dense<5.000000e-01>
  // CHECK-NEXT: pop.constant {ipu.map = #ipu.map<[1, 8], grid = [8], blocks = [all, all]>} dense<2.500000e-01>
  // CHECK-NEXT: pop.constant {ipu.map = #ipu.map<[8, 1], grid = [8], blocks = [p0 * 1 : 1, all]>} dense<2.500000e-01>
  // CHECK-NOT: pop.constant
  func.func @clones_of_all(%x: tensor<8x1024xf16>, %y: tensor<1024x8xf16>) -> (tensor<8x1024xf16>, tensor<1024x8xf16>, tensor<8x1024xf16>) {
    %large = pop.constant dense<0.5> : tensor<1024xf16>
    %small = pop.constant dense<0.25> : tensor<8xf16>
    %0 = pop.reshape %large : tensor<1024xf16> to tensor<1024x1xf16>
    %1 = pop.reshape %small : tensor<8xf16> to tensor<8x1xf16>
    %2 = pop.mul %x, %large : (tensor<8x1024xf16>, tensor<1024xf16>) -> tensor<8x1024xf16>
    %3 = pop.mul %y, %0 : (tensor<1024x8xf16>, tensor<1024x1xf16>) -> tensor<1024x8xf16>
    %4 = pop.add %3, %small : (tensor<1024x8xf16>, tensor<8xf16>) -> tensor<1024x8xf16>
    %5 = pop.add %2, %1 : (tensor<8x1024xf16>, tensor<8x1xf16>) -> tensor<8x1024xf16>
    return %2, %4, %5 : tensor<8x1024xf16>, tensor<1024x8xf16>, tensor<8x1024xf16>
  }
}

// -----

// The same program, but the clones of the large constant might not fit.

module attributes {ipu.target = #ipu.target<"c600", {tiles = 8 : i64, tile_memory = 26624 : i64}>} {
  // CHECK-LABEL: func.func @clones_of_small
  // CHECK: pop.constant {ipu.map = #ipu.map<[1024], grid = [8], blocks = [p0 * 128 : 128]>} dense<5.000000e-01>
  // CHECK-NEXT: pop.constant {ipu.map = #ipu.map<[1, 8], grid = [8], blocks = [all, all]>} dense<2.500000e-01>
  // CHECK-NEXT: pop.constant {ipu.map = #ipu.map<[8, 1], grid = [8], blocks = [all, all]>} dense<2.500000e-01>
  // CHECK-NOT: pop.constant
  func.func @clones_of_small(%x: tensor<8x1024xf16>, %y: tensor<1024x8xf16>) -> (tensor<8x1024xf16>, tensor<1024x8xf16>, tensor<8x1024xf16>) {
    %large = pop.constant dense<0.5> : tensor<1024xf16>
    %small = pop.constant dense<0.25> : tensor<8xf16>
    %0 = pop.reshape %large : tensor<1024xf16> to tensor<1024x1xf16>
    %1 = pop.reshape %small : tensor<8xf16> to tensor<8x1xf16>
    %2 = pop.mul %x, %large : (tensor<8x1024xf16>, tensor<1024xf16>) -> tensor<8x1024xf16>
    %3 = pop.mul %y, %0 : (tensor<1024x8xf16>, tensor<1024x1xf16>) -> tensor<1024x8xf16>
    %4 = pop.add %3, %small : (tensor<1024x8xf16>, tensor<8xf16>) -> tensor<1024x8xf16>
    %5 = pop.add %2, %1 : (tensor<8x1024xf16>, tensor<8x1xf16>) -> tensor<8x1024xf16>
    return %2, %4, %5 : tensor<8x1024xf16>, tensor<1024x8xf16>, tensor<8x1024xf16>
  }
}

// -----

// The same program, but no clones might fit.

module attributes {ipu.target = #ipu.target<"c600", {tiles = 8 : i64, tile_memory = 20480 : i64}>} {
  // CHECK-LABEL: func.func @no_clones
  // CHECK: pop.constant {ipu.map = {{.*}}} dense<5.000000e-01>
  // CHECK-NEXT: pop.constant {ipu.map = {{.*}}} dense<2.500000e-01>
  // CHECK-NOT: pop.constant
  func.func @no_clones(%x: tensor<8x1024xf16>, %y: tensor<1024x8xf16>) -> (tensor<8x1024xf16>, tensor<1024x8xf16>, tensor<8x1024xf16>) {
    %large = pop.constant dense<0.5> : tensor<1024xf16>
    %small = pop.constant dense<0.25> : tensor<8xf16>
    %0 = pop.reshape %large : tensor<1024xf16> to tensor<1024x1xf16>
    %1 = pop.reshape %small : tensor<8xf16> to tensor<8x1xf16>
    %2 = pop.mul %x, %large : (tensor<8x1024xf16>, tensor<1024xf16>) -> tensor<8x1024xf16>
    %3 = pop.mul %y, %0 : (tensor<1024x8xf16>, tensor<1024x1xf16>) -> tensor<1024x8xf16>
    %4 = pop.add %3, %small : (tensor<1024x8xf16>, tensor<8xf16>) -> tensor<1024x8xf16>
    %5 = pop.add %2, %1 : (tensor<8x1024xf16>, tensor<8x1xf16>) -> tensor<8x1024xf16>
    return %2, %4, %5 : tensor<8x1024xf16>, tensor<1024x8xf16>, tensor<8x1024xf16>
  }
}

// -----

// A constant has copies because its tile mapping is given. It is uncertain whether the
// program fits, so the program is planned without other copies.

module attributes {ipu.target = #ipu.target<"bow", {tiles = 2 : i64, tile_memory = 24576 : i64}>} {
  // CHECK-LABEL: func.func @given_copies
  // CHECK: pop.constant {ipu.map = #ipu.map<[33], grid = [2], blocks = [all]>}
  func.func @given_copies(%x: tensor<128x33xf32>) -> tensor<33xf32> {
    %0 = pop.constant {ipu.map = #ipu.map<[33], grid = [2], blocks = [all]>} dense<-1.25> : tensor<33xf32>
    return %0 : tensor<33xf32>
  }
}

// -----

// An op follows its operand, and the clone of the constant has copies on the tiles of
// the op. The clones are merged again, because their tile mappings are equal.

module attributes {ipu.target = #ipu.target<"c600", {tiles = 100 : i64}>} {
  // CHECK-LABEL: func.func @clones_follow
  // CHECK: %[[C:.+]] = pop.constant {ipu.map = #ipu.map<[1, 6], grid = [24], blocks = [all, all]>}
  // CHECK-NOT: pop.constant
  // CHECK: pop.sub %{{.*}}, %[[C]] {ipu.map = #ipu.map<[48, 6], grid = [24], blocks = [p0 * 2 : 2, all]>}
  // CHECK: pop.max %{{.*}}, %[[C]] {ipu.map = #ipu.map<[48, 6], grid = [24], blocks = [p0 * 2 : 2, all]>}
  func.func @clones_follow(%x: tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> {
    %0 = pop.constant dense<0.5> : tensor<6xf32>
    %1 = pop.sub %x, %0 : (tensor<1x8x6x6xf32>, tensor<6xf32>) -> tensor<1x8x6x6xf32>
    %2 = pop.reduce max %1 {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axes = array<i64: 3>} : tensor<1x8x6x6xf32> -> tensor<1x8x6xf32>
    %3 = pop.reshape %2 : tensor<1x8x6xf32> to tensor<1x8x6x1xf32>
    %4 = pop.sub %1, %3 : (tensor<1x8x6x6xf32>, tensor<1x8x6x1xf32>) -> tensor<1x8x6x6xf32>
    %5 = pop.max %4, %0 : (tensor<1x8x6x6xf32>, tensor<6xf32>) -> tensor<1x8x6x6xf32>
    return %5 : tensor<1x8x6x6xf32>
  }
}

// -----

// One choice for the second constant is the buffer of its slice. The buffer is in
// row-major order, so its tile mapping has no layout.

module attributes {ipu.target = #ipu.target<"bow", {tiles = 8 : i64}>} {
  // CHECK-LABEL: func.func @no_layout
  // CHECK-NOT: layout
  // CHECK: return
  func.func @no_layout(%x: tensor<33xf32>) -> tensor<33xf32> {
    %0 = pop.constant dense<0.5> : tensor<33xf32>
    %1 = pop.constant dense<0.5> : tensor<33xf32>
    %2 = pop.constant dense<true> : tensor<33xi1>
    %3 = pop.select %2, %x, %0 : tensor<33xi1>, tensor<33xf32>, tensor<33xf32> -> tensor<33xf32>
    %4 = pop.slice %1 {starts = array<i64: 7>, sizes = array<i64: 1>, steps = array<i64: 1>} : tensor<33xf32> -> tensor<1xf32>
    %5 = pop.min %3, %4 : (tensor<33xf32>, tensor<1xf32>) -> tensor<33xf32>
    return %5 : tensor<33xf32>
  }
}
