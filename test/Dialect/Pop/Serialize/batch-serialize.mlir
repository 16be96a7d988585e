// The parts of a batch, with slices before the first op and one assembly after the
// last op.
//
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-batch-serialize)' | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-batch-serialize{factor=4},pop-order-batch-phases)' | FileCheck %s --check-prefix=FOUR
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-batch-serialize{method=dynamic})' | FileCheck %s --check-prefix=DYNAMIC
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-batch-serialize{factor=1})' | FileCheck %s --check-prefix=ONE
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-batch-serialize{axis=1})' | FileCheck %s --check-prefix=AXIS
// RUN: ipu-opt %s --remarks-filter=pop-graph --remark-format=emitRemark --pass-pipeline='builtin.module(pop-batch-serialize)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] BatchSerialize{{.*}}ops=2{{.*}}whole-ops=0

// The second part follows the first part of each op.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x2xf32>)
// CHECK-NEXT: %[[S0:.*]] = pop.slice %[[X]] {pop.batch_phase = 0 : i64, sizes = array<i64: 2, 8>, starts = array<i64: 0, 0>
// CHECK-NEXT: %[[S1:.*]] = pop.slice %[[X]] {pop.batch_phase = 1 : i64, sizes = array<i64: 2, 8>, starts = array<i64: 2, 0>
// CHECK-NEXT: %[[M0:.*]] = pop.matmul %[[S0]], %[[W]] {accum = #pop.accum<chain>, pop.batch_phase = 0 : i64}
// CHECK-NEXT: %[[M1:.*]] = pop.matmul %[[S1]], %[[W]] {accum = #pop.accum<chain>, pop.batch_phase = 1 : i64}
// CHECK-NEXT: %[[R0:.*]] = pop.relu %[[M0]] {pop.batch_phase = 0 : i64} : tensor<2x2xf32>
// CHECK-NEXT: %[[R1:.*]] = pop.relu %[[M1]] {pop.batch_phase = 1 : i64} : tensor<2x2xf32>
// CHECK-NEXT: %[[Y:.*]] = pop.concat %[[R0]], %[[R1]] {axis = 0 : i64}
// CHECK-NEXT: return %[[Y]]

// FOUR-LABEL: func.func @main
// FOUR-COUNT-4: pop.slice
// FOUR-NOT: pop.slice
// FOUR: pop.concat %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {axis = 0 : i64}
// FOUR-NOT: pop.concat

// DYNAMIC-LABEL: func.func @main
// DYNAMIC-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x2xf32>)
// DYNAMIC-NOT: pop.slice
// DYNAMIC: %[[S0:.*]] = pop.dynamic_slice %[[X]][%{{.*}}] {axes = array<i64: 0>, pop.batch_phase = 0 : i64, sizes = array<i64: 2>}
// DYNAMIC: %[[S1:.*]] = pop.dynamic_slice %[[X]][%{{.*}}] {axes = array<i64: 0>, pop.batch_phase = 1 : i64, sizes = array<i64: 2>}
// DYNAMIC: pop.matmul %[[S0]], %[[W]]
// DYNAMIC: pop.matmul %[[S1]], %[[W]]
// DYNAMIC: %[[REF:.*]] = pop.alloc zero : !pop.ref<4x2xf32>
// DYNAMIC: %[[R0:.*]] = pop.relu
// DYNAMIC: pop.dynamic_update_ %[[REF]], %[[R0]]
// DYNAMIC: %[[R1:.*]] = pop.relu
// DYNAMIC: pop.dynamic_update_ %[[REF]], %[[R1]]
// DYNAMIC: %[[Y:.*]] = pop.read %[[REF]]
// DYNAMIC-NOT: pop.concat
// DYNAMIC: return %[[Y]]

// Dimension 1 is that of the sum.
// AXIS-LABEL: func.func @main
// AXIS-COUNT-2: pop.matmul {{.*}}(tensor<4x4xf32>, tensor<4x2xf32>
// AXIS-NEXT: pop.relu {{.*}} : tensor<4x2xf32>

// ONE-NOT: pop.slice
// ONE-NOT: pop.batch_phase
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = pop.relu %0 : tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
