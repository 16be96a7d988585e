// Programs whose pipelines have other forms than those of layers: a store is the
// only reader of a value of an earlier stage; a branch is on a condition that
// an earlier stage computes, or that is computed before the loop; loads are on
// I/O tiles; the loop is in a function that another loop calls. Outputs are in
// the order of their first stores, so they are sorted.
//
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// DEFINE: %{program} =
// DEFINE: %{run} = ipu-opt %t/%{program}.mlir -o /dev/null --pass-pipeline
// DEFINE: %{lower} = pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check}
// DEFINE: %{compare} = %{run} 'builtin.module(%{lower})' | sort > %t/serial && \
// DEFINE:   %{run} 'builtin.module(pop-pipeline,%{lower})' | sort > %t/popart && diff %t/serial %t/popart && \
// DEFINE:   %{run} 'builtin.module(pop-pipeline{schedule=gpipe},%{lower})' | sort > %t/gpipe && diff %t/serial %t/gpipe && \
// DEFINE:   %{run} 'builtin.module(pop-pipeline{schedule=1f1b},%{lower})' | sort > %t/1f1b && diff %t/serial %t/1f1b
// REDEFINE: %{program} = store
// RUN: %{compare}
// RUN: FileCheck %s < %t/serial
// CHECK: y : tensor<4x2xf32> = dense<{{\[\[}}0.0, 0.125], [0.25, 0.375], [0.5, 0.625], [0.75, 0.875]]>
// REDEFINE: %{program} = branch
// RUN: %{compare}
// REDEFINE: %{program} = io
// RUN: %{compare}
// REDEFINE: %{program} = called
// RUN: %{compare}

//--- store.mlir
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>} {
  pop.stream @x host_to_device : tensor<2xf32> {transfers = 4 : i64}
  pop.stream @y device_to_host : tensor<2xf32> {transfers = 4 : i64}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %0 = pop.host_load @x {pop.stage = 0 : i64} : tensor<2xf32>
      %1 = pop.exp %0 {pop.stage = 1 : i64} : tensor<2xf32>
      pop.host_store %0, @y {pop.stage = 2 : i64} : tensor<2xf32>
    }
    return
  }
}

//--- branch.mlir
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 2 : i64}>} {
  pop.stream @x host_to_device : tensor<4xf32> {transfers = 4 : i64}
  pop.stream @y device_to_host : tensor<4xf32> {transfers = 4 : i64}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %k = pop.constant dense<1.0> : tensor<f32>
    %always = pop.constant dense<true> : tensor<i1>
    %before = pop.ipu_copy %always from 0 to 1 : tensor<i1>
    %outer = tensor.extract %before[] : tensor<i1>
    scf.for %i = %c0 to %c4 step %c1 {
      %x = pop.host_load @x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
      %s = pop.reduce max %x {axes = array<i64: 0>, pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32> -> tensor<f32>
      %p = pop.less %s, %k {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %q = pop.ipu_copy %p from 0 to 1 : tensor<i1>
      %e = tensor.extract %q[] : tensor<i1>
      %1 = pop.ipu_copy %x from 0 to 1 : tensor<4xf32>
      %2 = scf.if %e -> (tensor<4xf32>) {
        %3 = pop.exp %1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
        scf.yield %3 : tensor<4xf32>
      } else {
        scf.yield %1 : tensor<4xf32>
      }
      scf.if %outer {
        pop.host_store %2, @y {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
      }
    }
    return
  }
}

//--- io.mlir
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 2 : i64, io_tiles = 2 : i64}>} {
  pop.stream @x host_to_device : tensor<4xf32> {transfers = 4 : i64}
  pop.stream @y device_to_host : tensor<4xf32> {transfers = 4 : i64}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %0 = pop.host_load @x {pop.stage = 0 : i64, pop.vgraph = 0 : i64, pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %1 = pop.io_tile_copy %0 to compute {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
      %2 = pop.exp %1 {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
      %3 = pop.ipu_copy %2 from 0 to 1 : tensor<4xf32>
      %4 = pop.log %3 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
      %5 = pop.io_tile_copy %4 to io {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
      pop.host_store %5, @y {pop.stage = 1 : i64, pop.vgraph = 1 : i64, pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    }
    return
  }
}

//--- called.mlir
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<4xf32> {transfers = 8 : i64}
  pop.stream @y device_to_host : tensor<4xf32> {transfers = 8 : i64}
  func.func private @step() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %0 = pop.host_load @x {pop.stage = 0 : i64} : tensor<4xf32>
      %1 = pop.exp %0 {pop.stage = 0 : i64} : tensor<4xf32>
      %2 = pop.log %1 {pop.stage = 1 : i64} : tensor<4xf32>
      pop.host_store %2, @y {pop.stage = 1 : i64} : tensor<4xf32>
    }
    return
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      func.call @step() : () -> ()
    }
    return
  }
}
