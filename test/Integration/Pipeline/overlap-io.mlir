// Transfers on I/O tiles overlap compute, and all results keep their bits.
//
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// DEFINE: %{program} =
// DEFINE: %{passes} = pop-overlap-io
// DEFINE: %{run} = ipu-opt %t/%{program}.mlir -o /dev/null --pass-pipeline
// DEFINE: %{lower} = pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check}
// DEFINE: %{compare} = %{run} 'builtin.module(%{lower})' > %t/serial && \
// DEFINE:   %{run} 'builtin.module(%{passes},%{lower})' > %t/overlapped && \
// DEFINE:   diff %t/serial %t/overlapped
// DEFINE: %{cycles} = grep -m 1 '"cycles"' %t/profile.json | FileCheck %s --check-prefix
// REDEFINE: %{program} = chain
// RUN: %{compare}
// RUN: %{run} 'builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=none profile=%t/profile.json})' > /dev/null
// RUN: %{cycles} SERIAL
// RUN: %{run} 'builtin.module(pop-overlap-io,pop-to-ipu-pipeline,ipu-execute{engine=none profile=%t/profile.json})' > /dev/null
// RUN: %{cycles} OVERLAPPED
// REDEFINE: %{program} = steps
// RUN: %{compare}
// REDEFINE: %{passes} = pop-overlap-io{strategy=loops}
// RUN: %{compare}
// REDEFINE: %{program} = rows
// RUN: %{compare}
// RUN: FileCheck %s < %t/serial
// REDEFINE: %{program} = mixed
// RUN: %{compare}
// CHECK: y : tensor<4xf32>

// The compute takes 1772240 cycles, and the transfers 947200, which wait for it
// and let it wait without the pass.
// SERIAL: "cycles": 2820080
// OVERLAPPED: "cycles": 1955409

//--- chain.mlir
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, io_tiles = 2 : i64}>} {
  pop.stream @x host_to_device : tensor<6000xf32> {transfers = 16 : i64}
  pop.stream @y device_to_host : tensor<6000xf32> {transfers = 16 : i64}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    scf.for %i = %c0 to %c16 step %c1 {
      %in = pop.host_load @x {pop.tile_set = #pop<tile_set io>} : tensor<6000xf32>
      %x = pop.io_tile_copy %in to compute : tensor<6000xf32>
      %0 = pop.sqrt %x : tensor<6000xf32>
      %1 = pop.sqrt %0 : tensor<6000xf32>
      %2 = pop.sqrt %1 : tensor<6000xf32>
      %3 = pop.sqrt %2 : tensor<6000xf32>
      %4 = pop.sqrt %3 : tensor<6000xf32>
      %5 = pop.sqrt %4 : tensor<6000xf32>
      %6 = pop.sqrt %5 : tensor<6000xf32>
      %7 = pop.sqrt %6 : tensor<6000xf32>
      %8 = pop.sqrt %7 : tensor<6000xf32>
      %9 = pop.sqrt %8 : tensor<6000xf32>
      %10 = pop.sqrt %9 : tensor<6000xf32>
      %11 = pop.sqrt %10 : tensor<6000xf32>
      %12 = pop.sqrt %11 : tensor<6000xf32>
      %13 = pop.sqrt %12 : tensor<6000xf32>
      %14 = pop.sqrt %13 : tensor<6000xf32>
      %15 = pop.sqrt %14 : tensor<6000xf32>
      %16 = pop.sqrt %15 : tensor<6000xf32>
      %17 = pop.sqrt %16 : tensor<6000xf32>
      %18 = pop.sqrt %17 : tensor<6000xf32>
      %19 = pop.sqrt %18 : tensor<6000xf32>
      %20 = pop.sqrt %19 : tensor<6000xf32>
      %r = pop.add %20, %20 : tensor<6000xf32>
      %out = pop.io_tile_copy %r to io : tensor<6000xf32>
      pop.host_store %out, @y {pop.tile_set = #pop<tile_set io>} : tensor<6000xf32>
    }
    return
  }
}

// Two loops, whose weight an update changes. f16 is rounded stochastically, with
// the bits of the serial program. The outer loop stores its sums.

//--- steps.mlir
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>, ipu.target = #ipu.target<"gc200", {tiles = 3 : i64, io_tiles = 1 : i64}>} {
  pop.stream @x host_to_device : tensor<4xf16> {transfers = 15 : i64}
  pop.stream @y device_to_host : tensor<4xf16> {transfers = 15 : i64}
  pop.stream @sum device_to_host : tensor<4xf16> {transfers = 3 : i64}
  pop.variable @w : tensor<4xf16> = dense<0.3> : tensor<4xf16>
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %w = pop.get_variable @w : !pop.ref<4xf16>
    %zero = pop.constant dense<0.0> : tensor<4xf16>
    scf.for %step = %c0 to %c3 step %c1 {
      %sum = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> tensor<4xf16> {
        %in = pop.host_load @x {pop.tile_set = #pop<tile_set io>} : tensor<4xf16>
        %x = pop.io_tile_copy %in to compute : tensor<4xf16>
        %0 = pop.read %w : !pop.ref<4xf16>
        %1 = pop.mul %x, %0 : tensor<4xf16>
        %2 = pop.sin %1 : tensor<4xf16>
        %out = pop.io_tile_copy %2 to io : tensor<4xf16>
        pop.host_store %out, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf16>
        %3 = pop.add %s, %2 : tensor<4xf16>
        scf.yield %3 : tensor<4xf16>
      }
      pop.copy_ %w, %sum : !pop.ref<4xf16>, tensor<4xf16>
      %out = pop.io_tile_copy %sum to io : tensor<4xf16>
      pop.host_store %out, @sum {pop.tile_set = #pop<tile_set io>} : tensor<4xf16>
    }
    return
  }
}

// Rows of a remote buffer are loaded and stored again, and the next iteration
// loads the row that the last one stored.

//--- rows.mlir
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 3 : i64, io_tiles = 1 : i64}>} {
  pop.remote_buffer @b : 6 x tensor<4xf32>
  func.func @main(%x: tensor<4xf32> {pop.name = "x"}) -> (tensor<4xf32> {pop.name = "y"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %one = pop.constant dense<1> : tensor<i32>
    pop.remote_store %x, @b[0] : tensor<4xf32>
    scf.for %i = %c0 to %c5 step %c1 {
      %n = pop.from_scalar %i : index to tensor<i32>
      %next = pop.add %n, %one : tensor<i32>
      %in = pop.remote_load @b[%n] {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %0 = pop.io_tile_copy %in to compute : tensor<4xf32>
      %1 = pop.cos %0 : tensor<4xf32>
      %out = pop.io_tile_copy %1 to io : tensor<4xf32>
      pop.remote_store %out, @b[%next] {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    }
    %y = pop.remote_load @b[5] : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// An exchange stores a constant before the loop's own stores to the same stream.

//--- mixed.mlir
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 3 : i64, io_tiles = 1 : i64}>} {
  pop.stream @x host_to_device : tensor<4xf32> {transfers = 3 : i64}
  pop.stream @u host_to_device : tensor<4xf32> {transfers = 3 : i64}
  pop.stream @y device_to_host : tensor<4xf32> {transfers = 6 : i64}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %k = pop.constant {pop.tile_set = #pop<tile_set io>} dense<9.0> : tensor<4xf32>
    scf.for %i = %c0 to %c3 step %c1 {
      %un = pop.host_load @u {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %u = pop.io_tile_copy %un to compute : tensor<4xf32>
      %in = pop.remote_exchange {
        %q = pop.host_load @x {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
        pop.host_store %k, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
        pop.yield %q : tensor<4xf32>
      } {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %x = pop.io_tile_copy %in to compute : tensor<4xf32>
      %z = pop.add %x, %u : tensor<4xf32>
      pop.host_store %z, @y : tensor<4xf32>
    }
    return
  }
}
