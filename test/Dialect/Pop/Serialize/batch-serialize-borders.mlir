// Parts are assembled between virtual graphs, stages and phases, unless an option
// disables this.
//
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-batch-serialize{factor=4})' | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-batch-serialize{factor=4 concat-on-vgraph-change=false concat-on-stage-change=false concat-on-phase-change=false})' | FileCheck %s --check-prefix=JOINED
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-batch-serialize{factor=4 method=loop})' | FileCheck %s --check-prefix=LOOP
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-batch-serialize{factor=4 method=loop concat-on-vgraph-change=false concat-on-stage-change=false concat-on-phase-change=false})' | FileCheck %s --check-prefix=LOOPJOINED

// Two layers on two IPUs: 4 slices, 4 products and 4 activations on each, which an
// assembly separates. Slices and assemblies have the placement of the ops.
// CHECK-LABEL: func.func @layers
// CHECK-COUNT-4: pop.slice {{.*}}pop.vgraph = 0
// CHECK-COUNT-4: pop.matmul {{.*}}pop.vgraph = 0
// CHECK-COUNT-4: pop.relu {{.*}}pop.vgraph = 0
// CHECK: pop.concat {{.*}}pop.vgraph = 0
// CHECK-COUNT-4: pop.slice {{.*}}pop.vgraph = 1
// CHECK-COUNT-4: pop.matmul {{.*}}pop.vgraph = 1
// CHECK-COUNT-4: pop.relu {{.*}}pop.vgraph = 1
// CHECK: pop.concat {{.*}}pop.vgraph = 1
// JOINED-LABEL: func.func @layers
// JOINED-COUNT-4: pop.slice
// JOINED-NOT: pop.slice
// JOINED: pop.concat
// JOINED-NOT: pop.concat
// JOINED: return
// LOOP-LABEL: func.func @layers
// LOOP-COUNT-2: scf.for
// LOOP-NOT: scf.for
// LOOP: return
// LOOPJOINED-LABEL: func.func @layers
// LOOPJOINED: scf.for
// LOOPJOINED-NOT: scf.for
// LOOPJOINED: return
func.func @layers(%x: tensor<8x4xf32> {pop.batch_axis = 0 : i64}, %w0: tensor<4x4xf32>, %w1: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %0 = pop.matmul %x, %w0 {pop.vgraph = 0 : i64} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = pop.relu %0 {pop.vgraph = 0 : i64} : tensor<8x4xf32>
  %2 = pop.matmul %1, %w1 {pop.vgraph = 1 : i64} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %3 = pop.relu %2 {pop.vgraph = 1 : i64} : tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// -----

// A copy between IPUs copies parts. They have the placement of its ends.
// CHECK-LABEL: func.func @copies
// CHECK: pop.concat {{.*}}pop.vgraph = 0
// CHECK-COUNT-4: pop.slice {{.*}}pop.vgraph = 0
// CHECK-COUNT-4: pop.ipu_copy {{.*}} from 0 to 1
// JOINED-LABEL: func.func @copies
// JOINED: pop.exp {{.*}}pop.vgraph = 0
// JOINED-NOT: pop.concat
// JOINED: pop.ipu_copy
// JOINED: pop.concat {{.*}}pop.vgraph = 1
func.func @copies(%x: tensor<8xf32> {pop.batch_axis = 0 : i64, pop.vgraph = 0 : i64}) -> tensor<8xf32> {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<8xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 : tensor<8xf32>
  %2 = pop.exp %1 {pop.vgraph = 1 : i64} : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @stages
// CHECK-COUNT-3: pop.concat
// JOINED-LABEL: func.func @stages
// JOINED: pop.concat
// JOINED-NOT: pop.concat
func.func @stages(%x: tensor<8xf32> {pop.batch_axis = 0 : i64}) -> tensor<8xf32> {
  %0 = pop.exp %x {pop.stage = 0 : i64, pop.phase = 0 : i64} : tensor<8xf32>
  %1 = pop.exp %0 {pop.stage = 1 : i64, pop.phase = 0 : i64} : tensor<8xf32>
  %2 = pop.exp %1 {pop.stage = 1 : i64, pop.phase = 2 : i64} : tensor<8xf32>
  return %2 : tensor<8xf32>
}
