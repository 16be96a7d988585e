// Sums whose order decides what they are.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp})'
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  func.func @main(%n: tensor<4x1xi32> {pop.name = "n"}) {
    // What is 1 for all: 2^24 + 1 is rounded to 2^24, but 1 - 2^24 is exact.
    %four = pop.constant dense<4> : tensor<4x1xi32>
    %small = pop.div %n, %four : tensor<4x1xi32>
    %zeros = pop.cast %small : tensor<4x1xi32> to tensor<4x1xf32>
    %ones = pop.exp %zeros : tensor<4x1xf32>
    %terms = pop.constant dense<[[16777216.0, 1.0, 1.0, -16777216.0]]> : tensor<1x4xf32>
    %chain = pop.matmul %terms, %ones : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
    pop.expect_eq %chain, dense<0.0> : tensor<1x1xf32>
    %blocks = pop.matmul %terms, %ones {accum = #pop.accum<blocked, block = 2, lanes = 1>} : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
    pop.expect_eq %blocks, dense<1.0> : tensor<1x1xf32>
    // Blocks of 3 and 1 terms: 2^24 and -2^24.
    %rest = pop.matmul %terms, %ones {accum = #pop.accum<blocked, block = 3, lanes = 1>} : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
    pop.expect_eq %rest, dense<0.0> : tensor<1x1xf32>
    // A chain that goes on from 1.
    %one = pop.reshape %ones : tensor<4x1xf32> to tensor<1x4xf32>
    %acc = pop.slice %one {starts = array<i64: 0, 0>, sizes = array<i64: 1, 1>, steps = array<i64: 1, 1>} : tensor<1x4xf32> -> tensor<1x1xf32>
    %last = pop.constant dense<[[16777216.0, -16777216.0, 2.0, 3.0]]> : tensor<1x4xf32>
    %from = pop.matmul %last, %ones, %acc : (tensor<1x4xf32>, tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    pop.expect_eq %from, dense<5.0> : tensor<1x1xf32>

    // A last block that is shorter leaves -0, which is what too small a negative
    // number is rounded to.
    %tiny = pop.constant dense<-1.0e-30> : tensor<1x3xf32>
    %less = pop.constant dense<1.0e-30> : tensor<3x1xf32>
    %minus = pop.matmul %tiny, %less {accum = #pop.accum<blocked, block = 2, lanes = 1>} : (tensor<1x3xf32>, tensor<3x1xf32>) -> tensor<1x1xf32>
    pop.expect_eq %minus, dense<-0.0> : tensor<1x1xf32>

    // Two positions of two channels, in two groups.
    %x = pop.constant dense<[[[16777216.0, 1.0], [1.0, -16777216.0], [16777216.0, -16777216.0], [1.0, 1.0]]]> : tensor<1x4x2xf32>
    %w = pop.constant dense<1.0> : tensor<2x2x2xf32>
    // 2^24 + 1, 1 - 2^24; 2^24 + 1, -2^24 + 1.
    %conv = pop.conv %x, %w {groups = 2 : i64, accum = #pop.accum<blocked, block = 2, lanes = 1, kernel = [1]>} : (tensor<1x4x2xf32>, tensor<2x2x2xf32>) -> tensor<1x2x1xf32>
    pop.expect_eq %conv, dense<[[[1.0], [1.0]]]> : tensor<1x2x1xf32>
    // One channel at both positions: 2^24 + 1, 1 - 2^24; 2^24 - 2^24, 1 + 1.
    %channels = pop.conv %x, %w {groups = 2 : i64, accum = #pop.accum<blocked, block = 1, lanes = 1>} : (tensor<1x4x2xf32>, tensor<2x2x2xf32>) -> tensor<1x2x1xf32>
    pop.expect_eq %channels, dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>

    // Blocks of two channels, and a last block of one: 2^24 + 1, 1 - 2^24 and 1. A
    // chain gives 1. Elements of two groups and of two images are computed at once.
    %five = pop.constant dense<[[[16777216.0], [1.0], [1.0], [-16777216.0], [1.0], [1.0], [2.0], [3.0], [4.0], [5.0]],
                                [[1.0], [2.0], [3.0], [4.0], [5.0], [16777216.0], [1.0], [1.0], [-16777216.0], [3.0]]]> : tensor<2x10x1xf32>
    %five_w = pop.constant dense<1.0> : tensor<4x5x1xf32>
    %short = pop.conv %five, %five_w {groups = 2 : i64, accum = #pop.accum<blocked, block = 2, lanes = 1>} : (tensor<2x10x1xf32>, tensor<4x5x1xf32>) -> tensor<2x4x1xf32>
    pop.expect_eq %short, dense<[[[2.0], [2.0], [15.0], [15.0]], [[15.0], [15.0], [4.0], [4.0]]]> : tensor<2x4x1xf32>

    // Blocks are added to what is there: 1 + 2^24 + (1 - 2^24); a chain from 1 is 0.
    %added = pop.matmul %terms, %ones, %acc {accum = #pop.accum<blocked, block = 2, lanes = 1>} : (tensor<1x4xf32>, tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    pop.expect_eq %added, dense<1.0> : tensor<1x1xf32>
    // So is one block: 1 + (2^24 - 2^24 + 2 + 3).
    %single = pop.matmul %last, %ones, %acc {accum = #pop.accum<blocked, block = 4, lanes = 1>} : (tensor<1x4xf32>, tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    pop.expect_eq %single, dense<6.0> : tensor<1x1xf32>
    // 2048 + 1 is no f16.
    %half = pop.cast %ones : tensor<4x1xf32> to tensor<4x1xf16>
    %halves = pop.constant dense<[[2048.0, 1.0, 1.0, -2048.0]]> : tensor<1x4xf16>
    %wide = pop.matmul %halves, %half {accum = #pop.accum<blocked, block = 2, lanes = 1>} : (tensor<1x4xf16>, tensor<4x1xf16>) -> tensor<1x1xf16>
    pop.expect_eq %wide, dense<2.0> : tensor<1x1xf16>
    %narrow = pop.matmul %halves, %half {accum = #pop.accum<blocked, block = 2, lanes = 1, partials = f16>} : (tensor<1x4xf16>, tensor<4x1xf16>) -> tensor<1x1xf16>
    pop.expect_eq %narrow, dense<1.0> : tensor<1x1xf16>
    return
  }
}
