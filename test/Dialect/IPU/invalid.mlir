// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// #ipu.map

// expected-error @+1 {{expects as many blocks as the domain has dimensions (1) but got 2}}
#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4, all]>

// -----

// expected-error @+1 {{expects the sizes of the domain to be at least 0 but got -1}}
#m = #ipu.map<[-1], grid = [16], blocks = [all]>

// -----

// expected-error @+1 {{expects a domain of at most 2^63 - 1 elements but got [4, 9223372036854775807]}}
#m = #ipu.map<[4, 9223372036854775807], grid = [16], blocks = [all, all]>

// -----

// expected-error @+1 {{expects a grid of positive extents and at most 1048576 tiles but got extent 0}}
#m = #ipu.map<[64], grid = [0], blocks = [all]>

// -----

// expected-error @+1 {{expects a grid of positive extents and at most 1048576 tiles but got extent 2000000}}
#m = #ipu.map<[64], grid = [2000000], blocks = [all]>

// -----

// expected-error @+1 {{expects tile numbers from 0 to 1048575 but got 16 tiles from tile 1048570}}
#m = #ipu.map<[64], grid = [16], blocks = [all], first = 1048570>

// -----

// expected-error @+1 {{block names axis p1 but the grid has rank 1}}
#m = #ipu.map<[64], grid = [16], blocks = [p1 * 4 : 4]>

// -----

// expected-error @+1 {{expects a positive step and extent that do not overflow but got step 0, extent 4}}
#m = #ipu.map<[64], grid = [16], blocks = [p0 * 0 : 4]>

// -----

// expected-error @+1 {{expects each axis in at most one block but got axis p0 in two blocks}}
#m = #ipu.map<[8, 8], grid = [8], blocks = [p0 * 1 : 1, p0 * 1 : 1]>

// -----

// expected-error @+1 {{expected 'all' or 'p' and the number of a grid axis}}
#m = #ipu.map<[64], grid = [16], blocks = [q0 * 4 : 4]>

// -----

// #ipu.target

// expected-error @+1 {{unknown target 'gc300'; expected one of 'gc2', 'gc200', 'bow', 'c600'}}
#t = #ipu.target<"gc300">

// -----

// expected-error @+1 {{unknown target constant 'tile'}}
#t = #ipu.target<"gc200", {tile = 4 : i64}>

// -----

// expected-error @+1 {{expects target constant 'tiles' to be an i64 of at least 1 but got 0 : i64}}
#t = #ipu.target<"gc200", {tiles = 0 : i64}>

// -----

// expected-error @+1 {{expects target constant 'tiles' to be an i64 of at least 1 but got "many"}}
#t = #ipu.target<"gc200", {tiles = "many"}>

// -----

// expected-error @+1 {{expects at most 16777216 tiles in all but got 16384 replicas of 1 IPU of 1472 tiles}}
#t = #ipu.target<"gc200", {replicas = 16384 : i64}>

// -----

// expected-error @+1 {{expects at most 1048576 tiles of a replica but got 1024 IPUs of 1472 tiles}}
#t = #ipu.target<"gc200", {ipus = 1024 : i64}>

// -----

// #ipu.codelet_cost

// expected-error @+1 {{expects costs between 0 and 1048576 but got -1}}
#c = #ipu.codelet_cost<vector, supervisor = -1, worker = 1, per = 1>

// -----

// expected-error @+1 {{expects a vector cost to have a positive 'per'}}
#c = #ipu.codelet_cost<vector, supervisor = 1, worker = 1>

// -----

// expected-error @+1 {{expects a gather cost to have a positive 'per'}}
#c = #ipu.codelet_cost<gather, supervisor = 1, worker = 1>

// -----

// expected-error @+1 {{expects a scatter cost to have a positive 'per'}}
#c = #ipu.codelet_cost<scatter, supervisor = 1, worker = 1>

// -----

// Attributes of other ops.

// expected-error @+1 {{attribute 'ipu.target' belongs on a module}}
func.func private @f() attributes {ipu.target = #ipu.target<"gc200">}

// -----

// expected-error @+1 {{attribute 'ipu.target' expects a #ipu.target but got 1 : i64}}
module attributes {ipu.target = 1} {}

// -----

func.func @f(%x : tensor<4xf32>) {
  // expected-error @+1 {{attribute 'ipu.map' expects a #ipu.map but got 1 : i64}}
  %0 = pop.relu %x {ipu.map = 1} : tensor<4xf32>
  return
}

// -----

func.func @f(%x : tensor<4xf32>) {
  // expected-error @+1 {{attribute 'ipu.map' expects a tensor of 5 elements, like its domain, but got 'tensor<4xf32>'}}
  %0 = pop.relu %x {ipu.map = #ipu.map<[5], grid = [], blocks = [all]>} : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{has unknown attribute 'ipu.unknown' of dialect 'ipu'}}
module attributes {ipu.unknown} {}

// -----

// expected-error @+1 {{argument attribute 'ipu.map' expects a #ipu.map but got 1 : i64}}
func.func private @f(tensor<4xf32> {ipu.map = 1})

// -----

// ipu.var

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-error @+1 {{expects a type without layout but got}}
%0 = ipu.var "x" : memref<64xf32, strided<[2]>, #m>

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-error @+1 {{expects the domain of the tile mapping to have 32 elements but got 64}}
%0 = ipu.var "x" : memref<32xf32, #m>

// -----

// Overlapping blocks.
#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 5]>
// expected-error @+1 {{expects the tile mapping to put each element on exactly one tile}}
%0 = ipu.var "x" : memref<64xf32, #m>

// -----

// Gaps between blocks.
#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 3]>
// expected-error @+1 {{expects the tile mapping to put each element on exactly one tile}}
%0 = ipu.var "x" : memref<64xf32, #m>

// -----

// Nothing holds the last elements.
#m = #ipu.map<[64], grid = [15], blocks = [p0 * 4 : 4]>
// expected-error @+1 {{expects the tile mapping to put each element on exactly one tile}}
%0 = ipu.var "x" : memref<64xf32, #m>

// -----

// Copies along an axis that no block names.
#m = #ipu.map<[64], grid = [16, 2], blocks = [p0 * 4 : 4]>
// expected-error @+1 {{expects the tile mapping to put each element on exactly one tile}}
%0 = ipu.var "x" : memref<64xf32, #m>

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-error @+1 {{expects an initial value that fits 'memref<64xf32, #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>>' but got 'tensor<64xi32>'}}
%0 = ipu.var "x" init(dense<1> : tensor<64xi32>) : memref<64xf32, #m>

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4], first = 50>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64}>} {
  // expected-error @+1 {{is mapped to tiles up to tile 65 but the last tile of a replica is 63}}
  %0 = ipu.var "x" : memref<64xf32, #m>
}

// -----

// expected-error @+1 {{result #0 must be statically shaped memref of at most 2^56 integers or floats with static strides and a #ipu.map as memory space, but got 'tensor<4xf32>'}}
%0 = "ipu.var"() {name = "x"} : () -> tensor<4xf32>

// -----

// expected-error @+1 {{result #0 must be statically shaped memref of at most 2^56 integers or floats with static strides and a #ipu.map as memory space, but got 'memref<4xf32>'}}
%0 = ipu.var "x" : memref<4xf32>

// -----

// ipu.write_undef

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
%0 = ipu.var "x" init(dense<1.0> : tensor<64xf32>) : memref<64xf32, #m>
// expected-error @+1 {{cannot end the live range of a variable with an initial value}}
ipu.write_undef %0 : memref<64xf32, #m>

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
func.func @f(%x : memref<64xf32, #m>) {
  // expected-error @+1 {{expects the result of an 'ipu.var'}}
  ipu.write_undef %x : memref<64xf32, #m>
  return
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-note @+1 {{variable defined here}}
%0 = ipu.var "x" : memref<64xf32, #m>
ipu.repeat 2 {
  // expected-error @+1 {{in a loop or branch cannot end the live range of a variable that is defined outside of the loop or branch}}
  ipu.write_undef %0 : memref<64xf32, #m>
}

// -----

// ipu.repeat

// expected-error @+1 {{expects a count that is not negative but got -1}}
ipu.repeat -1 {
}

// -----

// expected-error @+1 {{expects its body to hold only ops of a program but got 'arith.constant'}}
ipu.repeat 2 {
  // expected-note @+1 {{op defined here}}
  %0 = arith.constant 1 : i32
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-error @+1 {{expects variables with an initial value to be outside of its body}}
ipu.repeat 2 {
  // expected-note @+1 {{op defined here}}
  %0 = ipu.var "x" init(dense<1.0> : tensor<64xf32>) : memref<64xf32, #m>
}

// -----

// ipu.codelet

// expected-error @+1 {{expects argument 0 to be a memref of dynamic sizes with layout strided<[?, ..., ?, 1], offset: ?> but got 'memref<?xf32>'}}
ipu.codelet @c(%x : memref<?xf32>) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {}

// -----

// expected-error @+1 {{expects argument 0 to be a memref of dynamic sizes with layout strided<[?, ..., ?, 1], offset: ?> but got 'memref<4xf32, strided<[1], offset: ?>>'}}
ipu.codelet @c(%x : memref<4xf32, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {}

// -----

// Only inputs may have a dynamic last stride.
// expected-error @+1 {{expects argument 1 to be a memref of dynamic sizes with layout strided<[?, ..., ?, 1], offset: ?> but got 'memref<?xf32, strided<[?], offset: ?>>'}}
ipu.codelet @c(%x : memref<?xf32, strided<[?], offset: ?>>, %y : memref<?xf32, strided<[?], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {}

// -----

// expected-error @+1 {{expects argument 0 to be a memref of dynamic sizes with layout strided<[?, ..., ?, 1], offset: ?> but got 'i32'}}
ipu.codelet @c(%x : i32) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {}

// -----

// expected-error @+1 {{expects no results but got 1}}
ipu.codelet @c(%x : memref<?xf32, strided<[1], offset: ?>>) -> i32 inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {}

// -----

// expected-error @+1 {{expects at most as many inputs as arguments (1) but got 2}}
ipu.codelet @c(%x : memref<?xf32, strided<[1], offset: ?>>) inputs 2 cost <vector, supervisor = 1, worker = 1, per = 1> {}

// -----

// expected-error @+1 {{expects only ops of arith, linalg, math, memref and scf, and ops on random numbers, but got 'func.call'}}
ipu.codelet @c(%x : memref<?xf32, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {
  // expected-note @+1 {{op defined here}}
  func.call @f() : () -> ()
}
func.func private @f()

// -----

// ipu.compute_set and ipu.vertices

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-error @+1 {{expects its body to hold only 'ipu.vertices' but got 'ipu.sync'}}
ipu.compute_set "c" {
  // expected-note @+1 {{op defined here}}
  ipu.sync internal
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
ipu.codelet @id(%x : memref<?xf32, strided<[1], offset: ?>>, %y : memref<?xf32, strided<[1], offset: ?>>)
  inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {}
%x = ipu.var "x" : memref<64xf32, #m>
%y = ipu.var "y" : memref<64xf32, #m>
ipu.compute_set "both write y" {
  // expected-note @+1 {{also written here}}
  ipu.vertices @id ins(%x : memref<64xf32, #m>) outs(%y : memref<64xf32, #m>) access [#m, #m]
  // expected-error @+1 {{writes a variable that other vertices of the compute set write}}
  ipu.vertices @id ins(%x : memref<64xf32, #m>) outs(%y : memref<64xf32, #m>) access [#m, #m]
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
ipu.codelet @id(%x : memref<?xf32, strided<[1], offset: ?>>, %y : memref<?xf32, strided<[1], offset: ?>>)
  inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {}
%x = ipu.var "x" : memref<64xf32, #m>
%y = ipu.var "y" : memref<64xf32, #m>
%z = ipu.var "z" : memref<64xf32, #m>
ipu.compute_set "y is read and written" {
  // expected-note @+1 {{written here}}
  ipu.vertices @id ins(%x : memref<64xf32, #m>) outs(%y : memref<64xf32, #m>) access [#m, #m]
  // expected-error @+1 {{reads elements of input 0 that another vertex of the compute set writes}}
  ipu.vertices @id ins(%y : memref<64xf32, #m>) outs(%z : memref<64xf32, #m>) access [#m, #m]
}

// -----

// In place is fine, reversed is not.
#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
ipu.codelet @id(%x : memref<?xf32, strided<[1], offset: ?>>, %y : memref<?xf32, strided<[1], offset: ?>>)
  inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {}
%x = ipu.var "x" : memref<64xf32, #m>
ipu.compute_set "in place" {
  ipu.vertices @id ins(%x : memref<64xf32, #m>) outs(%x : memref<64xf32, #m>) access [#m, #m]
}
%v = memref.reinterpret_cast %x to offset: [63], sizes: [64], strides: [-1]
  : memref<64xf32, #m> to memref<64xf32, strided<[-1], offset: 63>, #m>
ipu.compute_set "reversed" {
  // expected-note @+2 {{written here}}
  // expected-error @+1 {{reads elements of input 0 that another vertex of the compute set writes}}
  ipu.vertices @id ins(%v : memref<64xf32, strided<[-1], offset: 63>, #m>) outs(%x : memref<64xf32, #m>) access [#m, #m]
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
%y = ipu.var "y" : memref<64xf32, #m>
ipu.compute_set "c" {
  // expected-error @+1 {{expects @none to be an 'ipu.codelet'}}
  ipu.vertices @none outs(%y : memref<64xf32, #m>) access [#m]
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
%y = ipu.var "y" : memref<64xf32, #m>
ipu.compute_set "c" {
  // expected-error @+1 {{expects as many access mappings as operands (1) but got 2}}
  ipu.vertices @none outs(%y : memref<64xf32, #m>) access [#m, #m]
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
#n = #ipu.map<[64], grid = [8], blocks = [p0 * 8 : 8]>
%x = ipu.var "x" : memref<64xf32, #m>
%y = ipu.var "y" : memref<64xf32, #n>
ipu.compute_set "c" {
  // expected-error @+1 {{expects all access mappings to have the grid and tiles of the first}}
  ipu.vertices @none ins(%x : memref<64xf32, #m>) outs(%y : memref<64xf32, #n>) access [#m, #n]
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
#n = #ipu.map<[32], grid = [16], blocks = [p0 * 2 : 2]>
%x = ipu.var "x" : memref<64xf32, #m>
%y = ipu.var "y" : memref<32xf32, #n>
ipu.compute_set "c" {
  // expected-error @+1 {{expects the domain of access mapping 0 to have 64 elements}}
  ipu.vertices @none ins(%x : memref<64xf32, #m>) outs(%y : memref<32xf32, #n>) access [#n, #n]
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
%y = ipu.var "y" : memref<64xf32, #m>
%v = memref.reinterpret_cast %y to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<64xf32, #m> to memref<8x8xf32, #m>
ipu.compute_set "c" {
  // expected-error @+1 {{expects output 0 to be a variable, not a view}}
  ipu.vertices @none outs(%v : memref<8x8xf32, #m>) access [#m]
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
#n = #ipu.map<[8, 8], grid = [16], blocks = [p0 * 1 : 1, all]>
%y = ipu.var "y" : memref<64xf32, #m>
ipu.compute_set "c" {
  // expected-error @+1 {{expects the access mapping of output 0 to be the tile mapping of its variable}}
  ipu.vertices @none outs(%y : memref<64xf32, #m>) access [#n]
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [all]>
module {
  ipu.codelet @squares(%x : memref<?xf32, strided<[1], offset: ?>>, %y : memref<?xf32, strided<[1], offset: ?>>)
      inputs 1 cost <vector, supervisor = 0, worker = 1, per = 1> {
    linalg.square ins(%x : memref<?xf32, strided<[1], offset: ?>>) outs(%y : memref<?xf32, strided<[1], offset: ?>>)
  }
  func.func @main() {
    %x = ipu.var "x" copies : memref<64xf32, #m>
    // expected-note @+1 {{variable defined here}}
    %y = ipu.var "y" copies : memref<64xf32, #m>
    ipu.compute_set "c" {
      // expected-error @+1 {{writes a variable that has copies of elements on several tiles; only exchanges and fills may write such a variable}}
      ipu.vertices @squares ins(%x : memref<64xf32, #m>) outs(%y : memref<64xf32, #m>) access [#m, #m]
    }
    return
  }
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-note @+1 {{codelet defined here}}
ipu.codelet @id(%x : memref<?xf32, strided<[1], offset: ?>>, %y : memref<?xf32, strided<[1], offset: ?>>)
  inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {}
%y = ipu.var "y" : memref<64xf32, #m>
ipu.compute_set "c" {
  // expected-error @+1 {{expects as many operands as @id has arguments (2) but got 1}}
  ipu.vertices @id outs(%y : memref<64xf32, #m>) access [#m]
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-note @+1 {{codelet defined here}}
ipu.codelet @id(%x : memref<?xf32, strided<[1], offset: ?>>, %y : memref<?xf32, strided<[1], offset: ?>>)
  inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {}
%x = ipu.var "x" : memref<64xf32, #m>
%y = ipu.var "y" : memref<64xf32, #m>
ipu.compute_set "c" {
  // expected-error @+1 {{has 0 inputs but @id has 1}}
  ipu.vertices @id outs(%x, %y : memref<64xf32, #m>, memref<64xf32, #m>) access [#m, #m]
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-note @+1 {{codelet defined here}}
ipu.codelet @id(%x : memref<?xf32, strided<[1], offset: ?>>, %y : memref<?xf32, strided<[1], offset: ?>>)
  inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {}
%x = ipu.var "x" : memref<64xi32, #m>
%y = ipu.var "y" : memref<64xf32, #m>
ipu.compute_set "c" {
  // expected-error @+1 {{expects argument 0 of @id to have rank 1 and element type 'i32' but got 'memref<?xf32, strided<[1], offset: ?>>'}}
  ipu.vertices @id ins(%x : memref<64xi32, #m>) outs(%y : memref<64xf32, #m>) access [#m, #m]
}

// -----

// Views stay inside of their variable.
#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-note @+1 {{variable defined here}}
%x = ipu.var "x" : memref<64xf32, #m>
%y = ipu.var "y" : memref<64xf32, #m>
%v = memref.reinterpret_cast %x to offset: [1], sizes: [64], strides: [1]
  : memref<64xf32, #m> to memref<64xf32, strided<[1], offset: 1>, #m>
ipu.exchange "e" {
  // expected-error @+1 {{source reaches outside of its variable of 64 elements}}
  ipu.move %v to %y : memref<64xf32, strided<[1], offset: 1>, #m> to memref<64xf32, #m>
}

// -----

// ipu.exchange and ipu.move

// expected-error @+1 {{expects its body to hold only 'ipu.move' but got 'ipu.sync'}}
ipu.exchange "e" {
  // expected-note @+1 {{op defined here}}
  ipu.sync internal
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
%x = ipu.var "x" : memref<64xf32, #m>
%y = ipu.var "y" : memref<64xf32, #m>
ipu.exchange "e" {
  // expected-note @+1 {{also written here}}
  ipu.move %x to %y : memref<64xf32, #m> to memref<64xf32, #m>
  // expected-error @+1 {{writes elements that another move of the exchange writes}}
  ipu.move %x to %y : memref<64xf32, #m> to memref<64xf32, #m>
}

// -----

// Interleaved halves do not conflict; a swap within one variable does.
#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
#h = #ipu.map<[32], grid = [16], blocks = [p0 * 2 : 2]>
%x = ipu.var "x" : memref<32xf32, #h>
%y = ipu.var "y" : memref<64xf32, #m>
%even = memref.reinterpret_cast %y to offset: [0], sizes: [32], strides: [2] : memref<64xf32, #m> to memref<32xf32, strided<[2]>, #m>
%odd = memref.reinterpret_cast %y to offset: [1], sizes: [32], strides: [2] : memref<64xf32, #m> to memref<32xf32, strided<[2], offset: 1>, #m>
ipu.exchange "interleave" {
  ipu.move %x to %even : memref<32xf32, #h> to memref<32xf32, strided<[2]>, #m>
  ipu.move %x to %odd : memref<32xf32, #h> to memref<32xf32, strided<[2], offset: 1>, #m>
}
ipu.exchange "swap" {
  // expected-error @+1 {{reads elements that the same exchange writes}}
  ipu.move %even to %odd : memref<32xf32, strided<[2]>, #m> to memref<32xf32, strided<[2], offset: 1>, #m>
  // expected-note @+1 {{written here}}
  ipu.move %odd to %even : memref<32xf32, strided<[2], offset: 1>, #m> to memref<32xf32, strided<[2]>, #m>
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
#h = #ipu.map<[32], grid = [16], blocks = [p0 * 2 : 2]>
%x = ipu.var "x" : memref<32xf32, #h>
%y = ipu.var "y" : memref<64xf32, #m>
ipu.exchange "e" {
  // expected-error @+1 {{expects source and target to have the same shape and element type}}
  ipu.move %x to %y : memref<32xf32, #h> to memref<64xf32, #m>
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
%x = ipu.var "x" : memref<64xf32, #m>
%y = ipu.var "y" : memref<64xf32, #m>
%v = memref.reinterpret_cast %y to offset: [0], sizes: [64], strides: [0] : memref<64xf32, #m> to memref<64xf32, strided<[0]>, #m>
ipu.exchange "e" {
  // expected-error @+1 {{expects a target view that contains no element twice}}
  ipu.move %x to %v : memref<64xf32, #m> to memref<64xf32, strided<[0]>, #m>
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
func.func @f(%x : memref<64xf32, #m>) {
  %y = ipu.var "y" : memref<64xf32, #m>
  ipu.exchange "e" {
    // expected-error @+1 {{expects source to be an 'ipu.var' or a view of one}}
    ipu.move %x to %y : memref<64xf32, #m> to memref<64xf32, #m>
  }
  return
}

// -----

// Streams and host copies

// expected-error @+1 {{expects a statically shaped tensor without encoding but got 'tensor<?xf32>'}}
ipu.stream @x host_to_device : tensor<?xf32>

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
%x = ipu.var "x" : memref<64xf32, #m>
// expected-error @+1 {{expects @x to be an 'ipu.stream'}}
ipu.host_load @x to %x : memref<64xf32, #m>

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-note @+1 {{stream defined here}}
ipu.stream @x host_to_device : tensor<64xf32>
%x = ipu.var "x" : memref<64xf32, #m>
// expected-error @+1 {{expects a stream of direction 'device_to_host' but got 'host_to_device'}}
ipu.host_store %x to @x : memref<64xf32, #m>

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-note @+1 {{stream defined here}}
ipu.stream @x host_to_device : tensor<64xui32>
%x = ipu.var "x" : memref<64xf32, #m>
// expected-error @+1 {{expects a variable that can hold 'tensor<64xui32>' but got 'memref<64xf32}}
ipu.host_load @x to %x : memref<64xf32, #m>

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
ipu.stream @x host_to_device : tensor<32xf32>
%x = ipu.var "x" : memref<64xf32, #m>
%v = memref.reinterpret_cast %x to offset: [0], sizes: [32], strides: [2] : memref<64xf32, #m> to memref<32xf32, strided<[2]>, #m>
// expected-error @+1 {{expects a whole variable, not a part of one}}
ipu.host_load @x to %v : memref<32xf32, strided<[2]>, #m>

// -----

// ipu.expect

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
%x = ipu.var "x" : memref<64xf32, #m>
// expected-error @+1 {{expects a value that fits 'memref<64xf32, #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>>' but got 'tensor<32xf32>'}}
ipu.expect %x, dense<1.0> : tensor<32xf32> : memref<64xf32, #m>

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
%x = ipu.var "x" : memref<64xf32, #m>
// expected-error @+1 {{expects both tolerances or none}}
ipu.expect %x, dense<1.0> : tensor<64xf32> {rtol = 1.0 : f64} : memref<64xf32, #m>

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
%x = ipu.var "x" : memref<64xf32, #m>
// expected-error @+1 {{expects tolerances that are not negative}}
ipu.expect %x, dense<1.0> : tensor<64xf32> {rtol = -1.0 : f64, atol = 0.0 : f64} : memref<64xf32, #m>

// -----

#m = #ipu.map<[64], grid = [16], blocks = [all]>
module {
  ipu.stream @x host_to_device : tensor<64xf32>
  func.func @main() {
    // expected-note @+1 {{variable defined here}}
    %x = ipu.var "x" copies : memref<64xf32, #m>
    // expected-error @+1 {{writes a variable that has copies of elements on several tiles; only exchanges and fills may write such a variable}}
    ipu.host_load @x to %x : memref<64xf32, #m>
    return
  }
}

// -----

// Half of the elements are on no tile.
#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 2]>
#n = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// expected-note @+1 {{variable defined here}}
%x = ipu.var "x" copies : memref<64xf32, #m>
%y = ipu.var "y" : memref<64xf32, #n>
ipu.exchange "e" {
  // expected-error @+1 {{reads a variable with elements that are on no tile}}
  ipu.move %x to %y : memref<64xf32, #m> to memref<64xf32, #n>
}

// -----

#m = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 2]>
// expected-note @+1 {{variable defined here}}
%x = ipu.var "x" copies : memref<64xf32, #m>
// expected-error @+1 {{reads a variable with elements that are on no tile}}
ipu.expect %x, dense<0.0> : tensor<64xf32> : memref<64xf32, #m>

// -----

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
%x = ipu.var "x" : memref<8xf32, #m>
%y = ipu.var "y" : memref<8xf32, #m>
%from = memref.reinterpret_cast %x to offset: [0], sizes: [4, 2], strides: [2, 1] : memref<8xf32, #m> to memref<4x2xf32, #m>
%to = memref.reinterpret_cast %y to offset: [0], sizes: [4, 2], strides: [1, 1] : memref<8xf32, #m> to memref<4x2xf32, strided<[1, 1]>, #m>
ipu.exchange "e" {
  // expected-error @+1 {{expects a target view that contains no element twice}}
  ipu.move %from to %to : memref<4x2xf32, #m> to memref<4x2xf32, strided<[1, 1]>, #m>
}

// -----

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
// expected-error @+1 {{must be statically shaped memref of at most 2^56 integers or floats}}
%x = ipu.var "x" : memref<8xindex, #m>

// -----

#m = #ipu.map<[4611686018427387904], grid = [], blocks = [all]>
// expected-error @+1 {{must be statically shaped memref of at most 2^56 integers or floats}}
%x = ipu.var "x" : memref<4611686018427387904xf32, #m>

// -----

!b = memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>>
// expected-error @+1 {{expects `combined` of 0 or 1 for the cost 'matmul' but got 5}}
ipu.codelet @combined(%a : !b, %b : !b, %c : !b) inputs 2 cost <matmul, supervisor = 11, worker = 29, combined = 5> {}

// -----

!b = memref<?xf32, strided<[1], offset: ?>>
// expected-error @+1 {{expects two or three inputs and an output for the cost 'matmul', with the second input of rank 3 or more and the output of rank 3 or more, but got}}
ipu.codelet @rank(%a : !b, %b : !b, %c : !b) inputs 2 cost <matmul, supervisor = 11, worker = 29> {}

// -----

!b = memref<?xf32, strided<[1], offset: ?>>
// expected-error @+1 {{expects two inputs and an output for the cost 'gather' but got}}
ipu.codelet @indices(%a : !b, %b : !b) inputs 1 cost <gather, supervisor = 0, worker = 30, cycles = 2, per = 2> {}

// -----

!b = memref<?xf32, strided<[1], offset: ?>>
// expected-error @+1 {{expects two inputs and an output for the cost 'gather' but got}}
ipu.codelet @output(%a : !b, %b : !b, %c : !b) inputs 3 cost <gather, supervisor = 0, worker = 30, cycles = 2, per = 2> {}

// -----

!b = memref<?xf32, strided<[1], offset: ?>>
// expected-error @+1 {{expects two inputs and an output for the cost 'select_and_scatter' but got}}
ipu.codelet @source(%a : !b, %b : !b) inputs 1 cost <select_and_scatter, supervisor = 0, worker = 30, cycles = 8, per = 2> {}

// -----

!b = memref<?xf32, strided<[1], offset: ?>>
// expected-error @+1 {{expects an input and an output for the cost 'sort' but got}}
ipu.codelet @rows(%a : !b) inputs 1 cost <sort, supervisor = 0, worker = 30, cycles = 19, per = 1> {}

// -----

!b = memref<?xf32, strided<[1], offset: ?>>
// expected-error @+1 {{expects three inputs and an output of rank 3 or more for the cost 'scatter' but got}}
ipu.codelet @rank(%a : !b, %b : !b, %c : !b, %d : !b) inputs 3 cost <scatter, supervisor = 0, worker = 30, cycles = 3, per = 2> {}

// -----

!b = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
// expected-error @+1 {{expects three inputs and an output of rank 3 or more for the cost 'scatter' but got}}
ipu.codelet @updates(%a : !b, %b : !b, %c : !b) inputs 2 cost <scatter, supervisor = 0, worker = 30, cycles = 3, per = 2> {}

// -----

!b = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
!l = memref<?x?xi32, strided<[?, 1], offset: ?>>
// expected-error @+1 {{expects three inputs and an output of rank 3 or more for the cost 'scatter_buckets' but got}}
ipu.codelet @lists(%a : !b, %b : !l, %c : !b, %d : !b) inputs 3 cost <scatter_buckets, supervisor = 0, worker = 30, cycles = 3, per = 1> {}

// -----

!b = memref<f32, strided<[], offset: ?>>
!i = memref<?xi32, strided<[1], offset: ?>>
// expected-error @+1 {{expects two inputs and an output of rank 1 or more for the cost 'dynamic_slice' but got}}
ipu.codelet @slice(%a : !b, %b : !i, %c : !b) inputs 2 cost <dynamic_slice, supervisor = 0, worker = 30, cycles = 2, per = 2> {}

// -----

!b = memref<?xf32, strided<[1], offset: ?>>
// expected-error @+1 {{expects three inputs and an output of rank 1 or more for the cost 'dynamic_update' but got}}
ipu.codelet @update(%a : !b, %b : !b, %c : !b) inputs 2 cost <dynamic_update, supervisor = 0, worker = 30, cycles = 2, per = 2> {}

// -----

// expected-error @+1 {{expects a dynamic_update cost to have a positive 'per'}}
#c = #ipu.codelet_cost<dynamic_update, supervisor = 1, worker = 1>

// -----

!b = memref<?xi32, strided<[1], offset: ?>>
// expected-error @+1 {{expects an input and an output of rank 2 or more for the cost 'bucket_indices' but got}}
ipu.codelet @chunks(%a : !b, %b : !b) inputs 1 cost <bucket_indices, supervisor = 0, worker = 30, cycles = 10, per = 2> {}

// -----

// expected-error @+1 {{has unknown result attribute 'ipu.target' of dialect 'ipu'}}
func.func private @result() -> (tensor<4xf32> {ipu.target = #ipu.target<"c600">})

// -----

// expected-error @+1 {{result attribute 'ipu.map' expects a tensor of 4 elements, like its domain, but got 'tensor<5xf32>'}}
func.func private @result() -> (tensor<5xf32> {ipu.map = #ipu.map<[4], grid = [], blocks = [all]>})

// -----

// expected-error @+1 {{attribute 'ipu.memory' belongs on a function}}
module attributes {ipu.memory = 1 : i64} {}

// -----

// expected-error @+1 {{attribute 'ipu.memory' expects a #ipu.memory_summary but got 1 : i64}}
func.func private @memory() attributes {ipu.memory = 1 : i64}

// -----

// Maps of ops, arguments and variables of `pop` have tiles of the target as well.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  func.func @op(%x: tensor<64xf32>) {
    // expected-error @+1 {{is mapped to tiles up to tile 63 but the last tile of a replica is 15}}
    %0 = pop.neg %x {ipu.map = #ipu.map<[64], grid = [64], blocks = [p0 * 1 : 1]>} : tensor<64xf32>
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // expected-error @+1 {{argument is mapped to tiles up to tile 17 but the last tile of a replica is 15}}
  func.func @argument(%x: tensor<64xf32> {ipu.map = #ipu.map<[64], grid = [8], blocks = [p0 * 8 : 8], first = 10>}) {
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // expected-error @+1 {{is mapped to tiles up to tile 63 but the last tile of a replica is 15}}
  pop.variable @v : tensor<64xf32> = dense<0.0> : tensor<64xf32> {ipu.map = #ipu.map<[64], grid = [64], blocks = [p0 * 1 : 1]>}
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {ipus = 2 : i64}>} {
  func.func @sync() {
    // expected-error @+1 {{'ipu.sync' op expects IPUs in ascending order, below 2, but got 2}}
    ipu.sync internal on [0, 2]
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {ipus = 2 : i64}>} {
  func.func @sync() {
    // expected-error @+1 {{'ipu.sync' op expects IPUs in ascending order, below 2, but got 0}}
    ipu.sync ipus on [1, 0]
    return
  }
}

// -----

func.func @sync() {
  // expected-error @+1 {{'ipu.sync' op expects at least one IPU}}
  ipu.sync ipus on []
  return
}

// -----

// Each IPU has its own I/O tiles.

// expected-error @+1 {{expects fewer I/O tiles than the 4 tiles of an IPU but got 4}}
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 2 : i64, io_tiles = 4 : i64}>} {
}
