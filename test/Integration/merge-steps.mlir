// Merged steps give the same bits in no more cycles, on one IPU and on two.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline{merge-steps=false},ipu-execute{inputs="*=random:1" engine=interp results=%t.apart profile=%t.apart.json})'
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=random:1" engine=interp results=%t.merged profile=%t.merged.json})'
// RUN: diff -r %t.apart %t.merged
// RUN: %python %S/Inputs/compare-steps.py %t.apart.json %t.merged.json
// RUN: sed 's/tiles = 16/tiles = 8 : i64, ipus = 2/' %s > %t.two.mlir
// RUN: ipu-opt %t.two.mlir -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline{merge-steps=false},ipu-execute{inputs="*=random:1" engine=interp results=%t.apart profile=%t.apart.json})'
// RUN: ipu-opt %t.two.mlir -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=random:1" check engine=interp results=%t.two profile=%t.two.json})'
// RUN: diff -r %t.merged %t.two
// RUN: diff -r %t.apart %t.two
// RUN: %python %S/Inputs/compare-steps.py %t.apart.json %t.two.json

// Branches of several steps, an operand that several use, parts of one tensor.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  func.func @main(%x: tensor<8x12xf32> {pop.name = "x"}, %w: tensor<12x8xf32> {pop.name = "w"}, %v: tensor<12x8xf32> {pop.name = "v"}) -> (tensor<8x8xf32> {pop.name = "y"}, tensor<16x8xf32> {pop.name = "z"}) {
    %0 = pop.matmul %x, %w : (tensor<8x12xf32>, tensor<12x8xf32>) -> tensor<8x8xf32>
    %1 = pop.tanh %0 : tensor<8x8xf32>
    %2 = pop.matmul %1, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = pop.matmul %x, %v : (tensor<8x12xf32>, tensor<12x8xf32>) -> tensor<8x8xf32>
    %4 = pop.relu %3 : tensor<8x8xf32>
    %5 = pop.matmul %4, %3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %6 = pop.add %2, %5 : tensor<8x8xf32>
    %7 = pop.transpose %5 {permutation = array<i64: 1, 0>} : tensor<8x8xf32> -> tensor<8x8xf32>
    %8 = pop.concat %7, %2 {axis = 0 : i64} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    return %6, %8 : tensor<8x8xf32>, tensor<16x8xf32>
  }
}
