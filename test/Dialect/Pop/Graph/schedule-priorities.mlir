// RUN: ipu-opt %s --pop-schedule | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(pop-decompose))' | FileCheck %s --check-prefix=DECOMPOSED

// An op of a higher priority comes first, with the op that it needs. An op of a
// lower priority comes last.
//
// CHECK-LABEL: func.func @priorities(
// CHECK-NEXT:    pop.exp
// CHECK-NEXT:    pop.sqrt {{.*}}pop.schedule_priority = 2
// CHECK-NEXT:    pop.abs
// CHECK-NEXT:    pop.neg {{.*}}pop.schedule_priority = -1
// CHECK-NEXT:    return
func.func @priorities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.neg %x {pop.schedule_priority = -1 : i64} : tensor<4xf32>
  %1 = pop.abs %x : tensor<4xf32>
  %2 = pop.exp %x : tensor<4xf32>
  %3 = pop.sqrt %2 {pop.schedule_priority = 2 : i64} : tensor<4xf32>
  return %0, %1, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The execution context comes before the phase, the phase before the batch phase
// and the batch phase before the priority.
//
// CHECK-LABEL: func.func @placements(
// CHECK-NEXT:    pop.exp
// CHECK-NEXT:    pop.abs
// CHECK-NEXT:    pop.neg
// CHECK-NEXT:    pop.sqrt
// CHECK-NEXT:    pop.log
// CHECK-NEXT:    return
func.func @placements(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.log %x {pop.execution_context = #pop<execution_context accumulate_outer>, pop.phase = 0 : i64} : tensor<4xf32>
  %1 = pop.sqrt %x {pop.phase = 1 : i64, pop.batch_phase = 0 : i64} : tensor<4xf32>
  %2 = pop.neg %x {pop.phase = 0 : i64, pop.batch_phase = 1 : i64, pop.schedule_priority = 5 : i64} : tensor<4xf32>
  %3 = pop.abs %x {pop.phase = 0 : i64, pop.batch_phase = 0 : i64} : tensor<4xf32>
  %4 = pop.exp %x {pop.phase = 0 : i64, pop.batch_phase = 0 : i64, pop.schedule_priority = 1 : i64} : tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Ops that replace an op inherit its priority.
//
// DECOMPOSED-LABEL: func.func @inherited(
// DECOMPOSED-COUNT-5: pop.schedule_priority = 3
func.func @inherited(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = pop.softmax %x {axis = 1 : i64, pop.schedule_priority = 3 : i64} : tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
