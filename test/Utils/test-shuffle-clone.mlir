// The clone prints as the module does, with uses of a value in the same order, and
// whatever the seed.
//
// RUN: ipu-test-opt %s > %t.mlir
// RUN: ipu-test-opt %s --test-shuffle-clone=seed=1 | diff %t.mlir -
// RUN: ipu-test-opt %s --test-shuffle-clone=seed=2 | diff %t.mlir -
// RUN: ipu-test-opt %s --emit-bytecode | ipu-test-opt --test-shuffle-clone=seed=3 | diff %t.mlir -

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>} {
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  func.func private @f(%x: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
    cf.cond_br %p, ^bb1(%x : tensor<4xf32>), ^bb2
  ^bb1(%y: tensor<4xf32>):
    %0 = pop.add %y, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  ^bb2:
    cf.br ^bb1(%x : tensor<4xf32>)
  }
  func.func @main(%x: tensor<4xf32> {pop.name = "x"}, %p: i1) -> tensor<4xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w = pop.get_variable @w : !pop.ref<4xf32>
    %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%y = %x) -> (tensor<4xf32>) {
      %2 = func.call @f(%y, %p) : (tensor<4xf32>, i1) -> tensor<4xf32>
      pop.add_ %w, %2 {pop.tile_set = #pop<tile_set compute>} : !pop.ref<4xf32>, tensor<4xf32>
      scf.yield %2 : tensor<4xf32>
    }
    %1 = pop.mul %0, %x : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
