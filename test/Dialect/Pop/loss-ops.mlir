// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK-LABEL: func @elements
func.func @elements(%x: tensor<4x3xf32>, %h: tensor<4x3xf16>, %s: tensor<f64>) {
  // CHECK: pop.l1_loss mean %{{.*}}, %{{.*}} : tensor<4x3xf16> -> tensor<f32>
  %0 = pop.l1_loss mean %h, %h : tensor<4x3xf16> -> tensor<f32>
  // CHECK: pop.l2_loss none %{{.*}}, %{{.*}} : tensor<4x3xf32> -> tensor<4x3xf32>
  %1 = pop.l2_loss none %x, %x : tensor<4x3xf32> -> tensor<4x3xf32>
  // CHECK: pop.binary_cross_entropy_loss sum %{{.*}}, %{{.*}} : tensor<4x3xf16> -> tensor<f16>
  %2 = pop.binary_cross_entropy_loss sum %h, %h : tensor<4x3xf16> -> tensor<f16>
  // CHECK: pop.binary_cross_entropy_loss none %{{.*}}, %{{.*}} {of_logits} : tensor<4x3xf16> -> tensor<4x3xf32>
  %3 = pop.binary_cross_entropy_loss none %h, %h {of_logits} : tensor<4x3xf16> -> tensor<4x3xf32>
  // CHECK: pop.identity_loss sum %{{.*}} {accum = #pop.accum<blocked, block = 8, lanes = 4>} : tensor<4x3xf32> -> tensor<f32>
  %4 = pop.identity_loss sum %x {accum = #pop.accum<blocked, block = 8, lanes = 4>} : tensor<4x3xf32> -> tensor<f32>
  // CHECK: pop.identity_loss mean %{{.*}} : tensor<f64> -> tensor<f64>
  %5 = pop.identity_loss mean %s : tensor<f64> -> tensor<f64>
  return
}

// CHECK-LABEL: func @labels
func.func @labels(%x: tensor<8x10xf32>, %l: tensor<8xi32>, %a: tensor<8x10x4xf16>, %ids: tensor<8x4xui8>, %w: tensor<10xf32>) {
  // CHECK: pop.nll_loss mean %{{.*}}, %{{.*}} : tensor<8x10xf32>, tensor<8xi32> -> tensor<f32>
  %0 = pop.nll_loss mean %x, %l : tensor<8x10xf32>, tensor<8xi32> -> tensor<f32>
  // CHECK: pop.nll_loss none %{{.*}}, %{{.*}}, %{{.*}} {ignore_index = -1 : i64, of_probabilities} : tensor<8x10x4xf16>, tensor<8x4xui8>, tensor<10xf32> -> tensor<8x4xf16>
  %1 = pop.nll_loss none %a, %ids, %w {ignore_index = -1 : i64, of_probabilities} : tensor<8x10x4xf16>, tensor<8x4xui8>, tensor<10xf32> -> tensor<8x4xf16>
  // CHECK: pop.cross_entropy_loss sum %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 8, lanes = 4>} : tensor<8x10x4xf16>, tensor<8x4xui8> -> tensor<f32>
  %2 = pop.cross_entropy_loss sum %a, %ids {accum = #pop.accum<blocked, block = 8, lanes = 4>} : tensor<8x10x4xf16>, tensor<8x4xui8> -> tensor<f32>
  // CHECK: pop.cross_entropy_loss mean %{{.*}}, %{{.*}}, %{{.*}} {ignore_index = 3 : i64} : tensor<8x10xf32>, tensor<8xi32>, tensor<10xf32> -> tensor<f32>
  %3 = pop.cross_entropy_loss mean %x, %l, %w {ignore_index = 3 : i64} : tensor<8x10xf32>, tensor<8xi32>, tensor<10xf32> -> tensor<f32>
  return
}
