// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline{planner=generic},ipu-execute{inputs="*=ramp" results=%t profile=%t.json})'
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s

// 4x16 times 16x8, cut in 2x2: each tile computes 2x4.
// Exchange: a tile holds one row of the left operand (64 bytes) and four of the
// right one (4 x 32 bytes). It needs two rows of the left, one of them its own,
// in groups of 8 elements, and 16 x 4 elements of the right, 4 x 4 of them its own,
// in groups of 8 rows, so that each element is a run:
//   received 64 + 12 * 16 = 256 bytes, 64 cycles; sent 64 + 128 = 192 bytes, 48;
//   runs 2 + 48: 100 cycles; its own 64 + 64 bytes in 2 + 16 runs: 288 + 16 +
//   5 * 18 = 394. 64 + 100 + 394 = 558 on each tile, and 100: 658.
// Matrix unit: depth 16 is two blocks of 8, four columns are padded to one of 16;
// loading 16 x 8 weights takes 16 * 8 * 4 / 8 = 64 cycles; a worker has one row, 47,
// of which it saves 7, for 7 and then 3 in all:
//   50 + 12 + 11 + 18 + 7 + 64 + 6 * 40 + 15 + 19 + 6 + 64 + 6 * 40 + 6 * (7 + 3) = 806,
//   and 30: 836.

// CHECK: sync internal 90
// CHECK-NEXT: exchange pop.matmul 658
// CHECK-NEXT: compute pop.matmul 836 amp
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%a: tensor<4x16xf32> {pop.name = "a"}, %b: tensor<16x8xf32> {pop.name = "b"})
      -> (tensor<4x8xf32> {pop.name = "y"}) {
    %0 = pop.matmul %a, %b {ipu.map = #ipu.map<[1, 4, 8], grid = [2, 2], blocks = [all, p0 * 2 : 2, p1 * 4 : 4]>}
      : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
