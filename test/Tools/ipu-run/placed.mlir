// A program placed by hand, with a function that is called on two IPUs and draws random
// bits, has the results of the program without placement: with functions, with inlined
// functions, in mixed precision, and if it rounds stochastically.

// RUN: rm -rf %t && mkdir %t
// RUN: ipu-opt %s --pop-remove-vgraphs -o %t/unplaced.mlir
// DEFINE: %{flags} =
// DEFINE: %{compare} = ipu-run %s --input x=ramp --output-dir %t/placed %{flags} && \
// DEFINE:   ipu-run %t/unplaced.mlir --input x=ramp --output-dir %t/unplaced %{flags} && cmp %t/placed/y.npy %t/unplaced/y.npy
// RUN: %{compare}
// REDEFINE: %{flags} = --outline
// RUN: %{compare}
// REDEFINE: %{flags} = --precision mixed
// RUN: %{compare}
// REDEFINE: %{flags} = --precision mixed --stochastic-rounding counter
// RUN: %{compare}

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 2 : i64}>} {
  func.func private @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %s = pop.next_seed
    %0 = pop.dropout %x, %s, 0.25 : tensor<4x4xf32>, tensor<2xui32>
    %c = pop.constant dense<0.3> : tensor<4x4xf32>
    %1 = pop.matmul %0, %c : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
  func.func @main(%x: tensor<4x4xf32> {pop.name = "x", pop.vgraph = 0 : i64}) -> (tensor<4x4xf32> {pop.name = "y"}) {
    %c = pop.constant dense<0.7> : tensor<4x4xf32>
    %0 = pop.matmul %x, %c {pop.vgraph = 0 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = func.call @f(%0) {pop.vgraph = 0 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = pop.ipu_copy %1 from 0 to 1 : tensor<4x4xf32>
    %3 = func.call @f(%2) {pop.vgraph = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = pop.add %3, %c {pop.vgraph = 1 : i64} : tensor<4x4xf32>
    return %4 : tensor<4x4xf32>
  }
}
