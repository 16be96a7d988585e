// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-decompose-sums)' --verify-contracts | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-decompose-sums{gradients-only})' | FileCheck %s --check-prefix=GRAD
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-decompose-sums)' --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 -o /dev/null | FileCheck %s --check-prefix=REMARK

// The example of the pass.
//
// REMARK: [Passed] DecomposeSums | Category:pop-graph | addends=3
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[A:.+]] = pop.tanh %[[X]]
// CHECK-NEXT:    %[[B:.+]] = pop.exp %[[X]]
// CHECK-NEXT:    %[[AB:.+]] = pop.add %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT:    %[[C:.+]] = pop.sqrt %[[X]]
// CHECK-NEXT:    %[[ABC:.+]] = pop.add %[[AB]], %[[C]] : tensor<4xf32>
// CHECK-NEXT:    return %[[ABC]]
// GRAD-LABEL:  func.func @main(
// GRAD:          pop.sum
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.tanh %x : tensor<4xf32>
  %1 = pop.exp %x : tensor<4xf32>
  %2 = pop.sqrt %x : tensor<4xf32>
  %3 = pop.sum %2, %0, %1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Addends that are no results of ops come first, and are added where the first
// other one is; without any other one, where the sum is.
//
// CHECK-LABEL: func.func @arguments(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>, %[[Z:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[A:.+]] = pop.tanh %[[X]]
// CHECK-NEXT:    %[[YX:.+]] = pop.add %[[Y]], %[[X]]
// CHECK-NEXT:    %[[YXA:.+]] = pop.add %[[YX]], %[[A]]
// CHECK-NEXT:    %[[B:.+]] = pop.exp %[[YXA]]
// CHECK-NEXT:    %[[ZY:.+]] = pop.add %[[Z]], %[[Y]]
// CHECK-NEXT:    %[[ZYX:.+]] = pop.add %[[ZY]], %[[X]]
// CHECK-NEXT:    return %[[B]], %[[ZYX]]
func.func @arguments(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.tanh %x : tensor<4xf32>
  %1 = pop.sum %0, %y, %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = pop.exp %1 : tensor<4xf32>
  %3 = pop.sum %z, %y, %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A sum of two tensors stays, and so does one of one tensor. Operands broadcast,
// and integers wrap.
//
// CHECK-LABEL: func.func @shapes(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<3x1xi32>, %[[Y:[a-z0-9]+]]: tensor<2xi32>)
// CHECK-NEXT:    pop.sum %[[X]], %[[Y]] : (tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x2xi32>
// CHECK-NEXT:    pop.sum %[[X]] : (tensor<3x1xi32>) -> tensor<3x1xi32>
// CHECK-NEXT:    %[[XX:.+]] = pop.add %[[X]], %[[X]] : tensor<3x1xi32>
// CHECK-NEXT:    pop.add %[[XX]], %[[Y]] {foo.sharded} : (tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x2xi32>
func.func @shapes(%x: tensor<3x1xi32>, %y: tensor<2xi32>) -> (tensor<3x2xi32>, tensor<3x1xi32>, tensor<3x2xi32>) {
  %0 = pop.sum %x, %y : (tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x2xi32>
  %1 = pop.sum %x : (tensor<3x1xi32>) -> tensor<3x1xi32>
  %2 = pop.sum %x, %x, %y {foo.sharded} : (tensor<3x1xi32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x2xi32>
  return %0, %1, %2 : tensor<3x2xi32>, tensor<3x1xi32>, tensor<3x2xi32>
}

// -----

// Stages, then phases, then parts of the batch go before the order of the program;
// what has none comes first. All additions have the placement of the sum.
//
// CHECK-LABEL: func.func @placed(
// CHECK:         %[[A:.+]] = pop.tanh
// CHECK:         %[[B:.+]] = pop.exp
// CHECK:         %[[C:.+]] = pop.sqrt
// CHECK:         %[[D:.+]] = pop.relu
// CHECK-NEXT:    %[[CD:.+]] = pop.add %[[C]], %[[D]] {pop.stage = 7 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT:    %[[E:.+]] = pop.neg
// CHECK-NEXT:    %[[CDE:.+]] = pop.add %[[CD]], %[[E]] {pop.stage = 7 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT:    %[[CDEB:.+]] = pop.add %[[CDE]], %[[B]] {pop.stage = 7 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT:    pop.add %[[CDEB]], %[[A]] {pop.stage = 7 : i64, pop.vgraph = 1 : i64}
func.func @placed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.tanh %x {pop.vgraph = 1, pop.stage = 7} : tensor<4xf32>
  %1 = pop.exp %x {pop.vgraph = 1, pop.phase = 4} : tensor<4xf32>
  %2 = pop.sqrt %x {pop.vgraph = 1} : tensor<4xf32>
  %3 = pop.relu %x {pop.vgraph = 1} : tensor<4xf32>
  %4 = pop.neg %x {pop.vgraph = 1, pop.batch_phase = 3} : tensor<4xf32>
  %5 = pop.sum %0, %1, %4, %2, %3 {pop.vgraph = 1, pop.stage = 7} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

// -----

// A sum of sums: the addition that gives the inner one says when it is there.
//
// CHECK-LABEL: func.func @nested(
// CHECK:         %[[A:.+]] = pop.tanh
// CHECK:         %[[B:.+]] = pop.exp
// CHECK-NEXT:    %[[AB:.+]] = pop.add %[[A]], %[[B]]
// CHECK:         %[[C:.+]] = pop.sqrt
// CHECK-NEXT:    %[[ABC:.+]] = pop.add %[[AB]], %[[C]]
// CHECK-NEXT:    %[[AABC:.+]] = pop.add %[[A]], %[[ABC]]
// CHECK:         %[[D:.+]] = pop.relu
// CHECK-NEXT:    pop.add %[[AABC]], %[[D]]
func.func @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.tanh %x : tensor<4xf32>
  %1 = pop.exp %x : tensor<4xf32>
  %2 = pop.sqrt %x : tensor<4xf32>
  %3 = pop.relu %x : tensor<4xf32>
  %4 = pop.sum %2, %1, %0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = pop.sum %3, %4, %0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

// -----

// Gradients are what depends on the loss scale: not the sum of the forward part,
// but also one in a loop.
//
// CHECK-LABEL: func.func @gradients(
// CHECK-NOT:     pop.sum
// GRAD-LABEL:  func.func @gradients(
// GRAD:          pop.sum
// GRAD:          pop.loss_scale
// GRAD-NOT:      pop.sum
func.func @gradients(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.sum %x, %x, %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = pop.loss_scale %0 : tensor<4xf32>
  %2 = pop.tanh %1 : tensor<4xf32>
  %3 = pop.sum %x, %2, %0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %3) -> tensor<4xf32> {
    %5 = pop.sum %a, %x, %a : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %5 : tensor<4xf32>
  }
  return %0, %4 : tensor<4xf32>, tensor<4xf32>
}
