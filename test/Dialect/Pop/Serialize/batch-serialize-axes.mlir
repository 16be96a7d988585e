// The batch axis follows the data.
//
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-batch-serialize)' | FileCheck %s

// A transposition moves the batch axis, and reshapes merge it with another dimension
// and divide it again.
// CHECK-LABEL: func.func @moved
// CHECK: pop.transpose {{.*}} : tensor<2x3x5xf32> -> tensor<3x2x5xf32>
// CHECK: pop.transpose {{.*}} : tensor<2x3x5xf32> -> tensor<3x2x5xf32>
// CHECK: pop.transpose {{.*}} : tensor<3x2x5xf32> -> tensor<2x3x5xf32>
// CHECK: pop.reshape {{.*}} : tensor<2x3x5xf32> to tensor<6x5xf32>
// CHECK: pop.matmul {{.*}} : (tensor<6x5xf32>, tensor<5x7xf32>) -> tensor<6x7xf32>
// CHECK: pop.reshape {{.*}} : tensor<6x7xf32> to tensor<2x3x7xf32>
// CHECK: pop.slice {{.*}} : tensor<2x3x7xf32> -> tensor<2x3x2xf32>
// CHECK: pop.concat {{.*}} {axis = 0 : i64} : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> tensor<4x3x2xf32>
func.func @moved(%x: tensor<4x3x5xf32> {pop.batch_axis = 0 : i64}, %w: tensor<5x7xf32>) -> tensor<4x3x2xf32> {
  %0 = pop.transpose %x {permutation = array<i64: 1, 0, 2>} : tensor<4x3x5xf32> -> tensor<3x4x5xf32>
  %1 = pop.exp %0 : tensor<3x4x5xf32>
  %2 = pop.transpose %1 {permutation = array<i64: 1, 0, 2>} : tensor<3x4x5xf32> -> tensor<4x3x5xf32>
  %3 = pop.reshape %2 : tensor<4x3x5xf32> to tensor<12x5xf32>
  %4 = pop.matmul %3, %w : (tensor<12x5xf32>, tensor<5x7xf32>) -> tensor<12x7xf32>
  %5 = pop.reshape %4 : tensor<12x7xf32> to tensor<4x3x7xf32>
  %6 = pop.slice %5 {sizes = array<i64: 4, 3, 2>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, 3>} : tensor<4x3x7xf32> -> tensor<4x3x2xf32>
  return %6 : tensor<4x3x2xf32>
}

// -----

// Operands that broadcast over the batch are whole, and a constant with a batch is
// sliced. An op that sorts over the batch, or reduces it, needs the whole batch.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: %[[B:[a-z0-9]*]]: tensor<3xf32>
// CHECK: %[[C:.*]] = pop.constant
// CHECK: pop.add %{{.*}}, %[[B]] {pop.batch_phase = 0 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: pop.slice %[[C]] {{.*}} : tensor<4x1xf32> -> tensor<2x1xf32>
// CHECK-COUNT-2: pop.mul {{.*}} : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[Y:.*]] = pop.concat
// CHECK-NEXT: pop.reduce sum %[[Y]]
// CHECK-NEXT: pop.sort %[[Y]]
func.func @whole(%x: tensor<4x3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>) {
  %c = pop.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %0 = pop.add %x, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = pop.mul %0, %c : (tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
  %2 = pop.reduce sum %1 {axes = array<i64: 0>} : tensor<4x3xf32> -> tensor<3xf32>
  %3 = pop.sort %1 by [ascending] {axis = 0 : i64} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %2, %3 : tensor<3xf32>, tensor<4x3xf32>
}

// -----

// Without marks, the first input that has the dimension defines the batch. The other
// input has another size. Ops get the order of the whole sum.
// CHECK-LABEL: func.func @main
// CHECK: pop.matmul {{.*}} : (tensor<1x6xf32>, tensor<6x4xf32>) -> tensor<1x4xf32>
// CHECK: pop.softmax {{.*}} : tensor<6x4xf32>
func.func @main(%x: tensor<2x6xf32>, %w: tensor<6x4xf32>) -> (tensor<2x4xf32>, tensor<6x4xf32>) {
  %0 = pop.matmul %x, %w : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x4xf32>
  %1 = pop.softmax %w {axis = 1 : i64} : tensor<6x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<6x4xf32>
}

// -----

// The mark of a load, along another dimension. The store needs the whole batch.
// CHECK-LABEL: func.func @loads
// CHECK: %[[X:.*]] = pop.host_load @x
// CHECK-COUNT-2: pop.slice %[[X]]
// CHECK-COUNT-2: pop.exp
// CHECK: %[[Y:.*]] = pop.concat
// CHECK: pop.host_store %[[Y]], @y
pop.stream @x host_to_device : tensor<3x2xf32>
pop.stream @y device_to_host : tensor<3x2xf32>
func.func @loads() {
  %0 = pop.host_load @x {pop.batch_axis = 1 : i64} : tensor<3x2xf32>
  %1 = pop.exp %0 : tensor<3x2xf32>
  pop.host_store %1, @y : tensor<3x2xf32>
  return
}

// -----

// Ops that may round stochastically need the whole batch: their random bits depend on
// the number of an element. An op on f32 is rounded to nearest.
// CHECK-LABEL: func.func @rounds
// CHECK: pop.exp %{{.*}} : tensor<4xf16>
// CHECK-NOT: pop.batch_phase
// CHECK: pop.slice
// CHECK-COUNT-2: pop.neg {{.*}} : tensor<2xf32>
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @rounds(%x: tensor<4xf16>, %y: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>) {
    %0 = pop.exp %x : tensor<4xf16>
    %1 = pop.neg %y : tensor<4xf32>
    return %0, %1 : tensor<4xf16>, tensor<4xf32>
  }
}
