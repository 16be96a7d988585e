// UNSUPPORTED: asan
// What replicas of a class hold is stored once for each class: 256 of 64 MiB each,
// in two classes, with a copy of them, a row of a remote buffer and one row for each
// replica, need less than 4 GiB.
// RUN: bash -c 'ulimit -v 4194304; exec ipu-opt %s --pass-pipeline="builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=x=ramp})" -o /dev/null' | FileCheck %s

// w = 3, with the maximum of x over the replicas of a class in its first elements;
// y = w + w. Replica r has (4 r + i) / 1024.
// CHECK: y : tensor<256x4xf32> = dense<{{\[\[}}0.9921875, 0.9941406, 0.99609375, 0.9980469], {{.*}}, [1.9921875, 1.9941406, 1.9960938, 1.9980469]]>
// CHECK: z : tensor<256x4xf32> = dense<{{\[\[}}6.0, 6.0, 6.0, 6.0], {{.*}}, [6.0, 6.0, 6.0, 6.0]]>

#m = #ipu.map<[16777216], grid = [1024], blocks = [p0 * 16384 : 16384]>
#s = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
#one = #ipu.map<[], grid = [], blocks = []>
!b = memref<?xf32, strided<[1], offset: ?>>
!w = memref<16777216xf32, #m>
!p = memref<4xf32, strided<[1]>, #m>
!q = memref<4xf32, strided<[1], offset: 4>, #m>
!v = memref<4xf32, #s>
!i = memref<i32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 256 : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<4xf32>
  ipu.stream @y device_to_host replicated : tensor<4xf32>
  ipu.stream @z device_to_host replicated : tensor<4xf32>
  ipu.remote_buffer @b : 257 x tensor<16777216xf32>
  ipu.storage @w.storage : !w
  ipu.state @w in @w.storage : tensor<16777216xf32> = dense<3.0> : tensor<16777216xf32>
  ipu.codelet @add(%x : !b, %y : !b, %z : !b)
      inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
    linalg.add ins(%x, %y : !b, !b) outs(%z : !b)
  }
  func.func @main() {
    %w = ipu.var "w" of @w.storage : !w
    %c = ipu.var "c" : !w
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    %z = ipu.var "z" : !v
    %i = ipu.var "i" : !i
    ipu.replica_index to %i : !i
    %head = memref.reinterpret_cast %w to offset: [0], sizes: [4], strides: [1] : !w to !p
    ipu.host_load @x to %x : !v
    ipu.collective all_reduce max %x to %y {groups = #pop.replica_groups<stride = 1, size = 128>} : !v to !v
    ipu.exchange "head" {
      ipu.move %y to %head : !v to !p
    }
    ipu.remote_exchange "store" {
      ipu.remote_store %w to @b[256] : !w
    }
    ipu.remote_exchange "load" {
      ipu.remote_load @b[256] to %c : !w
    }
    ipu.remote_exchange "own row" {
      ipu.remote_store %c to @b[%i : !i] : !w
    }
    ipu.remote_exchange "own row" {
      ipu.remote_load @b[%i : !i] to %c : !w
    }
    ipu.compute_set "w+=c" {
      ipu.vertices @add ins(%w, %c : !w, !w) outs(%w : !w) access [#m, #m, #m]
    }
    %next = memref.reinterpret_cast %w to offset: [4], sizes: [4], strides: [1] : !w to !q
    ipu.exchange "parts" {
      ipu.move %head to %y : !p to !v
      ipu.move %next to %z : !q to !v
    }
    ipu.host_store %y to @y : !v
    ipu.host_store %z to @z : !v
    return
  }
}
