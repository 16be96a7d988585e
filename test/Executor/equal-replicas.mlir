// UNSUPPORTED: asan
// What all replicas hold is stored once: 256 of 64 MiB each, with a copy of them,
// need less than 4 GiB.
// RUN: bash -c 'ulimit -v 4194304; exec ipu-opt %s --pass-pipeline="builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=x=ramp})" -o /dev/null' | FileCheck %s

// w = 3 + 3, and the sum of x + w over replicas, where x is i / 1024.
// CHECK: y : tensor<256x4xf32> = dense<{{\[\[}}1663.5, 1663.75, 1664.0, 1664.25], {{.*}}[1663.5, 1663.75, 1664.0, 1664.25]]>

#m = #ipu.map<[16777216], grid = [1024], blocks = [p0 * 16384 : 16384]>
#s = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
!b = memref<?xf32, strided<[1], offset: ?>>
!w = memref<16777216xf32, #m>
!p = memref<4xf32, strided<[16384]>, #m>
!v = memref<4xf32, #s>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 256 : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<4xf32>
  ipu.stream @y device_to_host replicated : tensor<4xf32>
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
    %p = ipu.var "p" : !v
    %y = ipu.var "y" : !v
    ipu.host_load @x to %x : !v
    ipu.exchange "copy" {
      ipu.move %w to %c : !w to !w
    }
    ipu.compute_set "w+=c" {
      ipu.vertices @add ins(%w, %c : !w, !w) outs(%w : !w) access [#m, #m, #m]
    }
    %part = memref.reinterpret_cast %w to offset: [0], sizes: [4], strides: [16384] : !w to !p
    ipu.exchange "part" {
      ipu.move %part to %p : !p to !v
    }
    ipu.compute_set "y" {
      ipu.vertices @add ins(%x, %p : !v, !v) outs(%y : !v) access [#s, #s, #s]
    }
    ipu.collective all_reduce add %y to %x : !v to !v
    ipu.host_store %x to @y : !v
    return
  }
}
