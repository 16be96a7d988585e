// Passes keep the contracts that they declare on a placed program with a loop, a
// call, a variable and ops that are decomposed, folded and rounded: around each
// pass by the flag, and between those of a pipeline by its option.

// RUN: ipu-test-opt %s --verify-contracts --test-set-vgraphs --pop-choose-accumulation --pop-decompose --pop-canonicalize --pop-cse --pop-number-draws --pop-split-ops --pop-verify-contracts=conditions=VGRAPH | FileCheck %s
// RUN: ipu-test-opt %s --verify-contracts --test-set-vgraphs --pop-to-ipu-pipeline=verify-contracts | FileCheck %s --check-prefix=LOWERED

// Parts of the softmax, and the sum of the constants.
// CHECK: pop.reduce max {{.*}}pop.vgraph = 0
// CHECK: pop.constant {{.*}}pop.vgraph = 0{{.*}}dense<5.0

// LOWERED: ipu.compute_set

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.variable @w : tensor<8x8xf16> = dense<1.0> : tensor<8x8xf16>
  func.func private @scale(%x: tensor<8x8xf16>) -> tensor<8x8xf16> attributes {no_inline} {
    %0 = pop.softmax %x {axis = 1 : i64} : tensor<8x8xf16>
    return %0 : tensor<8x8xf16>
  }
  func.func @main(%x: tensor<8x8xf16>, %img: tensor<1x4x8xf16>, %k: tensor<2x4x3xf16>) -> (tensor<8x8xf16>, tensor<1x2x6xf16>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c = pop.constant dense<2.0> : tensor<8x8xf16>
    %d = pop.constant dense<3.0> : tensor<8x8xf16>
    %w = pop.get_variable @w : !pop.ref<8x8xf16>
    %r = pop.read %w : !pop.ref<8x8xf16>
    %s = pop.add %c, %d : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
    %conv = pop.conv %img, %k : (tensor<1x4x8xf16>, tensor<2x4x3xf16>) -> tensor<1x2x6xf16>
    %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<8x8xf16> {
      %0 = pop.matmul %a, %r : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
      %1 = func.call @scale(%0) : (tensor<8x8xf16>) -> tensor<8x8xf16>
      %2 = pop.add %1, %s : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
      pop.copy_ %w, %2 : !pop.ref<8x8xf16>, tensor<8x8xf16>
      scf.yield %2 : tensor<8x8xf16>
    }
    return %y, %conv : tensor<8x8xf16>, tensor<1x2x6xf16>
  }
}
