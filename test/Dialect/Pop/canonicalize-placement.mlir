// RUN: ipu-opt %s --pop-canonicalize | FileCheck %s

// A placed constant is cloned for ops of other placements, and equal constants
// are one for each placement.
//
// CHECK-LABEL: func.func @constants
// CHECK-NEXT:    %[[C0:.+]] = pop.constant {pop.vgraph = 0 : i64} dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    %[[C1:.+]] = pop.constant {pop.vgraph = 1 : i64} dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    %[[A:.+]] = pop.add %{{.*}}, %[[C0]] {pop.phase = 0 : i64, pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[B:.+]] = pop.add %[[A]], %[[C1]] {pop.vgraph = 1 : i64}
// CHECK-NEXT:    %[[C:.+]] = pop.sub %[[B]], %[[C1]] {pop.phase = 3 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT:    return %[[C]], %[[C0]]
func.func @constants(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = pop.constant {pop.vgraph = 0 : i64} dense<1.0> : tensor<4xf32>
  %0 = pop.add %x, %c {pop.phase = 0 : i64, pop.vgraph = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = pop.add %0, %c {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = pop.constant {pop.vgraph = 1 : i64} dense<1.0> : tensor<4xf32>
  %2 = pop.sub %1, %d {pop.phase = 3 : i64, pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2, %c : tensor<4xf32>, tensor<4xf32>
}

// A constant without placement may be anywhere.
//
// CHECK-LABEL: func.func @unplaced
// CHECK-NEXT:    %[[C:.+]] = pop.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    pop.add %{{.*}}, %[[C]] {pop.vgraph = 0 : i64}
// CHECK-NEXT:    pop.add %{{.*}}, %[[C]] {pop.vgraph = 1 : i64}
func.func @unplaced(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.constant dense<2.0> : tensor<4xf32>
  %1 = pop.add %x, %0 {pop.vgraph = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = pop.constant dense<2.0> : tensor<4xf32>
  %3 = pop.add %1, %2 {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// What folds is where the folded op was; a constant has no phase.
//
// CHECK-LABEL: func.func @folds
// CHECK-NEXT:    %[[C:.+]] = pop.constant {pop.vgraph = 1 : i64} dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    return %[[C]]
func.func @folds() -> tensor<4xf32> {
  %0 = pop.constant {pop.vgraph = 0 : i64} dense<1.0> : tensor<4xf32>
  %1 = pop.constant {pop.vgraph = 1 : i64} dense<2.0> : tensor<4xf32>
  %2 = pop.add %0, %1 {pop.phase = 4 : i64, pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// What a pattern makes is where the root of the pattern was.
//
// CHECK-LABEL: func.func @patterns
// CHECK-NEXT:    %[[R:.+]] = pop.reshape %{{.*}} {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<4x6xf32> to tensor<24xf32>
// CHECK-NEXT:    return %[[R]]
func.func @patterns(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %0 = pop.reshape %x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4x6xf32> to tensor<6x4xf32>
  %1 = pop.reshape %0 {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<6x4xf32> to tensor<24xf32>
  return %1 : tensor<24xf32>
}

// Constants of regions are those of the function.
//
// CHECK-LABEL: func.func @regions
// CHECK:         %[[C:.+]] = pop.constant {pop.vgraph = 1 : i64} dense<1.000000e+00> : tensor<4xf32>
// CHECK:         scf.for
// CHECK-NOT:       pop.constant
// CHECK:           pop.add %{{.*}}, %[[C]]
func.func @regions(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %c = pop.constant {pop.vgraph = 1 : i64} dense<1.0> : tensor<4xf32>
    %1 = pop.add %a, %c {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
