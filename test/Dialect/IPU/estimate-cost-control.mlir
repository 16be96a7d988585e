// RUN: ipu-opt %s --ipu-estimate-cost --split-input-file --verify-diagnostics | FileCheck %s

// Costs of control, streaming memory, replicas and code: those of the examples in
// docs/device-model.md.

!b = memref<?xf32, strided<[1], offset: ?>>
#s = #ipu.map<[], grid = [1], blocks = []>
// 200 elements, 800 bytes, on each of 64 tiles; and 64 elements.
#r = #ipu.map<[12800], grid = [64], blocks = [p0 * 200 : 200]>
#m = #ipu.map<[4096], grid = [64], blocks = [p0 * 64 : 64]>
#q = #ipu.map<[1024], grid = [64], blocks = [p0 * 16 : 16]>
!m = memref<4096xf32, #m>
!q = memref<1024xf32, #q>

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64, replicas = 4 : i64}>} {
  ipu.remote_buffer @b : 3 x tensor<12800xf32>
  ipu.codelet @add(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {}
  func.func @f() {
    %x = ipu.var "x" : !m
    %y = ipu.var "y" : !m
    ipu.compute_set "a" {
      ipu.vertices @add ins(%x : !m) outs(%y : !m) access [#m, #m]
    }
    return
  }
  // CHECK-LABEL: func.func @main
  func.func @main() {
    %p = ipu.var "p" init(dense<true> : tensor<i1>) : memref<i1, #s>
    %i = ipu.var "i" : memref<i32, #s>
    %r = ipu.var "r" : memref<12800xf32, #r>
    %t = ipu.var "t" : memref<12800xf32, #r>
    %x = ipu.var "x" : !m
    %y = ipu.var "y" : !m
    %q = ipu.var "q" : !q

    // 12 cycles on each of 64 tiles.
    // CHECK: ipu.call @f cost <cycles = [12], total = 768, tile = 0, flops = 0, bytes = 0>
    ipu.call @f
    // 90 + 100 + 2 + 1 + 6, 64 times that.
    // CHECK: ipu.if
    // CHECK: } cost <cycles = [199], total = 12736, tile = 0, flops = 0, bytes = 0>
    ipu.if %p : memref<i1, #s> {
    }
    // CHECK: ipu.while
    // CHECK: } cost <cycles = [199], total = 12736, tile = 0, flops = 0, bytes = 0>
    ipu.while %p : memref<i1, #s> {
    } do {
    }
    // CHECK: ipu.repeat %{{.*}} {
    // CHECK: } cost <cycles = [6], total = 384, tile = 0, flops = 0, bytes = 0>
    ipu.repeat %i : memref<i32, #s> {
    }

    // 13620 + 6650, each tile 800 / 4.
    // CHECK: ipu.remote_exchange "load"
    // CHECK: } cost <cycles = [20270], total = 12800, tile = 0, flops = 0, bytes = 51200>
    ipu.remote_exchange "load" {
      ipu.remote_load @b[0] to %r : memref<12800xf32, #r>
    }
    // Loads and stores at the same time; one latency.
    // CHECK: ipu.remote_exchange "both"
    // CHECK: } cost <cycles = [20270], total = 12800, tile = 0, flops = 0, bytes = 102400>
    ipu.remote_exchange "both" {
      ipu.remote_load @b[1] to %r : memref<12800xf32, #r>
      ipu.remote_store %t to @b[2] : memref<12800xf32, #r>
    }
    // Two stores: 102400 bytes take 20.48 us, 27239 cycles.
    // CHECK: ipu.remote_exchange "stores"
    // CHECK: } cost <cycles = [33889], total = 25600, tile = 0, flops = 0, bytes = 102400>
    ipu.remote_exchange "stores" {
      ipu.remote_store %r to @b[1] : memref<12800xf32, #r>
      ipu.remote_store %t to @b[2] : memref<12800xf32, #r>
    }

    // Each to each: 6293 + 100; each of 4096 elements is added three times, and
    // each replica receives 3 * 16384 bytes. A tile's 256 bytes are 64 words.
    // CHECK: ipu.collective all_reduce add {{.*}} cost <cycles = [6393], total = 4096, tile = 0, flops = 12288, bytes = 49152>
    ipu.collective all_reduce add %x to %y : !m to !m
    // On the tiles only: 64 words, and the set-up.
    // CHECK: ipu.collective reduce_scatter local {{.*}} cost <cycles = [164], total = 4096,
    ipu.collective reduce_scatter local %x to %q {axis = 0 : i64} : !m to !q
    // 16384 bytes take 256 ns, 341 cycles: 2 * 2196 + 341 + 100.
    // CHECK: ipu.collective permute {{.*}} cost <cycles = [4833], total = 4096, tile = 0, flops = 0, bytes = 16384>
    ipu.collective permute %x to %y {pairs = [[0, 1], [1, 0]]} : !m to !m
    // Three parts of 4096 bytes: 12288 bytes take 192 ns, 256 cycles. 2 * 2196 + 256 + 100.
    // CHECK: ipu.collective all_to_all {{.*}} cost <cycles = [4748], total = 4096, tile = 0, flops = 0, bytes = 12288>
    ipu.collective all_to_all %x to %y {split_axis = 0 : i64, concat_axis = 0 : i64} : !m to !m
    // Around the ring: 3 * 2196 + 256 = 6844; each to each: 2 * 2196 + 1022 = 5414.
    // CHECK: ipu.collective all_gather {{.*}} cost <cycles = [5514], total = 4096, tile = 0, flops = 0, bytes = 49152>
    ipu.collective all_gather %q to %x {axis = 0 : i64} : !q to !m
    // In groups of two: 2 * 2196 + 341, and one add of 32 elements of a tile,
    // 11 + 6 * (29 + 3 * 3) = 239, around the ring; each to each of 64, 293.
    // CHECK: ipu.collective all_reduce mean {{.*}} cost <cycles = [5072], total = 4096, tile = 0, flops = 2048, bytes = 16384>
    ipu.collective all_reduce mean %x to %y {groups = #pop.replica_groups<stride = 2, size = 2>} : !m to !m

    // On the tile that has it.
    // CHECK: ipu.replica_index {{.*}} cost <cycles = [30], total = 30, tile = 0, flops = 0, bytes = 0>
    ipu.replica_index to %i : memref<i32, #s>

    // @f has 24 bytes of control code and a codelet of 300 on each of 64 tiles:
    // 20736 bytes take 4.1472 us, 5516 cycles.
    // CHECK: ipu.code_load [@f] to executable cost <cycles = [12166], total = 5184, tile = 0, flops = 0, bytes = 20736>
    ipu.code_load [@f] to executable
    // 324 bytes to a tile in 81 cycles, and the set-up.
    // CHECK: ipu.code_copy @f from io_buffer to executable cost <cycles = [181], total = 5184, tile = 0, flops = 0, bytes = 20736>
    ipu.code_copy @f from io_buffer to executable
    ipu.call @f
    return
  }
}
