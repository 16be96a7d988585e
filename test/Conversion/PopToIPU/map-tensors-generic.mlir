// RUN: ipu-opt %s --mlir-print-local-scope --pass-pipeline='builtin.module(pop-map-tensors{planner=generic})' | FileCheck %s

// The generic path: tensors in their order; an op that cannot be cut so, by its
// first legal partition, in the order in which its vertices store.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // CHECK-LABEL: func.func @main
  // CHECK-SAME: %{{.*}}: tensor<4x6xf32> {ipu.map = #ipu.map<[24], grid = [12], blocks = [p0 * 2 : 2]>}
  // CHECK-SAME: %{{.*}}: tensor<6x8xf32> {ipu.map = #ipu.map<[48], grid = [16], blocks = [p0 * 3 : 3]>}
  func.func @main(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {
    // CHECK: pop.matmul {{.*}} {accum = #pop.accum<chain>, ipu.map = #ipu.map<[1, 4, 8], grid = [4, 4], blocks = [all, p0 * 1 : 1, p1 * 2 : 2], layout = affine_map<(d0, d1, d2) -> (d0, d2 floordiv 2, d1, d2 mod 2)>>}
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
    // CHECK: pop.relu {{.*}} {ipu.map = #ipu.map<[32], grid = [16], blocks = [p0 * 2 : 2]>}
    %1 = pop.relu %0 : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
