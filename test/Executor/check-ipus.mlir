// RUN: ipu-opt %s --split-input-file --verify-diagnostics --ipu-execute=check -o /dev/null

// A read of a tile of another IPU needs an exchange. Tiles 0 and 1 are on IPU 0, and tiles
// 2 and 3 are on IPU 1.

#h = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2], first = 2>
!h = memref<4xf32, #h>
!m = memref<4xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, ipus = 2 : i64}>} {
  ipu.codelet @double(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %x[%i] : !b
      %s = arith.addf %a, %a : f32
      memref.store %s, %y[%i] : !b
    }
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>) : !h
    %w = ipu.var "w" : !m
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !m
    } cost <cycles = [1, 1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "double" {
      ipu.vertices @double ins(%w : !m) outs(%y : !m) access [#m, #m]
    } cost <cycles = [1, 1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.expect %y, dense<[2.0, 4.0, 6.0, 8.0]> : tensor<4xf32> : !m
    func.return
  }
}

// -----

#h = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2], first = 2>
!h = memref<4xf32, #h>
!m = memref<4xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, ipus = 2 : i64}>} {
  ipu.codelet @double(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %x[%i] : !b
      %s = arith.addf %a, %a : f32
      memref.store %s, %y[%i] : !b
    }
  }
  func.func @main() {
    // expected-note @below {{tile 2 reads element [0] of variable "h", and this element is on tile 0}}
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>) : !h
    %y = ipu.var "y" : !m
    ipu.compute_set "double" {
      // expected-error @below {{expects operand 0 to be on the tiles that read it; run ipu-materialize-exchange}}
      ipu.vertices @double ins(%h : !h) outs(%y : !m) access [#m, #m]
    } cost <cycles = [1, 1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}
