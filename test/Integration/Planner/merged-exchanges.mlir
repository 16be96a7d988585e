// The bias of a convolution can be moved together with the weights. So the planner
// charges neither the 90 cycles of a sync nor the 100 cycles of a setup for the
// exchange of the addition, and ipu-merge-steps merges the exchanges.

// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-to-ipu-pipeline)' --remark-format=emitRemark --remarks-filter='ipu-plan' -o %t.mlir 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: FileCheck %s < %t.mlir

// PLAN: cycles=113177, {{.*}}unmerged=113367

// The second exchange has the moves that gain nothing from pairs of tiles.
// CHECK: ipu.exchange "pop.pad+pop.conv+pop.add"
// CHECK: ipu.move {{.*}}memref<32x1x1xf16
// CHECK: ipu.exchange "pop.pad+pop.conv+pop.add"
// CHECK-NOT: ipu.exchange

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  func.func @main(%x: tensor<1x16x6x6xf16>, %w: tensor<32x16x3x3xf16>, %b: tensor<32x1x1xf16>) -> tensor<1x32x6x6xf16> {
    %0 = pop.conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x16x6x6xf16>, tensor<32x16x3x3xf16>) -> tensor<1x32x6x6xf16>
    %1 = pop.add %0, %b : (tensor<1x32x6x6xf16>, tensor<32x1x1xf16>) -> tensor<1x32x6x6xf16>
    return %1 : tensor<1x32x6x6xf16>
  }
}
