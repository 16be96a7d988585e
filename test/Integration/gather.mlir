// Rows of tables, with all bits.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'
//
// Blocks of rows give the same, though most of what they give are zeros.
// RUN: ipu-test-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(test-tile-splits{name=rows parts=3}),pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 5 : i64}>} {
  func.func @main(%x: tensor<4x2xi32> {pop.name = "x"}, %i: tensor<2x3xi32> {pop.name = "i"}, %b: tensor<3x2xui8> {pop.name = "b"}) {
    // Rows 0 to 5, of which there are 4: [[0, 1], [2, 3], [4, 5], [6, 7]].
    %0 = pop.gather %x, %i : (tensor<4x2xi32>, tensor<2x3xi32>) -> tensor<2x3x2xi32>
    pop.expect_eq %0, dense<[[[0, 1], [2, 3], [4, 5]], [[6, 7], [0, 0], [0, 0]]]> : tensor<2x3x2xi32>
    // Rows 3 to -2.
    %three = pop.constant dense<3> : tensor<i32>
    %down = pop.sub %three, %i : (tensor<i32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %1 = pop.gather %x, %down : (tensor<4x2xi32>, tensor<2x3xi32>) -> tensor<2x3x2xi32>
    pop.expect_eq %1, dense<[[[6, 7], [4, 5], [2, 3]], [[0, 1], [0, 0], [0, 0]]]> : tensor<2x3x2xi32>
    // In each of three batches: 0, 1; 2, 3; 4, 5 of four columns.
    %table = pop.constant dense<[[-0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 0x7E01], [8.0, 9.0, 10.0, 11.0]]> : tensor<3x4xf16>
    %2 = pop.gather %table, %b {batch_dims = 1 : i64} : (tensor<3x4xf16>, tensor<3x2xui8>) -> tensor<3x2xf16>
    pop.expect_eq %2, dense<[[-0.0, 1.0], [6.0, 0x7E01], [0.0, 0.0]]> : tensor<3x2xf16>
    // One row by one index.
    %one = pop.slice %i {starts = array<i64: 0, 1>, sizes = array<i64: 1, 1>, steps = array<i64: 1, 1>} : tensor<2x3xi32> -> tensor<1x1xi32>
    %scalar = pop.reshape %one : tensor<1x1xi32> to tensor<i32>
    %3 = pop.gather %x, %scalar : (tensor<4x2xi32>, tensor<i32>) -> tensor<2xi32>
    pop.expect_eq %3, dense<[2, 3]> : tensor<2xi32>
    // There are no rows.
    %none = pop.constant dense<> : tensor<0x2xi1>
    %4 = pop.gather %none, %scalar : (tensor<0x2xi1>, tensor<i32>) -> tensor<2xi1>
    pop.expect_eq %4, dense<false> : tensor<2xi1>
    return
  }
}

// -----

func.func @main(%x: tensor<4x2xi32> {pop.name = "x"}, %i: tensor<2xi32> {pop.name = "i"}) {
  %0 = pop.gather %x, %i : (tensor<4x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  // expected-error @+1 {{first at [1, 0]: got 2, expected 3}}
  pop.expect_eq %0, dense<[[0, 1], [3, 3]]> : tensor<2x2xi32>
  return
}
