// RUN: ipu-opt %s --pop-annotate-recompute='method=budget budget=1000000' | FileCheck %s --check-prefix=LARGE
// RUN: ipu-opt %s --pop-annotate-recompute='method=budget budget=70000' | FileCheck %s --check-prefix=MIDDLE
// RUN: ipu-opt %s --pop-annotate-recompute='method=budget budget=55000' | FileCheck %s --check-prefix=SMALL
// RUN: ipu-opt %s --pop-annotate-recompute='method=budget budget=55000' --pop-recompute --remarks-filter=pop-graph --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Two tensors of 16 KiB are kept for the backward pass: that of a matmul, and
// that of a cheap exp. A large budget needs no recomputation, a smaller one that
// of the cheap op, and the smallest one both.
//
// LARGE-NOT: #pop<recompute
func.func @main(%x: tensor<64x1xf32>, %w: tensor<64x64xf32>) -> (tensor<f32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = pop.mul %w, %x : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
  %1 = pop.matmul %0, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = pop.exp %1 : tensor<64x64xf32>
  %3 = pop.reduce sum %2 {axes = array<i64: 0, 1>} : tensor<64x64xf32> -> tensor<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  %scale = pop.loss_scale %one : tensor<f32>
  %4 = pop.mul %2, %scale : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %5 = pop.matmul %4, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %6 = pop.mul %0, %4 : tensor<64x64xf32>
  return %3, %5, %6 : tensor<f32>, tensor<64x64xf32>, tensor<64x64xf32>
}
