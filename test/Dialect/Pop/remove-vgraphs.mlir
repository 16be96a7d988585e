// RUN: ipu-opt %s --pop-remove-vgraphs | FileCheck %s

// RUN: ipu-opt %s --pop-remove-vgraphs=tile-sets | FileCheck %s --check-prefix=TILES

// TILES-LABEL: func.func @tile_sets
// TILES-NEXT: %[[A:.*]] = pop.exp %arg0 : tensor<4xf32>
// TILES-NEXT: return %[[A]]
// CHECK: pop.variable @w : tensor<4xf32> = dense<0.000000e+00> : tensor<4xf32>
// CHECK-LABEL: func.func @main(%arg0: tensor<4xf32>)
// CHECK-NEXT: %[[A:.*]] = pop.exp %arg0 {pop.stage = 0 : i64} : tensor<4xf32>
// CHECK-NEXT: pop.sub %[[A]], %arg0 : tensor<4xf32>
// CHECK-NOT: vgraph
// CHECK-LABEL: func.func @tile_sets
// CHECK-NEXT: pop.exp {{.*}} {pop.tile_set = #pop<tile_set io>}
// CHECK-NEXT: pop.io_tile_copy
pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {pop.vgraph = 1 : i64}
func.func @main(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.vgraph = 0 : i64, pop.stage = 0 : i64} : tensor<4xf32>
  %1, %2 = pop.ipu_copy %0, %x from 0 to 1 : tensor<4xf32>, tensor<4xf32>
  %3 = pop.sub %1, %2 {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %3 : tensor<4xf32>
}
func.func @tile_sets(%x: tensor<4xf32> {pop.tile_set = #pop<tile_set io>}) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
  %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
  return %1 : tensor<4xf32>
}
