// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{engine=interp})' -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-merge-steps,ipu-liveness,ipu-estimate-cost),ipu-execute{engine=jit threads=3})' -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-liveness,ipu-estimate-cost),ipu-execute{check})' -o /dev/null | FileCheck %s

// The sum over all, over neighbours, and over replicas of the same parity, of
// the replica's own number.
// CHECK: all : tensor<4x1xi32> = dense<{{\[\[}}6], [6], [6], [6]]>
// CHECK: near : tensor<4x1xi32> = dense<{{\[\[}}1], [1], [5], [5]]>
// CHECK: far : tensor<4x1xi32> = dense<{{\[\[}}2], [4], [2], [4]]>
// CHECK: listed : tensor<4x2xi32> = dense<{{\[\[}}3, 0], [2, 1], [2, 1], [3, 0]]>
// CHECK: sent : tensor<4x1xi32> = dense<{{\[\[}}3], [0], [0], [2]]>

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
#two = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>
!n = memref<i32, #one>
!v = memref<1xi32, #one>
!w = memref<2xi32, #two>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  ipu.stream @all device_to_host replicated : tensor<1xi32>
  ipu.stream @near device_to_host replicated : tensor<1xi32>
  ipu.stream @far device_to_host replicated : tensor<1xi32>
  ipu.stream @listed device_to_host replicated : tensor<2xi32>
  ipu.stream @sent device_to_host replicated : tensor<1xi32>
  func.func @main() {
    %i = ipu.var "i" : !n
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    %z = ipu.var "z" : !v
    %s = ipu.var "s" : !v
    %p = ipu.var "p" : !v
    %g = ipu.var "g" : !w
    ipu.replica_index to %i : !n
    %view = memref.reinterpret_cast %i to offset: [0], sizes: [1], strides: [1] : !n to memref<1xi32, strided<[1]>, #one>
    ipu.exchange "x" {
      ipu.move %view to %x : memref<1xi32, strided<[1]>, #one> to !v
    }
    ipu.collective all_reduce add %x to %y : !v to !v
    ipu.collective all_reduce add %x to %z {groups = #pop.replica_groups<stride = 1, size = 2>} : !v to !v
    ipu.collective all_reduce add %x to %s {groups = #pop.replica_groups<stride = 2, size = 2>} : !v to !v
    ipu.collective all_gather %x to %g {axis = 0 : i64, groups = #pop.replica_groups<[[3, 0], [2, 1]]>} : !v to !w
    ipu.collective permute %x to %p {pairs = [[3, 0], [2, 3]]} : !v to !v
    ipu.host_store %y to @all : !v
    ipu.host_store %z to @near : !v
    ipu.host_store %s to @far : !v
    ipu.host_store %g to @listed : !w
    ipu.host_store %p to @sent : !v
    return
  }
}

// -----

// A state for each of two groups, of which each replica holds a part, zero at
// the end; rows of a remote buffer, of which the replica's own number says
// which; loads and stores at once.
// CHECK: part : tensor<4x2xf32> = dense<{{\[\[}}1.0, 2.0], [3.0, 0.0], [4.0, 5.0], [6.0, 0.0]]>
// CHECK: whole : tensor<4x3xf32> = dense<{{\[\[}}1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [4.0, 5.0, 6.0]]>
// CHECK: row : tensor<4x2xf32> = dense<{{\[\[}}10.0, 20.0], [3.0, 0.0], [10.0, 20.0], [10.0, 20.0]]>
// CHECK: back : tensor<4x2xf32> = dense<{{\[\[}}1.0, 2.0], [3.0, 0.0], [4.0, 5.0], [6.0, 0.0]]>

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
#two = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>
#three = #ipu.map<[3], grid = [3], blocks = [p0 * 1 : 1]>
!n = memref<i32, #one>
!w = memref<2xf32, #two>
!h = memref<3xf32, #three>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  ipu.stream @part device_to_host replicated : tensor<2xf32>
  ipu.stream @whole device_to_host replicated : tensor<3xf32>
  ipu.stream @row device_to_host replicated : tensor<2xf32>
  ipu.stream @back device_to_host replicated : tensor<2xf32>
  ipu.storage @w.storage : !w
  ipu.state @w in @w.storage : tensor<3xf32> = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> {groups = #pop.replica_groups<stride = 1, size = 2>, sharding = #pop.replica_groups<stride = 1, size = 2>}
  ipu.remote_buffer @b : 5 x tensor<2xf32>
  ipu.state @r in @b[1] : tensor<2xf32> = dense<[10.0, 20.0]> : tensor<2xf32>
  func.func @main() {
    %w = ipu.var "w" of @w.storage : !w
    %h = ipu.var "h" : !h
    %i = ipu.var "i" : !n
    %k = ipu.var "k" init(dense<1> : tensor<i32>) : !n
    %r = ipu.var "r" : !w
    %s = ipu.var "s" : !w
    ipu.replica_index to %i : !n
    ipu.host_store %w to @part : !w
    ipu.collective all_gather %w to %h {axis = 0 : i64, groups = #pop.replica_groups<stride = 1, size = 2>} : !w to !h
    ipu.host_store %h to @whole : !h
    // Replica 1 stores to the row that all load later.
    ipu.remote_exchange "store" {
      ipu.remote_store %w to @b[%i : !n] : !w
    }
    // Row 1 is loaded, and what it held before on all but replica 1.
    ipu.remote_exchange "both" {
      ipu.remote_load @b[1] to %r : !w
      ipu.remote_store %w to @b[4] : !w
    }
    ipu.remote_exchange "again" {
      ipu.remote_load @b[%k : !n] to %s : !w
    }
    ipu.host_store %s to @row : !w
    ipu.remote_exchange "fourth" {
      ipu.remote_load @b[4] to %s : !w
    }
    ipu.host_store %s to @back : !w
    return
  }
}

// -----

// Integers on tiles have no sign of their own.
// CHECK: unsigned : tensor<1xui8> = dense<[200]>
// CHECK: signed : tensor<1xi8> = dense<[100]>

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!v = memref<1xi8, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.stream @unsigned device_to_host : tensor<1xui8>
  ipu.stream @signed device_to_host : tensor<1xi8>
  ipu.storage @w.storage : !v
  ipu.state @w in @w.storage : tensor<1xui8> = dense<[[200], [100]]> : tensor<2x1xui8> {groups = #pop.replica_groups<stride = 1, size = 1>}
  func.func @main() {
    %w = ipu.var "w" of @w.storage : !v
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    ipu.collective all_reduce max %w to %x {is_unsigned} : !v to !v
    ipu.collective all_reduce max %w to %y : !v to !v
    ipu.host_store %x to @unsigned : !v
    ipu.host_store %y to @signed : !v
    return
  }
}

// -----

// A row without elements that has been stored to, and a buffer that is larger
// than the memory of any host, which is never used.
// CHECK: none : tensor<2x0xf32> = dense<>

#none = #ipu.map<[0], grid = [], blocks = [all]>
!e = memref<0xf32, #none>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64, streaming_memory = 36028797018963968 : i64}>} {
  ipu.stream @none device_to_host replicated : tensor<0xf32>
  ipu.remote_buffer @b : 2 x tensor<0xf32>
  ipu.remote_buffer @large : 1 x tensor<9007199254740992xf32>
  func.func @main() {
    %x = ipu.var "x" init(dense<> : tensor<0xf32>) : !e
    %y = ipu.var "y" : !e
    ipu.remote_exchange "store" {
      ipu.remote_store %x to @b[1] : !e
    }
    ipu.remote_exchange "load" {
      ipu.remote_load @b[1] to %y : !e
    }
    ipu.host_store %y to @none : !e
    return
  }
}
