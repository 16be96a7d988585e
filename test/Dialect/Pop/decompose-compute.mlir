// RUN: ipu-opt %s --pop-decompose | FileCheck %s

// The sum is accumulated in f32, and its reciprocal is computed for each row.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT:     pop.div
// CHECK:         %[[M:.+]] = pop.reduce max %arg0 {{.*}} : tensor<3x8xf16> -> tensor<3x1xf16>
// CHECK-NEXT:    %[[D:.+]] = pop.sub %arg0, %[[M]] : (tensor<3x8xf16>, tensor<3x1xf16>) -> tensor<3x8xf16>
// CHECK-NEXT:    %[[E:.+]] = pop.exp %[[D]] : tensor<3x8xf16>
// CHECK-NEXT:    %[[S:.+]] = pop.reduce sum %[[E]] {{.*}} : tensor<3x8xf16> -> tensor<3x1xf32>
// CHECK-NEXT:    %[[R:.+]] = pop.reciprocal %[[S]] : tensor<3x1xf32>
// CHECK-NEXT:    %[[H:.+]] = pop.cast %[[R]] : tensor<3x1xf32> to tensor<3x1xf16>
// CHECK-NEXT:    %[[Y:.+]] = pop.mul %[[E]], %[[H]] : (tensor<3x8xf16>, tensor<3x1xf16>) -> tensor<3x8xf16>
// CHECK-NEXT:    return %[[Y]]
func.func @softmax(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  %y = pop.softmax %x {axis = 1 : i64, accum = #pop.accum<blocked, block = 8, lanes = 1>, compute = f16} : tensor<3x8xf16>
  return %y : tensor<3x8xf16>
}

// Without the attribute, one vertex computes gelu.
// CHECK-LABEL: func.func @gelu
// CHECK:         pop.gelu %arg0 {approximate} : tensor<8xf16>
// CHECK:         %[[SQUARE:.+]] = pop.mul %arg0, %arg0 : tensor<8xf16>
// CHECK:         %[[P:.+]] = pop.mul %[[SQUARE]], %{{.+}} : (tensor<8xf16>, tensor<f16>) -> tensor<8xf16>
// CHECK:         %[[Q:.+]] = pop.add %[[P]], %{{.+}} : (tensor<8xf16>, tensor<f16>) -> tensor<8xf16>
// CHECK:         %[[V:.+]] = pop.mul %arg0, %[[Q]] : tensor<8xf16>
// CHECK:         %[[G:.+]] = pop.sigmoid %[[V]] : tensor<8xf16>
// CHECK:         pop.mul %arg0, %[[G]] : tensor<8xf16>
func.func @gelu(%x: tensor<8xf16>) -> (tensor<8xf16>, tensor<8xf16>) {
  %y = pop.gelu %x {approximate} : tensor<8xf16>
  %z = pop.gelu %x {approximate, compute = f16} : tensor<8xf16>
  return %y, %z : tensor<8xf16>, tensor<8xf16>
}

// The square has an upper bound.
// CHECK-LABEL: func.func @normal_gelu
// CHECK:         %[[SQUARE:.+]] = pop.mul %arg0, %arg0 : tensor<8xf16>
// CHECK:         pop.constant dense<2.500000e+01> : tensor<f16>
// CHECK:         %[[T:.+]] = pop.min %[[SQUARE]], %{{.+}} : (tensor<8xf16>, tensor<f16>) -> tensor<8xf16>
// CHECK-COUNT-2: pop.mul %[[T]],
// CHECK:         pop.sigmoid
func.func @normal_gelu(%x: tensor<8xf16>) -> tensor<8xf16> {
  %y = pop.gelu %x {compute = f16} : tensor<8xf16>
  return %y : tensor<8xf16>
}

// CHECK-LABEL: func.func @gelu_slope
// CHECK-NOT:     pop.gelu_slope
// CHECK-NOT:     f32
// CHECK:         pop.max %arg0, %{{.+}} : (tensor<8xf16>, tensor<f16>) -> tensor<8xf16>
// CHECK:         %[[G:.+]] = pop.sigmoid %{{.+}} : tensor<8xf16>
// CHECK:         %[[REST:.+]] = pop.sub %{{.+}}, %[[G]] : (tensor<f16>, tensor<8xf16>) -> tensor<8xf16>
// CHECK:         %[[P:.+]] = pop.mul %[[G]], %[[REST]] : tensor<8xf16>
// CHECK:         %[[W:.+]] = pop.mul %{{.+}}, %[[P]] : tensor<8xf16>
// CHECK:         pop.add %[[G]], %[[W]] : tensor<8xf16>
func.func @gelu_slope(%x: tensor<8xf16>) -> tensor<8xf16> {
  %y = pop.gelu_slope %x {compute = f16} : tensor<8xf16>
  return %y : tensor<8xf16>
}

// Factors of channels are computed in f32.
// CHECK-LABEL: func.func @batch_norm
// CHECK:         %[[C:.+]] = pop.sub %arg0, %{{.+}} : (tensor<2x3x4xf16>, tensor<3x1xf16>) -> tensor<2x3x4xf16>
// CHECK:         %[[F:.+]] = pop.div %{{.+}}, %{{.+}} : tensor<3xf32>
// CHECK-NEXT:    %[[H:.+]] = pop.cast %[[F]] : tensor<3xf32> to tensor<3xf16>
// CHECK-NEXT:    %[[R:.+]] = pop.reshape %[[H]] : tensor<3xf16> to tensor<3x1xf16>
// CHECK-NEXT:    %[[P:.+]] = pop.mul %[[C]], %[[R]] : (tensor<2x3x4xf16>, tensor<3x1xf16>) -> tensor<2x3x4xf16>
// CHECK:         %[[Y:.+]] = pop.add %[[P]], %{{.+}} : (tensor<2x3x4xf16>, tensor<3x1xf16>) -> tensor<2x3x4xf16>
// CHECK-NEXT:    return %[[Y]]
func.func @batch_norm(%x: tensor<2x3x4xf16>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<2x3x4xf16> {
  %y = pop.batch_norm %x, %s, %b, %m, %v {compute = f16, epsilon = 1.0e-5 : f32} : tensor<2x3x4xf16>, tensor<3xf32>
  return %y : tensor<2x3x4xf16>
}

// Sums, and squares of differences, are in f32.
// CHECK-LABEL: func.func @batch_norm_training
// CHECK:         pop.reduce sum {{.*}} : tensor<3x8xf16> -> tensor<3xf32>
// CHECK:         %[[C:.+]] = pop.sub %arg0, %{{.+}} : (tensor<2x3x4xf16>, tensor<3x1xf16>) -> tensor<2x3x4xf16>
// CHECK-NEXT:    %[[W:.+]] = pop.cast %[[C]] : tensor<2x3x4xf16> to tensor<2x3x4xf32>
// CHECK-NEXT:    pop.mul %[[W]], %[[W]] : tensor<2x3x4xf32>
// CHECK:         pop.reduce sum {{.*}} : tensor<3x8xf32> -> tensor<3xf32>
// CHECK:         pop.mul %[[C]], %{{.+}} : (tensor<2x3x4xf16>, tensor<3x1xf16>) -> tensor<2x3x4xf16>
func.func @batch_norm_training(%x: tensor<2x3x4xf16>, %s: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>) {
  %y, %m, %v = pop.batch_norm_training %x, %s, %b {accum = #pop.accum<blocked, block = 8, lanes = 1>, compute = f16, epsilon = 1.0e-5 : f32} : tensor<2x3x4xf16>, tensor<3xf32>
  return %y, %m, %v : tensor<2x3x4xf16>, tensor<3xf32>, tensor<3xf32>
}
