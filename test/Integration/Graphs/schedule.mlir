// A program has the same bits with and without pop-schedule: with transfers,
// variables that are read and written, remote rows, loops, branches, calls, random
// ops and stochastic rounding. The pass changes the order of ops in main, in the
// loop and in the function.
//
// DEFINE: %{flags} =
// DEFINE: %{run} = ipu-run %s --target tiles=8 --replicas 2 --input x=%t/x.npy --input random_seed=random:3 --runs 3 %{flags}
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.random.default_rng(1).normal(size=(2, 2, 8, 1)).astype(np.float16))"
// RUN: %{run} --output-dir %t/given --save-weights %t/given.npz
// REDEFINE: %{flags} = --schedule
// RUN: %{run} --output-dir %t/scheduled --save-weights %t/scheduled.npz --remarks=pop-graph 2>&1 | FileCheck %s
// RUN: diff -r %t/given %t/scheduled
// RUN: cmp %t/given.npz %t/scheduled.npz
//
// The pass warns and keeps the order of ops if bits depend on it.
//
// REDEFINE: %{flags} = --stochastic-rounding stream
// RUN: %{run} --output-dir %t/stream --save-weights %t/stream.npz
// REDEFINE: %{flags} = --stochastic-rounding stream --schedule
// RUN: %{run} --output-dir %t/kept --save-weights %t/kept.npz 2>&1 | FileCheck %s --check-prefix=STREAM
// RUN: diff -r %t/stream %t/kept
// RUN: cmp %t/stream.npz %t/kept.npz

// CHECK-COUNT-3: Passed{{.*}}Schedule
// STREAM: warning: 'pop-schedule' expects random bits of generator 'counter' but got 'stream'

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>, pop.host_transfers = 2 : i64} {
  pop.stream @x host_to_device : tensor<8x1xf16>
  pop.stream @y device_to_host : tensor<8xf16> {transfers = 1 : i64}
  pop.stream @z device_to_host : tensor<8xf16> {transfers = 1 : i64}
  pop.variable @v : tensor<8x8xf16> = dense<0.3> : tensor<8x8xf16>
  pop.variable @w : tensor<8x8xf16> = dense<0.7> : tensor<8x8xf16>
  pop.remote_buffer @b : 2 x tensor<8x8xf16>

  func.func private @spread(%x: tensor<8x1xf16>, %g: tensor<1x8xf16>) -> tensor<8xf16> {
    %0 = pop.mul %x, %g : (tensor<8x1xf16>, tensor<1x8xf16>) -> tensor<8x8xf16>
    %1 = pop.add %x, %g : (tensor<8x1xf16>, tensor<1x8xf16>) -> tensor<8x8xf16>
    %2 = pop.reduce max %0 {axes = array<i64: 1>} : tensor<8x8xf16> -> tensor<8xf16>
    %3 = pop.reduce max %1 {axes = array<i64: 1>} : tensor<8x8xf16> -> tensor<8xf16>
    %4 = pop.mul %2, %3 : tensor<8xf16>
    return %4 : tensor<8xf16>
  }

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %seed = pop.next_seed
    %v = pop.get_variable @v : !pop.ref<8x8xf16>
    %w = pop.get_variable @w : !pop.ref<8x8xf16>
    %first = pop.host_load @x : tensor<8x1xf16>
    %second = pop.host_load @x : tensor<8x1xf16>
    %old = pop.read %w : !pop.ref<8x8xf16>
    %0 = pop.random_uniform %seed {low = 0.0, high = 1.0} : tensor<2xui32> -> tensor<1x8xf16>
    // Gradients, which are live until the updates.
    %1 = pop.mul %first, %0 : (tensor<8x1xf16>, tensor<1x8xf16>) -> tensor<8x8xf16>
    %2 = pop.mul %second, %0 : (tensor<8x1xf16>, tensor<1x8xf16>) -> tensor<8x8xf16>
    %3 = pop.reduce max %old {axes = array<i64: 1>} : tensor<8x8xf16> -> tensor<8xf16>
    pop.remote_store %1, @b[0] : tensor<8x8xf16>
    pop.remote_store %2, @b[1] : tensor<8x8xf16>
    pop.sub_ %v, %1 : !pop.ref<8x8xf16>, tensor<8x8xf16>
    pop.sub_ %w, %2 : !pop.ref<8x8xf16>, tensor<8x8xf16>
    %4 = pop.read %w : !pop.ref<8x8xf16>
    %5 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %first) -> tensor<8x1xf16> {
      %6 = pop.mul %x, %0 : (tensor<8x1xf16>, tensor<1x8xf16>) -> tensor<8x8xf16>
      %7 = pop.add %x, %0 : (tensor<8x1xf16>, tensor<1x8xf16>) -> tensor<8x8xf16>
      %8 = pop.reduce max %6 {axes = array<i64: 1>, keep_dims} : tensor<8x8xf16> -> tensor<8x1xf16>
      %9 = pop.reduce max %7 {axes = array<i64: 1>, keep_dims} : tensor<8x8xf16> -> tensor<8x1xf16>
      %10 = pop.mul %8, %9 : tensor<8x1xf16>
      pop.mul_ %w, %10 : !pop.ref<8x8xf16>, tensor<8x1xf16>
      scf.yield %10 : tensor<8x1xf16>
    }
    %row = pop.remote_load @b[0] : tensor<8x8xf16>
    %11 = pop.reduce max %row {axes = array<i64: 1>} : tensor<8x8xf16> -> tensor<8xf16>
    %12 = pop.reduce max %4 {axes = array<i64: 1>} : tensor<8x8xf16> -> tensor<8xf16>
    %13 = pop.add %11, %12 : tensor<8xf16>
    %14 = pop.mul %13, %3 : tensor<8xf16>
    %15 = func.call @spread(%5, %0) : (tensor<8x1xf16>, tensor<1x8xf16>) -> tensor<8xf16>
    pop.host_store %14, @y : tensor<8xf16>
    pop.host_store %15, @z : tensor<8xf16>
    return
  }
}
