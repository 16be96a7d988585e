// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-order-batch-phases)' | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-order-batch-phases{schedule=scheduler})' | FileCheck %s --check-prefix=SCHEDULER

// All ops of phase 0 come before those of phase 1.
// CHECK-LABEL: func.func @phases
// CHECK: pop.exp %arg0 {pop.batch_phase = 0
// CHECK-NEXT: pop.tanh {{.*}}pop.batch_phase = 0
// CHECK-NEXT: pop.exp %arg1 {pop.batch_phase = 1
// CHECK-NEXT: pop.tanh {{.*}}pop.batch_phase = 1
func.func @phases(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = pop.exp %x {pop.batch_phase = 0 : i64} : tensor<2xf32>
  %1 = pop.exp %y {pop.batch_phase = 1 : i64} : tensor<2xf32>
  %2 = pop.tanh %0 {pop.batch_phase = 0 : i64} : tensor<2xf32>
  %3 = pop.tanh %1 {pop.batch_phase = 1 : i64} : tensor<2xf32>
  return %2, %3 : tensor<2xf32>, tensor<2xf32>
}

// -----

// Phase 1 is in the order of phase 0, also if the program has another order. An op of
// phase 1 without a corresponding op stays behind its predecessor.
// CHECK-LABEL: func.func @order
// CHECK: pop.exp %arg0
// CHECK-NEXT: pop.sin %arg0
// CHECK-NEXT: pop.exp %arg1
// CHECK-NEXT: pop.abs
// CHECK-NEXT: pop.sin %arg1
// SCHEDULER-LABEL: func.func @order
// SCHEDULER: pop.exp %arg0
// SCHEDULER-NEXT: pop.sin %arg0
// SCHEDULER-NEXT: pop.sin %arg1
// SCHEDULER-NEXT: pop.exp %arg1
// SCHEDULER-NEXT: pop.abs
func.func @order(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  %0 = pop.sin %y {pop.batch_phase = 1 : i64} : tensor<2xf32>
  %1 = pop.exp %x {pop.batch_phase = 0 : i64} : tensor<2xf32>
  %2 = pop.exp %y {pop.batch_phase = 1 : i64} : tensor<2xf32>
  %3 = pop.abs %2 {pop.batch_phase = 1 : i64} : tensor<2xf32>
  %4 = pop.sin %x {pop.batch_phase = 0 : i64} : tensor<2xf32>
  return
}

// -----

// An op that needs both phases divides them into two sections. An op without a phase
// that they need comes first. Effects stay in order.
// CHECK-LABEL: func.func @sections
// CHECK: pop.read
// CHECK: pop.neg %arg0
// CHECK: pop.exp {{.*}}pop.batch_phase = 0
// CHECK-NEXT: pop.add {{.*}}pop.batch_phase = 0
// CHECK-NEXT: pop.exp {{.*}}pop.batch_phase = 1
// CHECK-NEXT: pop.add {{.*}}pop.batch_phase = 1
// CHECK-NEXT: %[[SUM:.*]] = pop.add
// CHECK: pop.add_
// CHECK-NEXT: pop.sin %[[SUM]] {pop.batch_phase = 0
// CHECK-NEXT: pop.cos {{.*}}pop.batch_phase = 0
// CHECK-NEXT: pop.sin %[[SUM]] {pop.batch_phase = 1
// CHECK-NEXT: pop.cos {{.*}}pop.batch_phase = 1
pop.variable @v : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @sections(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %v = pop.get_variable @v : !pop.ref<2xf32>
  %0 = pop.exp %x {pop.batch_phase = 0 : i64} : tensor<2xf32>
  %1 = pop.exp %y {pop.batch_phase = 1 : i64} : tensor<2xf32>
  %2 = pop.read %v : !pop.ref<2xf32>
  %3 = pop.neg %x : tensor<2xf32>
  %4 = pop.add %0, %2 {pop.batch_phase = 0 : i64} : tensor<2xf32>
  %5 = pop.add %1, %3 {pop.batch_phase = 1 : i64} : tensor<2xf32>
  %6 = pop.add %4, %5 : tensor<2xf32>
  pop.add_ %v, %6 : !pop.ref<2xf32>, tensor<2xf32>
  %7 = pop.sin %6 {pop.batch_phase = 0 : i64} : tensor<2xf32>
  %8 = pop.sin %6 {pop.batch_phase = 1 : i64} : tensor<2xf32>
  %9 = pop.cos %7 {pop.batch_phase = 0 : i64} : tensor<2xf32>
  %10 = pop.cos %8 {pop.batch_phase = 1 : i64} : tensor<2xf32>
  return %9, %10 : tensor<2xf32>, tensor<2xf32>
}
