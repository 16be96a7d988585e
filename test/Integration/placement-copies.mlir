// Copies between IPUs and between sets of tiles move elements, to the bit.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp})'
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-to-ipu-pipeline)' | FileCheck %s

// Neither copy rounds, so that no compute set has any of them.
// CHECK-COUNT-4: ipu.exchange
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 2 : i64, io_tiles = 1 : i64}>} {
  func.func @main(%x: tensor<2x3xi32> {pop.name = "x"}, %s: tensor<i8> {pop.name = "s"}) {
    // -0, a denormal, infinity, a NaN.
    %h = pop.constant dense<[-0.0, 0x0001, 0x7C00, 0x7E01]> : tensor<4xf16>
    %x1, %h1 = pop.ipu_copy %x, %h from 0 to 1 : tensor<2x3xi32>, tensor<4xf16>
    pop.expect_eq %x1, dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32> {pop.vgraph = 1 : i64}
    pop.expect_eq %h1, dense<[-0.0, 0x0001, 0x7C00, 0x7E01]> : tensor<4xf16> {pop.vgraph = 1 : i64}
    // What is computed of copies does not change what was copied.
    %y1 = pop.add %x1, %x1 {pop.vgraph = 1 : i64} : tensor<2x3xi32>
    %y0, %x2, %s1 = pop.ipu_copy %y1, %x1, %s from [1, 1, 1] to 0 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<i8>
    pop.expect_eq %y0, dense<[[0, 2, 4], [6, 8, 10]]> : tensor<2x3xi32> {pop.vgraph = 0 : i64}
    pop.expect_eq %x2, dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32> {pop.vgraph = 0 : i64}
    pop.expect_eq %s1, dense<0> : tensor<i8> {pop.vgraph = 0 : i64}
    %t = pop.transpose %y0 {permutation = array<i64: 1, 0>, pop.vgraph = 0 : i64} : tensor<2x3xi32> -> tensor<3x2xi32>
    %io = pop.io_tile_copy %t to io {pop.vgraph = 0 : i64} : tensor<3x2xi32>
    %back = pop.io_tile_copy %io to compute {pop.vgraph = 0 : i64} : tensor<3x2xi32>
    pop.expect_eq %io, dense<[[0, 6], [2, 8], [4, 10]]> : tensor<3x2xi32> {pop.vgraph = 0 : i64}
    pop.expect_eq %back, dense<[[0, 6], [2, 8], [4, 10]]> : tensor<3x2xi32> {pop.vgraph = 0 : i64}
    return
  }
}
