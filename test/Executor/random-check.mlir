// A checked run also finds that a state has no value: each of the four words
// that a counter is in.
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{check})' 2>&1 | FileCheck %s

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.codelet @c(%y : memref<?xi32, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%y : memref<?xi32, strided<[1], offset: ?>>) {
    ^bb0(%o : i32):
      %i = linalg.index 0 : index
      // CHECK: :[[@LINE+6]]:{{.*}}error: 'memref.load' reads element [0, 0, 0] of variable "s" on tile 0 of replica 0, which is undefined
      // CHECK: note: vertices run here
      // CHECK: note: variable "s" is undefined from here until it is written
      // CHECK: note: first of 2 elements on 2 tiles
      // CHECK: error: 'memref.load' reads element [0, 0, 1] of variable "s"
      // CHECK: error: 'memref.load' reads element [0, 0, 3] of variable "s"
      %r = ipu.random_bits %y[%i] : memref<?xi32, strided<[1], offset: ?>>
      linalg.yield %r : i32
    }
  }
  func.func @main() {
    %y = ipu.var "y" : memref<4xi32, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    ipu.compute_set "c" {
      ipu.vertices @c outs(%y : memref<4xi32, #m>) rng(%s : memref<4x6x4xi32, #s>) draw<0> access [#m]
    }
    return
  }
}
