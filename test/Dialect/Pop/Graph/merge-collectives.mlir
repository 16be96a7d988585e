// RUN: ipu-opt %s --pop-merge-collectives | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pop-merge-collectives --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(pop-merge-collectives{max-bytes=24}))' -o /dev/null --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=BOUND

// The example of the pass.
//
// CHECK-LABEL: func.func @example(
// CHECK-SAME:    %[[G:.+]]: tensor<4xf32>, %[[H:.+]]: tensor<2x3xf32>)
// CHECK-NEXT:    %[[GR:.+]] = pop.reshape %[[G]] : tensor<4xf32> to tensor<1x4xf32>
// CHECK-NEXT:    %[[HR:.+]] = pop.reshape %[[H]] : tensor<2x3xf32> to tensor<1x6xf32>
// CHECK-NEXT:    %[[C:.+]] = pop.concat %[[GR]], %[[HR]] {axis = 1 : i64} : (tensor<1x4xf32>, tensor<1x6xf32>) -> tensor<1x10xf32>
// CHECK-NEXT:    %[[R:.+]] = pop.all_reduce add %[[C]] : tensor<1x10xf32>
// CHECK-NEXT:    %[[S0:.+]] = pop.slice %[[R]] {sizes = array<i64: 1, 4>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<1x10xf32> -> tensor<1x4xf32>
// CHECK-NEXT:    %[[R0:.+]] = pop.reshape %[[S0]] : tensor<1x4xf32> to tensor<4xf32>
// CHECK-NEXT:    %[[S1:.+]] = pop.slice %[[R]] {sizes = array<i64: 1, 6>, starts = array<i64: 0, 4>, steps = array<i64: 1, 1>} : tensor<1x10xf32> -> tensor<1x6xf32>
// CHECK-NEXT:    %[[R1:.+]] = pop.reshape %[[S1]] : tensor<1x6xf32> to tensor<2x3xf32>
// CHECK-NEXT:    return %[[R0]], %[[R1]]
//
// REMARK: :[[#@LINE+4]]:{{.*}}MergeCollectives{{.*}}bytes=40, collectives=2
// BOUND: :[[#@LINE+3]]:{{.*}}MergeCollectives{{.*}}the collective is not merged with the collectives before it: their operands would have more than 24 bytes
func.func @example(%g: tensor<4xf32>, %h: tensor<2x3xf32>) -> (tensor<4xf32>, tensor<2x3xf32>) {
  %0 = pop.all_reduce add %g : tensor<4xf32>
  %1 = pop.all_reduce add %h : tensor<2x3xf32>
  return %0, %1 : tensor<4xf32>, tensor<2x3xf32>
}

// Each replica gets one of two parts of each tensor. The second tensor has its
// parts along dimension 1, before which there is one element only.
//
// CHECK-LABEL: func.func @reduce_scatter(
// CHECK-NEXT:    %[[A:.+]] = pop.reshape %{{.*}} : tensor<4x3xf32> to tensor<2x6xf32>
// CHECK-NEXT:    %[[B:.+]] = pop.reshape %{{.*}} : tensor<1x2xf32> to tensor<2x1xf32>
// CHECK-NEXT:    %[[C:.+]] = pop.concat %[[A]], %[[B]] {axis = 1 : i64} : (tensor<2x6xf32>, tensor<2x1xf32>) -> tensor<2x7xf32>
// CHECK-NEXT:    %[[R:.+]] = pop.reduce_scatter mean %[[C]] {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<2x7xf32> to tensor<1x7xf32>
// CHECK:         pop.reshape %{{.*}} : tensor<1x6xf32> to tensor<2x3xf32>
// CHECK:         pop.slice %{{.*}} tensor<1x7xf32> -> tensor<1x1xf32>
// CHECK-NEXT:    return
func.func @reduce_scatter(%x: tensor<4x3xf32>, %y: tensor<1x2xf32>) -> (tensor<2x3xf32>, tensor<1x1xf32>) {
  %0 = pop.reduce_scatter mean %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4x3xf32> to tensor<2x3xf32>
  %1 = pop.reduce_scatter mean %y {axis = 1 : i64, groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<1x2xf32> to tensor<1x1xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<1x1xf32>
}

// The last part of the first result is truncated after the merged collective.
//
// CHECK-LABEL: func.func @all_gather(
// CHECK:         %[[R:.+]] = pop.all_gather %{{.*}} : tensor<1x7xf32> to tensor<2x7xf32>
// CHECK-NEXT:    %[[S0:.+]] = pop.slice %[[R]] {{.*}} : tensor<2x7xf32> -> tensor<2x6xf32>
// CHECK-NEXT:    %[[W0:.+]] = pop.reshape %[[S0]] : tensor<2x6xf32> to tensor<4x3xf32>
// CHECK-NEXT:    %[[R0:.+]] = pop.slice %[[W0]] {sizes = array<i64: 3, 3>, {{.*}}} : tensor<4x3xf32> -> tensor<3x3xf32>
// CHECK-NEXT:    %[[S1:.+]] = pop.slice %[[R]] {{.*}} : tensor<2x7xf32> -> tensor<2x1xf32>
// CHECK-NEXT:    %[[R1:.+]] = pop.reshape %[[S1]] : tensor<2x1xf32> to tensor<2xf32>
// CHECK-NEXT:    return %[[R0]], %[[R1]]
func.func @all_gather(%x: tensor<2x3xf32>, %y: tensor<1xf32>) -> (tensor<3x3xf32>, tensor<2xf32>) {
  %0 = pop.all_gather %x : tensor<2x3xf32> to tensor<3x3xf32>
  %1 = pop.all_gather %y : tensor<1xf32> to tensor<2xf32>
  return %0, %1 : tensor<3x3xf32>, tensor<2xf32>
}

// A merged op keeps the attributes, the placement, and the number of the draw of
// the first op.
//
// CHECK-LABEL: func.func @attributes(
// CHECK:         pop.concat %{{.*}} {axis = 1 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT:    pop.broadcast %{{.*}} {pop.vgraph = 1 : i64, root = 1 : i64} : tensor<1x5xi32>
// CHECK:         pop.concat
// CHECK-NEXT:    pop.collective_permute %{{.*}} {pairs = {{\[\[}}0, 1]]} : tensor<1x5xi32>
// CHECK:         pop.concat
// CHECK-NEXT:    pop.all_reduce add %{{.*}} {pop.draw = #pop.draw<3>} : tensor<1x5xf16>
func.func @attributes(%x: tensor<4xi32>, %y: tensor<i32>, %z: tensor<4xf16>, %s: tensor<f16>) {
  %0 = pop.broadcast %x {root = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xi32>
  %1 = pop.broadcast %y {root = 1 : i64, pop.vgraph = 1 : i64} : tensor<i32>
  %2 = pop.collective_permute %x {pairs = [[0, 1]]} : tensor<4xi32>
  %3 = pop.collective_permute %y {pairs = [[0, 1]]} : tensor<i32>
  %4 = pop.all_reduce add %z {pop.draw = #pop.draw<3>} : tensor<4xf16>
  %5 = pop.all_reduce add %s {pop.draw = #pop.draw<4>} : tensor<f16>
  return
}

// Collectives are merged in each body by itself, but not in a sequence, in which
// no op is inserted.
//
// CHECK-LABEL: func.func @regions(
// CHECK:         scf.for
// CHECK:           pop.all_reduce add %{{.*}} : tensor<1x8xf32>
// CHECK-NOT:       pop.all_reduce
// CHECK:         pop.in_sequence
// CHECK-NEXT:      pop.all_reduce add %{{.*}} : tensor<4xf32>
// CHECK-NEXT:      pop.all_reduce add %{{.*}} : tensor<4xf32>
func.func @regions(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x) -> (tensor<4xf32>) {
    %1 = pop.all_reduce add %y : tensor<4xf32>
    %2 = pop.all_reduce add %x : tensor<4xf32>
    %3 = pop.add %1, %2 : tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  }
  %4:2 = pop.in_sequence {
    %5 = pop.all_reduce add %x : tensor<4xf32>
    %6 = pop.all_reduce add %0 : tensor<4xf32>
    pop.yield %5, %6 : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  return %0, %4#0, %4#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Nothing is merged: a collective uses the result of another one, the groups
// differ, the virtual graphs differ, parts are padded or not contiguous, tensors
// have no elements, or a given tile mapping is for one result.
//
// CHECK-LABEL: func.func @kept(
// CHECK-NOT:     pop.concat
// CHECK:         return
func.func @kept(%x: tensor<4xf32>, %y: tensor<3xf32>, %z: tensor<2x2xf32>, %e: tensor<0xf32>) {
  %0 = pop.all_reduce add %x : tensor<4xf32>
  // REMARK: :[[#@LINE+1]]:{{.*}}the collective is not merged with the collectives before it: it uses the result of one of them
  %1 = pop.all_reduce add %0 : tensor<4xf32>
  // REMARK: :[[#@LINE+1]]:{{.*}}the collective is not merged with the collectives before it: its attributes, element type or number of parts differ
  %2 = pop.all_reduce add %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32>
  %3 = pop.all_reduce add %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %4 = pop.all_reduce add %x {pop.vgraph = 1 : i64} : tensor<4xf32>
  %5 = pop.reduce_scatter add %y : tensor<3xf32> to tensor<2xf32>
  %6 = pop.reduce_scatter add %y : tensor<3xf32> to tensor<2xf32>
  %7 = pop.reduce_scatter add %z {axis = 1 : i64} : tensor<2x2xf32> to tensor<2x1xf32>
  %8 = pop.reduce_scatter add %z {axis = 1 : i64} : tensor<2x2xf32> to tensor<2x1xf32>
  %9 = pop.all_reduce add %e : tensor<0xf32>
  %10 = pop.all_reduce add %e : tensor<0xf32>
  %11 = pop.all_reduce add %x {ipu.map = #ipu.map<[4], grid = [], blocks = [all]>} : tensor<4xf32>
  %12 = pop.all_reduce add %x : tensor<4xf32>
  return
}
