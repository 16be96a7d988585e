// Values that gradients recompute have the bits of the forward graph, although
// they are rounded with random bits: whatever strategy stitches the graphs, and
// wherever the op is. The gradients here are exact functions of these values.
// RUN: rm -rf %t && mkdir %t

// DEFINE: %{strategy} =
// DEFINE: %{entry} =
// DEFINE: %{regions} = stash
// DEFINE: %{dir} =
// DEFINE: %{run} = ipu-run %s --entry main --input '*=random:1' --output-dir %t/%{dir} --pass-pipeline \
// DEFINE:   'pop-number-draws,pop-autodiff{func=%{entry} caller=main regions=%{regions} stitch=%{strategy}},pop-to-ipu-pipeline'

// The gradient of exp is its result.
// REDEFINE: %{entry} = exp
// REDEFINE: %{strategy} = recompute_all_non_inputs
// REDEFINE: %{dir} = exp
// RUN: %{run}
// RUN: cmp %t/exp/y.npy %t/exp/Gradient___x.npy

// Two calls of a function, whose callee draws before and in a loop, draw
// different bits; each call is recomputed with its own.
// REDEFINE: %{entry} = calls
// REDEFINE: %{strategy} = safe_add_fwd_outputs
// REDEFINE: %{dir} = stored
// RUN: %{run}
// REDEFINE: %{strategy} = recompute_minimal
// REDEFINE: %{dir} = minimal
// RUN: %{run}
// REDEFINE: %{strategy} = recompute_all_non_inputs
// REDEFINE: %{dir} = all
// RUN: %{run}
// RUN: not cmp %t/stored/Gradient___x.npy %t/stored/Gradient___w.npy
// RUN: cmp %t/stored/Gradient___x.npy %t/minimal/Gradient___x.npy
// RUN: cmp %t/stored/Gradient___w.npy %t/minimal/Gradient___w.npy
// RUN: cmp %t/stored/Gradient___x.npy %t/all/Gradient___x.npy
// RUN: cmp %t/stored/Gradient___w.npy %t/all/Gradient___w.npy

// Values of iterations and of branches.
// REDEFINE: %{regions} = recompute
// REDEFINE: %{dir} = regions
// RUN: %{run}
// RUN: cmp %t/stored/Gradient___x.npy %t/regions/Gradient___x.npy
// RUN: cmp %t/stored/Gradient___w.npy %t/regions/Gradient___w.npy

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>, pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @exp(%x: tensor<64xf16> {pop.name = "x"}) -> (tensor<64xf16> {pop.name = "y"}) {
    %0 = pop.exp %x : tensor<64xf16>
    return %0 : tensor<64xf16>
  }

  // x times a number that is rounded before it is used.
  func.func private @scale(%x: tensor<64xf32>, %h: tensor<64xf16>) -> tensor<64xf32> {
    %0 = pop.exp %h : tensor<64xf16>
    %1 = pop.stop_gradient %0 : tensor<64xf16>
    %2 = pop.cast %1 : tensor<64xf16> to tensor<64xf32>
    %3 = pop.mul %x, %2 : tensor<64xf32>
    return %3 : tensor<64xf32>
  }

  func.func private @layer(%x: tensor<64xf32>, %h: tensor<64xf16>) -> tensor<64xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %first = call @scale(%x, %h) : (tensor<64xf32>, tensor<64xf16>) -> tensor<64xf32>
    %all = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %first) -> tensor<64xf32> {
      %0 = pop.exp %h : tensor<64xf16>
      %1 = pop.stop_gradient %0 : tensor<64xf16>
      %2 = pop.cast %1 : tensor<64xf16> to tensor<64xf32>
      %3 = pop.mul %x, %2 : tensor<64xf32>
      %4 = pop.add %sum, %3 : tensor<64xf32>
      scf.yield %4 : tensor<64xf32>
    }
    %last = call @scale(%x, %h) : (tensor<64xf32>, tensor<64xf16>) -> tensor<64xf32>
    %sum = pop.add %all, %last : tensor<64xf32>
    return %sum : tensor<64xf32>
  }

  func.func @calls(%x: tensor<64xf32> {pop.name = "x"}, %w: tensor<64xf32> {pop.name = "w"}, %h: tensor<64xf16> {pop.name = "h"}) -> (tensor<64xf32> {pop.name = "y"}, tensor<64xf32> {pop.name = "z"}) {
    %0 = call @layer(%x, %h) : (tensor<64xf32>, tensor<64xf16>) -> tensor<64xf32>
    %1 = call @layer(%w, %h) : (tensor<64xf32>, tensor<64xf16>) -> tensor<64xf32>
    return %0, %1 : tensor<64xf32>, tensor<64xf32>
  }
}
