// RUN: ipu-opt %s --split-input-file --pop-pipeline | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-pipeline --remarks-filter-passed=pop-graph 2>&1 | FileCheck %s --check-prefix=REMARK

// The example of the description of the pass.

// REMARK: remark: [Passed] Pipeline | Category:pop-graph | Remark="the stages of several micro-batches overlap"
// REMARK-SAME: balance=100, bubble=11, iterations=9, micro-batches=8, stages=2, stash-bytes=0

// CHECK-LABEL: func.func private @pipeline_stage_0
// CHECK-SAME: no_inline
// CHECK-NEXT: pop.exp
// CHECK-LABEL: func.func private @pipeline_stage_1
// CHECK-NEXT: pop.log
// CHECK-LABEL: func.func @main()
// CHECK: %[[X:.*]] = pop.host_load @x {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[A:.*]] = call @pipeline_stage_0(%[[X]]) {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[C:.*]] = pop.ipu_copy %[[A]] from 0 to 1
// CHECK: %[[L:.*]] = scf.for %{{.*}} = %[[ONE:.*]] to %[[EIGHT:.*]] step %{{.*}} iter_args(%[[ARG:.*]] = %[[C]])
// CHECK-NEXT: %[[X1:.*]] = pop.host_load @x
// CHECK-NEXT: %[[Y:.*]] = func.call @pipeline_stage_1(%[[ARG]]) {pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[A1:.*]] = func.call @pipeline_stage_0(%[[X1]])
// CHECK-NEXT: pop.host_store %[[Y]], @y {pop.vgraph = 1 : i64}
// CHECK-NEXT: %[[C1:.*]] = pop.ipu_copy %[[A1]] from 0 to 1
// CHECK-NEXT: scf.yield %[[C1]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[Y1:.*]] = call @pipeline_stage_1(%[[L]])
// CHECK-NEXT: pop.host_store %[[Y1]], @y
// CHECK-NEXT: return
pop.stream @x host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @y device_to_host : tensor<4xf32> {transfers = 8 : i64}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.host_load @x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.exp %0 {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    %2 = pop.ipu_copy %1 from 0 to 1 : tensor<4xf32>
    %3 = pop.log %2 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
    pop.host_store %3, @y {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  }
  return
}

// -----

// A value that the second stage after it reads is in a stash with two rows. The
// row is read before the next value overwrites it.

// REMARK: balance=100, bubble=20, iterations=10, micro-batches=8, stages=3, stash-bytes=32

// CHECK-LABEL: func.func @skip
// CHECK: %[[STASH:.*]] = pop.alloc undef {pop.vgraph = 2 : i64} : !pop.ref<2x4xf32>
// CHECK: call @pipeline_stage_0
// CHECK: pop.ipu_copy {{.*}} from 0 to 1
// CHECK: %[[C0:.*]] = pop.ipu_copy {{.*}} from 0 to 2
// CHECK-NEXT: %[[ROW0:.*]] = pop.ref_row %[[STASH]][0] {pop.vgraph = 2 : i64}
// CHECK-NEXT: pop.copy_ %[[ROW0]], %[[C0]] {pop.vgraph = 2 : i64}
// CHECK-NEXT: call @pipeline_stage_1
// CHECK-NEXT: call @pipeline_stage_0
// CHECK: pop.ref_row %[[STASH]][1]
// CHECK: pop.ipu_copy {{.*}} from 1 to 2
// CHECK: %[[START:.*]] = pop.constant {pop.vgraph = 2 : i64} dense<0> : tensor<1xi32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}, %[[ROW:.*]] = %[[START]])
// CHECK: %[[ROWS:.*]] = pop.read %[[STASH]]
// CHECK-NEXT: %[[SLICE:.*]] = pop.dynamic_slice %[[ROWS]][%[[ROW]]]
// CHECK-NEXT: %[[VALUE:.*]] = pop.reshape %[[SLICE]]
// CHECK-NEXT: call @pipeline_stage_2(%{{.*}}, %[[VALUE]])
// CHECK-NEXT: call @pipeline_stage_1
// CHECK-NEXT: call @pipeline_stage_0
// CHECK: pop.dynamic_update_ %[[STASH]], %{{.*}}[%[[ROW]]]
// CHECK: %[[SUM:.*]] = pop.add %[[ROW]]
// CHECK: %[[LESS:.*]] = pop.less %[[SUM]]
// CHECK: %[[NEXT:.*]] = pop.select %[[LESS]], %[[SUM]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[NEXT]]
// CHECK: pop.ref_row %[[STASH]][0]
// CHECK: call @pipeline_stage_2
// CHECK-NEXT: call @pipeline_stage_1
// CHECK: pop.ref_row %[[STASH]][1]
// CHECK: call @pipeline_stage_2
// CHECK-NOT: call
func.func @skip(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.exp %x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    %1, %2 = pop.ipu_copy %0, %0 from 0 to 1 : tensor<4xf32>, tensor<4xf32>
    %3 = pop.ipu_copy %0 from 0 to 2 : tensor<4xf32>
    %4 = pop.add %1, %2 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
    %5 = pop.ipu_copy %4 from 1 to 2 : tensor<4xf32>
    %6 = pop.add %5, %3 {pop.stage = 2 : i64, pop.vgraph = 2 : i64} : tensor<4xf32>
  }
  return
}

// -----

// Weights are read in each stage that uses them. The loop carries a sum, and
// its index is that of the micro-batch of the stage. Stages of one IPU that
// follow each other are one stage, and a copy of a value from outside is moved
// before the loop.

// CHECK-LABEL: func.func private @pipeline_stage_0
// CHECK-COUNT-1: pop.read
// CHECK-LABEL: func.func private @pipeline_stage_1
// CHECK: pop.read
// CHECK-NEXT: pop.mul
// CHECK-NEXT: pop.add
// CHECK-NEXT: return
// CHECK-LABEL: func.func @weights
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<4xf32>)
// CHECK: %[[READ:.*]] = pop.read
// CHECK-NEXT: pop.ipu_copy %[[READ]] from 0 to 1
// CHECK: call @pipeline_stage_0
// CHECK: %[[L:.*]]:2 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[C:.*]] = %{{.*}}, %[[SUM:.*]] = %[[Z]])
// CHECK: %[[T:.*]] = pop.from_scalar %[[I]] {pop.vgraph = 1 : i64}
// CHECK: %[[ONE:.*]] = pop.constant {pop.vgraph = 1 : i64} dense<1> : tensor<i32>
// CHECK: %[[NUMBER:.*]] = pop.sub %[[T]], %[[ONE]] {pop.vgraph = 1 : i64}
// CHECK: %[[NEXT:.*]] = func.call @pipeline_stage_1(%[[C]], %{{.*}}, %[[NUMBER]], %[[SUM]]) {pop.vgraph = 1 : i64}
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
// CHECK: %[[LAST:.*]] = pop.constant {pop.vgraph = 1 : i64} dense<7> : tensor<i32>
// CHECK: %[[RESULT:.*]] = call @pipeline_stage_1(%[[L]]#0, %{{.*}}, %[[LAST]], %[[L]]#1)
// CHECK: return %[[RESULT]]
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
pop.variable @v : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func @weights(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %rw = pop.get_variable @w : !pop.ref<4xf32>
  %rv = pop.get_variable @v : !pop.ref<4xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %z) -> (tensor<4xf32>) {
    %w = pop.read %rw {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : !pop.ref<4xf32>
    %v = pop.read %rv {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : !pop.ref<4xf32>
    %0 = pop.mul %x, %w {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
    %2 = pop.ipu_copy %w from 0 to 1 {pop.stage = 1 : i64} : tensor<4xf32>
    %3 = pop.mul %1, %2 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
    %4 = pop.from_scalar %i {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : index to tensor<i32>
    %5 = pop.cast %4 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<i32> to tensor<f32>
    %6 = pop.add %3, %5 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %7 = pop.mul %6, %v {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
    %8 = pop.add %sum, %7 {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
    scf.yield %8 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A loop in a stage, and a branch, belong to the stage. The functions of two
// loops have different names.

// CHECK: func.func private @pipeline_stage_0(
// CHECK: scf.for
// CHECK: func.func private @pipeline_stage_1(
// CHECK: scf.if
// CHECK: func.func private @pipeline_stage_0_0(
// CHECK: func.func private @pipeline_stage_1_1(
// CHECK-LABEL: func.func @regions
func.func @regions(%x: tensor<4xf32>, %p: tensor<i1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
      %3 = pop.exp %a {pop.stage = 0 : i64} : tensor<4xf32>
      scf.yield %3 : tensor<4xf32>
    }
    %c = tensor.extract %p[] : tensor<i1>
    %1 = scf.if %c -> (tensor<4xf32>) {
      %4 = pop.log %0 {pop.stage = 1 : i64} : tensor<4xf32>
      scf.yield %4 : tensor<4xf32>
    } else {
      scf.yield %0 : tensor<4xf32>
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.sin %x {pop.stage = 0 : i64} : tensor<4xf32>
    %1 = pop.cos %0 {pop.stage = 1 : i64} : tensor<4xf32>
  }
  return
}

// -----

// The bounds of the new loop are those of the old one, also if a further
// iteration has an index of more than 64 bits.

// CHECK-LABEL: func.func @bounds
// CHECK: scf.for %{{.*}} = %c9223372036854775735 to %c9223372036854775807 step %c50
func.func @bounds(%x: tensor<4xf32>) {
  %c0 = arith.constant 9223372036854775685 : index
  %c1 = arith.constant 50 : index
  %c8 = arith.constant 9223372036854775807 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
    %1 = pop.log %0 {pop.stage = 1 : i64} : tensor<4xf32>
  }
  return
}
