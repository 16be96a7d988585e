// RUN: ipu-opt %s --split-input-file --verify-diagnostics

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
!row = memref<?xf32, strided<[1], offset: ?>>
// expected-note @below {{codelet defined here}}
ipu.codelet @copy(%x : !row, %y : !row)
    inputs 1 cost <vector, supervisor = 0, worker = 32, cycles = 1, per = 4> {
  linalg.copy ins(%x : !row) outs(%y : !row)
}
func.func @kind() {
  %x = ipu.var "x" : memref<8xf32, #m>
  %y = ipu.var "y" : memref<8xf32, #m>
  ipu.compute_set "c" {
    // expected-error @below {{'ipu.vertices' op has 'in_place' variables, but the cost of @copy is not of kind 'reduce_columns'}}
    ipu.vertices @copy ins(%x : memref<8xf32, #m>) outs(%y : memref<8xf32, #m>)
      in_place(%x : memref<8xf32, #m>) access [#m, #m]
  }
  return
}

// -----

#m = #ipu.map<[2, 8], grid = [4], blocks = [all, p0 * 2 : 2]>
#s = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>>
!row = memref<?xf32, strided<[1], offset: ?>>
ipu.codelet @reduce(%p : !rows, %y : !row)
    inputs 1 cost <reduce_columns, supervisor = 0, worker = 32, cycles = 0, per = 4, combined = 2> {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !row)
  linalg.reduce { arith.addf } ins(%p : !rows) outs(%y : !row) dimensions = [0]
}
func.func @view() {
  %x = ipu.var "x" : memref<2x8xf32, #m>
  %y = ipu.var "y" : memref<8xf32, #s>
  %v = memref.reinterpret_cast %x to offset: [0], sizes: [16], strides: [1] : memref<2x8xf32, #m> to memref<16xf32, #m>
  ipu.compute_set "c" {
    // expected-error @below {{'ipu.vertices' op expects whole variables as 'in_place' but got 'memref<16xf32, #ipu.map<[2, 8], grid = [4], blocks = [all, p0 * 2 : 2]>>'}}
    ipu.vertices @reduce ins(%x : memref<2x8xf32, #m>) outs(%y : memref<8xf32, #s>)
      in_place(%v : memref<16xf32, #m>) access [#m, #s]
  }
  return
}

// -----

#m = #ipu.map<[2, 8], grid = [4], blocks = [all, p0 * 2 : 2]>
#s = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>>
!row = memref<?xf32, strided<[1], offset: ?>>
ipu.codelet @reduce(%p : !rows, %y : !row)
    inputs 1 cost <reduce_columns, supervisor = 0, worker = 32, cycles = 0, per = 4, combined = 2> {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !row)
  linalg.reduce { arith.addf } ins(%p : !rows) outs(%y : !row) dimensions = [0]
}
func.func @output() {
  %x = ipu.var "x" : memref<2x8xf32, #m>
  %y = ipu.var "y" : memref<8xf32, #s>
  ipu.compute_set "c" {
    // expected-error @below {{'ipu.vertices' op reads variable "y" in place, but vertices of the compute set write it}}
    // expected-note @below {{written here}}
    ipu.vertices @reduce ins(%x : memref<2x8xf32, #m>) outs(%y : memref<8xf32, #s>)
      in_place(%y : memref<8xf32, #s>) access [#m, #s]
  }
  return
}
