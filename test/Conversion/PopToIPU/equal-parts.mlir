// RUN: ipu-opt %s --pop-map-tensors --mlir-print-local-scope --split-input-file | FileCheck %s

// Each IPU has an equal part of the batch, and the weights. The tiles that read
// the weights have copies.

// CHECK-LABEL: @batch
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 12 : i64, ipus = 4 : i64}>} {
  func.func @batch(%x: tensor<64x24xf32>) -> tensor<64x24xf32> {
    // CHECK: pop.constant {ipu.map = #ipu.map<[1, 24, 24], grid = [16, 3], blocks = [all, all, p1 * 8 : 8], ipus = [4, 1] * 12
    %w = pop.constant dense<0.5> : tensor<24x24xf32>
    // CHECK: pop.matmul
    // CHECK-SAME: ipu.map = #ipu.map<[1, 64, 24], grid = [16, 3], blocks = [all, p0 * 4 : 4, p1 * 8 : 8], ipus = [4, 1] * 12
    %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<64x24xf32>, tensor<24x24xf32>) -> tensor<64x24xf32>
    // CHECK: pop.relu
    // CHECK-SAME: ipus = [4, 1] * 12
    %y = pop.relu %0 : tensor<64x24xf32>
    return %y : tensor<64x24xf32>
  }
}
