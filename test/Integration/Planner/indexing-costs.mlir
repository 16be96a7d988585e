// Gathers, scatters and transpositions take about the time in which their data
// is moved, and a little more data takes a little more time.
//
// RUN: %python %S/Inputs/compare-costs.py ipu-opt %s

// Every tile receives all updates of its columns, because indices are data. For
// each update, a tile receives an element of a list in one cycle, and 8 bytes in
// another cycle if pairs of tiles share a bus.
// expect: scatter < 3 * 2 * 65536
// expect: few_rows < 4 * 2 * 65536
// expect: scatter_max < 3 * 2 * 65536
// A scatter of a 16th of the updates takes at least a 16th and at most a quarter.
// expect: scatter < 16 * small_scatter < 4 * scatter

// A table may fill a share of 0.6 of the memory, with any number of rows.
// expect: table_430000 < 1.2 * table_420000
// expect: table_430001 < 1.1 * table_430000
// expect: table_500000 < 1.5 * table_420000
// No index is divided, so that a gather of a few rows takes no more than moving
// and selecting them. A division alone takes 11 + 6 * (29 + 277) cycles.
// expect: few_indices < 4 * (11 + 6 * (29 + 277))

// A transposition in blocks takes a few times a copy of its data.
// expect: transpose_2048 < 6 * transpose_1024
// expect: transpose_2032 < 1.3 * transpose_2048

// program: scatter
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%x: tensor<10000x256xf32>, %i: tensor<65536xi32>, %u: tensor<65536x256xf32>) -> tensor<10000x256xf32> {
    %0 = pop.scatter add %x, %i, %u : tensor<10000x256xf32>, tensor<65536xi32>, tensor<65536x256xf32>
    return %0 : tensor<10000x256xf32>
  }
}

// -----
// program: few_rows
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%x: tensor<100x256xf32>, %i: tensor<65536xi32>, %u: tensor<65536x256xf32>) -> tensor<100x256xf32> {
    %0 = pop.scatter add %x, %i, %u : tensor<100x256xf32>, tensor<65536xi32>, tensor<65536x256xf32>
    return %0 : tensor<100x256xf32>
  }
}

// -----
// program: scatter_max
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%x: tensor<10000x256xf32>, %i: tensor<65536xi32>, %u: tensor<65536x256xf32>) -> tensor<10000x256xf32> {
    %0 = pop.scatter max %x, %i, %u : tensor<10000x256xf32>, tensor<65536xi32>, tensor<65536x256xf32>
    return %0 : tensor<10000x256xf32>
  }
}

// -----
// program: small_scatter
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%x: tensor<10000x256xf32>, %i: tensor<4096xi32>, %u: tensor<4096x256xf32>) -> tensor<10000x256xf32> {
    %0 = pop.scatter add %x, %i, %u : tensor<10000x256xf32>, tensor<4096xi32>, tensor<4096x256xf32>
    return %0 : tensor<10000x256xf32>
  }
}

// -----
// program: table_420000
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%t: tensor<420000x256xf32>, %i: tensor<512xi32>) -> tensor<512x256xf32> {
    %0 = pop.gather %t, %i : (tensor<420000x256xf32>, tensor<512xi32>) -> tensor<512x256xf32>
    return %0 : tensor<512x256xf32>
  }
}

// -----
// program: table_430000
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%t: tensor<430000x256xf32>, %i: tensor<512xi32>) -> tensor<512x256xf32> {
    %0 = pop.gather %t, %i : (tensor<430000x256xf32>, tensor<512xi32>) -> tensor<512x256xf32>
    return %0 : tensor<512x256xf32>
  }
}

// -----
// program: table_430001
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%t: tensor<430001x256xf32>, %i: tensor<512xi32>) -> tensor<512x256xf32> {
    %0 = pop.gather %t, %i : (tensor<430001x256xf32>, tensor<512xi32>) -> tensor<512x256xf32>
    return %0 : tensor<512x256xf32>
  }
}

// -----
// program: table_500000
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%t: tensor<500000x256xf32>, %i: tensor<512xi32>) -> tensor<512x256xf32> {
    %0 = pop.gather %t, %i : (tensor<500000x256xf32>, tensor<512xi32>) -> tensor<512x256xf32>
    return %0 : tensor<512x256xf32>
  }
}

// -----
// program: few_indices
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%t: tensor<50000x256xf32>, %i: tensor<16xi32>) -> tensor<16x256xf32> {
    %0 = pop.gather %t, %i : (tensor<50000x256xf32>, tensor<16xi32>) -> tensor<16x256xf32>
    return %0 : tensor<16x256xf32>
  }
}

// -----
// program: transpose_1024
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%t: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
    %0 = pop.transpose %t {permutation = array<i64: 1, 0>} : tensor<1024x1024xf16> -> tensor<1024x1024xf16>
    return %0 : tensor<1024x1024xf16>
  }
}

// -----
// program: transpose_2032
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%t: tensor<2032x2032xf16>) -> tensor<2032x2032xf16> {
    %0 = pop.transpose %t {permutation = array<i64: 1, 0>} : tensor<2032x2032xf16> -> tensor<2032x2032xf16>
    return %0 : tensor<2032x2032xf16>
  }
}

// -----
// program: transpose_2048
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%t: tensor<2048x2048xf16>) -> tensor<2048x2048xf16> {
    %0 = pop.transpose %t {permutation = array<i64: 1, 0>} : tensor<2048x2048xf16> -> tensor<2048x2048xf16>
    return %0 : tensor<2048x2048xf16>
  }
}
