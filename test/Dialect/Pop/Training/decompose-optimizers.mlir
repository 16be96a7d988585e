// RUN: ipu-opt %s --pop-decompose-optimizers | FileCheck %s

// The example of the pass; what follows from constants is computed before.
//
// CHECK-LABEL: func.func @sgd0(
// CHECK-SAME:    %[[W:.+]]: tensor<4xf32>, %[[G:.+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[LR:.+]] = pop.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:    %[[STEP:.+]] = pop.mul %[[G]], %[[LR]]
// CHECK-NEXT:    %[[NEW:.+]] = pop.sub %[[W]], %[[STEP]]
// CHECK-NEXT:    return %[[NEW]]
func.func @sgd0(%w: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.optimizer_step <sgd0, lr = 0.5> %w, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Ops have the placement of the step. Narrow weights are computed in f32.
//
// CHECK-LABEL: func.func @adam(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<4xf16>, %[[G:[a-z0-9]+]]: tensor<4xf16>, %[[M:[a-z0-9]+]]: tensor<4xf32>, %[[V:[a-z0-9]+]]: tensor<4xf32>, %[[T:[a-z0-9]+]]: tensor<f32>, %[[LR:[a-z0-9]+]]: tensor<f32>)
// CHECK-DAG:     %[[WIDE:.+]] = pop.cast %[[W]] {pop.vgraph = 1 : i64} : tensor<4xf16> to tensor<4xf32>
// CHECK-DAG:     %[[GRADIENT:.+]] = pop.cast %[[G]] {pop.vgraph = 1 : i64} : tensor<4xf16> to tensor<4xf32>
// CHECK:         %[[FIRST:.+]] = pop.accumulate moving_average %[[M]], %[[GRADIENT]] {factor = 9.000000e-01 : f64, pop.vgraph = 1 : i64}
// CHECK-NEXT:    %[[SECOND:.+]] = pop.accumulate moving_average_square %[[V]], %[[GRADIENT]] {factor = {{.+}} : f64, pop.vgraph = 1 : i64}
// CHECK:         %[[COUNT:.+]] = pop.add %[[T]], %{{.+}} {pop.vgraph = 1 : i64} : tensor<f32>
// CHECK:         %[[X:.+]] = pop.div
// CHECK:         %[[SCALED:.+]] = pop.mul %{{.+}}, %[[LR]] {pop.vgraph = 1 : i64}
// CHECK:         %[[SUM:.+]] = pop.sub %[[WIDE]], %[[SCALED]]
// CHECK:         %[[NEW:.+]] = pop.cast %[[SUM]] {{.+}} : tensor<4xf32> to tensor<4xf16>
// CHECK:         return %[[NEW]], %[[FIRST]], %[[SECOND]], %[[COUNT]]
func.func @adam(%w: tensor<4xf16>, %g: tensor<4xf16>, %m: tensor<4xf32>, %v: tensor<4xf32>, %t: tensor<f32>, %lr: tensor<f32>)
    -> (tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  %0:4 = pop.optimizer_step <adam, lr = operand> %w, %g state(%m, %v, %t) settings(%lr) {pop.vgraph = 1 : i64}
    : (tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<f32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
}

// With a master weight, the step does not use the weight, so that what computes
// the weight for the step alone is erased. So are parts of the update that have
// no use: the cast of a gradient with a rate of 0.
//
// CHECK-LABEL: func.func @unused(
// CHECK-SAME:    %{{.+}}: tensor<2x4xf16>, %[[G:.+]]: tensor<6xf16>, %[[M:.+]]: tensor<6xf32>)
// CHECK-NEXT:    %[[WIDE:.+]] = pop.cast %[[G]]
// CHECK-NEXT:    %[[LR:.+]] = pop.constant
// CHECK-NEXT:    %[[STEP:.+]] = pop.mul %[[WIDE]], %[[LR]]
// CHECK-NEXT:    %[[NEW:.+]] = pop.sub %[[M]], %[[STEP]]
// CHECK-NEXT:    return %[[NEW]], %[[M]]
func.func @unused(%w: tensor<2x4xf16>, %g: tensor<6xf16>, %m: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = pop.reshape %w : tensor<2x4xf16> to tensor<8xf16>
  %1 = pop.slice %0 {starts = array<i64: 0>, sizes = array<i64: 6>, steps = array<i64: 1>} : tensor<8xf16> -> tensor<6xf16>
  %2:2 = pop.optimizer_step <sgd0, master = true> %1, %g state(%m) : (tensor<6xf16>, tensor<6xf16>, tensor<6xf32>) -> (tensor<6xf16>, tensor<6xf32>)
  %3:2 = pop.optimizer_step <sgd0, lr = 0.0, master = true> %1, %g state(%m) : (tensor<6xf16>, tensor<6xf16>, tensor<6xf32>) -> (tensor<6xf16>, tensor<6xf32>)
  return %2#1, %3#1 : tensor<6xf32>, tensor<6xf32>
}
