// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-to-ipu-pipeline -o /dev/null

// Arguments of the entry are loaded once for all replicas. An argument that should have
// one tensor for each replica must become a stream first.

module attributes {ipu.target = #ipu.target<"c600", {tiles = 4 : i64, replicas = 4 : i64}>} {
  // expected-warning @+1 {{argument #1 has groups of 2 replicas, but all replicas get the same tensor; run pop-host-load-setup}}
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32> {pop.groups = #pop.replica_groups<stride = 1, size = 2>}) -> tensor<4xf32> {
    %0 = pop.add %x, %y : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// One group of all replicas.

module attributes {ipu.target = #ipu.target<"c600", {tiles = 4 : i64, replicas = 4 : i64}>} {
  func.func @main(%x: tensor<4xf32> {pop.groups = #pop.replica_groups<stride = 1, size = 4>}) -> tensor<4xf32> {
    %0 = pop.relu %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
