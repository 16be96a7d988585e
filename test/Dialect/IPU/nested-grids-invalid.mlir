// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expects a number of IPUs for each of the 2 axes of the grid but got 1}}
#m = #ipu.map<[8, 6], grid = [4, 2], blocks = [p0 * 2 : 2, p1 * 3 : 3], ipus = [2] * 4>

// -----

// expected-error @+1 {{expects a positive number of IPUs that divides the extent 4 of their axis but got 3}}
#m = #ipu.map<[8, 6], grid = [4, 2], blocks = [p0 * 2 : 2, p1 * 3 : 3], ipus = [3, 1] * 4>

// -----

// expected-error @+1 {{expects a positive number of IPUs that divides the extent 2 of their axis but got 0}}
#m = #ipu.map<[8, 6], grid = [4, 2], blocks = [p0 * 2 : 2, p1 * 3 : 3], ipus = [2, 0] * 4>

// -----

// expected-error @+1 {{expects a nested grid on two or more IPUs but got 1}}
#m = #ipu.map<[8, 6], grid = [4, 2], blocks = [p0 * 2 : 2, p1 * 3 : 3], ipus = [1, 1] * 8>

// -----

// expected-error @+1 {{expects each IPU to have 4 to 1048576 tiles for its part of the grid but got 3}}
#m = #ipu.map<[8, 6], grid = [4, 2], blocks = [p0 * 2 : 2, p1 * 3 : 3], ipus = [1, 2] * 3>

// -----

// expected-error @+1 {{expects each IPU to have 4 to 1048576 tiles for its part of the grid but got 1048577}}
#m = #ipu.map<[8, 6], grid = [4, 2], blocks = [p0 * 2 : 2, p1 * 3 : 3], ipus = [1, 2] * 1048577>

// -----

// expected-error @+1 {{expects tile numbers from 0 to 1048575 but got 1048580 tiles from tile 0}}
#m = #ipu.map<[8, 6], grid = [4, 2], blocks = [p0 * 2 : 2, p1 * 3 : 3], ipus = [1, 2] * 1048576>

// -----

// expected-error @+1 {{expected 'first', 'ipus' or 'layout'}}
#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2], ipus = [2] * 4, first = 2>

// -----

// A tile that no replica has.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 2 : i64}>} {
  func.func @main() {
    // expected-error @+1 {{is mapped to tiles up to tile 8 but the last tile of a replica is 7}}
    %0 = ipu.var "v" : memref<8xf32, #ipu.map<[8], grid = [8], blocks = [p0 * 1 : 1], ipus = [2] * 5>>
    return
  }
}

// -----

// Access maps have the same tiles.
#flat = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#nested = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2], ipus = [2] * 3>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 2 : i64}>} {
  ipu.codelet @c(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 0, worker = 24, cycles = 1, per = 1> {}
  func.func @main(){
    %x = ipu.var "x" : memref<8xf32, #flat>
    %y = ipu.var "y" : memref<8xf32, #nested>
    ipu.compute_set "c" {
      // expected-error @+1 {{expects all access mappings to have the grid and tiles of the first}}
      ipu.vertices @c ins(%x : memref<8xf32, #flat>) outs(%y : memref<8xf32, #nested>) access [#flat, #nested]
    }
    return
  }
}
