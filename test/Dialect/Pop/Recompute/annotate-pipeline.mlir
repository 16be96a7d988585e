// RUN: ipu-opt %s --pop-annotate-recompute=method=pipeline --split-input-file | FileCheck %s

// A stage keeps its inputs, of which the copy to another IPU is one, and the
// value that the next stage on the same IPU reads. All ops of the last stage are
// kept.
//
// CHECK-LABEL: func.func @stages
// CHECK:         pop.exp {{.*}}recompute recompute{{.*}}stage = 0
// CHECK-NEXT:    pop.sin {{.*}}recompute recompute{{.*}}stage = 0
// CHECK-NEXT:    pop.ipu_copy %{{.+}} from 0 to 1 {pop.stage = 0 : i64}
// CHECK-NEXT:    pop.tanh {{.*}}recompute recompute{{.*}}stage = 1
// CHECK-NEXT:    pop.gelu %{{.+}} {pop.stage = 1 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT:    pop.neg %{{.+}} {pop.stage = 2 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT:    pop.abs %{{.+}} {pop.stage = 2 : i64, pop.vgraph = 1 : i64}
func.func @stages(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.exp %x {pop.vgraph = 0 : i64, pop.stage = 0 : i64} : tensor<4xf32>
  %1 = pop.sin %0 {pop.vgraph = 0 : i64, pop.stage = 0 : i64} : tensor<4xf32>
  %2 = pop.ipu_copy %1 from 0 to 1 {pop.stage = 0 : i64} : tensor<4xf32>
  %3 = pop.tanh %2 {pop.vgraph = 1 : i64, pop.stage = 1 : i64} : tensor<4xf32>
  %4 = pop.gelu %3 {pop.vgraph = 1 : i64, pop.stage = 1 : i64} : tensor<4xf32>
  %5 = pop.neg %4 {pop.vgraph = 1 : i64, pop.stage = 2 : i64} : tensor<4xf32>
  %6 = pop.abs %5 {pop.vgraph = 1 : i64, pop.stage = 2 : i64} : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one {pop.vgraph = 1 : i64, pop.stage = 3 : i64} : tensor<4xf32>
  %7 = pop.mul %5, %6 {pop.vgraph = 1 : i64, pop.stage = 3 : i64} : tensor<4xf32>
  %8 = pop.mul %3, %4 {pop.vgraph = 1 : i64, pop.stage = 4 : i64} : tensor<4xf32>
  %9 = pop.cos %1 {pop.vgraph = 0 : i64, pop.stage = 5 : i64} : tensor<4xf32>
  return %7, %8, %9 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Of the last stage, ops before its checkpoint are recomputed, and ops between
// the checkpoint and the loss are kept.
//
// CHECK-LABEL: func.func @checkpoint
// CHECK:         pop.exp %{{.+}} {pop.recompute = #pop<recompute recompute>, pop.stage = 0 : i64}
// CHECK-NEXT:    pop.sin %{{.+}} {pop.recompute = #pop<recompute checkpoint>, pop.stage = 0 : i64}
// CHECK-NEXT:    pop.tanh %{{.+}} {pop.stage = 0 : i64}
func.func @checkpoint(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
  %1 = pop.sin %0 {pop.recompute = #pop<recompute checkpoint>, pop.stage = 0 : i64} : tensor<4xf32>
  %2 = pop.tanh %1 {pop.stage = 0 : i64} : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one {pop.stage = 1 : i64} : tensor<4xf32>
  %3 = pop.mul %0, %2 {pop.stage = 1 : i64} : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// The loss depends on two paths, of which one has a checkpoint. The order of the
// ops of the paths does not matter.
//
// CHECK-LABEL: func.func @paths
// CHECK:         pop.abs %{{.+}} {pop.stage = 0 : i64}
// CHECK-NEXT:    pop.exp %{{.+}} {pop.recompute = #pop<recompute recompute>, pop.stage = 0 : i64}
// CHECK-NEXT:    pop.sin %{{.+}} {pop.recompute = #pop<recompute checkpoint>, pop.stage = 0 : i64}
// CHECK-NEXT:    pop.tanh %{{.+}} {pop.stage = 0 : i64}
// CHECK-NEXT:    pop.mul %{{.+}} {pop.stage = 0 : i64}
func.func @paths(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.abs %x {pop.stage = 0 : i64} : tensor<4xf32>
  %1 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
  %2 = pop.sin %1 {pop.recompute = #pop<recompute checkpoint>, pop.stage = 0 : i64} : tensor<4xf32>
  %3 = pop.tanh %2 {pop.stage = 0 : i64} : tensor<4xf32>
  %4 = pop.mul %0, %3 {pop.stage = 0 : i64} : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one {pop.stage = 1 : i64} : tensor<4xf32>
  %5 = pop.mul %0, %1 {pop.stage = 1 : i64} : tensor<4xf32>
  %6 = pop.mul %5, %3 {pop.stage = 1 : i64} : tensor<4xf32>
  return %6 : tensor<4xf32>
}

// -----

// The body of a loop of the backward pass has no forward pass, and is left as it
// is.
//
// CHECK-LABEL: func.func @loop
// CHECK:         pop.exp {{.*}}recompute recompute{{.*}}stage = 0
// CHECK:         scf.for
// CHECK-NEXT:      pop.mul %{{.+}} {pop.stage = 3 : i64, pop.training_role = "backward"}
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
  %1 = pop.sin %0 {pop.stage = 0 : i64} : tensor<4xf32>
  %2 = pop.cos %1 {pop.stage = 1 : i64} : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one {pop.stage = 2 : i64, pop.training_role = "backward"} : tensor<4xf32>
  %3 = pop.mul %scale, %2 {pop.stage = 2 : i64, pop.training_role = "backward"} : tensor<4xf32>
  %4 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %3) -> (tensor<4xf32>) {
    %5 = pop.mul %a, %0 {pop.stage = 3 : i64, pop.training_role = "backward"} : tensor<4xf32>
    scf.yield %5 : tensor<4xf32>
  }
  return %4 : tensor<4xf32>
}
