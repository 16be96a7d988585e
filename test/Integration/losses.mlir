// Losses of values worked out by hand.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  // A ramp, so that nothing is folded.
  func.func @main(%n: tensor<2x3xi32> {pop.name = "n"}, %empty_n: tensor<0x3xi32> {pop.name = "e"}) {
    // [[0, 1, 2], [3, 4, 5]]
    %x = pop.cast %n : tensor<2x3xi32> to tensor<2x3xf32>
    %t = pop.constant dense<[[1.0, 1.0, 0.0], [6.0, 2.0, 5.0]]> : tensor<2x3xf32>
    %0 = pop.l1_loss none %x, %t : tensor<2x3xf32> -> tensor<2x3xf32>
    pop.expect_eq %0, dense<[[1.0, 0.0, 2.0], [3.0, 2.0, 0.0]]> : tensor<2x3xf32>
    %1 = pop.l1_loss sum %x, %t : tensor<2x3xf32> -> tensor<f32>
    pop.expect_eq %1, dense<8.0> : tensor<f32>
    %2 = pop.l2_loss none %x, %t : tensor<2x3xf32> -> tensor<2x3xf32>
    pop.expect_eq %2, dense<[[1.0, 0.0, 4.0], [9.0, 4.0, 0.0]]> : tensor<2x3xf32>
    %3 = pop.l2_loss mean %x, %t : tensor<2x3xf32> -> tensor<f32>
    pop.expect_eq %3, dense<3.0> : tensor<f32>
    %4 = pop.identity_loss mean %x : tensor<2x3xf32> -> tensor<f32>
    pop.expect_eq %4, dense<2.5> : tensor<f32>
    %5 = pop.identity_loss none %x : tensor<2x3xf32> -> tensor<2x3xf32>
    pop.expect_eq %5, dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>

    // Differences and sums of narrow floats are not rounded, the result is once.
    %most = pop.constant dense<65504.0> : tensor<2x3xf16>
    %x_h = pop.cast %n : tensor<2x3xi32> to tensor<2x3xf16>
    %6 = pop.l1_loss mean %x_h, %most : tensor<2x3xf16> -> tensor<f32>
    pop.expect_eq %6, dense<65501.5> : tensor<f32>
    %7 = pop.l1_loss mean %x_h, %most : tensor<2x3xf16> -> tensor<f16>
    pop.expect_eq %7, dense<65504.0> : tensor<f16>

    // Of nothing.
    %empty = pop.cast %empty_n : tensor<0x3xi32> to tensor<0x3xf32>
    %8 = pop.l2_loss sum %empty, %empty : tensor<0x3xf32> -> tensor<f32>
    pop.expect_eq %8, dense<0.0> : tensor<f32>
    %9 = pop.l2_loss mean %empty, %empty : tensor<0x3xf32> -> tensor<f32>
    pop.expect_eq %9, dense<0x7FC00000> : tensor<f32>
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%n: tensor<6xi32> {pop.name = "n"}) {
    %zeros_n = pop.sub %n, %n : tensor<6xi32>
    %zeros = pop.cast %zeros_n : tensor<6xi32> to tensor<6xf32>
    // ln(2) of a half; a probability of 0 of what is there counts as 2^-126.
    %p_c = pop.constant dense<[0.0, 1.0, 0.5, 0.5, 0.0, 1.0]> : tensor<6xf32>
    %t_c = pop.constant dense<[0.0, 1.0, 1.0, 0.25, 1.0, 0.5]> : tensor<6xf32>
    %p = pop.add %p_c, %zeros : tensor<6xf32>
    %t = pop.add %t_c, %zeros : tensor<6xf32>
    %0 = pop.binary_cross_entropy_loss none %p, %t : tensor<6xf32> -> tensor<6xf32>
    pop.expect_close %0, dense<[0.0, 0.0, 0.69314718, 0.69314718, 87.336545, 43.6682725]> : tensor<6xf32> {rtol = 2.0e-7 : f64}

    // Large logits do not overflow, small losses are not lost.
    %l_c = pop.constant dense<[1000.0, -1000.0, 0.0, 2.0, -20.0, 20.0]> : tensor<6xf32>
    %u_c = pop.constant dense<[0.0, 1.0, 0.75, 0.5, 0.0, 1.0]> : tensor<6xf32>
    %l = pop.add %l_c, %zeros : tensor<6xf32>
    %u = pop.add %u_c, %zeros : tensor<6xf32>
    %1 = pop.binary_cross_entropy_loss none %l, %u {of_logits} : tensor<6xf32> -> tensor<6xf32>
    pop.expect_close %1, dense<[1000.0, 1000.0, 0.69314718, 1.12692801, 2.06115362e-09, 2.06115362e-09]> : tensor<6xf32> {rtol = 4.0e-7 : f64, atol = 0.0 : f64}
    %2 = pop.binary_cross_entropy_loss sum %l, %u {of_logits} : tensor<6xf32> -> tensor<f32>
    pop.expect_close %2, dense<2001.82007> : tensor<f32> {rtol = 2.0e-7 : f64}
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%n: tensor<5x3xi32> {pop.name = "n"}, %first: tensor<1x2x3xi8> {pop.name = "f"}) {
    // -[[1, 2, 3], [4, 5, 6], ...]
    %one = pop.constant dense<-1.0> : tensor<f32>
    %m = pop.cast %n : tensor<5x3xi32> to tensor<5x3xf32>
    %x = pop.sub %one, %m : (tensor<f32>, tensor<5x3xf32>) -> tensor<5x3xf32>
    // The fourth is no class and neither is the fifth.
    %labels = pop.constant dense<[2, 0, 1, 3, -1]> : tensor<5xi32>
    %weights = pop.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>

    %0 = pop.nll_loss none %x, %labels : tensor<5x3xf32>, tensor<5xi32> -> tensor<5xf32>
    pop.expect_eq %0, dense<[3.0, 4.0, 8.0, 0.0, 0.0]> : tensor<5xf32>
    %1 = pop.nll_loss sum %x, %labels : tensor<5x3xf32>, tensor<5xi32> -> tensor<f32>
    pop.expect_eq %1, dense<15.0> : tensor<f32>
    %2 = pop.nll_loss mean %x, %labels : tensor<5x3xf32>, tensor<5xi32> -> tensor<f32>
    pop.expect_eq %2, dense<5.0> : tensor<f32>
    %3 = pop.nll_loss none %x, %labels, %weights : tensor<5x3xf32>, tensor<5xi32>, tensor<3xf32> -> tensor<5xf32>
    pop.expect_eq %3, dense<[12.0, 4.0, 16.0, 0.0, 0.0]> : tensor<5xf32>
    // 32 / 7 and, without the first, 20 / 3.
    %4 = pop.nll_loss mean %x, %labels, %weights : tensor<5x3xf32>, tensor<5xi32>, tensor<3xf32> -> tensor<f32>
    pop.expect_eq %4, dense<4.57142878> : tensor<f32>
    %5 = pop.nll_loss mean %x, %labels, %weights {ignore_index = 2 : i64} : tensor<5x3xf32>, tensor<5xi32>, tensor<3xf32> -> tensor<f32>
    pop.expect_eq %5, dense<6.66666651> : tensor<f32>
    %6 = pop.nll_loss mean %x, %labels {ignore_index = 2 : i64} : tensor<5x3xf32>, tensor<5xi32> -> tensor<f32>
    pop.expect_eq %6, dense<6.0> : tensor<f32>

    // Where nothing counts a mean is 0 / 0.
    %others = pop.constant dense<[7, 7, -1, 3, 7]> : tensor<5xi32>
    %7 = pop.nll_loss mean %x, %others : tensor<5x3xf32>, tensor<5xi32> -> tensor<f32>
    pop.expect_eq %7, dense<0x7FC00000> : tensor<f32>
    %8 = pop.cross_entropy_loss mean %x, %others {ignore_index = 7 : i64} : tensor<5x3xf32>, tensor<5xi32> -> tensor<f32>
    pop.expect_eq %8, dense<0x7FC00000> : tensor<f32>
    %9 = pop.cross_entropy_loss sum %x, %others : tensor<5x3xf32>, tensor<5xi32> -> tensor<f32>
    pop.expect_eq %9, dense<0.0> : tensor<f32>

    // What is ignored may be infinite or no number: [[inf, 0.5, nan], [0.25, 1, 2]].
    %p_c = pop.constant dense<[[[0x7F800000, 0.5, 0x7FC00000], [0.25, 1.0, 2.0]]]> : tensor<1x2x3xf32>
    %f = pop.cast %first : tensor<1x2x3xi8> to tensor<1x2x3xf32>
    %zeros = pop.sub %f, %f : tensor<1x2x3xf32>
    %p = pop.add %p_c, %zeros : tensor<1x2x3xf32>
    %ids = pop.constant dense<[[0, 1, 0]]> : tensor<1x3xui8>
    %10 = pop.nll_loss none %p, %ids {ignore_index = 0 : i64, of_probabilities} : tensor<1x2x3xf32>, tensor<1x3xui8> -> tensor<1x3xf32>
    pop.expect_eq %10, dense<[[0.0, -0.0, 0.0]]> : tensor<1x3xf32>
    %halves = pop.constant dense<[[1, 0, 1]]> : tensor<1x3xui8>
    %11 = pop.nll_loss none %p, %halves {of_probabilities} : tensor<1x2x3xf32>, tensor<1x3xui8> -> tensor<1x3xf32>
    pop.expect_close %11, dense<[[1.38629436, 0.69314718, -0.69314718]]> : tensor<1x3xf32> {rtol = 2.0e-7 : f64}
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%n: tensor<3x2xi32> {pop.name = "n"}) {
    // [[0, 1], [2, 3], [4, 5]] * 1000: e^5000 is no f32.
    %thousand = pop.constant dense<1000.0> : tensor<f32>
    %m = pop.cast %n : tensor<3x2xi32> to tensor<3x2xf32>
    %x = pop.mul %m, %thousand : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %labels = pop.constant dense<[0, 1, 0]> : tensor<3xi64>
    %weights = pop.constant dense<[0.5, 3.0]> : tensor<2xf32>
    %0 = pop.cross_entropy_loss none %x, %labels : tensor<3x2xf32>, tensor<3xi64> -> tensor<3xf32>
    pop.expect_eq %0, dense<[1000.0, 0.0, 1000.0]> : tensor<3xf32>
    // 1000 / 4
    %1 = pop.cross_entropy_loss mean %x, %labels, %weights : tensor<3x2xf32>, tensor<3xi64>, tensor<2xf32> -> tensor<f32>
    pop.expect_eq %1, dense<250.0> : tensor<f32>
    %2 = pop.cross_entropy_loss mean %x, %labels, %weights {ignore_index = 1 : i64} : tensor<3x2xf32>, tensor<3xi64>, tensor<2xf32> -> tensor<f32>
    pop.expect_eq %2, dense<1000.0> : tensor<f32>
    // ln(1 + e), ln(1 + e) - 1
    %3 = pop.cross_entropy_loss none %m, %labels : tensor<3x2xf32>, tensor<3xi64> -> tensor<3xf32>
    pop.expect_close %3, dense<[1.31326169, 0.31326169, 1.31326169]> : tensor<3xf32> {rtol = 4.0e-7 : f64}
    // Rounded once: the sum of f16 losses would be 2.9394 or so.
    %h = pop.cast %n : tensor<3x2xi32> to tensor<3x2xf16>
    %4 = pop.cross_entropy_loss sum %h, %labels : tensor<3x2xf16>, tensor<3xi64> -> tensor<f32>
    pop.expect_close %4, dense<2.93978506> : tensor<f32> {rtol = 4.0e-7 : f64}

    // More classes than labels of i8 can name.
    %many_c = pop.constant dense<0.0> : tensor<1x300xf16>
    %byte = pop.constant dense<127> : tensor<1xi8>
    %5 = pop.cross_entropy_loss mean %many_c, %byte : tensor<1x300xf16>, tensor<1xi8> -> tensor<f32>
    pop.expect_close %5, dense<5.70378247> : tensor<f32> {rtol = 2.0e-7 : f64}
    return
  }
}
