// A program has the same bits with and without pop-outline: with loops,
// transfers, variables that are read and written, dropouts and stochastic rounding,
// whose draws have other numbers in each call. Here all sequences become functions.
//
// DEFINE: %{program} = %s
// DEFINE: %{flags} =
// DEFINE: %{run} = ipu-run %{program} --target tiles=8 --replicas 2 --input x=%t/x.npy --input random_seed=random:3 --runs 3 %{flags}
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.random.default_rng(1).normal(size=(2, 64, 64)).astype(np.float16))"
// RUN: %{run} --output-dir %t/given --save-weights %t/given.npz
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-choose-accumulation,pop-number-draws,pop-outline{threshold=-100000 max-slowdown=1000000})' -o %t/outlined.mlir
// RUN: FileCheck %s --input-file %t/outlined.mlir
// REDEFINE: %{program} = %t/outlined.mlir
// RUN: %{run} --output-dir %t/outlined --save-weights %t/outlined.npz
// RUN: diff -r %t/given %t/outlined
// RUN: cmp %t/given.npz %t/outlined.npz
//
// The reference engine and the checked run draw the same bits.
//
// REDEFINE: %{flags} = --engine interp
// RUN: %{run} --output-dir %t/interp --save-weights %t/interp.npz
// RUN: diff -r %t/given %t/interp
// RUN: cmp %t/given.npz %t/interp.npz
// REDEFINE: %{flags} = --check
// RUN: %{run} --output-dir %t/checked --save-weights %t/checked.npz
// RUN: diff -r %t/given %t/checked
// RUN: cmp %t/given.npz %t/checked.npz
//
// The flag of ipu-run makes no functions here, because they save nothing.
//
// REDEFINE: %{program} = %s
// REDEFINE: %{flags} = --outline
// RUN: %{run} --output-dir %t/flag --save-weights %t/flag.npz
// RUN: diff -r %t/given %t/flag
// RUN: cmp %t/given.npz %t/flag.npz

// CHECK: pop.advance_draws by 0 shift

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.stream @x host_to_device : tensor<64x64xf16>
  pop.stream @y device_to_host : tensor<64x64xf16>
  pop.variable @u : tensor<64x64xf16> = dense<0.03> : tensor<64x64xf16>
  pop.variable @v : tensor<64x64xf16> = dense<0.07> : tensor<64x64xf16>
  pop.variable @w : tensor<64x64xf16> = dense<0.05> : tensor<64x64xf16>

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %seed = pop.next_seed
    %x = pop.host_load @x : tensor<64x64xf16>
    %ur = pop.get_variable @u : !pop.ref<64x64xf16>
    %vr = pop.get_variable @v : !pop.ref<64x64xf16>
    %wr = pop.get_variable @w : !pop.ref<64x64xf16>
    // Three layers, which update their weights.
    %u = pop.read %ur : !pop.ref<64x64xf16>
    %0 = pop.matmul %x, %u : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %1 = pop.softmax %0 {axis = 1 : i64} : tensor<64x64xf16>
    %2 = pop.dropout %1, %seed, 0.25 : tensor<64x64xf16>, tensor<2xui32>
    %3 = pop.matmul %2, %2 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %4 = pop.tanh %3 : tensor<64x64xf16>
    pop.sub_ %ur, %4 : !pop.ref<64x64xf16>, tensor<64x64xf16>
    %v = pop.read %vr : !pop.ref<64x64xf16>
    %5 = pop.matmul %4, %v : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %6 = pop.softmax %5 {axis = 1 : i64} : tensor<64x64xf16>
    %7 = pop.dropout %6, %seed, 0.25 : tensor<64x64xf16>, tensor<2xui32>
    %8 = pop.matmul %7, %7 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %9 = pop.tanh %8 : tensor<64x64xf16>
    pop.sub_ %vr, %9 : !pop.ref<64x64xf16>, tensor<64x64xf16>
    %w = pop.read %wr : !pop.ref<64x64xf16>
    %10 = pop.matmul %9, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %11 = pop.softmax %10 {axis = 1 : i64} : tensor<64x64xf16>
    %12 = pop.dropout %11, %seed, 0.25 : tensor<64x64xf16>, tensor<2xui32>
    %13 = pop.matmul %12, %12 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %14 = pop.tanh %13 : tensor<64x64xf16>
    pop.sub_ %wr, %14 : !pop.ref<64x64xf16>, tensor<64x64xf16>
    // The same ops in a loop, whose iterations draw other bits, and after it.
    %15 = scf.for %i = %c0 to %c2 step %c1 iter_args(%y = %14) -> tensor<64x64xf16> {
      %16 = pop.softmax %y {axis = 0 : i64} : tensor<64x64xf16>
      %17 = pop.matmul %16, %y : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
      %18 = pop.exp %17 : tensor<64x64xf16>
      %19 = pop.matmul %18, %16 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
      scf.yield %19 : tensor<64x64xf16>
    }
    %20 = pop.softmax %15 {axis = 0 : i64} : tensor<64x64xf16>
    %21 = pop.matmul %20, %15 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %22 = pop.exp %21 : tensor<64x64xf16>
    %23 = pop.matmul %22, %20 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    pop.host_store %23, @y : tensor<64x64xf16>
    return
  }
}
