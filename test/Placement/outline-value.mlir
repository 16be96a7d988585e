// By default, functions are created only if they save memory and calls take few
// cycles.
//
// RUN: ipu-opt %s --split-input-file --pop-outline --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 | FileCheck %s

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

// Products that are long enough. The weights are copied for each call.
// CHECK: remark: [Passed] Outline {{.*}} added-cycles-of-call={{[0-9]+}}, calls=3, function=outlined, ops=6, saved-bytes={{[0-9]+}}
// CHECK-LABEL: func.func private @outlined
// CHECK-LABEL: func.func @large
// CHECK-COUNT-3: call @outlined
// CHECK: return
func.func @large(%x: tensor<2048x1024xf16>, %u: tensor<1024x1024xf16>, %v: tensor<1024x1024xf16>, %w: tensor<1024x1024xf16>) -> tensor<2048x1024xf16> {
  %0 = pop.matmul %x, %u : (tensor<2048x1024xf16>, tensor<1024x1024xf16>) -> tensor<2048x1024xf16>
  %1 = pop.relu %0 : tensor<2048x1024xf16>
  %2 = pop.matmul %1, %u : (tensor<2048x1024xf16>, tensor<1024x1024xf16>) -> tensor<2048x1024xf16>
  %3 = pop.add %2, %x : tensor<2048x1024xf16>
  %4 = pop.reduce max %3 {axes = array<i64: 1>, keep_dims} : tensor<2048x1024xf16> -> tensor<2048x1xf16>
  %5 = pop.sub %3, %4 : (tensor<2048x1024xf16>, tensor<2048x1xf16>) -> tensor<2048x1024xf16>
  %6 = pop.matmul %5, %v : (tensor<2048x1024xf16>, tensor<1024x1024xf16>) -> tensor<2048x1024xf16>
  %7 = pop.relu %6 : tensor<2048x1024xf16>
  %8 = pop.matmul %7, %v : (tensor<2048x1024xf16>, tensor<1024x1024xf16>) -> tensor<2048x1024xf16>
  %9 = pop.add %8, %5 : tensor<2048x1024xf16>
  %10 = pop.reduce max %9 {axes = array<i64: 1>, keep_dims} : tensor<2048x1024xf16> -> tensor<2048x1xf16>
  %11 = pop.sub %9, %10 : (tensor<2048x1024xf16>, tensor<2048x1xf16>) -> tensor<2048x1024xf16>
  %12 = pop.matmul %11, %w : (tensor<2048x1024xf16>, tensor<1024x1024xf16>) -> tensor<2048x1024xf16>
  %13 = pop.relu %12 : tensor<2048x1024xf16>
  %14 = pop.matmul %13, %w : (tensor<2048x1024xf16>, tensor<1024x1024xf16>) -> tensor<2048x1024xf16>
  %15 = pop.add %14, %11 : tensor<2048x1024xf16>
  %16 = pop.reduce max %15 {axes = array<i64: 1>, keep_dims} : tensor<2048x1024xf16> -> tensor<2048x1xf16>
  %17 = pop.sub %15, %16 : (tensor<2048x1024xf16>, tensor<2048x1xf16>) -> tensor<2048x1024xf16>
  return %17 : tensor<2048x1024xf16>
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
