// RUN: ipu-opt %s --split-input-file --pass-pipeline="builtin.module(pop-ensure-fp32-loss-scale)" | FileCheck %s

// Views of the scale become f32, the first other op is done in f32, and its
// result is narrowed. New ops inherit placements.
//
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.+]]: tensor<4xf16>) -> tensor<4xf16>
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<9.830400e+04> : tensor<f32>
// CHECK-NEXT:    %[[SCALE:.+]] = pop.loss_scale %[[CONSTANT]] : tensor<f32>
// CHECK-NEXT:    %[[ALL:.+]] = pop.expand %[[SCALE]] {pop.vgraph = 1 : i64} : tensor<f32> to tensor<4xf32>
// CHECK-NEXT:    %[[WIDE:.+]] = pop.cast %[[X]] {pop.vgraph = 2 : i64} : tensor<4xf16> to tensor<4xf32>
// CHECK-NEXT:    %[[PRODUCT:.+]] = pop.mul %[[WIDE]], %[[ALL]] {pop.vgraph = 2 : i64} : tensor<4xf32>
// CHECK-NEXT:    %[[G:.+]] = pop.cast %[[PRODUCT]] {pop.vgraph = 2 : i64} : tensor<4xf32> to tensor<4xf16>
// CHECK-NEXT:    %[[NEXT:.+]] = pop.mul %[[G]], %[[X]] : tensor<4xf16>
// CHECK-NEXT:    return %[[NEXT]]
func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
  %scale = pop.constant dense<98304.0> : tensor<f32>
  %narrow = pop.cast %scale : tensor<f32> to tensor<f16>
  %0 = pop.loss_scale %narrow : tensor<f16>
  %1 = pop.expand %0 {pop.vgraph = 1 : i64} : tensor<f16> to tensor<4xf16>
  %2 = pop.mul %x, %1 {pop.vgraph = 2 : i64} : tensor<4xf16>
  %3 = pop.mul %2, %x : tensor<4xf16>
  return %3 : tensor<4xf16>
}

// -----

// What gradients of losses do in f32 gets the scale itself. A scale that is f16
// becomes f32.
//
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<1.280000e+02> : tensor<f32>
// CHECK-NEXT:    %[[SCALE:.+]] = pop.loss_scale %[[CONSTANT]] : tensor<f32>
// CHECK-NEXT:    %[[ALL:.+]] = pop.expand %[[SCALE]] : tensor<f32> to tensor<4xf32>
// CHECK-NEXT:    %[[G:.+]] = pop.mul %{{.+}}, %[[ALL]] : tensor<4xf32>
// CHECK-NEXT:    %[[NARROW:.+]] = pop.cast %[[G]]
// CHECK-NEXT:    return %[[NARROW]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf16> {
  %constant = pop.constant dense<128.0> : tensor<f16>
  %scale = pop.loss_scale %constant : tensor<f16>
  %0 = pop.cast %scale : tensor<f16> to tensor<f32>
  %1 = pop.expand %0 : tensor<f32> to tensor<4xf32>
  %2 = pop.mul %x, %1 : tensor<4xf32>
  %3 = pop.cast %2 : tensor<4xf32> to tensor<4xf16>
  return %3 : tensor<4xf16>
}

// -----

// A contraction whose result is not rounded stays so. The scale may be used
// twice by one op, and be of several parts.
//
// CHECK-LABEL: func.func @main(
// CHECK:         %[[GIVEN:.+]] = pop.mul %{{.+}}, %{{.+}} : tensor<f32>
// CHECK-NEXT:    %[[SCALE:.+]] = pop.loss_scale %[[GIVEN]] : tensor<f32>
// CHECK-NEXT:    %[[SQUARE:.+]] = pop.mul %[[SCALE]], %[[SCALE]] : tensor<f32>
// CHECK-NEXT:    %[[NARROW:.+]] = pop.cast %[[SQUARE]] : tensor<f32> to tensor<f16>
// CHECK-NEXT:    %[[ALL:.+]] = pop.expand %[[SCALE]] : tensor<f32> to tensor<4x2xf32>
// CHECK-NEXT:    %[[WIDE:.+]] = pop.cast %{{.+}} : tensor<2x4xf16> to tensor<2x4xf32>
// CHECK-NEXT:    %[[G:.+]] = pop.matmul %[[WIDE]], %[[ALL]] : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT:    return %[[NARROW]], %[[G]]
func.func @main(%given: tensor<f32>, %x: tensor<2x4xf16>) -> (tensor<f16>, tensor<2x2xf32>) {
  %one = pop.constant dense<1.0> : tensor<f32>
  %scale = pop.mul %one, %given : tensor<f32>
  %narrow = pop.cast %scale : tensor<f32> to tensor<f16>
  %0 = pop.loss_scale %narrow : tensor<f16>
  %1 = pop.mul %0, %0 : tensor<f16>
  %2 = pop.expand %0 : tensor<f16> to tensor<4x2xf16>
  %3 = pop.matmul %x, %2 : (tensor<2x4xf16>, tensor<4x2xf16>) -> tensor<2x2xf32>
  return %1, %3 : tensor<f16>, tensor<2x2xf32>
}

// -----

// Without a scale, or with one that is f32 already, nothing changes.
//
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    pop.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:    pop.loss_scale %{{.+}} : tensor<f32>
// CHECK-NEXT:    pop.mul %{{.+}}, %{{.+}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:    pop.mul %{{.+}}, %{{.+}} : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
// CHECK-NEXT:    return
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf16>, %z: tensor<f16>) -> (tensor<4xf32>, tensor<4xf16>) {
  %constant = pop.constant dense<2.0> : tensor<f32>
  %scale = pop.loss_scale %constant : tensor<f32>
  %0 = pop.mul %x, %scale : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = pop.mul %y, %z : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  return %0, %1 : tensor<4xf32>, tensor<4xf16>
}
