// RUN: ipu-opt %s -split-input-file -ipu-switch-rng-states -verify-diagnostics

#m = #ipu.map<[1, 6, 4], grid = [1], blocks = [p0 * 1 : 1, all, all]>
#v = #ipu.map<[4], grid = [1], blocks = [p0 * 4 : 4]>

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>, ipu.rng = #ipu<rng_generator counter>} {
  ipu.codelet @draw(%y : memref<?xi32, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<?xi32, strided<[1], offset: ?>>) {
    ^bb0(%out: i32):
      %i = linalg.index 0 : index
      %b = ipu.random_bits %y[%i] : memref<?xi32, strided<[1], offset: ?>>
      linalg.yield %b : i32
    }
  }
  func.func @main() {
    %a = ipu.var "a" : memref<1x6x4xi32, #m>
    %y = ipu.var "y" : memref<4xi32, #v>
    // expected-error @+1 {{'ipu.compute_set' op expects its RNG state to be in an 'ipu.storage'}}
    ipu.compute_set "y" {
      ipu.vertices @draw outs(%y : memref<4xi32, #v>) rng(%a : memref<1x6x4xi32, #m>) draw<0> access [#v]
    }
    return
  }
}

// -----

#m = #ipu.map<[1, 6, 4], grid = [1], blocks = [p0 * 1 : 1, all, all]>
#v = #ipu.map<[4], grid = [1], blocks = [p0 * 4 : 4]>

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>, ipu.rng = #ipu<rng_generator counter>} {
  ipu.storage @a : memref<1x6x4xi32, #m>
  ipu.rng_state @rng.a in @a #pop.replica_partition<all of 1> modifier 0
  ipu.storage @b : memref<1x6x4xi32, #m>
  ipu.rng_state @rng.b in @b #pop.replica_partition<all of 1> modifier 1
  ipu.codelet @draw(%y : memref<?xi32, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<?xi32, strided<[1], offset: ?>>) {
    ^bb0(%out: i32):
      %i = linalg.index 0 : index
      %b = ipu.random_bits %y[%i] : memref<?xi32, strided<[1], offset: ?>>
      linalg.yield %b : i32
    }
  }
  func.func @main() {
    %a = ipu.var "a" of @a : memref<1x6x4xi32, #m>
    %b = ipu.var "b" of @b : memref<1x6x4xi32, #m>
    %y = ipu.var "y" : memref<4xi32, #v>
    %z = ipu.var "z" : memref<4xi32, #v>
    // expected-error @+1 {{'ipu.compute_set' op expects to draw from one RNG state; run ipu-switch-rng-states before ipu-merge-steps}}
    ipu.compute_set "merged" {
      ipu.vertices @draw outs(%y : memref<4xi32, #v>) rng(%a : memref<1x6x4xi32, #m>) draw<1> access [#v]
      ipu.vertices @draw outs(%z : memref<4xi32, #v>) rng(%b : memref<1x6x4xi32, #m>) draw<2> access [#v]
    }
    return
  }
}
