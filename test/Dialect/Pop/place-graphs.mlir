// RUN: ipu-opt %s --split-input-file --pop-place-graphs | FileCheck %s

// The example of the description of the pass.

// CHECK-LABEL: func.func private @f(
// CHECK: pop.exp {{.*}} {pop.vgraph = 0 : i64}
// CHECK-LABEL: func.func private @f_0(
// CHECK: pop.exp {{.*}} {pop.vgraph = 1 : i64}
// CHECK-LABEL: func.func @main
// CHECK: call @f(%{{.*}}) {pop.vgraph = 0 : i64}
// CHECK: call @f_0(%{{.*}}) {pop.vgraph = 1 : i64}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) {pop.vgraph = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
  %2 = call @f(%1) {pop.vgraph = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Calls in a function follow the function. @both calls @leaf on two virtual graphs,
// because @both itself is called on them.

// CHECK-LABEL: func.func private @leaf(
// CHECK: pop.exp {{.*}} {pop.vgraph = 2 : i64}
// CHECK-LABEL: func.func private @leaf_{{[0-9]+}}(
// CHECK: pop.exp {{.*}} {pop.vgraph = 3 : i64}
// CHECK-LABEL: func.func private @both(
// CHECK: call @leaf(%{{.*}}) {pop.vgraph = 2 : i64}
// CHECK-LABEL: func.func private @both_{{[0-9]+}}(
// CHECK: call @leaf_{{[0-9]+}}(%{{.*}}) {pop.vgraph = 3 : i64}
func.func private @leaf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @both(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @leaf(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @both(%x) {pop.vgraph = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = pop.ipu_copy %0 from 2 to 3 : tensor<4xf32>
  %2 = call @both(%1) {pop.vgraph = 3 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// A function with a virtual graph does not change, and neither does a program
// without virtual graphs.

// CHECK-LABEL: func.func private @placed
// CHECK: pop.exp {{.*}} {pop.vgraph = 1 : i64}
// CHECK-LABEL: func.func private @unplaced
// CHECK: pop.exp %arg0 : tensor<4xf32>
func.func private @placed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @unplaced(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @placed(%x) {pop.vgraph = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @unplaced(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A function that is called in two stages of an IPU is cloned.

// CHECK-LABEL: func.func private @staged
// CHECK-SAME: (%{{[^)]*}})
// CHECK-NEXT: pop.exp {{.*}} {pop.stage = 0 : i64, pop.vgraph = 0 : i64}
// CHECK: func.func private @staged_0
// CHECK-NEXT: pop.exp {{.*}} {pop.stage = 2 : i64, pop.vgraph = 0 : i64}
func.func private @staged(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @staged(%x) {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @staged(%0) {pop.stage = 2 : i64, pop.vgraph = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
