// The planner's total is that of the program it leads to, whatever it is made of:
// pads, concats, views that need a copy, operands that are read twice, scalars,
// results that are views, expectations.

// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-to-ipu-pipeline{merge-steps=false})' --remark-format=emitRemark --remarks-filter='ipu-plan' -o %t.mlir > %t.txt 2>&1
// RUN: %python %S/Inputs/check-plan.py %t.txt %t.mlir | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-to-ipu-pipeline{planner=generic merge-steps=false})' --remark-format=emitRemark --remarks-filter='ipu-plan' -o %t.mlir > %t.txt 2>&1
// RUN: %python %S/Inputs/check-plan.py %t.txt %t.mlir | FileCheck %s

// CHECK: planned is lowered: True
// CHECK: data is at least what is live: True

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 40 : i64}>} {
  func.func @main(%x: tensor<12x20xf32>, %y: tensor<12x20xf16>, %s: tensor<f32>)
      -> (tensor<20x12xf32>, tensor<24x20xf32>, tensor<240xf32>, tensor<12x20xf32>) {
    %one = pop.constant dense<1.0> : tensor<12x20xf32>
    %wide = pop.cast %y : tensor<12x20xf16> to tensor<12x20xf32>
    %t = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<12x20xf32> -> tensor<20x12xf32>
    %m = pop.matmul %x, %t : (tensor<12x20xf32>, tensor<20x12xf32>) -> tensor<12x12xf32>
    %square = pop.mul %x, %x : tensor<12x20xf32>
    %scaled = pop.mul %square, %s : (tensor<12x20xf32>, tensor<f32>) -> tensor<12x20xf32>
    %both = pop.concat %scaled, %wide {axis = 0 : i64} : (tensor<12x20xf32>, tensor<12x20xf32>) -> tensor<24x20xf32>
    %flat = pop.reshape %t : tensor<20x12xf32> to tensor<240xf32>
    %neg = pop.neg %flat : tensor<240xf32>
    %padded = pop.pad %m {low = array<i64: 0, 4>, high = array<i64: 0, 4>, value = 1.0 : f32} : tensor<12x12xf32> -> tensor<12x20xf32>
    %sum = pop.add %padded, %one : tensor<12x20xf32>
    return %t, %both, %neg, %sum : tensor<20x12xf32>, tensor<24x20xf32>, tensor<240xf32>, tensor<12x20xf32>
  }
}
