// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline{planner=generic merge-steps=false accumulation=chain},ipu-execute{inputs="*=ramp" results=%t profile=%t.json})'
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s

// The methods of convolutions and matmuls on one tile, and 30 for each compute set.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  func.func @main(%a: tensor<1x8x9x16xf16> {pop.name = "a"}, %wa: tensor<8x1x3x3xf16> {pop.name = "wa"},
                  %b: tensor<1x1x1x8xf32> {pop.name = "b"}, %wb: tensor<1x1x1x3xf32> {pop.name = "wb"},
                  %c: tensor<1x3x1x29xf16> {pop.name = "c"}, %wc: tensor<4x3x1x7xf16> {pop.name = "wc"},
                  %d: tensor<1x4x3x8xf16> {pop.name = "d"}, %wd: tensor<4x1x3x3xf16> {pop.name = "wd"},
                  %e: tensor<12x1xf16> {pop.name = "e"}, %we: tensor<1x32xf16> {pop.name = "we"},
                  %f: tensor<6x64xf16> {pop.name = "f"}, %wf: tensor<64x1xf16> {pop.name = "wf"},
                  %g: tensor<1x8x7x8xf16> {pop.name = "g"}, %wg: tensor<32x8x3x3xf16> {pop.name = "wg"},
                  %h: tensor<1x8x4x14xf32> {pop.name = "h"}, %wh: tensor<8x1x3x3xf32> {pop.name = "wh"})
      -> (tensor<1x8x7x14xf16> {pop.name = "ya"}, tensor<1x1x1x6xf32> {pop.name = "yb"},
          tensor<1x4x1x12xf16> {pop.name = "yc"}, tensor<1x4x1x6xf16> {pop.name = "yd"},
          tensor<12x32xf16> {pop.name = "ye"}, tensor<6x1xf16> {pop.name = "yf"},
          tensor<1x32x5x6xf16> {pop.name = "yg"}, tensor<1x8x2x12xf32> {pop.name = "yh"}) {
    // Depthwise, f16: two times four groups, three rows of the kernel, a worker with
    // two rows of 14, which take 2 * 20 + 28:
    // 50 + 2 * (12 + 3 * (20 + 109 + 6 * (17 + 68))) = 3908.
    // CHECK: compute pop.conv 3938 slic
    %0 = pop.conv %a, %wa {groups = 8 : i64} : (tensor<1x8x9x16xf16>, tensor<8x1x3x3xf16>) -> tensor<1x8x7x14xf16>
    // One channel, f32: a worker has one position, three of the kernel, one load:
    // 58 + 38 + 10 + 6 * (16 + 3 * (10 + 19 + 14)) = 976.
    // CHECK: compute pop.conv 1006 hmac
    %1 = pop.conv %b, %wb : (tensor<1x1x1x8xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x6xf32>
    // A group of four channels, one of them zeros, and 7 positions of the kernel in
    // two times four. A worker has two positions, and takes the time of three, by
    // stride 2: 50 + 12 + 2 * (20 + 34 + 6 * (17 + 19 + 2 * 3)) = 674.
    // CHECK: compute pop.conv 704 slic
    %2 = pop.conv %c, %wc {strides = array<i64: 1, 2>} : (tensor<1x3x1x29xf16>, tensor<4x3x1x7xf16>) -> tensor<1x4x1x12xf16>
    // Depthwise, f16, few positions: a worker has three rows of the kernel, 15 + 4
    // each, and adds up six partial sums of one position:
    // 65 + 23 + 6 * (16 + 3 * 19) + 6 * (32 + 25) = 868.
    // CHECK: compute pop.conv 898 vmac
    %3 = pop.conv %d, %wd {groups = 4 : i64} : (tensor<1x4x3x8xf16>, tensor<4x1x3x3xf16>) -> tensor<1x4x1x6xf16>
    // Two rows for each worker, of f32, which is rounded by the cast that follows:
    // 6 * (25 + 11 + 2 * (6 + (32 - 6) / 2)) = 444.
    // CHECK: compute pop.matmul 474 outer_product
    %4 = pop.matmul %e, %we : (tensor<12x1xf16>, tensor<1x32xf16>) -> tensor<12x32xf16>
    // One column: 65 + 38 + 10 + 6 * (16 + 10 + 19 + 13 + 64 / 4) = 557.
    // CHECK: compute pop.matmul 587 hmac
    %5 = pop.matmul %f, %wf : (tensor<6x64xf16>, tensor<64x1xf16>) -> tensor<6x1xf16>
    // Eight channels are half of a block, so that two rows of the kernel, of four,
    // are taken at once; 30 positions, five for each worker, 25 + 4 * 5 cycles:
    // 50 + 12 + 15 + 2 * (19 + 2 * 3 * (6 + 64 + 31 + 6 * 45)) = 4567.
    // CHECK: compute pop.conv 4597 amp
    %6 = pop.conv %g, %wg : (tensor<1x8x7x8xf16>, tensor<32x8x3x3xf16>) -> tensor<1x32x5x6xf16>
    // Depthwise, f32: eight groups as one of eight channels, four positions for each
    // worker: 50 + 12 + 15 + 19 + 9 * (6 + 64 + 6 * (46 + 8)) = 3642; arranging the
    // operands, 448 elements and 8 * 8 * 9 with zeros, takes 1024 * 5 / 4.
    // CHECK: compute pop.conv 4952 combined_amp
    %7 = pop.conv %h, %wh {groups = 8 : i64} : (tensor<1x8x4x14xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x2x12xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<1x8x7x14xf16>, tensor<1x1x1x6xf32>, tensor<1x4x1x12xf16>,
      tensor<1x4x1x6xf16>, tensor<12x32xf16>, tensor<6x1xf16>, tensor<1x32x5x6xf16>, tensor<1x8x2x12xf32>
  }
}
