// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-map-tensors
// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-split-ops=available-memory-proportion=0.5 --pop-map-tensors

module attributes {ipu.target = #ipu.target<"gc200", {ipus = 2 : i64}>} {
  func.func @vgraph(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{'pop.exp' op is on virtual graph 2, but a replica of the target has 2 IPUs}}
    %0 = pop.exp %x {pop.vgraph = 2 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

func.func @io_tiles(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.io_tile_copy' op is placed on I/O tiles but the target has no I/O tiles}}
  %0 = pop.io_tile_copy %x to io : tensor<4xf32>
  %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
  return %1 : tensor<4xf32>
}
