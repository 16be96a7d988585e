// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-materialize-exchange))' --mlir-print-local-scope | FileCheck %s

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#n = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
#u = #ipu.map<[1, 8, 1], grid = [4], blocks = [all, p0 * 2 : 2, all]>
#t = #ipu.map<[8, 1], grid = [4], blocks = [p0 * 2 : 2, all]>
!buffer = memref<?xf32, strided<[1], offset: ?>>

ipu.codelet @add(%a : !buffer, %b : !buffer, %c : !buffer)
    inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
  linalg.add ins(%a, %b : !buffer, !buffer) outs(%c : !buffer)
}

// The example of the pass description: %b lies elsewhere.
// CHECK-LABEL: func.func @elsewhere
func.func @elsewhere() {
  // CHECK: %[[A:.*]] = ipu.var "a"
  // CHECK: %[[B:.*]] = ipu.var "b"
  %a = ipu.var "a" : memref<8xf32, #m>
  %b = ipu.var "b" : memref<8xf32, #n>
  %c = ipu.var "c" : memref<8xf32, #m>
  // CHECK: %[[T:.*]] = ipu.var "add.in1" copies : memref<8xf32, #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>>
  // CHECK-NEXT: ipu.sync internal
  // CHECK-NEXT: ipu.exchange "add" {
  // CHECK-NEXT: ipu.move %[[B]] to %[[T]]
  // CHECK-NEXT: }
  // CHECK-NEXT: ipu.compute_set "add" {
  // CHECK-NEXT: ipu.vertices @add ins(%[[A]], %[[T]] :
  ipu.compute_set "add" {
    ipu.vertices @add ins(%a, %b : memref<8xf32, #m>, memref<8xf32, #n>)
      outs(%c : memref<8xf32, #m>) access [#m, #m, #m]
  }
  return
}

// Both operands are where they are read, one under another factorisation, one
// through a view that keeps the order.
// CHECK-LABEL: func.func @in_place
func.func @in_place() {
  // CHECK: %[[A:.*]] = ipu.var "a"
  // CHECK: %[[B:.*]] = ipu.var "b"
  %a = ipu.var "a" : memref<8xf32, #u>
  %b = ipu.var "b" : memref<8xf32, #m>
  %c = ipu.var "c" : memref<8xf32, #m>
  %v = memref.reinterpret_cast %b to offset: [0], sizes: [2, 4], strides: [4, 1] : memref<8xf32, #m> to memref<2x4xf32, #m>
  // CHECK-NOT: ipu.exchange
  // CHECK: ipu.vertices @add ins(%[[A]], %[[B]] :
  ipu.compute_set "add" {
    ipu.vertices @add ins(%a, %v : memref<8xf32, #u>, memref<2x4xf32, #m>)
      outs(%c : memref<8xf32, #m>) access [#m, #m, #m]
  }
  return
}

// Views in another order are copied, both in one exchange.
// CHECK-LABEL: func.func @views
func.func @views() {
  %a = ipu.var "a" : memref<8xf32, #m>
  %c = ipu.var "c" : memref<8xf32, #m>
  %r = memref.reinterpret_cast %a to offset: [7], sizes: [8], strides: [-1] : memref<8xf32, #m> to memref<8xf32, strided<[-1], offset: 7>, #m>
  %s = memref.reinterpret_cast %a to offset: [0], sizes: [8], strides: [0] : memref<8xf32, #m> to memref<8xf32, strided<[0]>, #m>
  // CHECK: ipu.exchange "add" {
  // CHECK-NEXT: ipu.move
  // CHECK-NEXT: ipu.move
  // CHECK-NEXT: }
  // CHECK-NOT: ipu.exchange
  ipu.compute_set "add" {
    ipu.vertices @add ins(%r, %s : memref<8xf32, strided<[-1], offset: 7>, #m>, memref<8xf32, strided<[0]>, #m>)
      outs(%c : memref<8xf32, #m>) access [#m, #m, #m]
  }
  return
}

// -----

// Tiles 2i and 2i + 1 share a half of %a, 16384 bytes; of %b each has a quarter
// of its own, 8192. In one exchange, at 4 bytes a cycle: 100 + 24576 / 4 +
// 2 * 4 = 6252 cycles. In two: 100 + max(8192 / 4, 16384 / 8) + 2 * 2 = 2152,
// a sync, 90, and 100 + 8192 / 4 + 2 * 2 = 2152: 4394.
#near = #ipu.map<[2, 4096], grid = [2, 2], blocks = [p0 * 1 : 1, p1 * 2048 : 2048]>
#far = #ipu.map<[8192], grid = [4], blocks = [p0 * 2048 : 2048], first = 4>
#pairs = #ipu.map<[2, 4096], grid = [2, 2], blocks = [p0 * 1 : 1, all]>
!b = memref<?x?xf32, strided<[?, 1], offset: ?>>

ipu.codelet @first(%a : !b, %b : !b, %c : !b)
    inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
}

// CHECK-LABEL: func.func @in_pairs
func.func @in_pairs() {
  // CHECK: %[[A:.*]] = ipu.var "a"
  // CHECK: %[[B:.*]] = ipu.var "b"
  %a = ipu.var "a" : memref<8192xf32, #far>
  %b = ipu.var "b" : memref<8192xf32, #far>
  %c = ipu.var "c" : memref<8192xf32, #near>
  // CHECK: ipu.sync internal
  // CHECK-NEXT: ipu.exchange "first" {
  // CHECK-NEXT: ipu.move %[[A]]
  // CHECK-NEXT: }
  // CHECK-NEXT: ipu.sync internal
  // CHECK-NEXT: ipu.exchange "first" {
  // CHECK-NEXT: ipu.move %[[B]]
  // CHECK-NEXT: }
  // CHECK-NEXT: ipu.compute_set "first" {
  ipu.compute_set "first" {
    ipu.vertices @first ins(%a, %b : memref<8192xf32, #far>, memref<8192xf32, #far>)
      outs(%c : memref<8192xf32, #near>) access [#pairs, #near, #near]
  }
  return
}

// What saves no more than a sync and a set-up stays one.
#near_small = #ipu.map<[2, 256], grid = [2, 2], blocks = [p0 * 1 : 1, p1 * 128 : 128]>
#far_small = #ipu.map<[512], grid = [4], blocks = [p0 * 128 : 128], first = 4>
#pairs_small = #ipu.map<[2, 256], grid = [2, 2], blocks = [p0 * 1 : 1, all]>
// CHECK-LABEL: func.func @in_small_pairs
func.func @in_small_pairs() {
  %a = ipu.var "a" : memref<512xf32, #far_small>
  %b = ipu.var "b" : memref<512xf32, #far_small>
  %c = ipu.var "c" : memref<512xf32, #near_small>
  // CHECK: ipu.exchange "first" {
  // CHECK-NEXT: ipu.move
  // CHECK-NEXT: ipu.move
  // CHECK-NEXT: }
  // CHECK-NEXT: ipu.compute_set "first" {
  ipu.compute_set "first" {
    ipu.vertices @first ins(%a, %b : memref<512xf32, #far_small>, memref<512xf32, #far_small>)
      outs(%c : memref<512xf32, #near_small>) access [#pairs_small, #near_small, #near_small]
  }
  return
}

// -----

#first = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#other = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
#second = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2], first = 4>
!buffer = memref<?xf32, strided<[1], offset: ?>>

module attributes {ipu.target = #ipu.target<"gc200", {ipus = 2 : i64, tiles = 4 : i64}>} {
ipu.codelet @add(%a : !buffer, %b : !buffer, %c : !buffer)
    inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
  linalg.add ins(%a, %b : !buffer, !buffer) outs(%c : !buffer)
}

// All IPUs wait for each other only before an exchange that uses links.
// CHECK-LABEL: func.func @ipus
// CHECK: ipu.sync internal
// CHECK-NEXT: ipu.exchange "inside"
// CHECK: ipu.sync ipus
// CHECK-NEXT: ipu.exchange "across"
// CHECK: ipu.sync internal
// CHECK-NEXT: ipu.exchange "copy inside"
// CHECK: ipu.sync ipus
// CHECK-NEXT: ipu.exchange "copy across"
// A later exchange relies on the sync of an earlier one.
// CHECK: ipu.compute_set "inside again"
// CHECK: ipu.sync ipus
// CHECK-NEXT: ipu.exchange "first of two"
// CHECK: ipu.sync internal
// CHECK-NEXT: ipu.exchange "second of two"
func.func @ipus() {
  %a = ipu.var "a" : memref<8xf32, #first>
  %b = ipu.var "b" : memref<8xf32, #other>
  %c = ipu.var "c" : memref<8xf32, #first>
  %d = ipu.var "d" : memref<8xf32, #second>
  ipu.compute_set "inside" {
    ipu.vertices @add ins(%a, %b : memref<8xf32, #first>, memref<8xf32, #other>) outs(%c : memref<8xf32, #first>) access [#first, #first, #first]
  }
  ipu.compute_set "across" {
    ipu.vertices @add ins(%a, %d : memref<8xf32, #first>, memref<8xf32, #second>) outs(%c : memref<8xf32, #first>) access [#first, #first, #first]
  }
  ipu.sync ipus
  ipu.exchange "copy inside" {
    ipu.move %c to %b : memref<8xf32, #first> to memref<8xf32, #other>
  }
  ipu.sync ipus
  ipu.exchange "copy across" {
    ipu.move %c to %d : memref<8xf32, #first> to memref<8xf32, #second>
  }
  ipu.compute_set "inside again" {
    ipu.vertices @add ins(%a, %a : memref<8xf32, #first>, memref<8xf32, #first>) outs(%c : memref<8xf32, #first>) access [#first, #first, #first]
  }
  ipu.sync ipus
  ipu.exchange "first of two" {
    ipu.move %c to %b : memref<8xf32, #first> to memref<8xf32, #other>
  }
  ipu.sync internal
  ipu.exchange "second of two" {
    ipu.move %c to %d : memref<8xf32, #first> to memref<8xf32, #second>
  }
  return
}
}

// -----

// A transposed view is read where its variable is, if each tile stores the
// elements in the order in which the vertices read them, and if the codelet
// reads elements with any stride.
#rows = #ipu.map<[6, 4], grid = [3], blocks = [p0 * 2 : 2, all]>
#in_order = #ipu.map<[4, 6], grid = [3], blocks = [all, p0 * 2 : 2]>
#transposed = #ipu.map<[4, 6], grid = [3], blocks = [all, p0 * 2 : 2], layout = affine_map<(d0, d1) -> (d1, d0)>>
#columns = #ipu.map<[6, 4], grid = [2], blocks = [all, p0 * 2 : 2]>
!any = memref<?x?xf32, strided<[?, ?], offset: ?>>
!unit = memref<?x?xf32, strided<[?, 1], offset: ?>>

ipu.codelet @any(%x : !any, %y : !unit)
    inputs 1 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
}
ipu.codelet @unit(%x : !unit, %y : !unit)
    inputs 1 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
}

// CHECK-LABEL: func.func @transposed
func.func @transposed() {
  %x = ipu.var "x" : memref<4x6xf32, #transposed>
  %w = ipu.var "w" : memref<4x6xf32, #in_order>
  %y = ipu.var "y" : memref<6x4xf32, #rows>
  // CHECK: %[[X:.*]] = memref.reinterpret_cast
  // CHECK: %[[W:.*]] = memref.reinterpret_cast
  %xt = memref.reinterpret_cast %x to offset: [0], sizes: [6, 4], strides: [1, 6]
    : memref<4x6xf32, #transposed> to memref<6x4xf32, strided<[1, 6]>, #transposed>
  %wt = memref.reinterpret_cast %w to offset: [0], sizes: [6, 4], strides: [1, 6]
    : memref<4x6xf32, #in_order> to memref<6x4xf32, strided<[1, 6]>, #in_order>
  // CHECK-NEXT: ipu.compute_set "in_place" {
  // CHECK-NEXT: ipu.vertices @any ins(%[[X]] :
  ipu.compute_set "in_place" {
    ipu.vertices @any ins(%xt : memref<6x4xf32, strided<[1, 6]>, #transposed>)
      outs(%y : memref<6x4xf32, #rows>) access [#rows, #rows]
  }
  // The tiles store the elements in the order of the variable.
  // CHECK: ipu.move %[[W]] to %[[COPY:[0-9]+]] :
  // CHECK: ipu.vertices @any ins(%[[COPY]] :
  ipu.compute_set "other_order" {
    ipu.vertices @any ins(%wt : memref<6x4xf32, strided<[1, 6]>, #in_order>)
      outs(%y : memref<6x4xf32, #rows>) access [#rows, #rows]
  }
  // The vertices read other tiles.
  // CHECK: ipu.move %[[X]] to %[[COPY:[0-9]+]] :
  // CHECK: ipu.vertices @any ins(%[[COPY]] :
  %z = ipu.var "z" : memref<6x4xf32, #columns>
  ipu.compute_set "other_tiles" {
    ipu.vertices @any ins(%xt : memref<6x4xf32, strided<[1, 6]>, #transposed>)
      outs(%z : memref<6x4xf32, #columns>) access [#columns, #columns]
  }
  // The codelet reads only consecutive elements.
  // CHECK: ipu.move %[[X]] to %[[COPY:[0-9]+]] :
  // CHECK: ipu.vertices @unit ins(%[[COPY]] :
  ipu.compute_set "unit_stride" {
    ipu.vertices @unit ins(%xt : memref<6x4xf32, strided<[1, 6]>, #transposed>)
      outs(%y : memref<6x4xf32, #rows>) access [#rows, #rows]
  }
  return
}
