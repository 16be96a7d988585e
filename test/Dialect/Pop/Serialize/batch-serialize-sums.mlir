// Sums over the batch continue if their parts end at borders of the accumulation order.
//
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-batch-serialize)' | FileCheck %s

// The gradient of a weight: each part starts from the sum of the part before.
// CHECK-LABEL: func.func @gradient
// CHECK: %[[S0:.*]] = pop.matmul %{{[^,]*}}, %{{[^,]*}} {accum = #pop.accum<chain>, pop.batch_phase = 0 : i64} : (tensor<3x2xf32>, tensor<2x5xf32>) -> tensor<3x5xf32>
// CHECK: %[[S1:.*]] = pop.matmul %{{[^,]*}}, %{{[^,]*}}, %[[S0]] {accum = #pop.accum<chain>, pop.batch_phase = 1 : i64}
// CHECK: return %[[S1]]
func.func @gradient(%x: tensor<4x3xf32>, %dy: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<4x3xf32> -> tensor<3x4xf32>
  %1 = pop.matmul %0, %dy {accum = #pop.accum<chain>} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// -----

// Sums of f16 are in f32 until the last part.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[S0:.*]] = pop.matmul {{.*}} : (tensor<3x2xf16>, tensor<2x5xf16>) -> tensor<3x5xf32>
// CHECK: %[[S1:.*]] = pop.matmul {{.*}}, %[[S0]] {{.*}} : (tensor<3x2xf16>, tensor<2x5xf16>, tensor<3x5xf32>) -> tensor<3x5xf32>
// CHECK: pop.cast %[[S1]] : tensor<3x5xf32> to tensor<3x5xf16>
func.func @narrow(%x: tensor<3x4xf16> {pop.batch_axis = 1 : i64}, %dy: tensor<4x5xf16> {pop.batch_axis = 0 : i64}) -> tensor<3x5xf16> {
  %0 = pop.matmul %x, %dy {accum = #pop.accum<chain>} : (tensor<3x4xf16>, tensor<4x5xf16>) -> tensor<3x5xf16>
  return %0 : tensor<3x5xf16>
}

// -----

// Parts of 32 addends are two blocks. Parts of 32 addends are not whole groups of 4
// blocks, so the second sum needs the whole batch.
// CHECK-LABEL: func.func @blocks
// CHECK: pop.matmul {{.*}}pop.batch_phase = 0{{.*}}(tensor<3x32xf32>
// CHECK: pop.matmul {{.*}}pop.batch_phase = 1{{.*}}(tensor<3x32xf32>
// CHECK: pop.matmul {{.*}}group = 4{{.*}}(tensor<3x64xf32>
func.func @blocks(%x: tensor<3x64xf32> {pop.batch_axis = 1 : i64}, %dy: tensor<64x5xf32> {pop.batch_axis = 0 : i64}) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = pop.matmul %x, %dy {accum = #pop.accum<blocked, block = 16, lanes = 1>} : (tensor<3x64xf32>, tensor<64x5xf32>) -> tensor<3x5xf32>
  %1 = pop.matmul %x, %dy {accum = #pop.accum<blocked, block = 16, lanes = 1, group = 4>} : (tensor<3x64xf32>, tensor<64x5xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// A convolution sums over channels. With one kernel position, parts of the channels
// are parts of the chain. With several, kernel positions come before channels.
// CHECK-LABEL: func.func @channels
// CHECK: %[[S0:.*]] = pop.conv {{.*}} : (tensor<1x2x4xf32>, tensor<3x2x1xf32>) -> tensor<1x3x4xf32>
// CHECK: pop.conv %{{[^,]*}}, %{{[^,]*}}, %[[S0]]
// CHECK: pop.conv {{.*}} : (tensor<1x4x4xf32>, tensor<3x4x2xf32>) -> tensor<1x3x3xf32>
func.func @channels(%x: tensor<1x4x4xf32> {pop.batch_axis = 1 : i64}, %v: tensor<3x4x1xf32>, %w: tensor<3x4x2xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x3xf32>) {
  %0 = pop.conv %x, %v {accum = #pop.accum<chain>} : (tensor<1x4x4xf32>, tensor<3x4x1xf32>) -> tensor<1x3x4xf32>
  %1 = pop.conv %x, %w {accum = #pop.accum<chain>} : (tensor<1x4x4xf32>, tensor<3x4x2xf32>) -> tensor<1x3x3xf32>
  return %0, %1 : tensor<1x3x4xf32>, tensor<1x3x3xf32>
}
