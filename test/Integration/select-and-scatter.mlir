// Gradients of max pools.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'
//
// Rows in parts give the same: windows that reach into several are done in each.
// RUN: ipu-test-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(test-tile-splits{name=rows parts=2}),pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-test-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(test-tile-splits{name=rows parts=5}),pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 7 : i64}>} {
  func.func @main() {
    // Windows [1, 3, 2], [2, 2, 5] and [5, -, -], of a stride of 2.
    %x = pop.constant dense<[[[1, 3, 2, 2, 5]]]> : tensor<1x1x5xi32>
    %dy = pop.constant dense<[[[10, 20, 40]]]> : tensor<1x1x3xi32>
    %0 = pop.select_and_scatter max %x, %dy {ceil_mode, kernel = array<i64: 3>, pads = array<i64: 0, 2>, strides = array<i64: 2>} : tensor<1x1x5xi32>, tensor<1x1x3xi32> -> tensor<1x1x5xi32>
    pop.expect_eq %0, dense<[[[0, 10, 0, 0, 60]]]> : tensor<1x1x5xi32>
    // Of equal elements, the first.
    %1 = pop.select_and_scatter min %x, %dy {kernel = array<i64: 3>} : tensor<1x1x5xi32>, tensor<1x1x3xi32> -> tensor<1x1x5xi32>
    pop.expect_eq %1, dense<[[[10, 0, 60, 0, 0]]]> : tensor<1x1x5xi32>
    // Steps of 5 reach elements 0, 1 and 5, 6.
    %long = pop.constant dense<[[[4, 3, 9, 9, 9, 1, 2, 9]]]> : tensor<1x1x8xui8>
    %two = pop.constant dense<[[[7, 8]]]> : tensor<1x1x2xui8>
    %2 = pop.select_and_scatter max %long, %two {kernel = array<i64: 2>, strides = array<i64: 5>} : tensor<1x1x8xui8>, tensor<1x1x2xui8> -> tensor<1x1x8xui8>
    pop.expect_eq %2, dense<[[[7, 0, 0, 0, 0, 0, 8, 0]]]> : tensor<1x1x8xui8>
    return
  }
}

// -----

// The first NaN is selected, as the maximum is NaN; zeros are equal, infinities
// are numbers like others, and no pad is selected.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 7 : i64}>} {
  func.func @main() {
    %x = pop.constant dense<[[[1.0, 0x7FC00000, 0x7FC00001], [-0.0, 0.0, -1.0], [0xFF800000, 0xFF800000, 0xFF800000]]]> : tensor<1x3x3xf32>
    %dy = pop.constant dense<[[[2.0], [-0.0], [8.0]]]> : tensor<1x3x1xf32>
    %0 = pop.select_and_scatter max %x, %dy {kernel = array<i64: 5>, pads = array<i64: 1, 1>} : tensor<1x3x3xf32>, tensor<1x3x1xf32> -> tensor<1x3x3xf32>
    // Sums start from +0.
    pop.expect_eq %0, dense<[[[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [8.0, 0.0, 0.0]]]> : tensor<1x3x3xf32>
    %1 = pop.select_and_scatter min %x, %dy {kernel = array<i64: 5>, pads = array<i64: 1, 1>} : tensor<1x3x3xf32>, tensor<1x3x1xf32> -> tensor<1x3x3xf32>
    pop.expect_eq %1, dense<[[[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [8.0, 0.0, 0.0]]]> : tensor<1x3x3xf32>
    return
  }
}

// -----

// All windows select the one greatest element. In ascending order, 2^24 + 1 - 2^24
// + 1 is 1 in f32; in f16, 2048 + 1 + 1 + 1 are added in f32 and rounded once.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 7 : i64}>} {
  func.func @main() {
    %x = pop.constant dense<[[[[0.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 0.0]]]]> : tensor<1x1x3x3xf32>
    %dy = pop.constant dense<[[[[16777216.0, 1.0], [-16777216.0, 1.0]]]]> : tensor<1x1x2x2xf32>
    %0 = pop.select_and_scatter max %x, %dy {kernel = array<i64: 2, 2>} : tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32> -> tensor<1x1x3x3xf32>
    pop.expect_eq %0, dense<[[[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]]]> : tensor<1x1x3x3xf32>
    %h = pop.cast %x : tensor<1x1x3x3xf32> to tensor<1x1x3x3xf16>
    %dz = pop.constant dense<[[[[2048.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x2x2xf16>
    %1 = pop.select_and_scatter max %h, %dz {kernel = array<i64: 2, 2>} : tensor<1x1x3x3xf16>, tensor<1x1x2x2xf16> -> tensor<1x1x3x3xf16>
    pop.expect_eq %1, dense<[[[[0.0, 0.0, 0.0], [0.0, 2052.0, 0.0], [0.0, 0.0, 0.0]]]]> : tensor<1x1x3x3xf16>
    %wide = pop.cast %dz : tensor<1x1x2x2xf16> to tensor<1x1x2x2xf32>
    %2 = pop.select_and_scatter max %h, %wide {kernel = array<i64: 2, 2>} : tensor<1x1x3x3xf16>, tensor<1x1x2x2xf32> -> tensor<1x1x3x3xf32>
    pop.expect_eq %2, dense<[[[[0.0, 0.0, 0.0], [0.0, 2051.0, 0.0], [0.0, 0.0, 0.0]]]]> : tensor<1x1x3x3xf32>
    return
  }
}

// -----

// What the windows of a pool select is what the pool gives: the sum of all
// elements that are selected at least once by their weight is the sum of the pool.
func.func @main(%x: tensor<2x3x9x7xf32> {pop.name = "x"}) {
  %s = pop.sin %x : tensor<2x3x9x7xf32>
  %y = pop.max_pool %s {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 3>} : tensor<2x3x9x7xf32> -> tensor<2x3x5x3xf32>
  %ones = pop.constant dense<1.0> : tensor<2x3x5x3xf32>
  %n = pop.select_and_scatter max %s, %ones {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 3>} : tensor<2x3x9x7xf32>, tensor<2x3x5x3xf32> -> tensor<2x3x9x7xf32>
  %weighted = pop.mul %n, %s : tensor<2x3x9x7xf32>
  %a = pop.reduce sum %weighted {axes = array<i64: 0, 1, 2, 3>} : tensor<2x3x9x7xf32> -> tensor<f32>
  %b = pop.reduce sum %y {axes = array<i64: 0, 1, 2, 3>} : tensor<2x3x5x3xf32> -> tensor<f32>
  %difference = pop.sub %a, %b : tensor<f32>
  pop.expect_close %difference, dense<0.0> : tensor<f32> {atol = 1.0e-4 : f64}
  %count = pop.reduce sum %n {axes = array<i64: 0, 1, 2, 3>} : tensor<2x3x9x7xf32> -> tensor<f32>
  pop.expect_eq %count, dense<90.0> : tensor<f32>
  return
}
