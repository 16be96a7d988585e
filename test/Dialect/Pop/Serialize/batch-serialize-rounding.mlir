// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-number-draws,pop-batch-serialize{factor=2 method=loop})' | FileCheck %s

// Random bits depend on the number of advances, and a loop over slices of f16 would
// add advances. Tensors of f32 are divided.
// CHECK-LABEL: func.func @main
// CHECK: pop.transpose {{.*}} : tensor<4x8xf16>
// CHECK: scf.for
// CHECK: pop.exp {{.*}} : tensor<2x8xf32>
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%x: tensor<4x8xf16>, %y: tensor<4x8xf32>) -> (tensor<8x4xf16>, tensor<4x8xf32>) {
    %0 = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<4x8xf16> -> tensor<8x4xf16>
    %1 = pop.exp %y : tensor<4x8xf32>
    return %0, %1 : tensor<8x4xf16>, tensor<4x8xf32>
  }
}
