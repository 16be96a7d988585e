// RUN: split-file %s %t
// RUN: ipu-run %t/scalar.mlir --input '*=ramp' --compare-engines | FileCheck %s --check-prefix=SCALAR
// RUN: ipu-run %t/in-place.mlir --input '*=ramp' --compare-engines | FileCheck %s --check-prefix=IN-PLACE
// RUN: ipu-run %t/fused.mlir --input '*=random:1' --compare-engines --output-dir %t
// RUN: ipu-run %t/fused.mlir --input '*=random:1' --engine interp --check --output-dir %t
// RUN: ipu-run %t/huge.mlir --input '*=ramp' --compare-engines | FileCheck %s --check-prefix=HUGE

// Codelets with a loop over blocks of addends that engines must not, or need
// not, execute in another form.

//--- scalar.mlir

// The body reads a number that the loop computes.
#x = #ipu.map<[8], grid = [1], blocks = [p0 * 8 : 8]>
#p = #ipu.map<[3], grid = [1], blocks = [p0 * 3 : 3]>
!x = memref<8xf32, #x>
!p = memref<3xf32, #p>
!row = memref<?xf32, strided<[1], offset: ?>>
!one = memref<1xf32, strided<[1], offset: ?>>
ipu.codelet @sums(%x : !row, %p : !row) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %block = arith.constant 3 : index
  %addends = memref.dim %x, %c0 : !row
  %blocks = memref.dim %p, %c0 : !row
  scf.for %i = %c0 to %blocks step %c1 {
    %start = arith.muli %i, %block : index
    %rest = arith.subi %addends, %start : index
    %size = arith.minsi %rest, %block : index
    %l = memref.subview %x[%start] [%size] [1] : !row to !row
    %o = memref.subview %p[%i] [1] [1] : !row to !one
    %number = arith.index_cast %size : index to i32
    %float = arith.sitofp %number : i32 to f32
    linalg.fill ins(%float : f32) outs(%o : !one)
    linalg.generic {indexing_maps = [affine_map<(b, k) -> (k)>, affine_map<(b, k) -> (b)>],
                    iterator_types = ["parallel", "reduction"]} ins(%l : !row) outs(%o : !one) {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      linalg.yield %s : f32
    }
  }
}
ipu.stream @x host_to_device : tensor<8xf32>
ipu.stream @y device_to_host : tensor<3xf32>
func.func @main() {
  %x = ipu.var "x" : !x
  ipu.host_load @x to %x : !x cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
  %p = ipu.var "p" : !p
  ipu.compute_set "c" {
    ipu.vertices @sums ins(%x : !x) outs(%p : !p) access [#x, #p]
  } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
  // A ramp is k / 8: 3 + 3/8, 3 + 12/8, 2 + 13/8.
  // SCALAR: [3.375, 4.5, 3.625]
  ipu.host_store %p to @y : !p cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
  return
}

//--- in-place.mlir

// The output is the input, each of whose blocks is one element.
#x = #ipu.map<[8], grid = [1], blocks = [p0 * 8 : 8]>
!x = memref<8xf32, #x>
!row = memref<?xf32, strided<[1], offset: ?>>
!one = memref<1xf32, strided<[1], offset: ?>>
ipu.codelet @double(%x : !row, %p : !row) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %block = arith.constant 1 : index
  %addends = memref.dim %x, %c0 : !row
  %blocks = memref.dim %p, %c0 : !row
  scf.for %i = %c0 to %blocks step %c1 {
    %start = arith.muli %i, %block : index
    %rest = arith.subi %addends, %start : index
    %size = arith.minsi %rest, %block : index
    %l = memref.subview %x[%start] [%size] [1] : !row to !row
    %o = memref.subview %p[%i] [1] [1] : !row to !one
    linalg.generic {indexing_maps = [affine_map<(b, k) -> (k)>, affine_map<(b, k) -> (b)>],
                    iterator_types = ["parallel", "reduction"]} ins(%l : !row) outs(%o : !one) {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    }
  }
}
ipu.stream @x host_to_device : tensor<8xf32>
ipu.stream @y device_to_host : tensor<8xf32>
func.func @main() {
  %x = ipu.var "x" : !x
  ipu.host_load @x to %x : !x cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
  ipu.compute_set "c" {
    ipu.vertices @double ins(%x : !x) outs(%x : !x) access [#x, #x]
  } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
  // IN-PLACE: [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75]
  ipu.host_store %x to @y : !x cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
  return
}

//--- huge.mlir

// The size of a block times a stride would overflow.
#x = #ipu.map<[8], grid = [1], blocks = [p0 * 8 : 8]>
#p = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!x = memref<8xf32, #x>
!p = memref<1xf32, #p>
!row = memref<?xf32, strided<[1], offset: ?>>
!one = memref<1xf32, strided<[1], offset: ?>>
ipu.codelet @sums(%x : !row, %p : !row) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %block = arith.constant 4611686018427387904 : index
  %addends = memref.dim %x, %c0 : !row
  %blocks = memref.dim %p, %c0 : !row
  scf.for %i = %c0 to %blocks step %c1 {
    %start = arith.muli %i, %block : index
    %rest = arith.subi %addends, %start : index
    %size = arith.minsi %rest, %block : index
    %l = memref.subview %x[%start] [%size] [1] : !row to !row
    %o = memref.subview %p[%i] [1] [1] : !row to !one
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%o : !one)
    linalg.generic {indexing_maps = [affine_map<(b, k) -> (k)>, affine_map<(b, k) -> (b)>], iterator_types = ["parallel", "reduction"]} ins(%l : !row) outs(%o : !one) {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      linalg.yield %s : f32
    }
  }
}
ipu.stream @x host_to_device : tensor<8xf32>
ipu.stream @y device_to_host : tensor<1xf32>
func.func @main() {
  %x = ipu.var "x" : !x
  ipu.host_load @x to %x : !x cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
  %p = ipu.var "p" : !p
  ipu.compute_set "c" {
    ipu.vertices @sums ins(%x : !x) outs(%p : !p) access [#x, #p]
  } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
  // HUGE: [3.5]
  ipu.host_store %p to @y : !p cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
  return
}

//--- fused.mlir

// Sums of one element, and an elementwise set that reads them.
#x = #ipu.map<[400000], grid = [4], blocks = [p0 * 100000 : 100000]>
#p = #ipu.map<[400000], grid = [4], blocks = [p0 * 100000 : 100000]>
!x = memref<400000xf32, #x>
!p = memref<400000xf32, #p>
!b1 = memref<?xf32, strided<[1], offset: ?>>
!o = memref<1xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, tile_memory = 16777216 : i64}>} {
  ipu.codelet @sums(%x : !b1, %p : !b1) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %block = arith.constant 1 : index
    %addends = memref.dim %x, %c0 : !b1
    %blocks = memref.dim %p, %c0 : !b1
    scf.for %i = %c0 to %blocks step %c1 {
      %start = arith.muli %i, %block : index
      %rest = arith.subi %addends, %start : index
      %size = arith.minsi %rest, %block : index
      %l = memref.subview %x[%start] [%size] [1] : !b1 to !b1
      %o = memref.subview %p[%i] [1] [1] : !b1 to !o
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%o : !o)
      linalg.generic {indexing_maps = [affine_map<(b, k) -> (k)>, affine_map<(b, k) -> (b)>], iterator_types = ["parallel", "reduction"]} ins(%l : !b1) outs(%o : !o) {
      ^bb0(%a: f32, %c: f32):
        %s = arith.addf %a, %c : f32
        linalg.yield %s : f32
      }
    }
  }
  ipu.codelet @double(%p : !b1, %y : !b1) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.add ins(%p, %p : !b1, !b1) outs(%y : !b1)
  }
  ipu.stream @x host_to_device : tensor<400000xf32>
  ipu.stream @y device_to_host : tensor<400000xf32>
  func.func @main() {
    %x = ipu.var "x" : !x
    ipu.host_load @x to %x : !x cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    %p = ipu.var "p" : !p
    ipu.compute_set "c" {
      ipu.vertices @sums ins(%x : !x) outs(%p : !p) access [#x, #p]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    %y = ipu.var "y" : !p
    ipu.compute_set "d" {
      ipu.vertices @double ins(%p : !p) outs(%y : !p) access [#p, #p]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.write_undef %p : !p
    ipu.host_store %y to @y : !p cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    return
  }
}
