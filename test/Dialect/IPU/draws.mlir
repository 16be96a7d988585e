// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// Draws from a counter only read it, so that several vertices may.
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
!h = memref<4xf16, #m>
!s = memref<4x6x4xi32, #s>
!b = memref<?xf16, strided<[1], offset: ?>>
module attributes {ipu.rng = #ipu<rng_generator counter>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.codelet @c(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %i = arith.constant 0 : index
    %r = ipu.random_bits %y[%i] : !b
  }
  // CHECK-LABEL: func.func @main
  func.func @main() {
    %x = ipu.var "x" : !h
    %y = ipu.var "y" : !h
    %z = ipu.var "z" : !h
    %s = ipu.var "s" : !s
    ipu.compute_set "c" {
      // CHECK: ipu.vertices @c {{.*}} rng(%[[S:.*]] : memref<4x6x4xi32, #{{.*}}>) draw<0> access
      ipu.vertices @c ins(%x : !h) outs(%y : !h) rng(%s : !s) draw<0> access [#m, #m]
      // CHECK: ipu.vertices @c {{.*}} rng(%[[S]] : memref<4x6x4xi32, #{{.*}}>) draw<268435455, offset = -2147483648> access
      ipu.vertices @c ins(%x : !h) outs(%z : !h) rng(%s : !s) draw<268435455, offset = -2147483648> access [#m, #m]
    }
    // CHECK: ipu.advance_rng %[[S]] : memref<4x6x4xi32, #{{.*}}>
    ipu.advance_rng %s : !s
    // CHECK: ipu.collective all_reduce add %{{.*}} to %{{.*}} rng(%[[S]] : memref<4x6x4xi32, #{{.*}}>) draw<7, offset = 2147483647> {overflow
    ipu.collective all_reduce add %x to %y rng(%s : !s) draw<7, offset = 2147483647> {overflow = #ipu<rounding_overflow nan>} : !h to !h
    return
  }
}
