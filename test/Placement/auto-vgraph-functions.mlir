// Functions that later passes do not accept do not crash the pass.
//
// RUN: ipu-opt %s --split-input-file --pop-choose-accumulation --pop-auto-vgraph | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-auto-vgraph=method=segments | FileCheck %s

// The entry calls itself, and a loop has more iterations than can be counted.

// CHECK-LABEL: func.func private @main
// CHECK: pop.tanh {{.*}}pop.vgraph = {{[0-9]}} : i64
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 2 : i64}>} {
  func.func private @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 4611686018427387904 : index
    %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<64x64xf32> {
      %1 = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<64x64xf32> {
        %2 = pop.tanh %b : tensor<64x64xf32>
        %3 = pop.exp %2 : tensor<64x64xf32>
        scf.yield %3 : tensor<64x64xf32>
      }
      scf.yield %1 : tensor<64x64xf32>
    }
    %4 = func.call @main(%0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    return %4 : tensor<64x64xf32>
  }
}

// -----

// The argument of a block is no argument of the function, which has an initial value.

// CHECK-LABEL: func.func @blocks
// CHECK: pop.exp {{.*}}pop.vgraph = {{[0-9]}} : i64
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 1 : i64}>} {
  func.func @blocks(%x: tensor<4xf32> {pop.default = dense<0.5> : tensor<4xf32>}, %p: i1) -> tensor<4xf32> {
    cf.cond_br %p, ^bb1(%x, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>), ^bb1(%x, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  ^bb1(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %0 = pop.exp %c : tensor<4xf32>
    %1 = pop.add %0, %b : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
