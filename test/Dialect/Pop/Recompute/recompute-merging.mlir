// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-recompute,func.func(pop-canonicalize,pop-cse),pop-merge-duplicate-ops,pop-schedule)' | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-recompute,pop-snapshot-reads)' | FileCheck %s --check-prefix=SAVED

// No pass merges a copy with its op, although both have the same operands, and
// pop-schedule does not move the copy back into the forward pass, where the
// matrix would be live during the second product.
//
// CHECK-LABEL: func.func @main
// CHECK:         pop.mul {{.*}}recompute checkpoint
// CHECK:         pop.matmul
// CHECK:         pop.matmul
// CHECK:         pop.mul {{.*}}recompute recomputed
// CHECK-NEXT:    pop.mul
// CHECK-NOT:     pop.mul {{.*}}recompute
func.func @main(%x: tensor<64x1xf32>, %y: tensor<1x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = pop.mul %x, %y {pop.recompute = #pop<recompute recompute>} : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %1 = pop.matmul %0, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = pop.matmul %1, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %one = pop.constant dense<1.0> : tensor<f32>
  %scale = pop.loss_scale %one : tensor<f32>
  %3 = pop.mul %2, %scale : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %4 = pop.mul %3, %0 : tensor<64x64xf32>
  return %2, %4 : tensor<64x64xf32>, tensor<64x64xf32>
}

// The copy reads the tensor that the op reads, which is saved before it is
// overwritten.
//
// SAVED-LABEL: func.func @overwritten
// SAVED:         %[[READ:.+]] = pop.read
// SAVED-NEXT:    %[[SAVED:.+]] = pop.copy %[[READ]]
// SAVED-NEXT:    pop.exp %[[SAVED]] {pop.recompute = #pop<recompute checkpoint>}
// SAVED:         pop.copy_
// SAVED:         pop.exp %[[SAVED]] {pop.recompute = #pop<recompute recomputed>}
pop.variable @v : tensor<4xf32> = dense<0.5> : tensor<4xf32>
func.func @overwritten(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = pop.get_variable @v : !pop.ref<4xf32>
  %v = pop.read %r : !pop.ref<4xf32>
  %0 = pop.exp %v {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %1 = pop.sin %0 : tensor<4xf32>
  pop.copy_ %r, %1 : !pop.ref<4xf32>, tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %2 = pop.mul %0, %scale : tensor<4xf32>
  return %2 : tensor<4xf32>
}
