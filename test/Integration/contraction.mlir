// Matrix products and convolutions on values worked out by hand.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%a_n: tensor<2x3xi32> {pop.name = "a"}, %b_n: tensor<2x3x2xi32> {pop.name = "b"}, %x_n: tensor<1x2x3x3xi32> {pop.name = "x"}, %i: tensor<2x2xi8> {pop.name = "i"}) {
    %a = pop.cast %a_n : tensor<2x3xi32> to tensor<2x3xf32>
    %b = pop.cast %b_n : tensor<2x3x2xi32> to tensor<2x3x2xf32>
    %x = pop.cast %x_n : tensor<1x2x3x3xi32> to tensor<1x2x3x3xf32>
    // [[0, 1, 2], [3, 4, 5]] times [[0, 1], [2, 3], [4, 5]] and [[6, 7], [8, 9], [10, 11]].
    %y = pop.matmul %a, %b : (tensor<2x3xf32>, tensor<2x3x2xf32>) -> tensor<2x2x2xf32>
    pop.expect_eq %y, dense<[[[10.0, 13.0], [28.0, 40.0]], [[28.0, 31.0], [100.0, 112.0]]]> : tensor<2x2x2xf32>
    // Integers wrap: 100 * (0 + 2) = 200 = -56, and so on.
    %hundreds = pop.constant dense<100> : tensor<1x2xi8>
    %bytes = pop.matmul %hundreds, %i : (tensor<1x2xi8>, tensor<2x2xi8>) -> tensor<1x2xi8>
    pop.expect_eq %bytes, dense<[[-56, -112]]> : tensor<1x2xi8>
    // Multiply and add round once: (1 + 2^-12)^2 - 1 keeps its 2^-24.
    %l = pop.constant dense<[[-1.0, 1.000244140625]]> : tensor<1x2xf32>
    %r = pop.constant dense<[[1.0], [1.000244140625]]> : tensor<2x1xf32>
    %fused = pop.matmul %l, %r : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
    pop.expect_eq %fused, dense<4.8834085464477539e-4> : tensor<1x1xf32>

    // Channels 0..8 and 9..17 in 3x3. One weight takes the sum of the corners
    // of the first, the other one ten times the element at the left.
    %w = pop.constant dense<[[[[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]],
                             [[[0.0, 0.0], [0.0, 0.0]], [[10.0, 0.0], [0.0, 0.0]]]]> : tensor<2x2x2x2xf32>
    %c = pop.conv %x, %w {strides = array<i64: 2, 1>} : (tensor<1x2x3x3xf32>, tensor<2x2x2x2xf32>) -> tensor<1x2x1x2xf32>
    pop.expect_eq %c, dense<[[[[8.0, 12.0]], [[90.0, 100.0]]]]> : tensor<1x2x1x2xf32>
    // Dilated, the corners are 0 + 2 + 6 + 8.
    %d = pop.conv %x, %w {dilations = array<i64: 2, 2>} : (tensor<1x2x3x3xf32>, tensor<2x2x2x2xf32>) -> tensor<1x2x1x1xf32>
    pop.expect_eq %d, dense<[[[[16.0]], [[90.0]]]]> : tensor<1x2x1x1xf32>
    // Zeros between elements: 1, 0, 2, 0, 3. They are elements like others.
    %three = pop.constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
    %two = pop.constant dense<[[[10.0, 1.0]]]> : tensor<1x1x2xf32>
    %spread = pop.conv %three, %two {input_dilations = array<i64: 2>} : (tensor<1x1x3xf32>, tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
    pop.expect_eq %spread, dense<[[[10.0, 2.0, 20.0, 3.0]]]> : tensor<1x1x4xf32>
    // There is nothing between the elements of one, however far they are apart.
    %one = pop.constant dense<3.0> : tensor<1x1x1xf32>
    %alone = pop.conv %one, %one {input_dilations = array<i64: 9223372036854775807>} : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
    pop.expect_eq %alone, dense<9.0> : tensor<1x1x1xf32>
    %infinite = pop.constant dense<[[[0x7F800000, 1.0]]]> : tensor<1x1x2xf32>
    %nans = pop.conv %three, %infinite {input_dilations = array<i64: 2>, pads = array<i64: 1, 0>, strides = array<i64: 2>} : (tensor<1x1x3xf32>, tensor<1x1x2xf32>) -> tensor<1x1x3xf32>
    pop.expect_eq %nans, dense<0x7FC00000> : tensor<1x1x3xf32>
    %ends = pop.conv %three, %infinite {input_dilations = array<i64: 2>, strides = array<i64: 2>} : (tensor<1x1x3xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
    pop.expect_eq %ends, dense<0x7F800000> : tensor<1x1x2xf32>
    // Each channel for itself; pads are zeros.
    %g = pop.constant dense<[[[[1.0, 1.0, 1.0]]], [[[1.0, 0.0, -1.0]]]]> : tensor<2x1x1x3xf32>
    %s = pop.conv %x, %g {groups = 2, pads = array<i64: 0, 1, 0, 0>} : (tensor<1x2x3x3xf32>, tensor<2x1x1x3xf32>) -> tensor<1x2x3x2xf32>
    pop.expect_eq %s, dense<[[[[1.0, 3.0], [7.0, 12.0], [13.0, 21.0]], [[-10.0, -2.0], [-13.0, -2.0], [-16.0, -2.0]]]]> : tensor<1x2x3x2xf32>
    return
  }
}

// -----

// A sum of no products is +0.
func.func @main(%a_n: tensor<2x0xi32> {pop.name = "a"}, %b_n: tensor<0x3xi32> {pop.name = "b"}) {
  %a = pop.cast %a_n : tensor<2x0xi32> to tensor<2x0xf32>
  %b = pop.cast %b_n : tensor<0x3xi32> to tensor<0x3xf32>
  %y = pop.matmul %a, %b : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  pop.expect_eq %y, dense<0.0> : tensor<2x3xf32>
  return
}

// -----

func.func @main(%a_n: tensor<2x2xi32> {pop.name = "a"}) {
  %a = pop.cast %a_n : tensor<2x2xi32> to tensor<2x2xf32>
  %y = pop.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-error @+1 {{first at [0, 1]: got 3.0, expected 3.5}}
  pop.expect_close %y, dense<[[2.0, 3.5], [6.0, 11.0]]> : tensor<2x2xf32>
  return
}
