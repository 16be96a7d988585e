// RUN: ipu-opt %s --split-input-file --pop-inter-ipu-copy --pop-merge-copies | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-inter-ipu-copy --pop-merge-copies -o %t.once
// RUN: ipu-opt %t.once --split-input-file --pop-inter-ipu-copy --pop-merge-copies | diff - %t.once

// The five tests of PopART, with its numbers of copies.

// The op is the first user of both copies: one copy, two results.

// CHECK-LABEL: func.func @merge_copies_0
// CHECK: pop.add {{.*}} {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[C:.*]]:2 = pop.ipu_copy %{{.*}}, %{{.*}} from 0 to 1
// CHECK-NEXT: pop.add %[[C]]#0, %[[C]]#1 {pop.vgraph = 1 : i64}
// CHECK-NOT: pop.ipu_copy
func.func @merge_copies_0(%i: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %c = pop.constant dense<1.0> : tensor<4xf32>
  %a0 = pop.add %i, %c {pop.vgraph = 0 : i64} : tensor<4xf32>
  %a1 = pop.add %i, %a0 {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %a1 : tensor<4xf32>
}

// -----

// The copy of %i has an earlier user: two copies, one result each.

// CHECK-LABEL: func.func @merge_copies_1
// CHECK: %[[I:.*]] = pop.ipu_copy %{{.*}} from 0 to 1
// CHECK-NEXT: pop.sum %[[I]], %{{.*}} {pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[A:.*]] = pop.ipu_copy %{{.*}} from 0 to 1
// CHECK-NEXT: pop.sum %[[I]], %[[A]] {pop.vgraph = 1 : i64}
// CHECK-NOT: pop.ipu_copy
func.func @merge_copies_1(%i: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %c1 = pop.constant dense<1.0> : tensor<4xf32>
  %c2 = pop.constant dense<2.0> : tensor<4xf32>
  %a0 = pop.add %i, %c1 {pop.vgraph = 0 : i64} : tensor<4xf32>
  %a1 = pop.sum %i, %c2 {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %a2 = pop.sum %i, %a0 {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %a3 = pop.add %a1, %a2 {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %a3 : tensor<4xf32>
}

// -----

// A later user of a result: one copy, two results.

// CHECK-LABEL: func.func @merge_copies_2
// CHECK: %[[C:.*]]:2 = pop.ipu_copy %{{.*}}, %{{.*}} from 0 to 1
// CHECK-NEXT: %[[S:.*]] = pop.add %[[C]]#0, %[[C]]#1 {pop.vgraph = 1 : i64}
// CHECK-NEXT: pop.add %[[S]], %[[C]]#1 {pop.vgraph = 1 : i64}
// CHECK-NOT: pop.ipu_copy
func.func @merge_copies_2(%i: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %c = pop.constant dense<1.0> : tensor<4xf32>
  %a0 = pop.add %i, %c {pop.vgraph = 0 : i64} : tensor<4xf32>
  %a1 = pop.add %i, %a0 {pop.vgraph = 1 : i64} : tensor<4xf32>
  %a2 = pop.add %a1, %a0 {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %a2 : tensor<4xf32>
}

// -----

// An operand that is not copied does not count: one copy, two results.

// CHECK-LABEL: func.func @merge_copies_3
// CHECK: %[[C:.*]]:2 = pop.ipu_copy %{{.*}}, %{{.*}} from 0 to 1
// CHECK-NEXT: pop.concat %[[C]]#0, %[[C]]#1, %{{.*}} {
// CHECK-NOT: pop.ipu_copy
func.func @merge_copies_3(%i0: tensor<4xf32> {pop.vgraph = 0 : i64}, %i1: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<12xf32> {
  %c = pop.constant dense<1.0> : tensor<4xf32>
  %a0 = pop.add %i0, %c {pop.vgraph = 0 : i64} : tensor<4xf32>
  %a1 = pop.concat %i1, %a0, %c {axis = 0 : i64, pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<12xf32>
  return %a1 : tensor<12xf32>
}

// -----

// Copies of different sources are merged: two copies, two operands and two results each.

// CHECK-LABEL: func.func @merge_copies_4
// CHECK: pop.add {{.*}} {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[I:.*]]:2 = pop.ipu_copy %{{.*}}, %{{.*}} from 0 to 1
// CHECK-NEXT: pop.add %[[I]]#0, %[[I]]#1 {pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[A:.*]]:2 = pop.ipu_copy %{{.*}}, %{{.*}} from [0, 1] to 2
// CHECK-NEXT: pop.add %[[A]]#0, %[[A]]#1 {pop.vgraph = 2 : i64}
// CHECK-NOT: pop.ipu_copy
func.func @merge_copies_4(%i0: tensor<4xf32> {pop.vgraph = 0 : i64}, %i1: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %a0 = pop.add %i0, %i1 {pop.vgraph = 0 : i64} : tensor<4xf32>
  %a1 = pop.add %i0, %i1 {pop.vgraph = 1 : i64} : tensor<4xf32>
  %a2 = pop.add %a0, %a1 {pop.vgraph = 2 : i64} : tensor<4xf32>
  return %a2 : tensor<4xf32>
}

// -----

// In a program with stages, copies of different sources are not merged.

// CHECK-LABEL: func.func @pipelined
// CHECK: pop.ipu_copy %{{.*}} from 0 to 2
// CHECK: pop.ipu_copy %{{.*}} from 1 to 2
func.func @pipelined(%x: tensor<4xf32> {pop.vgraph = 0 : i64}, %y: tensor<4xf32> {pop.vgraph = 1 : i64}) -> tensor<4xf32> {
  %0 = pop.add %x, %y {pop.stage = 2 : i64, pop.vgraph = 2 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An op with regions is the first user of what its ops use. Copies of different
// attributes stay apart.

// CHECK-LABEL: func.func @regions
// CHECK: %[[C:.*]]:2 = pop.ipu_copy %{{.*}}, %{{.*}} from 0 to 1 : tensor<4xf32>, tensor<4xf16>
// CHECK-NEXT: scf.if
// CHECK: pop.exp %[[C]]#0
// CHECK: pop.cast %[[C]]#1
// CHECK: %[[A:.*]] = pop.ipu_copy %{{.*}} from 0 to 1 {pop.phase = 0 : i64}
// CHECK: %[[B:.*]] = pop.ipu_copy %{{.*}} from 0 to 1 {pop.phase = 1 : i64}
// CHECK: pop.add %[[A]], %[[B]]
func.func @regions(%p: i1, %x: tensor<4xf32> {pop.vgraph = 0 : i64}, %y: tensor<4xf16> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %a = pop.ipu_copy %x from 0 to 1 : tensor<4xf32>
  %b = pop.ipu_copy %y from 0 to 1 : tensor<4xf16>
  %0 = scf.if %p -> tensor<4xf32> {
    %1 = pop.exp %a {pop.vgraph = 1 : i64} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %1 = pop.cast %b {pop.vgraph = 1 : i64} : tensor<4xf16> to tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %c = pop.ipu_copy %x from 0 to 1 {pop.phase = 0 : i64} : tensor<4xf32>
  %d = pop.ipu_copy %x from 0 to 1 {pop.phase = 1 : i64} : tensor<4xf32>
  %2 = pop.add %c, %d {pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.add %0, %2 {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// A copy that is merged for a later op is the first user of two other copies.

// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[A:.*]]:2 = pop.ipu_copy %{{.*}}, %{{.*}} from 0 to 1
// CHECK-NEXT: %[[B:.*]]:3 = pop.ipu_copy %{{.*}}, %[[A]]#0, %[[A]]#1 from [0, 1, 1] to 2
// CHECK-NEXT: pop.add %[[B]]#1, %[[B]]#0
// CHECK-NOT: pop.ipu_copy
func.func @chain(%x: tensor<16xf32> {pop.vgraph = 0 : i64}, %y: tensor<16xf32> {pop.vgraph = 0 : i64}, %z: tensor<16xf32> {pop.vgraph = 0 : i64}) -> tensor<16xf32> {
  %c = pop.ipu_copy %z from 0 to 2 : tensor<16xf32>
  %a = pop.ipu_copy %x from 0 to 1 : tensor<16xf32>
  %a2 = pop.ipu_copy %y from 0 to 1 : tensor<16xf32>
  %b:2 = pop.ipu_copy %a, %a2 from 1 to 2 : tensor<16xf32>, tensor<16xf32>
  %s = pop.add %b#0, %c {pop.vgraph = 2 : i64} : tensor<16xf32>
  %r = pop.add %s, %b#1 {pop.vgraph = 2 : i64} : tensor<16xf32>
  return %r : tensor<16xf32>
}
