// A program has the same bits with and without merged collectives: collectives of
// all kinds, operators, groups and several element types, with parts, padding,
// loops and variables. The results of sums are compared with numpy.
//
// DEFINE: %{flags} =
// DEFINE: %{run} = ipu-run %s --target tiles=8 --replicas 4 --runs 2 --input x=%t/x.npy --input y=%t/y.npy --pass-pipeline '%{flags}pop-choose-accumulation,pop-number-draws,pop-random-setup,pop-to-ipu-pipeline'
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; g = np.random.default_rng(1); np.save('%t/x.npy', g.normal(size=(4, 8, 6)).astype(np.float32)); np.save('%t/y.npy', g.integers(-9, 9, size=(4, 8)).astype(np.int32))"
// RUN: %{run} --output-dir %t/single --save-weights %t/single.npz --profile %t/single.json
// REDEFINE: %{flags} = pop-contiguate-collectives,func.func(pop-merge-collectives),
// RUN: %{run} --output-dir %t/merged --save-weights %t/merged.npz --profile %t/merged.json
// RUN: diff -r %t/single %t/merged
// RUN: cmp %t/single.npz %t/merged.npz
// REDEFINE: %{flags} = pop-contiguate-collectives{max-bytes=64},func.func(pop-merge-collectives{max-bytes=64}),
// RUN: %{run} --output-dir %t/bound --save-weights %t/bound.npz
// RUN: diff -r %t/single %t/bound
// RUN: cmp %t/single.npz %t/bound.npz
// RUN: %python %S/Inputs/count-steps.py collective %t/single.json %t/merged.json | FileCheck %s --check-prefix=COUNT
// RUN: %python -c "import numpy as np; x = np.load('%t/x.npy'); s = x[0].copy(); [np.add(s, x[i], out=s) for i in (1, 2, 3)]; assert (np.load('%t/merged/sum.npy') == s).all()"

// COUNT: collective: 24, then 14

module attributes {pop.host_transfers = 1 : i64} {
  pop.stream @x host_to_device : tensor<8x6xf32>
  pop.stream @y host_to_device : tensor<8xi32>
  pop.stream @sum device_to_host : tensor<8x6xf32>
  pop.stream @means device_to_host : tensor<8x6xf16>
  pop.stream @maxima device_to_host : tensor<8xi32>
  pop.stream @grouped device_to_host : tensor<8x6xf32>
  pop.stream @parts device_to_host : tensor<2x6xf32>
  pop.stream @padded device_to_host : tensor<2x6xf32>
  pop.stream @gathered device_to_host : tensor<30xf32>
  pop.stream @sent device_to_host : tensor<8xi32>
  pop.variable @v : tensor<8x6xf32> = dense<0.5> : tensor<8x6xf32>
  pop.variable @u : tensor<6xf32> = dense<0.25> : tensor<6xf32>

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %x = pop.host_load @x : tensor<8x6xf32>
    %y = pop.host_load @y : tensor<8xi32>
    %half = pop.cast %x : tensor<8x6xf32> to tensor<8x6xf16>
    %row = pop.slice %x {sizes = array<i64: 1, 6>, starts = array<i64: 2, 0>, steps = array<i64: 1, 1>} : tensor<8x6xf32> -> tensor<1x6xf32>
    %vector = pop.reshape %row : tensor<1x6xf32> to tensor<6xf32>

    // Updates of two variables.
    %v = pop.get_variable @v : !pop.ref<8x6xf32>
    %u = pop.get_variable @u : !pop.ref<6xf32>
    %sum = pop.all_reduce add %x : tensor<8x6xf32>
    %old_v = pop.read %v : !pop.ref<8x6xf32>
    %new_v = pop.sub %old_v, %sum : tensor<8x6xf32>
    pop.copy_ %v, %new_v : !pop.ref<8x6xf32>, tensor<8x6xf32>
    %vector_sum = pop.all_reduce add %vector : tensor<6xf32>
    %old_u = pop.read %u : !pop.ref<6xf32>
    %new_u = pop.sub %old_u, %vector_sum : tensor<6xf32>
    pop.copy_ %u, %new_u : !pop.ref<6xf32>, tensor<6xf32>
    pop.host_store %sum, @sum : tensor<8x6xf32>

    // A mean of a mean cannot be merged with it.
    %mean = pop.all_reduce mean %half : tensor<8x6xf16>
    %square = pop.mul %half, %half : tensor<8x6xf16>
    %square_mean = pop.all_reduce mean %square : tensor<8x6xf16>
    %deviation = pop.sub %square_mean, %mean : tensor<8x6xf16>
    %means = pop.all_reduce mean %deviation : tensor<8x6xf16>
    pop.host_store %means, @means : tensor<8x6xf16>

    %max = pop.all_reduce max %y : tensor<8xi32>
    %negative = pop.neg %y : tensor<8xi32>
    %min = pop.all_reduce max %negative : tensor<8xi32>
    %maxima = pop.sub %max, %min : tensor<8xi32>
    pop.host_store %maxima, @maxima : tensor<8xi32>

    %pair = pop.all_reduce square_add %x {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<8x6xf32>
    %triple = scf.for %i = %c0 to %c3 step %c1 iter_args(%z = %pair) -> (tensor<8x6xf32>) {
      %a = pop.all_reduce mean %z {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<8x6xf32>
      %b = pop.tanh %a : tensor<8x6xf32>
      %c = pop.all_reduce mean %x {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<8x6xf32>
      %d = pop.add %b, %c : tensor<8x6xf32>
      scf.yield %d : tensor<8x6xf32>
    }
    pop.host_store %triple, @grouped : tensor<8x6xf32>

    // Parts: 2 of 8 rows, and 12 of 48 elements.
    %flat = pop.reshape %x : tensor<8x6xf32> to tensor<1x48xf32>
    %part = pop.reduce_scatter min %x : tensor<8x6xf32> to tensor<2x6xf32>
    %other = pop.reduce_scatter min %flat {axis = 1 : i64} : tensor<1x48xf32> to tensor<1x12xf32>
    %same = pop.reshape %other : tensor<1x12xf32> to tensor<2x6xf32>
    %both = pop.add %part, %same : tensor<2x6xf32>
    pop.host_store %both, @parts : tensor<2x6xf32>

    // 7 rows have 4 parts of 2 rows.
    %rows = pop.slice %x {sizes = array<i64: 7, 6>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<8x6xf32> -> tensor<7x6xf32>
    %padded = pop.reduce_scatter add %rows : tensor<7x6xf32> to tensor<2x6xf32>
    %doubled = pop.add %rows, %rows : tensor<7x6xf32>
    %padded_double = pop.reduce_scatter add %doubled : tensor<7x6xf32> to tensor<2x6xf32>
    %difference = pop.sub %padded_double, %padded : tensor<2x6xf32>
    pop.host_store %difference, @padded : tensor<2x6xf32>

    // 22 of 24 elements, and 2 rows of 4 parts, of which a truncation keeps 8.
    %all = pop.all_gather %vector : tensor<6xf32> to tensor<22xf32>
    %pieces = pop.slice %x {sizes = array<i64: 2, 1>, starts = array<i64: 3, 2>, steps = array<i64: 1, 1>} : tensor<8x6xf32> -> tensor<2x1xf32>
    %all_pieces = pop.all_gather %pieces : tensor<2x1xf32> to tensor<8x1xf32>
    %column = pop.reshape %all_pieces : tensor<8x1xf32> to tensor<8xf32>
    %gathered = pop.concat %all, %column {axis = 0 : i64} : (tensor<22xf32>, tensor<8xf32>) -> tensor<30xf32>
    pop.host_store %gathered, @gathered : tensor<30xf32>

    %first = pop.broadcast %y {root = 3 : i64} : tensor<8xi32>
    %second = pop.broadcast %negative {root = 3 : i64} : tensor<8xi32>
    %third = pop.collective_permute %y {pairs = [[0, 1], [1, 2], [2, 0]]} : tensor<8xi32>
    %fourth = pop.collective_permute %first {pairs = [[0, 1], [1, 2], [2, 0]]} : tensor<8xi32>
    %t0 = pop.sub %first, %third : tensor<8xi32>
    %t1 = pop.mul %second, %fourth : tensor<8xi32>
    %t2 = pop.add %t0, %t1 : tensor<8xi32>
    pop.host_store %t2, @sent : tensor<8xi32>
    return
  }
}
