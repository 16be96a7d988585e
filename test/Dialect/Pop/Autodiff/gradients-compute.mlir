// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-autodiff{func=main})" | FileCheck %s

// The gradients of ops that compute in f16 are in f16. Their sums are accumulated in f32.

// CHECK-LABEL: func.func private @main_backward(
// CHECK:       pop.gelu_slope %{{.+}} {approximate, compute = f16} : tensor<3x8xf16>
// CHECK:       %[[C:.+]] = pop.sub %{{.+}}, %{{.+}} : (tensor<3x8xf16>, tensor<1x8xf16>) -> tensor<3x8xf16>
// CHECK:       pop.reduce sum %{{.+}} {axes = array<i64: 0>, keep_dims} : tensor<3x8xf16> -> tensor<1x8xf32>
// CHECK:       %[[WIDE:.+]] = pop.cast %[[C]] : tensor<3x8xf16> to tensor<3x8xf32>
// CHECK-NEXT:  %[[PRODUCT:.+]] = pop.mul %{{.+}}, %[[WIDE]] : tensor<3x8xf32>
// CHECK-NEXT:  pop.reduce sum %[[PRODUCT]] {axes = array<i64: 0>, keep_dims} : tensor<3x8xf32> -> tensor<1x8xf32>
// CHECK:       pop.mul %[[C]], %{{.+}} : (tensor<3x8xf16>, tensor<1x8xf16>) -> tensor<3x8xf16>
// CHECK:       %[[P:.+]] = pop.mul %{{.+}}, %{{.+}} : tensor<3x8xf16>
// CHECK-NEXT:  %[[S:.+]] = pop.reduce sum %[[P]] {axes = array<i64: 1>, keep_dims} : tensor<3x8xf16> -> tensor<3x1xf32>
// CHECK-NEXT:  %[[H:.+]] = pop.cast %[[S]] : tensor<3x1xf32> to tensor<3x1xf16>
// CHECK-NEXT:  %[[D:.+]] = pop.sub %{{.+}}, %[[H]] : (tensor<3x8xf16>, tensor<3x1xf16>) -> tensor<3x8xf16>
// CHECK-NEXT:  pop.mul %{{.+}}, %[[D]] : tensor<3x8xf16>
func.func @main(%x: tensor<3x8xf16>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<3x8xf16> {
  %0 = pop.softmax %x {axis = 1 : i64, compute = f16} : tensor<3x8xf16>
  %1, %mean, %variance = pop.batch_norm_training %0, %s, %b {compute = f16} : tensor<3x8xf16>, tensor<8xf32>
  %2 = pop.gelu %1 {approximate, compute = f16} : tensor<3x8xf16>
  return %2 : tensor<3x8xf16>
}
