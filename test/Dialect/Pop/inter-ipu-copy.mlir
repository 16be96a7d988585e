// RUN: ipu-opt %s --split-input-file --pop-inter-ipu-copy | FileCheck %s
//
// The pass changes nothing if it runs again.
// RUN: ipu-opt %s --split-input-file --pop-inter-ipu-copy -o %t.once
// RUN: ipu-opt %t.once --split-input-file --pop-inter-ipu-copy | diff - %t.once

// The example of the description of the pass. Both users share the copy.

// CHECK-LABEL: func.func @example
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32> {pop.vgraph = 0 : i64})
// CHECK-NEXT: %[[A:.*]] = pop.exp %[[X]] {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[B:.*]] = pop.neg %[[A]] {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[C:.*]] = pop.ipu_copy %[[B]] from 0 to 1 : tensor<4xf32>
// CHECK-NEXT: pop.log %[[C]] {pop.vgraph = 1 : i64}
// CHECK-NEXT: pop.sin %[[C]] {pop.vgraph = 1 : i64}
func.func @example(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.neg %0 : tensor<4xf32>
  %2 = pop.log %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.sin %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// One copy for each IPU that reads a value. Copies stay. An op without a virtual
// graph is on the greatest of what it reads; the order of its operands does not matter.

// CHECK-LABEL: func.func @several
// CHECK-NEXT: %[[A:.*]] = pop.exp %{{.*}} {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[A1:.*]] = pop.ipu_copy %[[A]] from 0 to 1
// CHECK-NEXT: %[[B:.*]] = pop.sin %[[A1]] {pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[B2:.*]] = pop.ipu_copy %[[B]] from 1 to 2
// CHECK-NEXT: %[[C:.*]] = pop.cos %[[B2]] {pop.vgraph = 2 : i64}
// CHECK-NEXT: %[[A2:.*]] = pop.ipu_copy %[[A]] from 0 to 2
// CHECK-NEXT: %[[D:.*]] = pop.add %[[A2]], %[[C]] {pop.vgraph = 2 : i64}
// CHECK-NEXT: pop.mul %[[D]], %[[A2]] {pop.vgraph = 2 : i64}
func.func @several(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
  %2 = pop.sin %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.cos %2 {pop.vgraph = 2 : i64} : tensor<4xf32>
  %4 = pop.add %0, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = pop.mul %4, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

// -----

// A loop carries %a on IPU 0, where its first value is, and %b, whose first value is
// a constant, on IPU 1, where it is read. What is read in the loop but is not of it is
// copied once, before the loop.

// CHECK-LABEL: func.func @loop
// CHECK: pop.constant dense<0.0
// CHECK: %[[W:.*]] = pop.ipu_copy %arg1 from 0 to 1
// CHECK-NEXT: scf.for {{.*}} iter_args(%[[A:.*]] = %arg0, %[[B:.*]] = %{{.*}})
// CHECK-NEXT: %[[N:.*]] = pop.add %[[B]], %[[W]] {pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[A1:.*]] = pop.ipu_copy %[[A]] from 0 to 1
// CHECK-NEXT: %[[M:.*]] = pop.mul %[[A1]], %[[N]] {pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[M0:.*]] = pop.ipu_copy %[[M]] from 1 to 0
// CHECK-NEXT: scf.yield %[[M0]], %[[N]]
// CHECK: pop.exp %{{.*}}#0 {pop.vgraph = 0 : i64}
// CHECK: pop.exp %{{.*}}#1 {pop.vgraph = 1 : i64}
func.func @loop(%x: tensor<4xf32> {pop.vgraph = 0 : i64}, %w: tensor<4xf32> {pop.vgraph = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = pop.constant dense<0.0> : tensor<4xf32>
  %0:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %zero) -> (tensor<4xf32>, tensor<4xf32>) {
    %n = pop.add %b, %w {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %m = pop.mul %a, %n {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %m, %n : tensor<4xf32>, tensor<4xf32>
  }
  %1 = pop.exp %0#0 : tensor<4xf32>
  %2 = pop.exp %0#1 : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Both regions of a branch yield on IPU 1, where the first one yields.

// CHECK-LABEL: func.func @branch
// CHECK: %[[X1:.*]] = pop.ipu_copy %arg0 from 0 to 1
// CHECK-NEXT: %[[R:.*]] = scf.if
// CHECK-NEXT: %[[S:.*]] = pop.sin %[[X1]] {pop.vgraph = 1 : i64}
// CHECK-NEXT: scf.yield %[[S]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[E:.*]] = pop.exp %arg0 {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[E1:.*]] = pop.ipu_copy %[[E]] from 0 to 1
// CHECK-NEXT: scf.yield %[[E1]]
// CHECK: pop.neg %[[R]] {pop.vgraph = 1 : i64}
func.func @branch(%x: tensor<4xf32> {pop.vgraph = 0 : i64}, %p: tensor<i1> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %condition = tensor.extract %p[] : tensor<i1>
  %0 = scf.if %condition -> tensor<4xf32> {
    %s = pop.sin %x {pop.vgraph = 1 : i64} : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    %e = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  %1 = pop.neg %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A loop with a condition passes values through both of its regions.

// CHECK-LABEL: func.func @while
// CHECK: scf.while (%[[A:.*]] = %arg0)
// CHECK: pop.reduce sum %[[A]] {axes = array<i64: 0>, pop.vgraph = 0 : i64}
// CHECK: pop.less {{.*}} {pop.vgraph = 0 : i64}
// CHECK: ^bb0(%[[B:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[B1:.*]] = pop.ipu_copy %[[B]] from 0 to 1
// CHECK-NEXT: %[[C:.*]] = pop.exp %[[B1]] {pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[C0:.*]] = pop.ipu_copy %[[C]] from 1 to 0
// CHECK-NEXT: scf.yield %[[C0]]
func.func @while(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %limit = pop.constant dense<100.0> : tensor<f32>
  %0 = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %sum = pop.reduce sum %a {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
    %isLess = pop.less %sum, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %condition = tensor.extract %isLess[] : tensor<i1>
    scf.condition(%condition) %a : tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %1 = pop.exp %b {pop.vgraph = 1 : i64} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A function that is placed reads its argument on IPU 1 and returns on IPU 2. A call
// of a function without virtual graphs is an op like others.

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = pop.exp %{{.*}} {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[A1:.*]] = pop.ipu_copy %[[A]] from 0 to 1
// CHECK-NEXT: %[[B:.*]] = call @placed(%[[A1]]) :
// CHECK-NEXT: %[[C:.*]] = call @unplaced(%[[B]]) {pop.vgraph = 2 : i64}
// CHECK-NEXT: %[[C0:.*]] = pop.ipu_copy %[[C]] from 2 to 0
// CHECK-NEXT: pop.add %[[A]], %[[C0]] {pop.vgraph = 0 : i64}
// CHECK-LABEL: func.func private @placed
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32> {pop.vgraph = 1 : i64})
// CHECK-NEXT: %[[S:.*]] = pop.sin %[[X]] {pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[S2:.*]] = pop.ipu_copy %[[S]] from 1 to 2
// CHECK-NEXT: pop.cos %[[S2]] {pop.vgraph = 2 : i64}
// CHECK-LABEL: func.func private @unplaced(%arg0: tensor<4xf32>)
// CHECK-NEXT: pop.tanh %arg0 : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = call @placed(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @unplaced(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = pop.add %0, %2 {pop.vgraph = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
func.func private @placed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.sin %x {pop.vgraph = 1 : i64} : tensor<4xf32>
  %1 = pop.cos %0 {pop.vgraph = 2 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @unplaced(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A variable is where it is updated, although it is read before: what is read is
// copied. A variable that only one IPU reads is there.

// CHECK: pop.variable @w {{.*}} {pop.vgraph = 1 : i64}
pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
// CHECK: pop.variable @k {{.*}} {pop.vgraph = 0 : i64}
pop.variable @k : tensor<4xf32> = dense<0.0> : tensor<4xf32>
// CHECK-LABEL: func.func @variables
// CHECK: %[[R:.*]] = pop.read %{{.*}} {pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[R0:.*]] = pop.ipu_copy %[[R]] from 1 to 0
// CHECK-NEXT: %[[A:.*]] = pop.add %{{.*}}, %[[R0]] {pop.vgraph = 0 : i64}
// CHECK: pop.read %{{.*}} {pop.vgraph = 0 : i64}
// CHECK: %[[B1:.*]] = pop.ipu_copy %{{.*}} from 0 to 1
// CHECK-NEXT: pop.add_ %{{.*}}, %[[B1]] {pop.vgraph = 1 : i64}
func.func @variables(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  %0 = pop.read %w : !pop.ref<4xf32>
  %1 = pop.add %x, %0 {pop.vgraph = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %k = pop.get_variable @k : !pop.ref<4xf32>
  %2 = pop.read %k : !pop.ref<4xf32>
  %3 = pop.add %1, %2 {pop.vgraph = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  pop.add_ %w, %3 {pop.vgraph = 1 : i64} : !pop.ref<4xf32>, tensor<4xf32>
  return
}

// -----

// A constant is not copied: each IPU that uses it holds it.

// CHECK-LABEL: func.func @constant
// CHECK: %[[C:.*]] = pop.constant dense<2.0
// CHECK-NEXT: %[[A:.*]] = pop.add %{{.*}}, %[[C]] {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[B:.*]] = pop.ipu_copy %[[A]] from 0 to 3
// CHECK-NEXT: pop.add %[[B]], %[[C]] {pop.vgraph = 3 : i64}
func.func @constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = pop.constant dense<2.0> : tensor<4xf32>
  %0 = pop.add %x, %c {pop.vgraph = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = pop.add %0, %c {pop.vgraph = 3 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A copy of a tensor on I/O tiles is on I/O tiles.

// CHECK-LABEL: func.func @io
// CHECK: %[[IO:.*]] = pop.io_tile_copy %{{.*}} to io {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[C:.*]] = pop.ipu_copy %[[IO]] from 0 to 1 {pop.tile_set = #pop<tile_set io>}
// CHECK-NEXT: pop.io_tile_copy %[[C]] to compute {pop.vgraph = 1 : i64}
func.func @io(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.io_tile_copy %x to io {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.io_tile_copy %0 to compute {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// The results of a call are where its callee computes them. The call has no virtual graph
// then.

func.func private @callee(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.neg %a {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.exp %0 {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-LABEL: func.func @call_of_two_ipus
// CHECK-NEXT: %[[F:.*]] = call @callee(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = pop.ipu_copy %[[F]] from 1 to 0
// CHECK-NEXT: pop.sin %[[C]] {pop.vgraph = 0 : i64}
func.func @call_of_two_ipus(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @callee(%x) {pop.vgraph = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = pop.sin %0 {pop.vgraph = 0 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A function that calls a placed function is placed, too.

func.func private @placed(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %a {pop.vgraph = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func private @calls_placed(%{{.*}}: tensor<4xf32> {pop.vgraph = 0 : i64})
func.func private @calls_placed(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @placed(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func @nested_calls
// CHECK-NEXT: %[[A:.*]] = pop.sin %{{.*}} {pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[C:.*]] = pop.ipu_copy %[[A]] from 1 to 0
// CHECK-NEXT: call @calls_placed(%[[C]])
func.func @nested_calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.sin %x {pop.vgraph = 1 : i64} : tensor<4xf32>
  %1 = func.call @calls_placed(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A variable that only a function without virtual graphs reads is where this is called.

// CHECK: pop.variable @w {{.*}} {pop.vgraph = 1 : i64}
pop.variable @w : tensor<4xf32> = dense<2.0> : tensor<4xf32>
func.func private @scale(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = pop.get_variable @w : !pop.ref<4xf32>
  %w = pop.read %r : !pop.ref<4xf32>
  %0 = pop.mul %a, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func @variable_of_callee
// CHECK: call @scale(%{{.*}}) {pop.vgraph = 1 : i64}
func.func @variable_of_callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.cos %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = func.call @scale(%0) {pop.vgraph = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A user in another block of the function reads a copy after the value.

// CHECK-LABEL: func.func @blocks
// CHECK: %[[A:.*]] = pop.exp %{{.*}} {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[C:.*]] = pop.ipu_copy %[[A]] from 0 to 1
// CHECK-NEXT: cf.br
// CHECK: pop.sin %[[C]] {pop.vgraph = 1 : i64}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  cf.br ^next
^next:
  %1 = pop.sin %0 {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A program without virtual graphs does not change.

// CHECK-LABEL: func.func @unplaced(%arg0: tensor<4xf32>)
// CHECK-NEXT: pop.exp %arg0 : tensor<4xf32>
func.func @unplaced(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
