// RUN: ipu-opt %s --split-input-file --pop-map-tensors | FileCheck %s

// Tensors are on the tiles of their IPUs. Equal layers have equal tile mappings,
// apart from the first tile. A copy between IPUs leaves elements on the tile of the
// same number.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 3 : i64}>} {
  // CHECK-DAG: #[[$M1:.*]] = #ipu.map<[64], grid = [8], blocks = [p0 * 8 : 8], first = 8>
  // CHECK-DAG: #[[$M2:.*]] = #ipu.map<[64], grid = [8], blocks = [p0 * 8 : 8], first = 16>
  // CHECK-LABEL: func.func @stages
  // CHECK-SAME: ipu.map = #[[$M1]], pop.vgraph = 1
  // CHECK: pop.exp {{.*}} {ipu.map = #[[$M1]], pop.vgraph = 1 : i64}
  // CHECK: pop.ipu_copy {{.*}} from 1 to 2 {ipu.map = #[[$M2]]}
  // CHECK: pop.exp {{.*}} {ipu.map = #[[$M2]], pop.vgraph = 2 : i64}
  func.func @stages(%x: tensor<64xf32> {pop.vgraph = 1 : i64}) -> tensor<64xf32> {
    %0 = pop.exp %x {pop.vgraph = 1 : i64} : tensor<64xf32>
    %1 = pop.ipu_copy %0 from 1 to 2 : tensor<64xf32>
    %2 = pop.exp %1 {pop.vgraph = 2 : i64} : tensor<64xf32>
    return %2 : tensor<64xf32>
  }
}

// -----

// The I/O tiles are the last ones of each IPU. Ops are on them only if they are
// placed there.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 2 : i64, io_tiles = 2 : i64}>} {
  pop.stream @in host_to_device : tensor<60xf32>
  // CHECK-DAG: #[[$IO:.*]] = #ipu.map<[60], grid = [2], blocks = [p0 * 30 : 30], first = 14>
  // CHECK-DAG: #[[$COMPUTE:.*]] = #ipu.map<[60], grid = [6], blocks = [p0 * 10 : 10], first = 8>
  // CHECK-LABEL: func.func @io_tiles
  // CHECK: pop.host_load {{.*}}ipu.map = #[[$IO]]
  // CHECK: pop.exp {{.*}}ipu.map = #[[$IO]]
  // CHECK: pop.io_tile_copy {{.*}}ipu.map = #[[$COMPUTE]]
  // CHECK: pop.exp {{.*}}ipu.map = #[[$COMPUTE]]
  func.func @io_tiles() -> tensor<60xf32> {
    %0 = pop.host_load @in {pop.tile_set = #pop<tile_set io>, pop.vgraph = 1 : i64} : tensor<60xf32>
    %1 = pop.exp %0 {pop.tile_set = #pop<tile_set io>, pop.vgraph = 1 : i64} : tensor<60xf32>
    %2 = pop.io_tile_copy %1 to compute {pop.vgraph = 1 : i64} : tensor<60xf32>
    %3 = pop.exp %2 {pop.vgraph = 1 : i64} : tensor<60xf32>
    return %3 : tensor<60xf32>
  }
}
