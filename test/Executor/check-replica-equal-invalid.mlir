// RUN: ipu-opt %s --split-input-file --verify-diagnostics --ipu-execute="inputs=*=ramp check-replica-equal" -o /dev/null
// RUN: ipu-opt %s --split-input-file --verify-diagnostics --ipu-execute="inputs=*=ramp check-replica-equal check threads=3" -o /dev/null
// Nothing is compared unless that is asked for.
// RUN: ipu-opt %s --split-input-file --ipu-execute="inputs=*=ramp" -o /dev/null

// Vertices: the first element that differs, in a class that is not the first.
#m = #ipu.map<[2, 4], grid = [1, 2], blocks = [p0 * 2 : 2, p1 * 2 : 2]>
!v = memref<2x4xf32, #m>
!b = memref<?x?xf32, strided<[?, 1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, replicas = 4 : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<2x4xf32>
  ipu.codelet @relu(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c = arith.constant 0.78125 : f32
    linalg.map ins(%x : !b) outs(%y : !b) (%a : f32, %z : f32) {
      %0 = arith.maximumf %a, %c : f32
      linalg.yield %0 : f32
    }
  }
  func.func @main() {
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    ipu.host_load @x to %x : !v cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.compute_set "relu" {
      // expected-error @+1 {{'ipu.vertices' op writes different elements on replicas 1 and 3 of class {1, 3}: element [0, 2] of variable "y" is 0.78125 and 0.8125}}
      ipu.vertices @relu ins(%x : !v) outs(%y : !v) access [#m, #m] {ipu.replica_equal = #pop.replica_partition<{0}{1, 3}{2}>}
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A move: what it leaves of its target is not looked at.
#m = #ipu.map<[2, 4], grid = [1, 2], blocks = [p0 * 2 : 2, p1 * 2 : 2]>
#n = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>
#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!v = memref<2x4xf32, #m>
!part = memref<2x1xf32, strided<[4, 1], offset: 3>, #m>
!column = memref<2x1xf32, #n>
!i = memref<i32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, replicas = 4 : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<2x4xf32>
  ipu.stream @c host_to_device replicated : tensor<2x1xf32>
  ipu.remote_buffer @b : 4 x tensor<2x4xf32>
  func.func @main() {
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    ipu.host_load @x to %x : !v cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    %c = ipu.var "c" : !column
    ipu.host_load @c to %c : !column cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    %part = memref.reinterpret_cast %x to offset: [3], sizes: [2, 1], strides: [4, 1] : !v to !part
    ipu.exchange "c" {
    // expected-error @+1 {{'ipu.move' op writes different elements on replicas 0 and 1 of class {0, 1, 2, 3}: element [0, 3] of variable "x" is 0.0 and 0.25}}
      ipu.move %c to %part {ipu.replica_equal = #pop.replica_partition<all of 4>} : !column to !part
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A load of a stream with a tensor for each replica.
#m = #ipu.map<[2, 4], grid = [1, 2], blocks = [p0 * 2 : 2, p1 * 2 : 2]>
#n = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>
#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!v = memref<2x4xf32, #m>
!part = memref<2x1xf32, strided<[4, 1], offset: 3>, #m>
!column = memref<2x1xf32, #n>
!i = memref<i32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, replicas = 4 : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<2x4xf32>
  ipu.stream @c host_to_device replicated : tensor<2x1xf32>
  ipu.remote_buffer @b : 4 x tensor<2x4xf32>
  func.func @main() {
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    // expected-error @+1 {{'ipu.host_load' op writes different elements on replicas 2 and 3 of class {2, 3}: element [0, 0] of variable "x" is 0.5 and 0.75}}
    ipu.host_load @x to %x : !v cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0> {ipu.replica_equal = #pop.replica_partition<{0}{1}{2, 3}>}
    func.return
  }
}

// -----

// Rows of a remote buffer: 1, 2 and 3 hold the same.
#m = #ipu.map<[2, 4], grid = [1, 2], blocks = [p0 * 2 : 2, p1 * 2 : 2]>
#n = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>
#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!v = memref<2x4xf32, #m>
!part = memref<2x1xf32, strided<[4, 1], offset: 3>, #m>
!column = memref<2x1xf32, #n>
!i = memref<i32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, replicas = 4 : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<2x4xf32>
  ipu.stream @c host_to_device replicated : tensor<2x1xf32>
  ipu.remote_buffer @b : 4 x tensor<2x4xf32>
  ipu.state @row0 in @b[0] : tensor<2x4xf32> = dense<0.0> : tensor<2x4xf32>
  ipu.state @row1 in @b[1] : tensor<2x4xf32> = dense<1.0> : tensor<2x4xf32>
  ipu.state @row2 in @b[2] : tensor<2x4xf32> = dense<1.0> : tensor<2x4xf32>
  ipu.state @row3 in @b[3] : tensor<2x4xf32> = dense<1.0> : tensor<2x4xf32>
  func.func @main() {
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    %i = ipu.var "i" : !i
    ipu.replica_index to %i : !i cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.remote_exchange "rows" {
      ipu.remote_load @b[%i : !i] to %x {ipu.replica_equal = #pop.replica_partition<{0}{1, 2, 3}>} : !v
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.remote_exchange "rows" {
    // expected-error @+1 {{'ipu.remote_load' op writes different elements on replicas 0 and 1 of class {0, 1, 2, 3}: element [0, 0] of variable "y" is 0.0 and 1.0}}
      ipu.remote_load @b[%i : !i] to %y {ipu.replica_equal = #pop.replica_partition<all of 4>} : !v
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// A collective: its groups do not have the same.
#m = #ipu.map<[2, 4], grid = [1, 2], blocks = [p0 * 2 : 2, p1 * 2 : 2]>
#n = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>
#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!v = memref<2x4xf32, #m>
!part = memref<2x1xf32, strided<[4, 1], offset: 3>, #m>
!column = memref<2x1xf32, #n>
!i = memref<i32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, replicas = 4 : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<2x4xf32>
  ipu.stream @c host_to_device replicated : tensor<2x1xf32>
  ipu.remote_buffer @b : 4 x tensor<2x4xf32>
  func.func @main() {
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    ipu.host_load @x to %x : !v cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    // expected-error @+1 {{'ipu.collective' op writes different elements on replicas 0 and 2 of class {0, 1, 2, 3}: element [0, 0] of variable "y" is 0.25 and 1.25}}
    ipu.collective all_reduce add %x to %y {groups = #pop.replica_groups<stride = 1, size = 2>, ipu.replica_equal = #pop.replica_partition<all of 4>} : !v to !v cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}

// -----

// The number of the replica.
#m = #ipu.map<[2, 4], grid = [1, 2], blocks = [p0 * 2 : 2, p1 * 2 : 2]>
#n = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>
#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!v = memref<2x4xf32, #m>
!part = memref<2x1xf32, strided<[4, 1], offset: 3>, #m>
!column = memref<2x1xf32, #n>
!i = memref<i32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, replicas = 4 : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<2x4xf32>
  ipu.stream @c host_to_device replicated : tensor<2x1xf32>
  ipu.remote_buffer @b : 4 x tensor<2x4xf32>
  func.func @main() {
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    %i = ipu.var "i" : !i
    // expected-error @+1 {{'ipu.replica_index' op writes different elements on replicas 0 and 3 of class {0, 3}: element [] of variable "i" is 0 and 3}}
    ipu.replica_index to %i : !i cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0> {ipu.replica_equal = #pop.replica_partition<{0, 3}{1}{2}>}
    func.return
  }
}

// -----

// An op that some replicas of a class do not execute.
#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!p = memref<i1, #one>
!v = memref<1xf32, #one>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, replicas = 4 : i64}>} {
  ipu.storage @p : !p
  ipu.state @ps in @p : tensor<i1> = dense<[1, 0, 0, 0]> : tensor<4xi1> {groups = #pop.replica_groups<stride = 1, size = 1>}
  ipu.codelet @zero(%y : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c = arith.constant 0.0 : f32
    linalg.fill ins(%c : f32) outs(%y : !b)
  }
  func.func @main() {
    %p = ipu.var "p" of @p : !p
    %v = ipu.var "v" init(dense<0.0> : tensor<1xf32>) : !v
    ipu.if %p : !p {
    } else {
      ipu.compute_set "zero" {
        // expected-error @+1 {{'ipu.vertices' op is executed on replica 2 but not on replica 0 of class {0, 2}}}
        ipu.vertices @zero outs(%v : !v) access [#one] {ipu.replica_equal = #pop.replica_partition<{0, 2}{1, 3}>}
      } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}
