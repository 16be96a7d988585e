// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-materialize-exchange,ipu-liveness,ipu-estimate-cost))' | FileCheck %s

// The example of docs/device-model.md: each of two tiles has one of two partial
// sums of 576 outputs, and adds one half of the outputs. Without in_place, the
// exchange takes 827 cycles. The partial sums are live until the vertices ran.
#partials = #ipu.map<[2, 576], grid = [2], blocks = [p0 * 1 : 1, all]>
#rows = #ipu.map<[2, 576], grid = [2], blocks = [all, p0 * 288 : 288]>
#sums = #ipu.map<[576], grid = [2], blocks = [p0 * 288 : 288]>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>>
!row = memref<?xf32, strided<[1], offset: ?>>
ipu.codelet @reduce(%p : !rows, %y : !row)
    inputs 1 cost <reduce_columns, supervisor = 0, worker = 32, cycles = 0, per = 4, combined = 2> {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !row)
  linalg.reduce { arith.addf } ins(%p : !rows) outs(%y : !row) dimensions = [0]
}
// CHECK-LABEL: func.func @shared
func.func @shared() {
  // CHECK: %[[P:.*]] = ipu.var "p"
  %p = ipu.var "p" : memref<2x576xf32, #partials>
  %y = ipu.var "y" : memref<576xf32, #sums>
  // CHECK: ipu.exchange "sum"
  // CHECK-NEXT: ipu.move %[[P]] to %[[ROWS:[0-9]+]]
  // CHECK-NEXT: } cost <cycles = [390]
  // CHECK-NEXT: ipu.compute_set "sum"
  // CHECK-NEXT: ipu.vertices @reduce ins(%[[ROWS]] :
  // CHECK-SAME: in_place(%[[P]] : memref<2x576xf32, #{{.*}}>) access
  ipu.compute_set "sum" {
    ipu.vertices @reduce ins(%p : memref<2x576xf32, #partials>)
      outs(%y : memref<576xf32, #sums>) access [#rows, #sums]
  }
  // CHECK: ipu.write_undef %[[P]]
  return
}

// Two reductions share a move, and both read what is on their tile.
// CHECK-LABEL: func.func @two_readers
func.func @two_readers() {
  %p = ipu.var "p" : memref<2x576xf32, #partials>
  %y = ipu.var "y" : memref<576xf32, #sums>
  %z = ipu.var "z" : memref<576xf32, #sums>
  // CHECK: } cost <cycles = [390]
  // CHECK-COUNT-2: in_place(
  ipu.compute_set "sums" {
    ipu.vertices @reduce ins(%p : memref<2x576xf32, #partials>)
      outs(%y : memref<576xf32, #sums>) access [#rows, #sums]
    ipu.vertices @reduce ins(%p : memref<2x576xf32, #partials>)
      outs(%z : memref<576xf32, #sums>) access [#rows, #sums]
  }
  return
}

// -----

// The columns of a tile are no run in its partial sums of two rows of outputs,
// so they are copied: both rows in 827 + 5 cycles.
#partials = #ipu.map<[2, 2, 288], grid = [2], blocks = [p0 * 1 : 1, all, all]>
#rows = #ipu.map<[2, 2, 288], grid = [2], blocks = [all, all, p0 * 144 : 144]>
#sums = #ipu.map<[2, 288], grid = [2], blocks = [all, p0 * 144 : 144]>
!rows = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
!row = memref<?x?xf32, strided<[?, 1], offset: ?>>
ipu.codelet @reduce(%p : !rows, %y : !row)
    inputs 1 cost <reduce_columns, supervisor = 0, worker = 32, cycles = 0, per = 4, combined = 2> {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !row)
  linalg.reduce { arith.addf } ins(%p : !rows) outs(%y : !row) dimensions = [0]
}
// CHECK-LABEL: func.func @two_runs
func.func @two_runs() {
  %p = ipu.var "p" : memref<2x2x288xf32, #partials>
  %y = ipu.var "y" : memref<2x288xf32, #sums>
  // CHECK: } cost <cycles = [834]
  // CHECK-NOT: in_place
  // CHECK: return
  ipu.compute_set "sum" {
    ipu.vertices @reduce ins(%p : memref<2x2x288xf32, #partials>)
      outs(%y : memref<2x288xf32, #sums>) access [#rows, #sums]
  }
  return
}

// -----

// Tile 1 adds 192 columns, of which it has 96 of one row. This row is not whole
// before the exchange, so what the tile has is copied.
#partials = #ipu.map<[2, 576], grid = [2, 2], blocks = [p0 * 1 : 1, p1 * 288 : 288]>
#rows = #ipu.map<[2, 576], grid = [3], blocks = [all, p0 * 192 : 192]>
#sums = #ipu.map<[576], grid = [3], blocks = [p0 * 192 : 192]>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>>
!row = memref<?xf32, strided<[1], offset: ?>>
ipu.codelet @reduce(%p : !rows, %y : !row)
    inputs 1 cost <reduce_columns, supervisor = 0, worker = 32, cycles = 0, per = 4, combined = 2> {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !row)
  linalg.reduce { arith.addf } ins(%p : !rows) outs(%y : !row) dimensions = [0]
}
// CHECK-LABEL: func.func @parts_of_rows
func.func @parts_of_rows() {
  %p = ipu.var "p" : memref<2x576xf32, #partials>
  %y = ipu.var "y" : memref<576xf32, #sums>
  // CHECK: } cost <cycles = [735]
  // CHECK-NOT: in_place
  // CHECK: return
  ipu.compute_set "sum" {
    ipu.vertices @reduce ins(%p : memref<2x576xf32, #partials>)
      outs(%y : memref<576xf32, #sums>) access [#rows, #sums]
  }
  return
}

// -----

// If an op writes the source before the vertices run, or an op that has no
// pointers to rows reads the target, the elements are copied.
#partials = #ipu.map<[2, 576], grid = [2], blocks = [p0 * 1 : 1, all]>
#rows = #ipu.map<[2, 576], grid = [2], blocks = [all, p0 * 288 : 288]>
#sums = #ipu.map<[576], grid = [2], blocks = [p0 * 288 : 288]>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>>
!row = memref<?xf32, strided<[1], offset: ?>>
ipu.codelet @reduce(%p : !rows, %y : !row)
    inputs 1 cost <reduce_columns, supervisor = 0, worker = 32, cycles = 0, per = 4, combined = 2> {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !row)
  linalg.reduce { arith.addf } ins(%p : !rows) outs(%y : !row) dimensions = [0]
}
ipu.codelet @clear(%y : !rows)
    inputs 0 cost <vector, supervisor = 0, worker = 32, cycles = 1, per = 4> {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !rows)
}
ipu.codelet @copy(%x : !rows, %y : !rows)
    inputs 1 cost <vector, supervisor = 0, worker = 32, cycles = 1, per = 4> {
  linalg.copy ins(%x : !rows) outs(%y : !rows)
}
// CHECK-LABEL: func.func @written
func.func @written() {
  %p = ipu.var "p" : memref<2x576xf32, #partials>
  %r = ipu.var "r" copies : memref<2x576xf32, #rows>
  %y = ipu.var "y" : memref<576xf32, #sums>
  // CHECK: } cost <cycles = [827]
  ipu.exchange "e" {
    ipu.move %p to %r : memref<2x576xf32, #partials> to memref<2x576xf32, #rows>
  }
  ipu.compute_set "clear" {
    ipu.vertices @clear outs(%p : memref<2x576xf32, #partials>) access [#partials]
  }
  ipu.compute_set "sum" {
    ipu.vertices @reduce ins(%r : memref<2x576xf32, #rows>) outs(%y : memref<576xf32, #sums>)
      in_place(%p : memref<2x576xf32, #partials>) access [#rows, #sums]
  }
  return
}
// CHECK-LABEL: func.func @other_reader
func.func @other_reader() {
  %p = ipu.var "p" : memref<2x576xf32, #partials>
  %y = ipu.var "y" : memref<576xf32, #sums>
  %z = ipu.var "z" : memref<2x576xf32, #rows>
  // CHECK: } cost <cycles = [827]
  // CHECK-NOT: in_place
  // CHECK: return
  ipu.compute_set "sum" {
    ipu.vertices @reduce ins(%p : memref<2x576xf32, #partials>)
      outs(%y : memref<576xf32, #sums>) access [#rows, #sums]
    ipu.vertices @copy ins(%p : memref<2x576xf32, #partials>)
      outs(%z : memref<2x576xf32, #rows>) access [#rows, #rows]
  }
  return
}

// -----

// Vertices without inputs do not read the target in place.
#partials = #ipu.map<[2, 576], grid = [2], blocks = [p0 * 1 : 1, all]>
#rows = #ipu.map<[2, 576], grid = [2], blocks = [all, p0 * 288 : 288]>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>>
ipu.codelet @clear(%y : !rows)
    inputs 0 cost <reduce_columns, supervisor = 0, worker = 32, cycles = 0, per = 4, combined = 2> {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !rows)
}
// CHECK-LABEL: func.func @no_inputs
func.func @no_inputs() {
  %p = ipu.var "p" : memref<2x576xf32, #partials>
  %r = ipu.var "r" : memref<2x576xf32, #rows>
  // CHECK: } cost <cycles = [827]
  ipu.exchange "e" {
    ipu.move %p to %r : memref<2x576xf32, #partials> to memref<2x576xf32, #rows>
  }
  ipu.compute_set "clear" {
    ipu.vertices @clear outs(%r : memref<2x576xf32, #rows>)
      in_place(%p : memref<2x576xf32, #partials>) access [#rows]
  }
  return
}
