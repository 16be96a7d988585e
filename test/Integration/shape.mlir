// Ops that move elements, on the numbers 0, 1, 2, ...
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x: tensor<2x3xi32> {pop.name = "x"}, %p_n: tensor<2x1xi32> {pop.name = "p"}, %e: tensor<2x0xi32> {pop.name = "e"}) {
    %p = pop.cast %p_n : tensor<2x1xi32> to tensor<2x1xf16>
    // [[0, 1, 2], [3, 4, 5]]
    %0 = pop.reshape %x : tensor<2x3xi32> to tensor<3x1x2xi32>
    pop.expect_eq %0, dense<[[[0, 1]], [[2, 3]], [[4, 5]]]> : tensor<3x1x2xi32>
    %1 = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<2x3xi32> -> tensor<3x2xi32>
    pop.expect_eq %1, dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi32>
    // What a transposed tensor shows in row-major order.
    %2 = pop.reshape %1 : tensor<3x2xi32> to tensor<6xi32>
    pop.expect_eq %2, dense<[0, 3, 1, 4, 2, 5]> : tensor<6xi32>
    %3 = pop.slice %x {starts = array<i64: 1, 2>, sizes = array<i64: 2, 2>, steps = array<i64: -1, -2>} : tensor<2x3xi32> -> tensor<2x2xi32>
    pop.expect_eq %3, dense<[[5, 3], [2, 0]]> : tensor<2x2xi32>
    %4 = pop.expand %p : tensor<2x1xf16> to tensor<2x2x3xf16>
    pop.expect_eq %4, dense<[[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]]> : tensor<2x2x3xf16>
    %5 = pop.concat %x, %e, %3 {axis = 1 : i64} : (tensor<2x3xi32>, tensor<2x0xi32>, tensor<2x2xi32>) -> tensor<2x5xi32>
    pop.expect_eq %5, dense<[[0, 1, 2, 5, 3], [3, 4, 5, 2, 0]]> : tensor<2x5xi32>
    %6 = pop.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 2>, value = -7 : i32} : tensor<2x3xi32> -> tensor<3x5xi32>
    pop.expect_eq %6, dense<[[-7, -7, -7, -7, -7], [0, 1, 2, -7, -7], [3, 4, 5, -7, -7]]> : tensor<3x5xi32>
    return
  }
}

// -----

func.func @main(%x: tensor<2x3xi32> {pop.name = "x"}) {
  %y = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<2x3xi32> -> tensor<3x2xi32>
  // expected-error @+1 {{first at [0, 1]: got 3, expected 1}}
  pop.expect_eq %y, dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi32>
  return
}
