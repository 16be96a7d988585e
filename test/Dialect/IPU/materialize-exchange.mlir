// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-materialize-exchange))' --mlir-print-local-scope | FileCheck %s

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
