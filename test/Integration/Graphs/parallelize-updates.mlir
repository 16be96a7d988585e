// Weights in streaming memory of two IPUs are updated by gradients that are clipped
// by their common norm. The updates have the same bits with and without
// pop-parallelize-updates, and take fewer transfers and cycles with it.
//
// DEFINE: %{flags} =
// DEFINE: %{run} = ipu-run %s --target tiles=8,ipus=2 --input x=%t/x.npy --pass-pipeline '%{flags}pop-merge-exchange,pop-choose-accumulation,pop-number-draws,pop-random-setup,pop-to-ipu-pipeline'
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.random.default_rng(1).normal(size=(2, 64)).astype(np.float32))"
// RUN: %{run} --output-dir %t/given --profile %t/given.json
// REDEFINE: %{flags} = pop-parallelize-updates,
// RUN: %{run} --output-dir %t/parallel --profile %t/parallel.json
// RUN: diff -r %t/given %t/parallel
// RUN: %python -c "import numpy as np; x = np.load('%t/x.npy').astype(np.float64); w = x - 0.5 * x / np.sqrt((x * x).sum()); r = np.load('%t/parallel/y.npy'); assert abs(r - w).max() < 1e-6"
// RUN: %python %S/Inputs/count-steps.py remote %t/given.json %t/parallel.json | FileCheck %s

// CHECK: remote: 7, then 4

module attributes {pop.host_transfers = 1 : i64} {
  pop.stream @x host_to_device : tensor<2x64xf32>
  pop.stream @y device_to_host : tensor<2x64xf32>
  pop.remote_buffer @w0 : 1 x tensor<1x64xf32>
  pop.remote_buffer @w1 : 1 x tensor<1x64xf32>
  pop.remote_buffer @g0 : 1 x tensor<1x64xf32>
  pop.remote_buffer @g1 : 1 x tensor<1x64xf32>

  func.func @main() {
    %x = pop.host_load @x {pop.vgraph = 0 : i64} : tensor<2x64xf32>
    %x0 = pop.slice %x {pop.vgraph = 0 : i64, sizes = array<i64: 1, 64>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<2x64xf32> -> tensor<1x64xf32>
    %second = pop.slice %x {pop.vgraph = 0 : i64, sizes = array<i64: 1, 64>, starts = array<i64: 1, 0>, steps = array<i64: 1, 1>} : tensor<2x64xf32> -> tensor<1x64xf32>
    %x1 = pop.ipu_copy %second from 0 to 1 : tensor<1x64xf32>
    pop.remote_store %x0, @w0[0] {pop.vgraph = 0 : i64} : tensor<1x64xf32>
    pop.remote_store %x0, @g0[0] {pop.vgraph = 0 : i64} : tensor<1x64xf32>
    pop.remote_store %x1, @w1[0] {pop.vgraph = 1 : i64} : tensor<1x64xf32>
    pop.remote_store %x1, @g1[0] {pop.vgraph = 1 : i64} : tensor<1x64xf32>

    // The norm of the gradients, which are in streaming memory, too.
    %half = pop.constant {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} dense<0.5> : tensor<f32>
    %g0 = pop.remote_load @g0[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<1x64xf32>
    %square0 = pop.mul %g0, %g0 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<1x64xf32>
    %sum0 = pop.reduce sum %square0 {axes = array<i64: 0, 1>, pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<1x64xf32> -> tensor<f32>
    %g1 = pop.remote_load @g1[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<1x64xf32>
    %square1 = pop.mul %g1, %g1 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<1x64xf32>
    %sum1 = pop.reduce sum %square1 {axes = array<i64: 0, 1>, pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<1x64xf32> -> tensor<f32>
    %copy = pop.ipu_copy %sum1 from 1 to 0 {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<f32>
    %sum = pop.add %sum0, %copy {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<f32>
    %norm = pop.sqrt %sum {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<f32>
    %factor0 = pop.div %half, %norm {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<f32>
    %factor1 = pop.ipu_copy %factor0 from 0 to 1 {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<f32>

    %w0 = pop.remote_load @w0[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<1x64xf32>
    %clipped0 = pop.mul %g0, %factor0 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
    %new0 = pop.sub %w0, %clipped0 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<1x64xf32>
    pop.remote_store %new0, @w0[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<1x64xf32>
    %w1 = pop.remote_load @w1[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<1x64xf32>
    %clipped1 = pop.mul %g1, %factor1 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
    %new1 = pop.sub %w1, %clipped1 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<1x64xf32>
    pop.remote_store %new1, @w1[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<1x64xf32>

    %y0 = pop.remote_load @w0[0] {pop.vgraph = 0 : i64} : tensor<1x64xf32>
    %y1 = pop.remote_load @w1[0] {pop.vgraph = 1 : i64} : tensor<1x64xf32>
    %copy1 = pop.ipu_copy %y1 from 1 to 0 : tensor<1x64xf32>
    %y = pop.concat %y0, %copy1 {axis = 0 : i64, pop.vgraph = 0 : i64} : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<2x64xf32>
    pop.host_store %y, @y {pop.vgraph = 0 : i64} : tensor<2x64xf32>
    return
  }
}
