// Pools and windows on values worked out by hand.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x_n: tensor<1x1x3x4xi32> {pop.name = "x"}, %v_n: tensor<1x1x5xi32> {pop.name = "v"}) {
    %x = pop.cast %x_n : tensor<1x1x3x4xi32> to tensor<1x1x3x4xf32>
    %v = pop.cast %v_n : tensor<1x1x5xi32> to tensor<1x1x5xf32>
    // [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    %0 = pop.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 1, 2>} : tensor<1x1x3x4xf32> -> tensor<1x1x2x2xf32>
    pop.expect_eq %0, dense<[[[[5.0, 7.0], [9.0, 11.0]]]]> : tensor<1x1x2x2xf32>
    %1 = pop.max_pool %x {kernel = array<i64: 2, 2>, dilations = array<i64: 2, 3>} : tensor<1x1x3x4xf32> -> tensor<1x1x1x1xf32>
    pop.expect_eq %1, dense<11.0> : tensor<1x1x1x1xf32>
    %2 = pop.avg_pool %x {kernel = array<i64: 3, 2>, strides = array<i64: 1, 2>} : tensor<1x1x3x4xf32> -> tensor<1x1x1x2xf32>
    pop.expect_eq %2, dense<[[[[4.5, 6.5]]]]> : tensor<1x1x1x2xf32>
    %3 = pop.reduce_window sum %x {kernel = array<i64: 1, 3>} : tensor<1x1x3x4xf32> -> tensor<1x1x3x2xf32>
    pop.expect_eq %3, dense<[[[[3.0, 6.0], [15.0, 18.0], [27.0, 30.0]]]]> : tensor<1x1x3x2xf32>

    // [0, 1, 2, 3, 4], pads of 1: windows start at -1, 1, 3.
    %4 = pop.avg_pool %v {kernel = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>} : tensor<1x1x5xf32> -> tensor<1x1x3xf32>
    pop.expect_eq %4, dense<[[[0.5, 2.0, 3.5]]]> : tensor<1x1x3xf32>
    %5 = pop.avg_pool %v {count_include_pad, kernel = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>} : tensor<1x1x5xf32> -> tensor<1x1x3xf32>
    pop.expect_eq %5, dense<[[[0x3EAAAAAB, 2.0, 0x40155555]]]> : tensor<1x1x3xf32>
    // Rounding up adds the window at 3, of two elements.
    %6 = pop.avg_pool %v {ceil_mode, count_include_pad, kernel = array<i64: 3>, strides = array<i64: 3>} : tensor<1x1x5xf32> -> tensor<1x1x2xf32>
    pop.expect_eq %6, dense<[[[1.0, 3.5]]]> : tensor<1x1x2xf32>
    // It adds none that would start after the input, at 5.
    %7 = pop.max_pool %v {ceil_mode, kernel = array<i64: 2>, strides = array<i64: 5>, pads = array<i64: 0, 1>} : tensor<1x1x5xf32> -> tensor<1x1x1xf32>
    pop.expect_eq %7, dense<[[[1.0]]]> : tensor<1x1x1xf32>
    // The overhang of the last window counts for nothing, not even for the sign
    // of a zero; the pad before the first one does.
    %8 = pop.constant dense<-0.0> : tensor<1x1x4xf32>
    %9 = pop.avg_pool %8 {ceil_mode, count_include_pad, kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 1, 0>} : tensor<1x1x4xf32> -> tensor<1x1x3xf32>
    pop.expect_eq %9, dense<[[[0.0, -0.0, -0.0]]]> : tensor<1x1x3xf32>
    return
  }
}

// -----

func.func @main(%v_n: tensor<1x1x5xi32> {pop.name = "v"}) {
  %v = pop.cast %v_n : tensor<1x1x5xi32> to tensor<1x1x5xf32>
  %y = pop.max_pool %v {kernel = array<i64: 2>} : tensor<1x1x5xf32> -> tensor<1x1x4xf32>
  // expected-error @+1 {{first at [0, 0, 3]: got 4.0, expected 5.0}}
  pop.expect_eq %y, dense<[[[1.0, 2.0, 3.0, 5.0]]]> : tensor<1x1x4xf32>
  return
}
