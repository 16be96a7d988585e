// Reductions and normalisations on values worked out by hand.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x_n: tensor<2x3x2xi32> {pop.name = "x"}, %n_n: tensor<3000xi32> {pop.name = "n"}, %i: tensor<6xi8> {pop.name = "i"}, %e_n: tensor<2x0xi32> {pop.name = "e"}) {
    %x = pop.cast %x_n : tensor<2x3x2xi32> to tensor<2x3x2xf32>
    %n = pop.cast %n_n : tensor<3000xi32> to tensor<3000xf32>
    %e = pop.cast %e_n : tensor<2x0xi32> to tensor<2x0xf32>
    // [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]
    %0 = pop.reduce sum %x {axes = array<i64: 1>} : tensor<2x3x2xf32> -> tensor<2x2xf32>
    pop.expect_eq %0, dense<[[6.0, 9.0], [24.0, 27.0]]> : tensor<2x2xf32>
    %1 = pop.reduce max %x {axes = array<i64: 0, 2>, keep_dims} : tensor<2x3x2xf32> -> tensor<1x3x1xf32>
    pop.expect_eq %1, dense<[[[7.0], [9.0], [11.0]]]> : tensor<1x3x1xf32>
    // 2999 * 3000 / 2, in three blocks.
    %2 = pop.reduce sum %n {axes = array<i64: 0>} : tensor<3000xf32> -> tensor<f32>
    pop.expect_eq %2, dense<4498500.0> : tensor<f32>
    // Integers wrap: 1 * 2 * 3 * 4 * 5 * 6 = 720 = -48.
    %one = pop.constant dense<1> : tensor<i8>
    %j = pop.add %i, %one : (tensor<6xi8>, tensor<i8>) -> tensor<6xi8>
    %3 = pop.reduce prod %j {axes = array<i64: 0>} : tensor<6xi8> -> tensor<i8>
    pop.expect_eq %3, dense<-48> : tensor<i8>
    // Of nothing.
    %4 = pop.reduce sum %e {axes = array<i64: 1>} : tensor<2x0xf32> -> tensor<2xf32>
    pop.expect_eq %4, dense<0.0> : tensor<2xf32>
    %5 = pop.reduce max %e {axes = array<i64: 1>} : tensor<2x0xf32> -> tensor<2xf32>
    pop.expect_eq %5, dense<0xFF800000> : tensor<2xf32>
    // Means; the sum of two of the largest f16 is no f16.
    %m0 = pop.reduce mean %x {axes = array<i64: 0, 2>, keep_dims} : tensor<2x3x2xf32> -> tensor<1x3x1xf32>
    pop.expect_eq %m0, dense<[[[3.5], [5.5], [7.5]]]> : tensor<1x3x1xf32>
    %m1 = pop.reduce mean %n {axes = array<i64: 0>} : tensor<3000xf32> -> tensor<f32>
    pop.expect_eq %m1, dense<1499.5> : tensor<f32>
    %least = pop.constant dense<65504.0> : tensor<f16>
    %x_h = pop.cast %x : tensor<2x3x2xf32> to tensor<2x3x2xf16>
    %h = pop.max %x_h, %least : (tensor<2x3x2xf16>, tensor<f16>) -> tensor<2x3x2xf16>
    %m2 = pop.reduce mean %h {axes = array<i64: 0, 2>} : tensor<2x3x2xf16> -> tensor<3xf16>
    pop.expect_eq %m2, dense<65504.0> : tensor<3xf16>
    %m3 = pop.reduce_window mean %x {kernel = array<i64: 2>} : tensor<2x3x2xf32> -> tensor<2x3x1xf32>
    pop.expect_eq %m3, dense<[[[0.5], [2.5], [4.5]], [[6.5], [8.5], [10.5]]]> : tensor<2x3x1xf32>
    %m4 = pop.reduce mean %e {axes = array<i64: 1>} : tensor<2x0xf32> -> tensor<2xf32>
    pop.expect_eq %m4, dense<0x7FC00000> : tensor<2xf32>
    %m5 = pop.reduce mean %x {axes = array<i64>} : tensor<2x3x2xf32> -> tensor<2x3x2xf32>
    pop.expect_eq %m5, dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0], [10.0, 11.0]]]> : tensor<2x3x2xf32>
    // Along the last axis all differences are 1: 1 / (1 + e) and e / (1 + e).
    %6 = pop.softmax %x {axis = 2 : i64} : tensor<2x3x2xf32>
    pop.expect_close %6, dense<[[[0.26894142, 0.73105858], [0.26894142, 0.73105858], [0.26894142, 0.73105858]],
                                [[0.26894142, 0.73105858], [0.26894142, 0.73105858], [0.26894142, 0.73105858]]]> : tensor<2x3x2xf32> {rtol = 2.0e-7 : f64}
    // (x - mean) * (scale / sqrt(variance)) + bias, with factors 1/2, 1, 2.
    %scale = pop.constant dense<[1.0, 2.0, 2.0]> : tensor<3xf32>
    %bias = pop.constant dense<[0.0, 1.0, -1.0]> : tensor<3xf32>
    %mean = pop.constant dense<[0.0, 2.0, 4.0]> : tensor<3xf32>
    %variance = pop.constant dense<[4.0, 4.0, 1.0]> : tensor<3xf32>
    %7 = pop.batch_norm %x, %scale, %bias, %mean, %variance {epsilon = 0.0 : f32} : tensor<2x3x2xf32>, tensor<3xf32>
    pop.expect_eq %7, dense<[[[0.0, 0.5], [1.0, 2.0], [-1.0, 1.0]], [[3.0, 3.5], [7.0, 8.0], [11.0, 13.0]]]> : tensor<2x3x2xf32>
    // Each channel is its mean -3.5, -2.5, +2.5, +3.5, whose squares have the
    // mean 9.25: with 6.75, the square of 4. Factors are 1/4, 1/2, 1/2.
    %8, %m, %v = pop.batch_norm_training %x, %scale, %bias {epsilon = 6.75 : f32} : tensor<2x3x2xf32>, tensor<3xf32>
    pop.expect_eq %8, dense<[[[-0.875, -0.625], [-0.75, -0.25], [-2.75, -2.25]], [[0.625, 0.875], [2.25, 2.75], [0.25, 0.75]]]> : tensor<2x3x2xf32>
    pop.expect_eq %m, dense<[3.5, 5.5, 7.5]> : tensor<3xf32>
    pop.expect_eq %v, dense<9.25> : tensor<3xf32>
    // In f16 the mean of 2048 and 2050, 2049, is rounded to 2048 only at the end:
    // both elements are 1 from it, and the variance is 1.
    %narrow = pop.constant dense<[[2048.0], [2050.0]]> : tensor<2x1xf16>
    %one_h = pop.constant dense<1.0> : tensor<1xf16>
    %zero_h = pop.constant dense<0.0> : tensor<1xf16>
    %yh, %mh, %vh = pop.batch_norm_training %narrow, %one_h, %zero_h {epsilon = 0.0 : f32} : tensor<2x1xf16>, tensor<1xf16>
    pop.expect_eq %yh, dense<[[-1.0], [1.0]]> : tensor<2x1xf16>
    pop.expect_eq %mh, dense<2048.0> : tensor<1xf16>
    pop.expect_eq %vh, dense<1.0> : tensor<1xf16>
    // The mean of nothing is 0 / 0.
    %empty = pop.constant dense<> : tensor<0x3xf32>
    %9, %me, %ve = pop.batch_norm_training %empty, %scale, %bias : tensor<0x3xf32>, tensor<3xf32>
    pop.expect_eq %me, dense<0x7FC00000> : tensor<3xf32>
    pop.expect_eq %ve, dense<0x7FC00000> : tensor<3xf32>
    return
  }
}

// -----

// The order is that of `accum`: 2^24 and ones. Lane 0 adds 2^24 + 1 + 1 = 2^24
// (each one is lost), lane 1 adds 1 + 1 + 1 = 3; then 2^24 + 3 is a tie that
// goes to 2^24 + 4.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x_n: tensor<6xi32> {pop.name = "x"}) {
    %x = pop.cast %x_n : tensor<6xi32> to tensor<6xf32>
    %least = pop.constant dense<[16777216.0, 0.0, -1.0, -2.0, -3.0, -4.0]> : tensor<6xf32>
    %terms = pop.add %x, %least : tensor<6xf32>
    %y = pop.reduce sum %terms {axes = array<i64: 0>, accum = #pop.accum<blocked, block = 6, lanes = 2>} : tensor<6xf32> -> tensor<f32>
    pop.expect_eq %y, dense<16777220.0> : tensor<f32>
    return
  }
}

// -----

func.func @main(%x_n: tensor<3x2xi32> {pop.name = "x"}) {
  %x = pop.cast %x_n : tensor<3x2xi32> to tensor<3x2xf32>
  %y = pop.reduce sum %x {axes = array<i64: 1>} : tensor<3x2xf32> -> tensor<3xf32>
  // expected-error @+1 {{first at [2]: got 9.0, expected 8.0}}
  pop.expect_eq %y, dense<[1.0, 5.0, 8.0]> : tensor<3xf32>
  return
}
