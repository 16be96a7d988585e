// RUN: ipu-run %s --input '*=ramp' --output-dir %t --profile %t.json
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s --check-prefix=FAST
// RUN: ipu-run %s --engine none --cost detailed --profile %t.json
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s --check-prefix=DETAILED
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline{cost-level=detailed},ipu-execute{engine=none profile=%t.json})'
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s --check-prefix=DETAILED

// Whole programs differ by little.
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/levels.py %t %S/broadcast.mlir %S/copy.mlir %S/elementwise.mlir %S/levels.mlir %S/matmul.mlir %S/reduce.mlir %S/supersteps.mlir %src_root/examples/lenet.onnxtxt %src_root/examples/resnet8.onnxtxt | FileCheck %s

// CHECK-NOT: differs
// CHECK: 9 programs, greatest difference in thousandths:

// 56 elements on 4 tiles: 14 on each, 7 pairs. Of 6 workers one has two: 6 * (29 + 3
// * 2) = 210 cycles, and the others 6 * (29 + 3) = 192. Both ops are in one compute
// set. One after the other they take 2 * (11 + 210) = 442, and 30: 472.
// Otherwise five contexts are free at 11 + 192 = 203 and one at 221. The first of
// the five takes 210, to 413, as does the last with 192. 413, and 30: 443.
// (472 - 443) / 443 = 0.065.

// FAST: host x
// FAST-NEXT: compute pop.add+pop.mul 472
// DETAILED: host x
// DETAILED-NEXT: compute pop.add+pop.mul 443
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x: tensor<56xf32> {pop.name = "x"})
      -> (tensor<56xf32> {pop.name = "y"}, tensor<56xf32> {pop.name = "z"}) {
    %0 = pop.add %x, %x : tensor<56xf32>
    %1 = pop.mul %x, %x : tensor<56xf32>
    return %0, %1 : tensor<56xf32>, tensor<56xf32>
  }
}
