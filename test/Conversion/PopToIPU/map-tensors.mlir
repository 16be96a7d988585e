// RUN: ipu-opt %s --split-input-file --mlir-print-local-scope --pass-pipeline='builtin.module(pop-map-tensors)' | FileCheck %s

// The example of the pass description: an elementwise op follows its operand.

// CHECK-LABEL: func.func @main
// CHECK-SAME: tensor<2944xf32> {ipu.map = #ipu.map<[2944], grid = [1472], blocks = [p0 * 2 : 2]>}
// CHECK: pop.relu %{{.*}} {ipu.map = #ipu.map<[2944], grid = [1472], blocks = [p0 * 2 : 2]>}
func.func @main(%x: tensor<2944xf32>) -> tensor<2944xf32> {
  %0 = pop.relu %x : tensor<2944xf32>
  return %0 : tensor<2944xf32>
}

// -----

// A matmul is cut over m and n, and its operands lie along the cuts; what follows
// it elementwise stays with it, whatever the factorisation of the elements, and
// over a view.

// CHECK-LABEL: func.func @matmul
// CHECK: pop.matmul {{.*}} {accum = #pop.accum<chain>, ipu.map = #ipu.map<[1, 64, 96], [[GRID:grid = \[[0-9]+, [0-9]+\]]], blocks = [all, [[BLOCKS:p0 \* [0-9]+ : [0-9]+, p1 \* [0-9]+ : [0-9]+]]]>}
// CHECK: pop.add {{.*}} {ipu.map = #ipu.map<[64, 96], [[GRID]], blocks = [[[BLOCKS]]]>}
// CHECK: pop.exp {{.*}} {ipu.map = #ipu.map<[64, 96], [[GRID]], blocks = [[[BLOCKS]]]>}
// CHECK: pop.reshape %{{[0-9]+}} : tensor
// CHECK: pop.tanh {{.*}} {ipu.map = #ipu.map<[64, 96], [[GRID]], blocks = [[[BLOCKS]]]>}
func.func @matmul(%a: tensor<64x128xf32>, %b: tensor<128x96xf32>, %c : tensor<96xf32>) -> tensor<6144xf32> {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
  %1 = pop.add %0, %c : (tensor<64x96xf32>, tensor<96xf32>) -> tensor<64x96xf32>
  %2 = pop.exp %1 : tensor<64x96xf32>
  %3 = pop.reshape %2 : tensor<64x96xf32> to tensor<6144xf32>
  %4 = pop.tanh %3 : tensor<6144xf32>
  return %4 : tensor<6144xf32>
}

// -----

// Maps that are there are kept, and others go with them: the constant goes where
// its only other reader is.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // CHECK-LABEL: func.func @small
  // CHECK-SAME: tensor<2xf16> {ipu.map = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>}
  // CHECK-SAME: tensor<3xf16> {ipu.map = #ipu.map<[3], grid = [2], blocks = [p0 * 2 : 2]>}
  // CHECK-SAME: tensor<f32> {ipu.map = #ipu.map<[1], grid = [], blocks = [all]>}
  // CHECK-SAME: tensor<0x4xf32> {ipu.map = #ipu.map<[0], grid = [], blocks = [all]>}
  func.func @small(%a: tensor<2xf16>, %b: tensor<3xf16>, %c: tensor<f32>, %d: tensor<0x4xf32>) {
    // CHECK: pop.constant {ipu.map = #ipu.map<[4], grid = [], blocks = [all], first = 5>}
    %0 = pop.constant dense<1.0> : tensor<2x2xf32>
    // CHECK: pop.relu {{.*}} {ipu.map = #ipu.map<[4], grid = [], blocks = [all], first = 5>}
    %1 = pop.relu %0 {ipu.map = #ipu.map<[4], grid = [], blocks = [all], first = 5>} : tensor<2x2xf32>
    // CHECK: pop.add {{.*}} {ipu.map = #ipu.map<[4], grid = [], blocks = [all], first = 5>}
    %2 = pop.add %0, %1 : tensor<2x2xf32>
    return
  }
}

// -----

// Ops that care decide the maps of their operands. The right operand of the
// matmul lies transposed and is wanted in columns by eight tiles each: it is cut
// along k, not in its order, which would be along n.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // CHECK-LABEL: func.func @operands
  // CHECK-SAME: %{{.*}}: tensor<16x256xf32> {ipu.map = #ipu.map<[16, 256], grid = [16], blocks = [all, p0 * 16 : 16]>}
  // CHECK: pop.matmul {{.*}} {accum = #pop.accum<chain>, ipu.map = #ipu.map<[1, 96, 16], grid = [8, 2], blocks = [all, p0 * 12 : 12, p1 * 8 : 8]>}
  func.func @operands(%a: tensor<96x256xf32>, %b: tensor<16x256xf32>) -> tensor<96x16xf32> {
    %0 = pop.transpose %b {permutation = array<i64: 1, 0>} : tensor<16x256xf32> -> tensor<256x16xf32>
    %1 = pop.matmul %a, %0 {accum = #pop.accum<chain>} : (tensor<96x256xf32>, tensor<256x16xf32>) -> tensor<96x16xf32>
    return %1 : tensor<96x16xf32>
  }
}
