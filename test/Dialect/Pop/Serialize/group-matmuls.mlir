// RUN: ipu-opt %s --pop-group-matmuls | FileCheck %s
// RUN: ipu-opt %s --pop-group-matmuls='max-group=2 max-bytes=2000' | FileCheck %s --check-prefix=LIMIT
// RUN: ipu-opt %s --pop-group-matmuls='max-bytes=20' | FileCheck %s --check-prefix=LARGE
// RUN: ipu-opt %s -o /dev/null --pop-group-matmuls --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// LARGE-NOT: pop.concat

// The example of the pass.
//
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[A:.+]]: tensor<8x16xf32>, %[[B:.+]]: tensor<16x4xf32>, %[[C:.+]]: tensor<8x16xf32>, %[[D:.+]]: tensor<16x4xf32>
// CHECK-NEXT:    %[[A1:.+]] = pop.reshape %[[A]]
// CHECK-NEXT:    %[[C1:.+]] = pop.reshape %[[C]]
// CHECK-NEXT:    %[[L:.+]] = pop.concat %[[A1]], %[[C1]] {axis = 0 : i64}
// CHECK-NEXT:    %[[B1:.+]] = pop.reshape %[[B]]
// CHECK-NEXT:    %[[D1:.+]] = pop.reshape %[[D]]
// CHECK-NEXT:    %[[R:.+]] = pop.concat %[[B1]], %[[D1]] {axis = 0 : i64}
// CHECK-NEXT:    %[[Y:.+]] = pop.matmul %[[L]], %[[R]] {accum = #pop.accum<chain>} : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
// CHECK-NEXT:    %[[S0:.+]] = pop.slice %[[Y]] {sizes = array<i64: 1, 8, 4>, starts = array<i64: 0, 0, 0>
// CHECK-NEXT:    %[[Y0:.+]] = pop.reshape %[[S0]]
// CHECK-NEXT:    %[[S1:.+]] = pop.slice %[[Y]] {sizes = array<i64: 1, 8, 4>, starts = array<i64: 1, 0, 0>
// CHECK-NEXT:    %[[Y1:.+]] = pop.reshape %[[S1]]
// CHECK-NEXT:    return %[[Y0]], %[[Y1]]
//
// REMARK: :[[#@LINE+2]]:{{.*}}Passed{{.*}}GroupMatMuls{{.*}}matmuls=2
func.func @f(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<8x16xf32>, %d: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = pop.matmul %c, %d {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// An operand that is the same for all ops broadcasts. Products of batches get a
// further dimension.
//
// CHECK-LABEL: func.func @same(
// CHECK:         pop.matmul {{.*}} : (tensor<1x2x8x16xf32>, tensor<3x2x16x4xf32>) -> tensor<3x2x8x4xf32>
// CHECK-NOT:     pop.matmul
// CHECK:         return
func.func @same(%a: tensor<2x8x16xf32>, %b: tensor<2x16x4xf32>, %c: tensor<2x16x4xf32>, %d: tensor<2x16x4xf32>) -> (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  %1 = pop.matmul %a, %c {accum = #pop.accum<chain>} : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  %2 = pop.matmul %a, %d {accum = #pop.accum<chain>} : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return %0, %1, %2 : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>
}

// Equal products have one result.
//
// CHECK-LABEL: func.func @equal(
// CHECK:         %[[Y:.+]] = pop.matmul {{.*}} : (tensor<1x8x16xf32>, tensor<1x16x4xf32>) -> tensor<1x8x4xf32>
// CHECK-NEXT:    %[[Y0:.+]] = pop.reshape %[[Y]]
// CHECK-NEXT:    %[[Y1:.+]] = pop.reshape %[[Y]]
// CHECK-NEXT:    return %[[Y0]], %[[Y1]]
func.func @equal(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// The limit of a group.
//
// LIMIT-LABEL: func.func @many(
// LIMIT-COUNT-2: pop.matmul {{.*}} -> tensor<2x8x4xf32>
// LIMIT:         pop.matmul {{.*}} -> tensor<8x4xf32>
// LIMIT-NOT:     pop.matmul
// LIMIT:         return
func.func @many(%b: tensor<8x16xf32>, %c: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %x = pop.exp %b : tensor<8x16xf32>
  %y = pop.abs %b : tensor<8x16xf32>
  %0 = pop.matmul %b, %c {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = pop.matmul %x, %c {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %2 = pop.matmul %y, %c {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %3 = pop.matmul %x, %c {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %4 = pop.matmul %y, %c {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %5 = pop.sum %0, %1, %2, %3, %4 : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %5 : tensor<8x4xf32>
}

// A product of transposed shapes: its operands are transposed and swapped. Ops
// on which operands depend are moved up.
//
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME:    %[[A:.+]]: tensor<8x16xf32>, %[[B:.+]]: tensor<16x4xf32>, %[[C:.+]]: tensor<4x16xf32>, %[[D:.+]]: tensor<16x8xf32>
// CHECK-NEXT:    %[[E:.+]] = pop.exp %[[C]]
// CHECK:         pop.transpose %[[B]]
// CHECK:         pop.transpose %[[A]]
// CHECK:         pop.matmul {{.*}} : (tensor<2x4x16xf32>, tensor<2x16x8xf32>) -> tensor<2x4x8xf32>
// CHECK:         pop.transpose {{.*}} : tensor<4x8xf32> -> tensor<8x4xf32>
// CHECK-NOT:     pop.transpose
// CHECK:         return
func.func @transposed(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<4x16xf32>, %d: tensor<16x8xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>) {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %e = pop.exp %c : tensor<4x16xf32>
  %1 = pop.matmul %e, %d {accum = #pop.accum<chain>} : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<4x8xf32>
}

// Results that are rounded at random are rounded one by one.
//
// CHECK-LABEL: func.func @draws(
// CHECK:         pop.matmul {{.*}} {accum = #pop.accum<chain>, pop.vgraph = 1 : i64} : {{.*}} -> tensor<2x8x4xf32>
// CHECK:         pop.cast {{.*}} {pop.draw = #pop.draw<3>, pop.vgraph = 1 : i64} : tensor<8x4xf32> to tensor<8x4xf16>
// CHECK:         pop.cast {{.*}} {pop.draw = #pop.draw<5>, pop.vgraph = 1 : i64} : tensor<8x4xf32> to tensor<8x4xf16>
func.func @draws(%a: tensor<8x16xf16>, %b: tensor<16x4xf16>, %c: tensor<8x16xf16>) -> (tensor<8x4xf16>, tensor<8x4xf16>) {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>, pop.draw = #pop.draw<3>, pop.vgraph = 1 : i64} : (tensor<8x16xf16>, tensor<16x4xf16>) -> tensor<8x4xf16>
  %1 = pop.matmul %c, %b {accum = #pop.accum<chain>, pop.draw = #pop.draw<5>, pop.vgraph = 1 : i64} : (tensor<8x16xf16>, tensor<16x4xf16>) -> tensor<8x4xf16>
  return %0, %1 : tensor<8x4xf16>, tensor<8x4xf16>
}

// Two groups: the first products of two chains, and the second ones. They get
// the orders of single products.
//
// CHECK-LABEL: func.func @chains(
// CHECK-COUNT-2: pop.matmul {{.*}} {accum = #pop.accum<chain>} : {{.*}} -> tensor<2x4x4xf32>
// CHECK-NOT:     pop.matmul
// CHECK:         return
func.func @chains(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = pop.matmul %a, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = pop.matmul %0, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = pop.matmul %b, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = pop.matmul %2, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// None of these pairs is merged: the second product depends on the first one by
// its operand or by a ref; orders or placements differ; a product starts from
// another one, or is to be divided; and a read stays after a write.
//
// CHECK-LABEL: func.func @alone(
// CHECK-NOT:     pop.concat
// CHECK:         return
func.func @alone(%a: tensor<4x4xf32>, %w: tensor<4x4xf32>, %r: !pop.ref<4x4xf32>, %b: tensor<3x3xf32>, %c: tensor<5x5xf32>, %e: tensor<7x7xf32>, %f: tensor<8x8xf32>, %s: !pop.ref<9x9xf32>, %g: tensor<9x9xf32>)
    -> (tensor<4x4xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<7x7xf32>, tensor<7x7xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<9x9xf32>, tensor<9x9xf32>) {
  %0 = pop.matmul %a, %w {accum = #pop.accum<chain>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = pop.matmul %0, %w {accum = #pop.accum<chain>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  pop.copy_ %r, %1 : !pop.ref<4x4xf32>, tensor<4x4xf32>
  %now = pop.read %r : !pop.ref<4x4xf32>
  %2 = pop.matmul %now, %w {accum = #pop.accum<chain>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = pop.matmul %b, %b {accum = #pop.accum<chain>} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %4 = pop.matmul %b, %b {accum = #pop.accum<blocked, block = 2, lanes = 1>} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %5 = pop.matmul %c, %c {accum = #pop.accum<chain>, pop.vgraph = 0 : i64} : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %6 = pop.matmul %c, %c {accum = #pop.accum<chain>, pop.vgraph = 1 : i64} : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %9 = pop.matmul %e, %e, %e {accum = #pop.accum<chain>} : (tensor<7x7xf32>, tensor<7x7xf32>, tensor<7x7xf32>) -> tensor<7x7xf32>
  %10 = pop.matmul %e, %e {accum = #pop.accum<chain>} : (tensor<7x7xf32>, tensor<7x7xf32>) -> tensor<7x7xf32>
  %11 = pop.matmul %f, %f {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "reducing_dim"}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %12 = pop.matmul %f, %f {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "reducing_dim"}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %13 = pop.matmul %g, %g {accum = #pop.accum<chain>} : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>
  pop.zero_ %s : !pop.ref<9x9xf32>
  %zeros = pop.read %s : !pop.ref<9x9xf32>
  %14 = pop.matmul %zeros, %g {accum = #pop.accum<chain>} : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>
  return %2, %3, %4, %5, %6, %9, %10, %11, %12, %13, %14 : tensor<4x4xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<7x7xf32>, tensor<7x7xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<9x9xf32>, tensor<9x9xf32>
}
