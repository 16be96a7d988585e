// RUN: ipu-opt %s --split-input-file --pop-infer-stages --pop-verify-contracts=conditions=PSTAGE | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-infer-stages -o %t.once
// RUN: ipu-opt %t.once --split-input-file --pop-infer-stages | diff - %t.once

// The example of the description of the pass.

// CHECK-LABEL: func.func @example
// CHECK-NEXT: pop.exp {{.*}} {pop.stage = 0 : i64, pop.vgraph = 0 : i64}
// CHECK-NEXT: pop.ipu_copy {{.*}} from 0 to 1 {pop.stage = 1 : i64}
// CHECK-NEXT: pop.log {{.*}} {pop.stage = 1 : i64, pop.vgraph = 1 : i64}
func.func @example(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
  %2 = pop.log %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Two consecutive ops of one IPU are in one stage.

// CHECK-LABEL: func.func @upstream
// CHECK-NEXT: pop.exp {{.*}} {pop.stage = 0 : i64, pop.vgraph = 0 : i64}
// CHECK-NEXT: pop.ipu_copy
// CHECK-NEXT: pop.log {{.*}} {pop.stage = 1 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT: pop.sin {{.*}} {pop.stage = 1 : i64, pop.vgraph = 1 : i64}
func.func @upstream(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
  %2 = pop.log %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.sin %2 {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Existing stages stay, also if they differ from the virtual graphs.

// CHECK-LABEL: func.func @staged
// CHECK-NEXT: pop.exp {{.*}} {pop.stage = 0 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT: pop.log {{.*}} {pop.stage = 2 : i64, pop.vgraph = 1 : i64}
func.func @staged(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.stage = 0 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  %1 = pop.log %0 {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// What a loop carries may go back to an earlier stage: it is of an earlier iteration.

// CHECK-LABEL: func.func @loop
// CHECK: pop.ipu_copy {{.*}} from 1 to 0 {pop.stage = 0 : i64}
// CHECK: pop.exp {{.*}} {pop.stage = 0 : i64, pop.vgraph = 0 : i64}
// CHECK: pop.log {{.*}} {pop.stage = 1 : i64, pop.vgraph = 1 : i64}
func.func @loop(%x: tensor<4xf32> {pop.vgraph = 1 : i64}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = pop.ipu_copy %a from 1 to 0 : tensor<4xf32>
    %2 = pop.exp %1 {pop.vgraph = 0 : i64} : tensor<4xf32>
    %3 = pop.ipu_copy %2 from 0 to 1 : tensor<4xf32>
    %4 = pop.log %3 {pop.vgraph = 1 : i64} : tensor<4xf32>
    scf.yield %4 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A copy that a loop yields is in the stage of what it copies.

// CHECK-LABEL: func.func @yielded
// CHECK: pop.exp {{.*}} {pop.stage = 0 : i64, pop.vgraph = 0 : i64}
// CHECK: pop.log {{.*}} {pop.stage = 1 : i64, pop.vgraph = 1 : i64}
// CHECK: pop.ipu_copy {{.*}} from 1 to 0 {pop.stage = 1 : i64}
func.func @yielded(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = pop.exp %a {pop.vgraph = 0 : i64} : tensor<4xf32>
    %2 = pop.ipu_copy %1 from 0 to 1 : tensor<4xf32>
    %3 = pop.log %2 {pop.vgraph = 1 : i64} : tensor<4xf32>
    %4 = pop.ipu_copy %3 from 1 to 0 : tensor<4xf32>
    scf.yield %4 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
