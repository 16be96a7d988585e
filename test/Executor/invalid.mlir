// RUN: ipu-opt %s --split-input-file --verify-diagnostics --ipu-execute=engine=interp
// RUN: ipu-opt %s --split-input-file --verify-diagnostics --ipu-execute=engine=jit

// expected-error @below {{expects a func.func 'main' with a body; the module has no functions}}
module {
}

// -----

module {
  // expected-error @below {{expects the entry of a program to have no arguments or results but got '(i32) -> ()'}}
  func.func @main(%x : i32) {
    func.return
  }
}

// -----

module {
  func.func @main() {
    // expected-error @below {{cannot be an op of an executable program; lower the program to ipu first}}
    %0 = arith.constant 1 : i32
    func.return
  }
}

// -----

module {
  func.func @main() {
    // expected-error @below {{expects a cost; run ipu-estimate-cost}}
    ipu.sync internal
    func.return
  }
}

// -----

module {
  func.func @main() {
    // expected-error @below {{expects the cost to have cycles for 1 IPU but got 2}}
    ipu.sync internal cost <cycles = [1, 2], total = 0, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
#n = #ipu.map<[6], grid = [2], blocks = [all]>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @copy(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.copy ins(%x : !b) outs(%y : !b)
  }
  func.func @main() {
    // expected-note @below {{tile 0 reads element [3] of variable "x", and this element is on tile 1}}
    %x = ipu.var "x" : memref<6xf32, #m>
    %y = ipu.var "y" : memref<6xf32, #m>
    ipu.compute_set "copy" {
      // expected-error @below {{expects operand 0 to be on the tiles that read it; run ipu-materialize-exchange}}
      ipu.vertices @copy ins(%x : memref<6xf32, #m>) outs(%y : memref<6xf32, #m>) access [#n, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// The tiles have the elements of the transposed view, but in the order of the variable.
#x = #ipu.map<[2, 6], grid = [2], blocks = [all, p0 * 3 : 3]>
#y = #ipu.map<[6, 2], grid = [2], blocks = [p0 * 3 : 3, all]>
!a = memref<?x?xf32, strided<[?, ?], offset: ?>>
!b = memref<?x?xf32, strided<[?, 1], offset: ?>>
module {
  ipu.codelet @copy(%x : !a, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.copy ins(%x : !a) outs(%y : !b)
  }
  func.func @main() {
    // expected-note @below {{variable defined here}}
    %x = ipu.var "x" : memref<2x6xf32, #x>
    %y = ipu.var "y" : memref<6x2xf32, #y>
    %t = memref.reinterpret_cast %x to offset: [0], sizes: [6, 2], strides: [1, 6] : memref<2x6xf32, #x> to memref<6x2xf32, strided<[1, 6]>, #x>
    ipu.compute_set "copy" {
      // expected-error @below {{expects operand 0 to be stored in the order in which tiles read it; run ipu-materialize-exchange}}
      ipu.vertices @copy ins(%t : memref<6x2xf32, strided<[1, 6]>, #x>) outs(%y : memref<6x2xf32, #y>) access [#y, #y]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// The codelet reads only consecutive elements.
#x = #ipu.map<[2, 6], grid = [2], blocks = [all, p0 * 3 : 3], layout = affine_map<(d0, d1) -> (d1, d0)>>
#y = #ipu.map<[6, 2], grid = [2], blocks = [p0 * 3 : 3, all]>
!b = memref<?x?xf32, strided<[?, 1], offset: ?>>
module {
  // expected-note @below {{the argument has the type 'memref<?x?xf32, strided<[?, 1], offset: ?>>'}}
  ipu.codelet @copy(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.copy ins(%x : !b) outs(%y : !b)
  }
  func.func @main() {
    %x = ipu.var "x" : memref<2x6xf32, #x>
    %y = ipu.var "y" : memref<6x2xf32, #y>
    %t = memref.reinterpret_cast %x to offset: [0], sizes: [6, 2], strides: [1, 6] : memref<2x6xf32, #x> to memref<6x2xf32, strided<[1, 6]>, #x>
    ipu.compute_set "copy" {
      // expected-error @below {{expects argument 0 of @copy to have a dynamic last stride, because operand 0 is a view in another order; run ipu-materialize-exchange}}
      ipu.vertices @copy ins(%t : memref<6x2xf32, strided<[1, 6]>, #x>) outs(%y : memref<6x2xf32, #y>) access [#y, #y]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
module {
  ipu.stream @y device_to_host : tensor<6xf32>
  func.func @main() {
    %x = ipu.var "x" : memref<6xf32, #m>
    // expected-note @below {{ended here}}
    ipu.write_undef %x : memref<6xf32, #m>
    // expected-error @below {{uses variable "x" after the end of its live range}}
    ipu.host_store %x to @y : memref<6xf32, #m> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @exp(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : !b
    // expected-error @below {{cannot be executed in a codelet}}
    %b = math.exp %a : f32
    memref.store %b, %y[%c0] : !b
  }
  func.func @main() {
    %x = ipu.var "x" : memref<6xf32, #m>
    %y = ipu.var "y" : memref<6xf32, #m>
    ipu.compute_set "c" {
      ipu.vertices @exp ins(%x : memref<6xf32, #m>) outs(%y : memref<6xf32, #m>) access [#m, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// Tile 0 has four elements, tile 1 three.
#m = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  ipu.codelet @last(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    // expected-error @below {{'memref.load' accesses elements outside of its buffer on tile 1 of replica 0}}
    %a = memref.load %x[%c3] : !b
    memref.store %a, %y[%c0] : !b
  }
  func.func @main() {
    %x = ipu.var "x" : memref<7xf32, #m>
    %y = ipu.var "y" : memref<7xf32, #m>
    ipu.compute_set "c" {
      // expected-note @below {{vertices run here}}
      ipu.vertices @last ins(%x : memref<7xf32, #m>) outs(%y : memref<7xf32, #m>) access [#m, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

#m = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
#n = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @copy(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    // expected-error @below {{'linalg.generic' accesses elements outside of its buffer on tile 0 of replica 0}}
    linalg.copy ins(%x : !b) outs(%y : !b)
  }
  func.func @main() {
    %x = ipu.var "x" : memref<8xf32, #m>
    %y = ipu.var "y" : memref<6xf32, #n>
    ipu.compute_set "c" {
      // expected-note @below {{vertices run here}}
      ipu.vertices @copy ins(%x : memref<8xf32, #m>) outs(%y : memref<6xf32, #n>) access [#m, #n]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

#m = #ipu.map<[2, 3], grid = [2], blocks = [p0 * 1 : 1, all]>
module {
  func.func @main() {
    %c = ipu.var "c" init(dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>) : memref<2x3xi32, #m>
    // expected-error @below {{does not hold: 1 of 6 elements differ, first at [1, 2]}}
    ipu.expect %c, dense<[[1, 2, 3], [4, 5, 7]]> : tensor<2x3xi32> : memref<2x3xi32, #m>
    ipu.expect %c, dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32> : memref<2x3xi32, #m>
    func.return
  }
}

// -----

#m = #ipu.map<[4], grid = [1], blocks = [all]>
!buffer = memref<?xi8, strided<[1], offset: ?>>
module {
  ipu.codelet @narrow(%y : !buffer) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0 : i8
    %high = arith.constant 127 : i8
    %step = arith.constant 100 : i8
    // expected-error @below {{expects loop bounds of type 'index' in a codelet}}
    scf.for %i = %low to %high step %step : i8 {
      memref.store %i, %y[%c0] : !buffer
    }
  }
  func.func @main() {
    %y = ipu.var "y" : memref<4xi8, #m>
    ipu.compute_set "c" {
      ipu.vertices @narrow outs(%y : memref<4xi8, #m>) access [#m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}
