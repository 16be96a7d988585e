// RUN: ipu-opt %s --pop-annotate-recompute='method=budget budget=100000' | FileCheck %s --check-prefix=LARGE
// RUN: ipu-opt %s --pop-annotate-recompute='method=budget budget=70000' | FileCheck %s --check-prefix=MIDDLE
// RUN: ipu-opt %s --pop-annotate-recompute='method=budget budget=60000' | FileCheck %s --check-prefix=SMALL
// RUN: ipu-opt %s --pop-annotate-recompute='method=budget budget=60000' --pop-recompute --remarks-filter=pop-graph --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Three tensors of 16 KiB are kept for the backward pass. A large budget needs no
// recomputation, a smaller one that of the cheap product, and the smallest one
// also that of a matmul.
//
// LARGE-NOT: #pop<recompute
//
// MIDDLE:        pop.mul %{{.+}} {pop.recompute = #pop<recompute recompute>} : (tensor<64x1xf32>
// MIDDLE-NOT:    #pop<recompute
//
// SMALL:         pop.mul %{{.+}} {pop.recompute = #pop<recompute recompute>} : (tensor<64x1xf32>
// SMALL-NEXT:    pop.matmul %{{.+}} : (
// SMALL-NEXT:    pop.matmul %{{.+}} {pop.recompute = #pop<recompute recompute>}
// SMALL-NOT:     #pop<recompute
//
// REMARK:        remark: {{.*}}Recompute {{.*}}copies=2, operations=266240, peak-after=49672, peak-before=81920
pop.variable @w : tensor<64x64xf32> = dense<0.5> : tensor<64x64xf32>
func.func @main(%x: tensor<64x1xf32>, %y: tensor<1x64xf32>) -> (tensor<f32>, tensor<64x64xf32>) {
  %r = pop.get_variable @w : !pop.ref<64x64xf32>
  %w = pop.read %r : !pop.ref<64x64xf32>
  %a = pop.mul %x, %y : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %b = pop.matmul %a, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = pop.matmul %b, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d0 = pop.exp %c : tensor<64x64xf32>
  %d1 = pop.sin %d0 : tensor<64x64xf32>
  %loss = pop.reduce sum %d1 {axes = array<i64: 0, 1>} : tensor<64x64xf32> -> tensor<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  %scale = pop.loss_scale %one : tensor<f32>
  %0 = pop.mul %c, %scale : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %1 = pop.mul %0, %b : tensor<64x64xf32>
  %2 = pop.mul %1, %a : tensor<64x64xf32>
  return %loss, %2 : tensor<f32>, tensor<64x64xf32>
}
