// What generators cannot do. A stream is drawn from in the order of elements.
// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{engine=interp})'

#m = #ipu.map<[4], grid = [1], blocks = [all]>
#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>, ipu.rng = #ipu<rng_generator stream>} {
  ipu.codelet @c(%y : memref<?xi32, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%y : memref<?xi32, strided<[1], offset: ?>>) {
    ^bb0(%o : i32):
      %i = linalg.index 0 : index
      // expected-error @below {{'ipu.random_bits' op expects draw 0 of generator 'stream' but got 2}}
      %r = ipu.random_bits %y[%i] draw 2 : memref<?xi32, strided<[1], offset: ?>>
      linalg.yield %r : i32
    }
  }
  ipu.storage @st : memref<4x6x4xi32, #s>
  ipu.rng_state @rng in @st #pop.replica_partition<all of 1> modifier 0
  func.func @main() {
    %y = ipu.var "y" : memref<4xi32, #m>
    %s = ipu.var "s" of @st : memref<4x6x4xi32, #s>
    ipu.compute_set "c" {
      ipu.vertices @c outs(%y : memref<4xi32, #m>) rng(%s : memref<4x6x4xi32, #s>) access [#m]
    }
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [1], blocks = [all]>
#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>, ipu.rng = #ipu<rng_generator stream>} {
  ipu.codelet @c(%y : memref<?xi32, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%y : memref<?xi32, strided<[1], offset: ?>>) {
    ^bb0(%o : i32):
      %i = linalg.index 0 : index
      // expected-note @below {{the other op is here}}
      %q = ipu.random_bits %y[%i] : memref<?xi32, strided<[1], offset: ?>>
      // expected-error @below {{'ipu.random_bits' op draws from generator 'stream' for the same elements as another op}}
      %r = ipu.random_bits %y[%i] : memref<?xi32, strided<[1], offset: ?>>
      %z = arith.xori %q, %r : i32
      linalg.yield %z : i32
    }
  }
  ipu.storage @st : memref<4x6x4xi32, #s>
  ipu.rng_state @rng in @st #pop.replica_partition<all of 1> modifier 0
  func.func @main() {
    %y = ipu.var "y" : memref<4xi32, #m>
    %s = ipu.var "s" of @st : memref<4x6x4xi32, #s>
    ipu.compute_set "c" {
      ipu.vertices @c outs(%y : memref<4xi32, #m>) rng(%s : memref<4x6x4xi32, #s>) access [#m]
    }
    return
  }
}

// -----

#m = #ipu.map<[2, 2], grid = [1], blocks = [all, all]>
#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>, ipu.rng = #ipu<rng_generator stream>} {
  ipu.codelet @c(%y : memref<?x?xi32, strided<[?, 1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x?xi32, strided<[?, 1], offset: ?>>) {
    ^bb0(%o : i32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      // expected-error @below {{'ipu.random_bits' op expects index 0 to be the index of loop 0 for generator 'stream'}}
      %r = ipu.random_bits %y[%j, %i] : memref<?x?xi32, strided<[?, 1], offset: ?>>
      linalg.yield %r : i32
    }
  }
  ipu.storage @st : memref<4x6x4xi32, #s>
  ipu.rng_state @rng in @st #pop.replica_partition<all of 1> modifier 0
  func.func @main() {
    %y = ipu.var "y" : memref<2x2xi32, #m>
    %s = ipu.var "s" of @st : memref<4x6x4xi32, #s>
    ipu.compute_set "c" {
      ipu.vertices @c outs(%y : memref<2x2xi32, #m>) rng(%s : memref<4x6x4xi32, #s>) access [#m]
    }
    return
  }
}

// -----

// An element is drawn for once, with each generator.

#m = #ipu.map<[4], grid = [1], blocks = [all]>
#n = #ipu.map<[4, 3], grid = [1], blocks = [all, all]>
#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>, ipu.rng = #ipu<rng_generator counter>} {
  ipu.codelet @c(%x : memref<?x?xi32, strided<[?, 1], offset: ?>>, %y : memref<?xi32, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    // expected-note @below {{loops defined here}}
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xi32, strided<[?, 1], offset: ?>>) outs(%y : memref<?xi32, strided<[1], offset: ?>>) {
    ^bb0(%a : i32, %o : i32):
      %i = linalg.index 0 : index
      // expected-error @below {{'ipu.random_bits' op draws random bits in a loop that is not parallel}}
      %r = ipu.random_bits %y[%i] : memref<?xi32, strided<[1], offset: ?>>
      linalg.yield %r : i32
    }
  }
  ipu.storage @st : memref<4x6x4xi32, #s>
  ipu.rng_state @rng in @st #pop.replica_partition<all of 1> modifier 0
  func.func @main() {
    %x = ipu.var "x" : memref<4x3xi32, #n>
    %y = ipu.var "y" : memref<4xi32, #m>
    %s = ipu.var "s" of @st : memref<4x6x4xi32, #s>
    ipu.compute_set "c" {
      ipu.vertices @c ins(%x : memref<4x3xi32, #n>) outs(%y : memref<4xi32, #m>) rng(%s : memref<4x6x4xi32, #s>) draw<0> access [#n, #m]
    }
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
#s = #ipu.map<[2, 6, 4], grid = [2], blocks = [p0 * 1 : 1, all, all]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<2x6x4xi32, #s>
    // expected-error @below {{'ipu.collective' op expects an RNG state for tiles up to 3 but got 'memref<2x6x4xi32, }}
    ipu.collective all_reduce add %x to %y rng(%s : memref<2x6x4xi32, #s>) draw<0> {overflow = #ipu<rounding_overflow nan>} : memref<4xf16, #m> to memref<4xf16, #m>
    return
  }
}
