// RUN: ipu-opt %s --verify-contracts --pass-pipeline="builtin.module(pop-narrow-floats{functions})" | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-narrow-floats)" | FileCheck %s --check-prefix=PLAIN

// A softmax of a product is narrow with `functions`, and what is f16 before computes in f16.
// CHECK-LABEL: func.func @main(
// CHECK:         %[[M:.+]] = pop.matmul {{.*}} -> tensor<2x4xf16>
// CHECK:         %[[Y:.+]] = pop.softmax %[[M]] {axis = 1 : i64, compute = f16} : tensor<2x4xf16>
// CHECK:         %[[G:.+]] = pop.gelu %[[Y]] {compute = f16} : tensor<2x4xf16>

// Sums and what only sums read are in f32, and the mean of a row is rounded where it meets
// elements of f16.
// CHECK:         %[[WIDE:.+]] = pop.cast %[[G]] : tensor<2x4xf16> to tensor<2x4xf32>
// CHECK:         %[[MEAN:.+]] = pop.reduce mean %[[WIDE]] {{.*}} -> tensor<2x1xf32>
// CHECK:         %[[H:.+]] = pop.cast %[[MEAN]] : tensor<2x1xf32> to tensor<2x1xf16>
// CHECK:         %[[C:.+]] = pop.sub %[[G]], %[[H]] : (tensor<2x4xf16>, tensor<2x1xf16>) -> tensor<2x4xf16>
// CHECK:         %[[WC:.+]] = pop.cast %[[C]] : tensor<2x4xf16> to tensor<2x4xf32>
// CHECK:         %[[S:.+]] = pop.mul %[[WC]], %[[WC]] : tensor<2x4xf32>
// CHECK:         pop.reduce mean %[[S]] {{.*}} : tensor<2x4xf32> -> tensor<2x1xf32>
// CHECK:         pop.softmax %{{.*}} {axis = 1 : i64, compute = f16} : tensor<2x4xf16>

// Statistics of a normalization keep their type.
// CHECK:         pop.batch_norm %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {compute = f16} : tensor<2x4xf16>, tensor<4xf32>

// PLAIN-LABEL: func.func @main(
// PLAIN-NOT: compute
// PLAIN: pop.softmax %{{.*}} : tensor<2x4xf32>
func.func @main(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>, %h: tensor<2x4xf16>, %s: tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x4xf16>, tensor<2x4xf32>) {
  %0 = pop.matmul %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = pop.softmax %0 {axis = 1 : i64} : tensor<2x4xf32>
  %2 = pop.gelu %1 : tensor<2x4xf32>
  %mean = pop.reduce mean %2 {axes = array<i64: 1>, keep_dims} : tensor<2x4xf32> -> tensor<2x1xf32>
  %c = pop.sub %2, %mean : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %square = pop.mul %c, %c : tensor<2x4xf32>
  %variance = pop.reduce mean %square {axes = array<i64: 1>, keep_dims} : tensor<2x4xf32> -> tensor<2x1xf32>
  %3 = pop.softmax %h {axis = 1 : i64} : tensor<2x4xf16>
  %4 = pop.batch_norm %2, %s, %s, %s, %s : tensor<2x4xf32>, tensor<4xf32>
  return %c, %variance, %3, %4 : tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x4xf16>, tensor<2x4xf32>
}
