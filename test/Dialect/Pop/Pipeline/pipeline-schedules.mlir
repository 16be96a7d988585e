// RUN: ipu-opt %s --pop-pipeline | FileCheck %s --check-prefixes=ALL,POPART
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-pipeline{schedule=1f1b})' | FileCheck %s --check-prefixes=ALL,ONE
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-pipeline{schedule=gpipe})' | FileCheck %s --check-prefixes=ALL,GPIPE

// The training of three layers on three IPUs, with 8 micro-batches: PopART's
// test of explicit pipelines. With `popart`, the last IPU has one stage for both
// passes, so there are 2 * 3 - 1 stages. Each iteration of the fill has one more
// stage than the one before it, and each iteration of the flush one less.

// ALL: func.func private @pipeline_stage_0
// ALL: func.func private @pipeline_stage_1
// POPART: func.func private @pipeline_stage_2({{.*}} -> tensor<4xf32>
// POPART: pop.sin
// POPART: pop.loss_scale
// POPART: pop.accumulate_
// POPART: func.func private @pipeline_stage_3
// POPART: pop.accumulate_
// POPART: func.func private @pipeline_stage_4
// POPART: pop.accumulate_
// POPART-NOT: @pipeline_stage_5

// The first value of the first stage is needed by 4 micro-batches at once.
// POPART-LABEL: func.func @main
// POPART: pop.alloc undef {pop.vgraph = 0 : i64} : !pop.ref<4x4xf32>
// POPART: pop.alloc undef {pop.vgraph = 1 : i64} : !pop.ref<3x4xf32>
// POPART-NOT: pop.alloc

// Fill.
// POPART: pop.host_load
// POPART: call @pipeline_stage_0
// POPART: pop.ipu_copy {{.*}} from 0 to 1
// POPART: pop.host_load
// POPART: call @pipeline_stage_1
// POPART: call @pipeline_stage_0
// POPART: pop.ipu_copy {{.*}} from 0 to 1
// POPART: pop.ipu_copy {{.*}} from 1 to 2
// POPART: pop.host_load
// POPART: call @pipeline_stage_2
// POPART: call @pipeline_stage_1
// POPART: call @pipeline_stage_0
// POPART: pop.ipu_copy {{.*}} from 0 to 1
// POPART: pop.ipu_copy {{.*}} from 1 to 2
// POPART: pop.ipu_copy {{.*}} from 2 to 1
// POPART: pop.host_load
// POPART: call @pipeline_stage_3
// POPART: call @pipeline_stage_2
// POPART: call @pipeline_stage_1
// POPART: call @pipeline_stage_0
// POPART-COUNT-4: pop.ipu_copy
// POPART-NOT: call

// POPART: scf.for
// POPART: pop.host_load
// POPART: call @pipeline_stage_4
// POPART: call @pipeline_stage_3
// POPART: call @pipeline_stage_2
// POPART: call @pipeline_stage_1
// POPART: call @pipeline_stage_0
// POPART-COUNT-4: pop.ipu_copy
// POPART: scf.yield

// Flush.
// POPART-NOT: pop.host_load
// POPART: call @pipeline_stage_4
// POPART: call @pipeline_stage_3
// POPART: call @pipeline_stage_2
// POPART: call @pipeline_stage_1
// POPART-COUNT-3: pop.ipu_copy
// POPART: call @pipeline_stage_4
// POPART: call @pipeline_stage_3
// POPART: call @pipeline_stage_2
// POPART-COUNT-2: pop.ipu_copy
// POPART: call @pipeline_stage_4
// POPART: call @pipeline_stage_3
// POPART: pop.ipu_copy {{.*}} from 1 to 0
// POPART: call @pipeline_stage_4
// POPART-NOT: call
// POPART: return

// With `1f1b`, there are six stages. An iteration executes the even ones, and
// then the odd ones: the first IPU executes the forward pass (0), and then the
// backward pass (5). A value of its forward pass is needed by 3 micro-batches.

// ONE: func.func private @pipeline_stage_5
// ONE-LABEL: func.func @main
// ONE: pop.alloc zero {pop.vgraph = 0 : i64} : !pop.ref<3x4xf32>
// ONE: call @pipeline_stage_0
// ONE: pop.ipu_copy {{.*}} from 0 to 1
// ONE: call @pipeline_stage_1
// ONE: pop.ipu_copy {{.*}} from 1 to 2
// ONE: call @pipeline_stage_2
// ONE: call @pipeline_stage_0
// ONE: pop.ipu_copy {{.*}} from 0 to 1
// ONE: call @pipeline_stage_3
// ONE: call @pipeline_stage_1
// ONE: scf.for
// ONE: call @pipeline_stage_4
// ONE: call @pipeline_stage_2
// ONE: call @pipeline_stage_0
// ONE: pop.ipu_copy
// ONE: call @pipeline_stage_5
// ONE: call @pipeline_stage_3
// ONE: call @pipeline_stage_1
// ONE: pop.ipu_copy
// ONE: scf.yield

// With `gpipe`, the second loop is the backward pass. All values of the forward
// pass that it needs are in a stash with 8 rows.

// GPIPE: func.func private @pipeline_stage_5
// GPIPE-LABEL: func.func @main
// GPIPE: pop.alloc zero {pop.vgraph = 2 : i64} : !pop.ref<8x4xf32>
// GPIPE: scf.for
// GPIPE-NOT: @pipeline_stage_3
// GPIPE: call @pipeline_stage_2
// GPIPE: call @pipeline_stage_1
// GPIPE: call @pipeline_stage_0
// GPIPE: call @pipeline_stage_2
// GPIPE: call @pipeline_stage_1
// GPIPE: call @pipeline_stage_2
// GPIPE: call @pipeline_stage_3
// GPIPE: call @pipeline_stage_4
// GPIPE: call @pipeline_stage_3
// GPIPE: scf.for
// GPIPE: call @pipeline_stage_5
// GPIPE: call @pipeline_stage_4
// GPIPE: call @pipeline_stage_3
// GPIPE: call @pipeline_stage_5
// GPIPE: call @pipeline_stage_4
// GPIPE: call @pipeline_stage_5
// GPIPE-NOT: call
// GPIPE: return
pop.stream @x host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.variable @g0 : tensor<4xf32> = dense<0.0> : tensor<4xf32>
pop.variable @g1 : tensor<4xf32> = dense<0.0> : tensor<4xf32>
pop.variable @g2 : tensor<4xf32> = dense<0.0> : tensor<4xf32>
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = pop.constant dense<1.0> : tensor<f32>
  %r0 = pop.get_variable @g0 : !pop.ref<4xf32>
  %r1 = pop.get_variable @g1 : !pop.ref<4xf32>
  %r2 = pop.get_variable @g2 : !pop.ref<4xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %x = pop.host_load @x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    %0 = pop.exp %x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.ipu_copy %0 from 0 to 1 {pop.stage = 1 : i64} : tensor<4xf32>
    %2 = pop.cos %1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
    %3 = pop.ipu_copy %2 from 1 to 2 {pop.stage = 2 : i64} : tensor<4xf32>
    %4 = pop.sin %3 {pop.stage = 2 : i64, pop.vgraph = 2 : i64} : tensor<4xf32>
    %5 = pop.loss_scale %one {pop.stage = 3 : i64, pop.training_role = "backward", pop.vgraph = 2 : i64} : tensor<f32>
    %6 = pop.mul %4, %5 {pop.stage = 3 : i64, pop.training_role = "backward", pop.vgraph = 2 : i64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    pop.accumulate_ add %r2, %6 {pop.stage = 3 : i64, pop.training_role = "update", pop.vgraph = 2 : i64} : !pop.ref<4xf32>, tensor<4xf32>
    %7 = pop.ipu_copy %6 from 2 to 1 {pop.stage = 4 : i64, pop.training_role = "backward"} : tensor<4xf32>
    %8 = pop.mul %7, %1 {pop.stage = 4 : i64, pop.training_role = "backward", pop.vgraph = 1 : i64} : tensor<4xf32>
    pop.accumulate_ add %r1, %8 {pop.stage = 4 : i64, pop.training_role = "update", pop.vgraph = 1 : i64} : !pop.ref<4xf32>, tensor<4xf32>
    %9 = pop.ipu_copy %8 from 1 to 0 {pop.stage = 5 : i64, pop.training_role = "backward"} : tensor<4xf32>
    %10 = pop.mul %9, %0 {pop.stage = 5 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64} : tensor<4xf32>
    pop.accumulate_ add %r0, %10 {pop.stage = 5 : i64, pop.training_role = "update", pop.vgraph = 0 : i64} : !pop.ref<4xf32>, tensor<4xf32>
  }
  return
}
