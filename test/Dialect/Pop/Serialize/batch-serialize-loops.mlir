// Loops over the parts of a batch.
//
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-batch-serialize{method=loop})' | FileCheck %s

// One loop has both ops. It stores only the last results.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x2xf32>)
// CHECK: %[[REF:.*]] = pop.alloc zero : !pop.ref<4x2xf32>
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c2{{.*}} step %c1{{[^ ]*}} {
// CHECK-NEXT: %[[N:.*]] = pop.from_scalar %[[I]] : index to tensor<i32>
// CHECK: %[[SCALED:.*]] = pop.mul %[[N]],
// CHECK: %[[START:.*]] = pop.reshape %[[SCALED]] : tensor<i32> to tensor<1xi32>
// CHECK: %[[PART:.*]] = pop.dynamic_slice %[[X]][%[[START]]] {axes = array<i64: 0>, sizes = array<i64: 2>}
// CHECK: %[[M:.*]] = pop.matmul %[[PART]], %[[W]]
// CHECK-NOT: pop.dynamic_slice
// CHECK: %[[R:.*]] = pop.relu %[[M]] : tensor<2x2xf32>
// CHECK: pop.dynamic_update_ %[[REF]], %[[R]][%[[START]]] {axes = array<i64: 0>}
// CHECK: }
// CHECK: %[[Y:.*]] = pop.read %[[REF]]
// CHECK-NEXT: return %[[Y]]
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = pop.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = pop.relu %0 : tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// -----

// A sum over the batch is carried. An op that needs the whole batch divides the
// program into two loops.
// CHECK-LABEL: func.func @sums
// CHECK: %[[ZERO:.*]] = pop.constant dense<0.000000e+00> : tensor<3x5xf32>
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[ZERO]]) -> (tensor<3x5xf32>)
// CHECK: %[[S:.*]] = pop.matmul %{{[^,]*}}, %{{[^,]*}}, %[[A]]
// CHECK: pop.dynamic_update_
// CHECK: scf.yield %[[S]]
// CHECK: %[[E:.*]] = pop.read
// CHECK: %[[M:.*]] = pop.reduce max %[[E]]
// CHECK: scf.for
// CHECK: pop.sub %{{.*}}, %[[M]]
// CHECK-NOT: scf.for
func.func @sums(%x: tensor<4x3xf32> {pop.batch_axis = 0 : i64}, %dy: tensor<4x5xf32> {pop.batch_axis = 0 : i64}) -> (tensor<3x5xf32>, tensor<4x3xf32>) {
  %0 = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<4x3xf32> -> tensor<3x4xf32>
  %1 = pop.matmul %0, %dy {accum = #pop.accum<chain>} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %2 = pop.exp %x : tensor<4x3xf32>
  %3 = pop.reduce max %2 {axes = array<i64: 0>} : tensor<4x3xf32> -> tensor<3xf32>
  %4 = pop.sub %2, %3 : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %1, %4 : tensor<3x5xf32>, tensor<4x3xf32>
}

// -----

// A sum in blocks starts from -0, which no result of a block changes.
// CHECK-LABEL: func.func @blocks
// CHECK: pop.constant dense<-0.000000e+00> : tensor<3x5xf32>
func.func @blocks(%x: tensor<3x64xf16> {pop.batch_axis = 1 : i64}, %dy: tensor<64x5xf16> {pop.batch_axis = 0 : i64}) -> tensor<3x5xf16> {
  %0 = pop.matmul %x, %dy {accum = #pop.accum<blocked, block = 16, lanes = 1>} : (tensor<3x64xf16>, tensor<64x5xf16>) -> tensor<3x5xf16>
  return %0 : tensor<3x5xf16>
}

// -----

// Loops of the program are not merged with the loops over parts.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: scf.for
func.func @others(%x: tensor<4xf32> {pop.batch_axis = 0 : i64}, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = pop.exp %x : tensor<4xf32>
  %1 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %y) -> tensor<2xf32> {
    %3 = pop.exp %a : tensor<2xf32>
    scf.yield %3 : tensor<2xf32>
  }
  %2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %y) -> tensor<2xf32> {
    %3 = pop.neg %a : tensor<2xf32>
    scf.yield %3 : tensor<2xf32>
  }
  return %0, %1, %2 : tensor<4xf32>, tensor<2xf32>, tensor<2xf32>
}
