// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-infer-stages{further-stages},pop-verify-contracts{conditions=PSTAGE})' | FileCheck %s

// An op that reads a value of a later stage is in a further stage.

// CHECK-LABEL: func.func @tied
// CHECK: pop.exp {{.*}} {pop.stage = 0 : i64, pop.vgraph = 0 : i64}
// CHECK: pop.ipu_copy {{.*}} from 0 to 1 {pop.stage = 1 : i64}
// CHECK: pop.sin {{.*}} {pop.stage = 1 : i64, pop.vgraph = 1 : i64}
// CHECK: pop.ipu_copy {{.*}} from 1 to 0 {pop.stage = 2 : i64}
// CHECK: pop.log {{.*}} {pop.stage = 2 : i64, pop.vgraph = 0 : i64}
// CHECK: pop.cos {{.*}} {pop.stage = 0 : i64, pop.vgraph = 0 : i64}
func.func @tied(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
  %2 = pop.sin %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.ipu_copy %2 from 1 to 0 : tensor<4xf32>
  %4 = pop.log %3 {pop.vgraph = 0 : i64} : tensor<4xf32>
  %5 = pop.cos %0 {pop.vgraph = 0 : i64} : tensor<4xf32>
  return %4, %5 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A further stage is used by all ops of its virtual graph that need it.

// CHECK-LABEL: func.func @shared
// CHECK: pop.sin {{.*}} {pop.stage = 2 : i64, pop.vgraph = 2 : i64}
// CHECK: pop.log {{.*}} {pop.stage = 3 : i64, pop.vgraph = 1 : i64}
// CHECK: pop.cos {{.*}} {pop.stage = 4 : i64, pop.vgraph = 0 : i64}
// CHECK: pop.tanh {{.*}} {pop.stage = 3 : i64, pop.vgraph = 1 : i64}
// CHECK: pop.relu {{.*}} {pop.stage = 5 : i64, pop.vgraph = 1 : i64}
func.func @shared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.sin %x {pop.vgraph = 2 : i64} : tensor<4xf32>
  %1 = pop.ipu_copy %0 from 2 to 1 : tensor<4xf32>
  %2 = pop.log %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.ipu_copy %2 from 1 to 0 : tensor<4xf32>
  %4 = pop.cos %3 {pop.vgraph = 0 : i64} : tensor<4xf32>
  %5 = pop.tanh %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
  %6 = pop.ipu_copy %4 from 0 to 1 : tensor<4xf32>
  %7 = pop.relu %6 {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %5, %7 : tensor<4xf32>, tensor<4xf32>
}
