// RUN: ipu-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(ipu-merge-steps))' | FileCheck %s

// Draws from a counter are done at once, but none passes an advance.
// CHECK-LABEL: module @counter
// CHECK: ipu.compute_set "x+y"
// CHECK-NEXT: ipu.vertices @draw {{.*}} draw<0>
// CHECK-NEXT: ipu.vertices @draw {{.*}} draw<1>
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: ipu.advance_rng
// CHECK-NEXT: ipu.compute_set "z"
#m = #ipu.map<[2, 6, 4], grid = [2], blocks = [p0 * 1 : 1, all, all]>
#v = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module @counter attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>, ipu.rng = #ipu<rng_generator counter>} {
  ipu.storage @a : memref<2x6x4xi32, #m>
  ipu.rng_state @rng.a in @a #pop.replica_partition<all of 1> modifier 0
  ipu.codelet @draw(%y : memref<?xi32, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<?xi32, strided<[1], offset: ?>>) {
    ^bb0(%out: i32):
      %i = linalg.index 0 : index
      %b = ipu.random_bits %y[%i] : memref<?xi32, strided<[1], offset: ?>>
      linalg.yield %b : i32
    }
  }
  func.func @main() {
    %a = ipu.var "a" of @a : memref<2x6x4xi32, #m>
    %x = ipu.var "x" : memref<4xi32, #v>
    %y = ipu.var "y" : memref<4xi32, #v>
    %z = ipu.var "z" : memref<4xi32, #v>
    ipu.compute_set "x" {
      ipu.vertices @draw outs(%x : memref<4xi32, #v>) rng(%a : memref<2x6x4xi32, #m>) draw<0> access [#v]
    }
    ipu.compute_set "y" {
      ipu.vertices @draw outs(%y : memref<4xi32, #v>) rng(%a : memref<2x6x4xi32, #m>) draw<1> access [#v]
    }
    ipu.advance_rng %a : memref<2x6x4xi32, #m>
    ipu.compute_set "z" {
      ipu.vertices @draw outs(%z : memref<4xi32, #v>) rng(%a : memref<2x6x4xi32, #m>) draw<0> access [#v]
    }
    return
  }
}

// -----

// Draws from a stream follow one another.
// CHECK-LABEL: module @stream
// CHECK: ipu.compute_set "x" {
// CHECK: ipu.compute_set "y" {
// CHECK: ipu.compute_set "z" {
#m = #ipu.map<[2, 6, 4], grid = [2], blocks = [p0 * 1 : 1, all, all]>
#v = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module @stream attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>, ipu.rng = #ipu<rng_generator stream>} {
  ipu.storage @a : memref<2x6x4xi32, #m>
  ipu.rng_state @rng.a in @a #pop.replica_partition<all of 1> modifier 0
  ipu.codelet @draw(%y : memref<?xi32, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<?xi32, strided<[1], offset: ?>>) {
    ^bb0(%out: i32):
      %i = linalg.index 0 : index
      %b = ipu.random_bits %y[%i] : memref<?xi32, strided<[1], offset: ?>>
      linalg.yield %b : i32
    }
  }
  func.func @main() {
    %a = ipu.var "a" of @a : memref<2x6x4xi32, #m>
    %x = ipu.var "x" : memref<4xi32, #v>
    %y = ipu.var "y" : memref<4xi32, #v>
    %z = ipu.var "z" : memref<4xi32, #v>
    ipu.compute_set "x" {
      ipu.vertices @draw outs(%x : memref<4xi32, #v>) rng(%a : memref<2x6x4xi32, #m>) access [#v]
    }
    ipu.compute_set "y" {
      ipu.vertices @draw outs(%y : memref<4xi32, #v>) rng(%a : memref<2x6x4xi32, #m>) access [#v]
    }
    ipu.compute_set "z" {
      ipu.vertices @draw outs(%z : memref<4xi32, #v>) rng(%a : memref<2x6x4xi32, #m>) access [#v]
    }
    return
  }
}
