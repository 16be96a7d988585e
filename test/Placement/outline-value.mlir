// By default, functions are created only if they save memory and calls take few
// cycles.
//
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-choose-accumulation,pop-outline)' | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-choose-accumulation,pop-outline)' --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// The copies of a call would take longer than the ops.
// CHECK-LABEL: func.func @small
// CHECK-NOT: call
// CHECK: return
func.func @small(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = pop.matmul %x, %u : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = pop.relu %0 : tensor<64x64xf32>
  %2 = pop.matmul %1, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = pop.relu %2 : tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// -----

// Layers that are long enough. The weights are copied for each call.
// REMARK-COUNT-1: remark: [Passed] Outline {{.*}} added-cycles-of-call={{[0-9]+}}, calls=3, function=outlined, ops=9, saved-bytes={{[0-9]+}}
// CHECK-LABEL: func.func private @outlined
// CHECK-LABEL: func.func @large
// CHECK-COUNT-3: call @outlined
// CHECK: return
func.func @large(%x: tensor<1024x1024xf16>, %u: tensor<1024x1024xf16>, %v: tensor<1024x1024xf16>, %w: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %l0_0 = pop.matmul %x, %u : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %l0_1 = pop.softmax %l0_0 {axis = 1 : i64} : tensor<1024x1024xf16>
  %l0_2 = pop.matmul %l0_1, %u : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %l0_3 = pop.add %l0_2, %x : tensor<1024x1024xf16>
  %l0_4 = pop.softmax %l0_3 {axis = 0 : i64} : tensor<1024x1024xf16>
  %l0_5 = pop.matmul %l0_4, %l0_1 : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %l0_6 = pop.transpose %l0_5 {permutation = array<i64: 1, 0>} : tensor<1024x1024xf16> -> tensor<1024x1024xf16>
  %l0_7 = pop.matmul %l0_6, %u : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %l0_8 = pop.softmax %l0_7 {axis = 1 : i64} : tensor<1024x1024xf16>
  %l1_0 = pop.matmul %l0_8, %v : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %l1_1 = pop.softmax %l1_0 {axis = 1 : i64} : tensor<1024x1024xf16>
  %l1_2 = pop.matmul %l1_1, %v : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %l1_3 = pop.add %l1_2, %l0_8 : tensor<1024x1024xf16>
  %l1_4 = pop.softmax %l1_3 {axis = 0 : i64} : tensor<1024x1024xf16>
  %l1_5 = pop.matmul %l1_4, %l1_1 : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %l1_6 = pop.transpose %l1_5 {permutation = array<i64: 1, 0>} : tensor<1024x1024xf16> -> tensor<1024x1024xf16>
  %l1_7 = pop.matmul %l1_6, %v : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %l1_8 = pop.softmax %l1_7 {axis = 1 : i64} : tensor<1024x1024xf16>
  %l2_0 = pop.matmul %l1_8, %w : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %l2_1 = pop.softmax %l2_0 {axis = 1 : i64} : tensor<1024x1024xf16>
  %l2_2 = pop.matmul %l2_1, %w : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %l2_3 = pop.add %l2_2, %l1_8 : tensor<1024x1024xf16>
  %l2_4 = pop.softmax %l2_3 {axis = 0 : i64} : tensor<1024x1024xf16>
  %l2_5 = pop.matmul %l2_4, %l2_1 : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %l2_6 = pop.transpose %l2_5 {permutation = array<i64: 1, 0>} : tensor<1024x1024xf16> -> tensor<1024x1024xf16>
  %l2_7 = pop.matmul %l2_6, %w : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %l2_8 = pop.softmax %l2_7 {axis = 1 : i64} : tensor<1024x1024xf16>
  return %l2_8 : tensor<1024x1024xf16>
}

// -----

// Independent ops of small tensors run at the same time on different tiles.
// Calls would run one after the other.
// CHECK-LABEL: func.func @independent
// CHECK-NOT: call
// CHECK: return
func.func @independent(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>) -> (tensor<64x1xf16>, tensor<64x1xf16>) {
  %0 = pop.softmax %x {axis = 1 : i64} : tensor<64x64xf16>
  %1 = pop.softmax %0 {axis = 0 : i64} : tensor<64x64xf16>
  %2 = pop.matmul %1, %0 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %3 = pop.reduce max %2 {axes = array<i64: 1>, keep_dims} : tensor<64x64xf16> -> tensor<64x1xf16>
  %4 = pop.softmax %y {axis = 1 : i64} : tensor<64x64xf16>
  %5 = pop.softmax %4 {axis = 0 : i64} : tensor<64x64xf16>
  %6 = pop.matmul %5, %4 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %7 = pop.reduce max %6 {axes = array<i64: 1>, keep_dims} : tensor<64x64xf16> -> tensor<64x1xf16>
  return %3, %7 : tensor<64x1xf16>, tensor<64x1xf16>
}
