// RUN: ipu-opt %s --split-input-file --verify-diagnostics --ipu-execute=check -o /dev/null
// RUN: ipu-opt %s --split-input-file --verify-diagnostics --ipu-execute="check threads=3" -o /dev/null

// A checked run finds what a device would not forgive. The first program is
// right, and each of the others is that one with one mistake.

// y[i] = x[i] + x[i + 1], where each tile of three y has four x, by an exchange.
#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      %a = memref.load %x[%i] : !b
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !b
    }
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.expect %y, dense<[3.0, 5.0, 7.0, 9.0, 11.0, 13.0]> : tensor<6xf32> : !m
    func.return
  }
}

// -----

// A corrupt exchange: the move of the last elements was lost.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
!h4 = memref<4xf32, strided<[1]>, #h>
!w4 = memref<4xf32, strided<[1]>, #w>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      %a = memref.load %x[%i] : !b
      // expected-error @below {{'memref.load' reads element [4] of variable "w" on tile 1 of replica 0, which is undefined}}
      // expected-note @below {{first of 3 elements on 1 tile}}
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !b
    }
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    // expected-note @below {{variable "w" is undefined from here until it is written}}
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    %h4 = memref.reinterpret_cast %h to offset: [0], sizes: [4], strides: [1] : !h to !h4
    %w4 = memref.reinterpret_cast %w to offset: [0], sizes: [4], strides: [1] : !w to !w4
    ipu.exchange "w" {
      ipu.move %h4 to %w4 : !h4 to !w4
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      // expected-note @below {{vertices run here}}
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A corrupt exchange: the target's view is off by one.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
!h6 = memref<6xf32, strided<[1]>, #h>
!w6 = memref<6xf32, strided<[1], offset: 1>, #w>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      // expected-error @below {{'memref.load' reads element [0] of variable "w" on tile 0 of replica 0, which is undefined}}
      %a = memref.load %x[%i] : !b
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !b
    }
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    // expected-note @below {{variable "w" is undefined from here until it is written}}
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    %h6 = memref.reinterpret_cast %h to offset: [0], sizes: [6], strides: [1] : !h to !h6
    %w6 = memref.reinterpret_cast %w to offset: [1], sizes: [6], strides: [1] : !w to !w6
    ipu.exchange "w" {
      ipu.move %h6 to %w6 : !h6 to !w6
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      // expected-note @below {{vertices run here}}
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A corrupt map: tiles have no neighbour's element of the operand.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 3]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      %a = memref.load %x[%i] : !b
      // expected-error @below {{'memref.load' accesses elements outside of its buffer on tile 0 of replica 0}}
      // expected-note @below {{index 3 is outside of 3 elements of argument 0, variable "w"}}
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !b
    }
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      // expected-note @below {{vertices run here}}
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A missing exchange: the operand lies where the map of its variable says.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      %a = memref.load %x[%i] : !b
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !b
    }
  }
  func.func @main() {
    // expected-note @below {{tile 1 reads element [3] of variable "h", and this element is on tile 0}}
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      // expected-error @below {{expects operand 0 to be on the tiles that read it; run ipu-materialize-exchange}}
      ipu.vertices @pair ins(%h : !h) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A corrupt codelet: it reads one element further.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c2 : index
      %a = memref.load %x[%i] : !b
      // expected-error @below {{'memref.load' accesses elements outside of its buffer on tile 0 of replica 0}}
      // expected-note @below {{index 4 is outside of 4 elements of argument 0, variable "w"}}
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !b
    }
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      // expected-note @below {{vertices run here}}
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A corrupt codelet: it writes its input.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      %a = memref.load %x[%i] : !b
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      // expected-error @below {{'memref.store' writes element [0] of variable "w" on tile 0 of replica 0, which is an input of the vertex}}
      // expected-note @below {{first of 6 elements on 2 tiles}}
      memref.store %s, %x[%i] : !b
      memref.store %s, %y[%i] : !b
    }
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      // expected-note @below {{vertices run here}}
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A corrupt codelet: it leaves out the first element.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  // expected-note @below {{codelet defined here}}
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c1 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      %a = memref.load %x[%i] : !b
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !b
    }
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      // expected-error @below {{does not write element [0] of variable "y" on tile 0 of replica 0, which is an output}}
      // expected-note @below {{first of 2 elements on 2 tiles}}
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A corrupt codelet: it adds to what is not there yet.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{'linalg.generic' reads element [0] of variable "y" on tile 0 of replica 0, which is undefined}}
    // expected-note @below {{first of 6 elements on 2 tiles}}
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : !b) {
    ^bb0(%o : f32):
      %s = arith.addf %o, %o : f32
      linalg.yield %s : f32
    }
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    // expected-note @below {{variable "y" is undefined from here until it is written}}
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      // expected-note @below {{vertices run here}}
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A corrupt lifetime: it ends before the last use.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      %a = memref.load %x[%i] : !b
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !b
    }
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    // expected-note @below {{ended here}}
    ipu.write_undef %y : !m
    // expected-error @below {{uses variable "y" after the end of its live range}}
    ipu.expect %y, dense<1.0> : tensor<6xf32> : !m
    func.return
  }
}

// -----

// A corrupt lifetime: in the loop it is another variable each time, and what the
// first iteration writes is not there in the second.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      // expected-error @below {{'memref.load' reads element [0] of variable "v" on tile 0 of replica 0, which is undefined}}
      // expected-note @below {{first of 2 elements on 2 tiles}}
      %a = memref.load %x[%i] : !b
      // expected-error @below {{'memref.load' reads element [1] of variable "v" on tile 0 of replica 0, which is undefined}}
      // expected-note @below {{first of 6 elements on 2 tiles}}
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !b
    }
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.repeat 2 {
      // expected-note @below {{variable "v" is undefined from here until it is written}}
      %v = ipu.var "v" copies : !w
      ipu.compute_set "loop" {
        // expected-note @below {{vertices run here}}
        ipu.vertices @pair ins(%v : !w) outs(%y : !m) access [#w, #m]
      } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
      ipu.exchange "v" {
        ipu.move %h to %v : !h to !w
      } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A race: vertices write what others read in the same compute set.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
#z = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>
!z = memref<2xf32, #z>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      // expected-error @below {{'memref.load' reads element [0] of variable "w" on tile 0 of replica 0, which another vertex of the compute set writes}}
      // expected-note @below {{first of 6 elements on 2 tiles}}
      %a = memref.load %x[%i] : !b
      // expected-error @below {{'memref.load' reads element [1] of variable "w" on tile 0 of replica 0, which another vertex of the compute set writes}}
      // expected-note @below {{first of 6 elements on 2 tiles}}
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !b
    }
  }
  ipu.codelet @negate(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'linalg.generic' writes element [0] of variable "w" on tile 0 of replica 0, which is an input of the vertex}}
    // expected-note @below {{first of 8 elements on 2 tiles}}
    // expected-error @below {{'linalg.generic' writes element [0] of variable "w" on tile 0 of replica 0, which another vertex of the compute set uses}}
    linalg.negf ins(%x : !b) outs(%x : !b)
    %0 = memref.load %x[%c0] : !b
    memref.store %0, %y[%c0] : !b
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    %z = ipu.var "z" : !z
    %q = ipu.var "q" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      // expected-note @below {{the other vertex runs here}}
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
      // expected-note @below {{vertices run here}}
      // expected-note @below {{the other vertex runs here}}
      ipu.vertices @negate ins(%w : !w) outs(%z : !z) access [#w, #z]
      // expected-note @below {{vertices run here}}
      ipu.vertices @pair ins(%w : !w) outs(%q : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// Undefined elements may be moved, not shown: the findings name the moves.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!h5 = memref<5xf32, strided<[1]>, #h>
!v5 = memref<5xf32, strided<[1]>, #h>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      // expected-error @below {{'memref.load' reads element [0] of variable "w" on tile 0 of replica 0, which is undefined}}
      // expected-note @below {{first of 2 elements on 2 tiles}}
      %a = memref.load %x[%i] : !b
      // expected-error @below {{'memref.load' reads element [1] of variable "w" on tile 0 of replica 0, which is undefined}}
      // expected-note @below {{first of 6 elements on 2 tiles}}
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !b
    }
  }
  ipu.stream @y device_to_host : tensor<7xf32>
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    // expected-note @below {{variable "u" is undefined from here until it is written}}
    %u = ipu.var "u" : !h
    %v = ipu.var "v" : !h
    %h5 = memref.reinterpret_cast %h to offset: [0], sizes: [5], strides: [1] : !h to !h5
    %v5 = memref.reinterpret_cast %v to offset: [0], sizes: [5], strides: [1] : !h to !v5
    ipu.exchange "w" {
      // expected-note @below {{copied here from variable "u", which is undefined}}
      ipu.move %u to %v : !h to !h
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.exchange "w" {
      // expected-note @below {{copied here from variable "v", which is undefined}}
      ipu.move %v to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.exchange "h" {
      ipu.move %h5 to %v5 : !h5 to !v5
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    // expected-error @below {{reads element [5] of variable "v" on tile 1 of replica 0, which is undefined}}
    // expected-note @below {{first of 2 elements}}
    ipu.host_store %v to @y : !h cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    // expected-error @below {{reads element [0] of variable "u" on tile 0 of replica 0, which is undefined}}
    // expected-note @below {{first of 7 elements}}
    ipu.expect %u, dense<0.0> : tensor<7xf32> : !h
    ipu.compute_set "pair" {
      // expected-note @below {{vertices run here}}
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// Copies of an element that have other values, because a vertex changed one.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0.0 : f32
    %n = memref.dim %x, %c0 : !b
    %l = arith.subi %n, %c1 : index
    // expected-error @below {{'memref.store' writes element [3] of variable "w" on tile 0 of replica 0, which is an input of the vertex}}
    // expected-note @below {{first of 4 elements on 4 tiles of all replicas}}
    memref.store %z, %x[%l] : !b
    linalg.fill ins(%z : f32) outs(%y : !b)
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    // expected-note @below {{variable defined here}}
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      // expected-note @below {{vertices run here}}
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    %g = ipu.var "g" : !h
    ipu.exchange "g" {
      // expected-error @below {{reads element [3] of variable "w" on tile 0 of replica 0, which has another value on tile 1}}
      ipu.move %w to %g : !w to !h
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A corrupt codelet: its view of the operand is too long.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    %v = memref.subview %x[%c1] [%n] [1] : !b to memref<?xf32, strided<[1], offset: ?>>
    // expected-error @below {{'memref.subview' accesses elements outside of its buffer on tile 0 of replica 0}}
    // expected-note @below {{index 3 is outside of 3 elements of argument 0, variable "w"}}
    %u = memref.subview %v[%c1] [%n] [1] : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    linalg.copy ins(%u : !b) outs(%y : !b)
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      // expected-note @below {{vertices run here}}
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A corrupt codelet: it leaves its local memory.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %n = memref.dim %x, %c0 : !b
    %l = memref.alloca() : memref<3xf32>
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %x[%i] : !b
      // expected-error @below {{'memref.store' accesses elements outside of its buffer on tile 0 of replica 0}}
      // expected-note @below {{index 3 is outside of 3 elements of local memory}}
      memref.store %a, %l[%i] : memref<3xf32>
    }
    linalg.copy ins(%l : memref<3xf32>) outs(%y : !b)
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      // expected-note @below {{vertices run here}}
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A vertex that computes in place reads its output, once it was written.

#h = #ipu.map<[7], grid = [2], blocks = [p0 * 4 : 4]>
#w = #ipu.map<[7], grid = [2], blocks = [p0 * 3 : 4]>
#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!h = memref<7xf32, #h>
!w = memref<7xf32, #w>
!m = memref<6xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module {
  ipu.codelet @pair(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !b
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      %a = memref.load %x[%i] : !b
      %b = memref.load %x[%j] : !b
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !b
    }
  }
  ipu.codelet @negate(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    // expected-error @below {{'linalg.generic' reads element [0] of variable "z" on tile 0 of replica 0, which is undefined}}
    // expected-note @below {{first of 6 elements on 2 tiles}}
    linalg.negf ins(%x : !b) outs(%y : !b)
  }
  func.func @main() {
    %h = ipu.var "h" init(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>) : !h
    %w = ipu.var "w" copies : !w
    %y = ipu.var "y" : !m
    // expected-note @below {{variable "z" is undefined from here until it is written}}
    %z = ipu.var "z" : !m
    ipu.exchange "w" {
      ipu.move %h to %w : !h to !w
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "pair" {
      ipu.vertices @pair ins(%w : !w) outs(%y : !m) access [#w, #m]
      // expected-note @below {{vertices run here}}
      ipu.vertices @negate ins(%z : !m) outs(%z : !m) access [#m, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "negate" {
      ipu.vertices @negate ins(%y : !m) outs(%y : !m) access [#m, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.expect %y, dense<[-3.0, -5.0, -7.0, -9.0, -11.0, -13.0]> : tensor<6xf32> : !m
    func.return
  }
}
