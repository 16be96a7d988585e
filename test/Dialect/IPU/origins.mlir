// A step that was merged from several steps keeps the ops of the source from which it comes, and their shares of its cost.
//
// RUN: ipu-opt %s --mlir-print-debuginfo --pass-pipeline='builtin.module(func.func(ipu-merge-steps),ipu-estimate-cost)' -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// The IR as text has everything.
// RUN: ipu-opt %t.mlir | FileCheck %s
// RUN: ipu-opt %s --mlir-print-debuginfo --ipu-estimate-cost | FileCheck %s --check-prefix=APART

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#n = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
#one = #ipu.map<[8], grid = [1], blocks = [all]>
!b = memref<?xf32, strided<[1], offset: ?>>
ipu.codelet @neg(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 20, worker = 17, cycles = 2, per = 2> {
}

// The vertex of "first" takes 20 + 6 * (17 + 2 * 1) = 134 cycles on tile 0, and so does that of "second". The start of the compute
// set (30 cycles) is shared, too. Each has 8 operations.
// CHECK-LABEL: func.func @same
// CHECK: ipu.compute_set "pop.neg+pop.abs" {
// CHECK-NEXT: ipu.vertices {{.*}} {ipu.origins = [#ipu.origin<"pop.neg", name = "first", place = "m.py:1:2">]}
// CHECK-NEXT: ipu.vertices {{.*}} {ipu.origins = [#ipu.origin<"pop.abs", name = "second", place = "m.py:3:4">]}
// CHECK-NEXT: } cost <cycles = [[[#CYCLES:]]],
// CHECK-SAME: flops = 16, bytes = 0,
// CHECK-SAME: shares = [<<"pop.neg", name = "first", place = "m.py:1:2">, cycles = [[[#div(CYCLES,2)]]], flops = 8, bytes = 0>,
// CHECK-SAME: <<"pop.abs", name = "second", place = "m.py:3:4">, cycles = [[[#div(CYCLES,2)]]], flops = 8, bytes = 0>]>
// APART-LABEL: func.func @same
// APART-NOT: shares =
// APART-NOT: ipu.origins
// APART-LABEL: func.func @shadow
func.func @same() {
  %x = ipu.var "x" : memref<8xf32, #n>
  %y = ipu.var "y" : memref<8xf32, #n>
  %z = ipu.var "z" : memref<8xf32, #n>
  ipu.compute_set "pop.neg" {
    ipu.vertices @neg ins(%x : memref<8xf32, #n>) outs(%y : memref<8xf32, #n>) access [#n, #n]
  } loc("first"("m.py":1:2))
  ipu.compute_set "pop.abs" {
    ipu.vertices @neg ins(%x : memref<8xf32, #n>) outs(%z : memref<8xf32, #n>) access [#n, #n]
  } loc("second"("m.py":3:4))
  return
}

// Only one of the ops is on the slowest tile, and takes all of the time.
// CHECK-LABEL: func.func @shadow
// CHECK: } cost <cycles = [[[#CYCLES:]]],
// CHECK-SAME: shares = [<<"pop.neg", name = "first">, cycles = [0], flops = 8, bytes = 0>,
// CHECK-SAME: <<"pop.abs", name = "second">, cycles = [[[#CYCLES]]], flops = 8, bytes = 0>]>
#two = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2], first = 4>
func.func @shadow() {
  %x = ipu.var "x" : memref<8xf32, #two>
  %y = ipu.var "y" : memref<8xf32, #two>
  %z = ipu.var "z" : memref<8xf32, #one>
  %u = ipu.var "u" : memref<8xf32, #one>
  ipu.compute_set "pop.neg" {
    ipu.vertices @neg ins(%x : memref<8xf32, #two>) outs(%y : memref<8xf32, #two>) access [#two, #two]
  } loc("first")
  ipu.compute_set "pop.abs" {
    ipu.vertices @neg ins(%z : memref<8xf32, #one>) outs(%u : memref<8xf32, #one>) access [#one, #one]
  } loc("second")
  return
}

// The moves of an exchange, and the sync for them. A step that already comes from several ops adds its list.
// CHECK-LABEL: func.func @moves
// CHECK: ipu.sync internal cost <{{.*}}shares = [<<"a", name = "one">, cycles = [{{.*}}<<"b", name = "two">, cycles = [{{.*}}<<"c", name = "three">
// CHECK-SAME: {ipu.origins = [#ipu.origin<"a", name = "one">, #ipu.origin<"b", name = "two", share = 2>, #ipu.origin<"c", name = "three", share = 3>]}
// CHECK: ipu.exchange "a+b" {
// CHECK-NEXT: ipu.move {{.*}} {ipu.origins = [#ipu.origin<"a", name = "one">]}
// CHECK-NEXT: ipu.move {{.*}} {ipu.origins = [#ipu.origin<"b", name = "two", share = 2>, #ipu.origin<"c", name = "three", share = 3>]}
// CHECK-NEXT: } cost <{{.*}}shares = [<<"a", name = "one">, cycles = [54], flops = 0, bytes = 32>, <<"b", name = "two">, cycles = [22], flops = 0, bytes = 13>, <<"c", name = "three">, cycles = [32], flops = 0, bytes = 19>]>
func.func @moves() {
  %x = ipu.var "x" : memref<8xf32, #m>
  %y = ipu.var "y" : memref<8xf32, #m>
  %x0 = ipu.var "x0" copies : memref<8xf32, #two>
  %y0 = ipu.var "y0" copies : memref<8xf32, #two>
  ipu.sync internal loc("one")
  ipu.exchange "a" {
    ipu.move %x to %x0 : memref<8xf32, #m> to memref<8xf32, #two>
  } loc("one")
  ipu.sync internal loc("two")
  ipu.exchange "b" {
    ipu.move %y to %y0 : memref<8xf32, #m> to memref<8xf32, #two>
  } {ipu.origins = [#ipu.origin<"b", name = "two", share = 2>, #ipu.origin<"c", name = "three", share = 3>]}
  %z = ipu.var "z" : memref<8xf32, #two>
  ipu.compute_set "d" {
    ipu.vertices @neg ins(%x0 : memref<8xf32, #two>) outs(%z : memref<8xf32, #two>) access [#two, #two]
  }
  %u = ipu.var "u" : memref<8xf32, #two>
  ipu.compute_set "e" {
    ipu.vertices @neg ins(%y0 : memref<8xf32, #two>) outs(%u : memref<8xf32, #two>) access [#two, #two]
  }
  return
}

// A fused location has several origins, with shares if its metadata has them. A name and a position are one origin.
// CHECK-LABEL: func.func @fused
// CHECK: shares = [<<"repeat", name = "p">, cycles = [2], flops = 0, bytes = 0>, <<"repeat", name = "q">, cycles = [4], flops = 0, bytes = 0>]>
// CHECK: shares = [<<"repeat", name = "p">, cycles = [3], flops = 0, bytes = 0>, <<"repeat", name = "q">, cycles = [3], flops = 0, bytes = 0>]>
// CHECK-NOT: shares =
func.func @fused() {
  ipu.repeat 2 {
  } loc(fused<array<i64: 1, 2>>["p", "q"])
  ipu.repeat 2 {
  } loc(fused["p", "q"])
  ipu.repeat 2 {
  } loc(fused["p", "m.py":3:4])
  return
}
