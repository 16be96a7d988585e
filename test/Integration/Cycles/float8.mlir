// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline{planner=generic merge-steps=false},ipu-execute{inputs="*=ramp" results=%t profile=%t.json})'
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=PEAK < %t.json

// The matrix unit of a c600 takes 32 channels of f8 at once. 48 x 64 times 64 x 32:
// two blocks of each; loading one takes 32 * 16 / 8 = 64 cycles; a worker has 8 rows,
// 44 + 4 * 5 - 7 = 57 cycles: 50 + 12 + 11 + 2 * (18 + 7 + 64 + 6 * 57) +
// 15 + 2 * (19 + 6 + 64 + 6 * 57) + 6 * (7 + 3) = 1872.
// CHECK: compute pop.matmul 1902 amp
// PEAK: "matrix_f8": 256
// What is not native costs what f32 costs: a depth of 8 blocks, 46 + 8 * 5 - 7 = 79 and
// 64: 50 + 12 + 11 + 2 * (18 + 7 + 64 + 6 * 79) + 7 * (15 + 2 * (19 + 6 + 64 + 6 * 79)) +
// 6 * (7 + 3 * 7) = 9354.
// CHECK: compute pop.matmul 9384 amp
// PEAK: "unit": "matrix_f8"
// PEAK: "unit": "matrix_f32"
module attributes {ipu.target = #ipu.target<"c600", {tiles = 1 : i64}>} {
  func.func @main(%a: tensor<48x64xf8E4M3FNUZ> {pop.name = "a"}, %b: tensor<64x32xf8E4M3FNUZ> {pop.name = "b"},
                  %c: tensor<48x64xf8E4M3FN> {pop.name = "c"}, %d: tensor<64x32xf8E4M3FN> {pop.name = "d"})
      -> (tensor<48x32xf32> {pop.name = "y"}, tensor<48x32xf32> {pop.name = "z"}) {
    %0 = pop.matmul %a, %b : (tensor<48x64xf8E4M3FNUZ>, tensor<64x32xf8E4M3FNUZ>) -> tensor<48x32xf32>
    %1 = pop.matmul %c, %d : (tensor<48x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>) -> tensor<48x32xf32>
    return %0, %1 : tensor<48x32xf32>, tensor<48x32xf32>
  }
}
