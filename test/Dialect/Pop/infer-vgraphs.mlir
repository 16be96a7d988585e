// RUN: ipu-opt %s --split-input-file --pop-infer-vgraphs | FileCheck %s

// The example of the description of the pass.

// CHECK-LABEL: func.func @example
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32> {pop.vgraph = 1 : i64})
// CHECK-NEXT: %[[C:.*]] = pop.constant {pop.vgraph = 1 : i64} dense<1.0
// CHECK-NEXT: %[[R:.*]] = pop.from_tensor %[[X]] {pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[V:.*]] = pop.read %[[R]] {pop.vgraph = 1 : i64}
// CHECK-NEXT: pop.add %[[V]], %[[C]] {pop.vgraph = 1 : i64}
func.func @example(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = pop.constant dense<1.0> : tensor<4xf32>
  %r = pop.from_tensor %x : tensor<4xf32>
  %0 = pop.read %r : !pop.ref<4xf32>
  %1 = pop.add %0, %c {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A copy separates the virtual graphs. A constant is cloned for each of them.

// CHECK-LABEL: func.func @copy
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32> {pop.vgraph = 0 : i64})
// CHECK-DAG: %[[C0:.*]] = pop.constant {pop.vgraph = 0 : i64} dense<2.0
// CHECK-DAG: %[[C2:.*]] = pop.constant {pop.vgraph = 2 : i64} dense<2.0
// CHECK: %[[A:.*]] = pop.add %[[X]], %[[C0]] {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[B:.*]] = pop.ipu_copy %[[A]] from 0 to 2 : tensor<4xf32>
// CHECK-NEXT: %[[V:.*]] = pop.reshape %[[B]] {pop.vgraph = 2 : i64}
// CHECK: pop.add %{{.*}}, %[[C2]] {pop.vgraph = 2 : i64}
func.func @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = pop.constant dense<2.0> : tensor<4xf32>
  %0 = pop.add %x, %c {pop.vgraph = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = pop.ipu_copy %0 from 0 to 2 : tensor<4xf32>
  %2 = pop.reshape %1 : tensor<4xf32> to tensor<2x2xf32>
  %3 = pop.reshape %2 : tensor<2x2xf32> to tensor<4xf32>
  %4 = pop.add %3, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// Functions share variables. Only one of the functions has a placed op.

// CHECK: pop.scratch @f.arg0 : tensor<4xf32> {pop.vgraph = 1 : i64}
pop.scratch @f.arg0 : tensor<4xf32>
// CHECK-LABEL: func.func private @f
// CHECK-NEXT: pop.get_variable @f.arg0 {pop.vgraph = 1 : i64}
func.func private @f() {
  %r = pop.get_variable @f.arg0 : !pop.ref<4xf32>
  %0 = pop.read %r : !pop.ref<4xf32>
  %1 = pop.exp %0 {pop.vgraph = 1 : i64} : tensor<4xf32>
  pop.copy_ %r, %1 : !pop.ref<4xf32>, tensor<4xf32>
  return
}
// CHECK-LABEL: func.func @calls
// CHECK-SAME: tensor<4xf32> {pop.vgraph = 1 : i64}
// CHECK: pop.copy_ {{.*}} {pop.vgraph = 1 : i64}
func.func @calls(%x: tensor<4xf32>) {
  %r = pop.get_variable @f.arg0 : !pop.ref<4xf32>
  pop.copy_ %r, %x : !pop.ref<4xf32>, tensor<4xf32>
  call @f() : () -> ()
  return
}

// -----

// The results of a sequence are on the virtual graphs of what it yields. Nothing
// places the last constant, which is on the least virtual graph.

// CHECK-LABEL: func.func @sequence
// CHECK: pop.sin {{.*}} {pop.vgraph = 3 : i64}
// CHECK: pop.cos {{.*}} {pop.vgraph = 2 : i64}
// CHECK: pop.constant {pop.vgraph = 2 : i64} dense<7>
func.func @sequence(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<i32> {
  %0, %1 = pop.in_sequence {
    %a = pop.exp %x {pop.vgraph = 3 : i64} : tensor<4xf32>
    %b = pop.exp %y {pop.vgraph = 2 : i64} : tensor<4xf32>
    pop.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  %2 = pop.sin %0 : tensor<4xf32>
  %3 = pop.cos %1 : tensor<4xf32>
  %4 = pop.constant dense<7> : tensor<i32>
  return %4 : tensor<i32>
}

// -----

// A ref is on the virtual graph of the op that reads its tensor, also if nothing
// else places it.

// CHECK-LABEL: func.func @ref
// CHECK: pop.constant {pop.vgraph = 3 : i64}
// CHECK-NEXT: pop.from_tensor {{.*}} {pop.vgraph = 3 : i64}
// CHECK-NEXT: pop.read {{.*}} {pop.vgraph = 3 : i64}
func.func @ref(%x: tensor<4xf32> {pop.vgraph = 2 : i64}) -> tensor<4xf32> {
  %c = pop.constant dense<0.0> : tensor<4xf32>
  %0 = pop.from_tensor %c : tensor<4xf32>
  %1 = pop.read %0 : !pop.ref<4xf32>
  %2 = pop.neg %1 {pop.vgraph = 3 : i64} : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// A program without virtual graphs does not change.

// CHECK-LABEL: func.func @unplaced(%arg0: tensor<4xf32>)
// CHECK-NEXT: pop.exp %arg0 : tensor<4xf32>
func.func @unplaced(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
