// RUN: ipu-opt %s --split-input-file --pop-io-tile-copy | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-io-tile-copy -o %t.once
// RUN: ipu-opt %t.once --split-input-file --pop-io-tile-copy | diff - %t.once
// RUN: ipu-opt %s --split-input-file --pop-io-tile-copy --pop-verify-placement -o /dev/null

// The example of the description of the pass.

// CHECK-LABEL: func.func @example
// CHECK-NEXT: %[[L:.*]] = pop.host_load @x {pop.tile_set = #pop<tile_set io>}
// CHECK-NEXT: %[[X:.*]] = pop.io_tile_copy %[[L]] to compute
// CHECK-NEXT: %[[Y:.*]] = pop.exp %[[X]] : tensor<4xf32>
// CHECK-NEXT: %[[S:.*]] = pop.io_tile_copy %[[Y]] to io
// CHECK-NEXT: pop.host_store %[[S]], @y {pop.tile_set = #pop<tile_set io>}
pop.stream @x host_to_device : tensor<4xf32>
pop.stream @y device_to_host : tensor<4xf32>
func.func @example() {
  %0 = pop.host_load @x {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
  %1 = pop.exp %0 : tensor<4xf32>
  pop.host_store %1, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
  return
}

// -----

// One copy for all readers, with the IPU, stage and phase of the tensor. The copy is
// before the branch whose ops read it. Each tile set has the constant.

// CHECK-LABEL: func.func @shared
// CHECK-SAME: (%{{.*}}: i1, %[[X:.*]]: tensor<4xf32> {pop.tile_set = #pop<tile_set io>, pop.vgraph = 1 : i64})
// CHECK-DAG: %[[IO:.*]] = pop.constant {pop.tile_set = #pop<tile_set io>} dense<2.000000e+00>
// CHECK-DAG: %[[K:.*]] = pop.constant dense<2.000000e+00>
// CHECK: %[[A:.*]] = pop.add %[[X]], %[[IO]] {pop.phase = 0 : i64, pop.stage = 2 : i64, pop.tile_set = #pop<tile_set io>, pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[C:.*]] = pop.io_tile_copy %[[A]] to compute {pop.phase = 0 : i64, pop.stage = 2 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT: scf.if
// CHECK-NEXT: pop.exp %[[C]]
// CHECK: pop.mul %[[C]], %[[K]]
// CHECK-NOT: pop.io_tile_copy
func.func @shared(%p: i1, %x: tensor<4xf32> {pop.tile_set = #pop<tile_set io>, pop.vgraph = 1 : i64}) -> tensor<4xf32> {
  %k = pop.constant dense<2.0> : tensor<4xf32>
  %a = pop.add %x, %k {pop.phase = 0 : i64, pop.stage = 2 : i64, pop.tile_set = #pop<tile_set io>, pop.vgraph = 1 : i64} : tensor<4xf32>
  %0 = scf.if %p -> tensor<4xf32> {
    %1 = pop.exp %a {pop.vgraph = 1 : i64} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %1 = pop.constant dense<0.0> : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %2 = pop.mul %a, %k {pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.add %0, %2 {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// What loops, calls and functions pass is on compute tiles.

// CHECK-LABEL: func.func @passed
// CHECK: %[[A:.*]] = pop.exp %{{.*}} {pop.tile_set = #pop<tile_set io>}
// CHECK-NEXT: %[[C:.*]] = pop.io_tile_copy %[[A]] to compute
// CHECK-NEXT: scf.for {{.*}} iter_args(%[[V:.*]] = %[[C]])
// CHECK-NEXT: %[[I:.*]] = pop.io_tile_copy %[[V]] to io
// CHECK-NEXT: %[[B:.*]] = pop.log %[[I]] {pop.tile_set = #pop<tile_set io>}
// CHECK-NEXT: %[[D:.*]] = pop.io_tile_copy %[[B]] to compute
// CHECK-NEXT: scf.yield %[[D]]
// CHECK: call @callee(%[[C]])
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @passed(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pop.exp %x {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %a) -> tensor<4xf32> {
    %1 = pop.log %v {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %2 = func.call @callee(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
