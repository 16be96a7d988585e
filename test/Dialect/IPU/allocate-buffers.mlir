// RUN: ipu-opt %s --split-input-file --verify-diagnostics --ipu-allocate | FileCheck %s

// Code in a buffer is data: on I/O tiles for io_buffer, on the others for
// compute_buffer.
//
// @f: a codelet of 300 and 24 on tile 0: 324. On each tile 4096 and 8 steps of 12: 4192.
// Half of the code is on each of tiles 2 and 3, which are the fullest but for tile 0
// while @f runs there: 4192 + 324 = 4516, rounded up to 4520; 400 for "t" and 12 for
// the vertex.

#m = #ipu.map<[100], grid = [], blocks = [all]>
!v = memref<100xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, io_tiles = 2 : i64}>} {
  ipu.codelet @one(%x : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {}
  func.func @f() {
    %t = ipu.var "t" : !v
    ipu.compute_set "f" {
      ipu.vertices @one outs(%t : !v) access [#m]
    }
    return
  }
  // CHECK: classes = 3, bytes = 4932, least = 4928, {{.*}} not_always_live = 400, gaps = 4>
  func.func @main() {
    ipu.code_load [@f] to io_buffer
    ipu.sync internal
    ipu.code_copy @f from io_buffer to executable
    ipu.call @f
    ipu.sync internal
    ipu.code_load [@f] to io_buffer
    ipu.code_copy @f from io_buffer to executable
    ipu.call @f
    return
  }
}

// -----

// The buffer does not lie in the code region, which has room for 4096, six steps of
// 12 and 324 of @f: 4492. After these, from 4496 on, it takes 324 bytes, rounded up to
// 328, and a vertex 12 after it, to 4836, of which 8 are gaps: there are 4827.

#m = #ipu.map<[1], grid = [], blocks = [all]>
!v = memref<1xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64, tile_memory = 4827 : i64, code_memory = 4492 : i64}>} {
  // expected-note @below {{codelet @one takes 300 bytes of code}}
  ipu.codelet @one(%x : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {}
  // expected-note @+1 {{"code of @f in compute_buffer" takes 324 bytes of tile 0 in steps 0 to 1, 4 to 5}}
  func.func @f() {
    %t = ipu.var "t" : !v
    // expected-note @below {{"f" ('ipu.compute_set') takes 24 bytes of control_code}}
    ipu.compute_set "f" {
      ipu.vertices @one outs(%t : !v) access [#m]
    }
    return
  }
  // expected-note @+2 {{bytes of tile 0: stack 4096}}
  // expected-note @+1 {{code in buffers takes}}
  func.func @main() {
    // expected-note @below {{"f" ('ipu.code_load') takes 12 bytes of control_code}}
    ipu.code_load [@f] to compute_buffer
    // expected-error @+2 {{program does not fit}}
    // expected-note @below {{"f" ('ipu.code_copy') takes 12 bytes of control_code}}
    ipu.code_copy @f from compute_buffer to executable
    // expected-note @below {{"f" ('ipu.call') takes 12 bytes of control_code}}
    ipu.call @f
    ipu.code_load [@f] to compute_buffer
    ipu.code_copy @f from compute_buffer to executable
    ipu.call @f
    return
  }
}
