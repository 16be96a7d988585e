// RUN: ipu-opt %s --pop-annotate-recompute=method=standard --split-input-file | FileCheck %s --check-prefixes=CHECK,STANDARD
// RUN: ipu-opt %s --pop-annotate-recompute=method=all --split-input-file | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: ipu-opt %s --pop-annotate-recompute=method=norm-only --split-input-file | FileCheck %s --check-prefixes=CHECK,NORM
// RUN: ipu-opt %s --pop-annotate-recompute=method=standard --split-input-file --remarks-filter=pop-graph --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The live bytes are few at %s, so standard keeps %s and recomputes the large
// tensors from it. It keeps what comes after %s, whose gradients come first.
//
// CHECK-LABEL: func.func @chain(
// STANDARD:      pop.expand %{{.+}} {pop.recompute = #pop<recompute recompute>}
// STANDARD-NEXT: pop.exp %{{.+}} {pop.recompute = #pop<recompute recompute>}
// STANDARD-NEXT: pop.sin %{{.+}} {pop.recompute = #pop<recompute recompute>}
// STANDARD-NEXT: pop.reduce
// STANDARD-NOT:  #pop<recompute
// ALL:           pop.expand %{{.+}} {pop.recompute = #pop<recompute recompute>}
// ALL-COUNT-7:   recompute recompute
// NORM-NOT:      #pop<recompute
// CHECK:         pop.loss_scale
// REMARK-NOT:    no recomputation lowers
func.func @chain(%x: tensor<64x1xf32>) -> (tensor<f32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = pop.expand %x : tensor<64x1xf32> to tensor<64x64xf32>
  %1 = pop.exp %0 : tensor<64x64xf32>
  %2 = pop.sin %1 : tensor<64x64xf32>
  %s = pop.reduce sum %2 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  %3 = pop.reshape %s : tensor<64xf32> to tensor<64x1xf32>
  %4 = pop.expand %3 : tensor<64x1xf32> to tensor<64x64xf32>
  %5 = pop.exp %4 : tensor<64x64xf32>
  %6 = pop.reduce sum %5 {axes = array<i64: 0, 1>} : tensor<64x64xf32> -> tensor<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  %scale = pop.loss_scale %one : tensor<f32>
  %7 = pop.mul %5, %scale : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %8 = pop.reduce sum %7 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  %9 = pop.cos %1 : tensor<64x64xf32>
  %10 = pop.mul %9, %8 : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  %11 = pop.mul %10, %1 : tensor<64x64xf32>
  return %6, %10, %11 : tensor<f32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Nothing lowers the peak, which is in the backward pass. Ops keep their marks:
// `all` does not mark a checkpoint.
//
// CHECK-LABEL: func.func @nothing(
// CHECK:         pop.exp %{{.+}} {pop.recompute = #pop<recompute checkpoint>}
// CHECK-NEXT:    pop.loss_scale
// REMARK:        remark: {{.*}}no recomputation lowers the peak of live bytes, {{.*}}peak=64
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %0 = pop.exp %x {pop.recompute = #pop<recompute checkpoint>} : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %1 = pop.mul %0, %scale : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Views are marked with what they are views of. Ops without results that may be
// recomputed, reads and constants are never marked.
//
// CHECK-LABEL: func.func @norms(
// CHECK:         pop.read %{{.+}} :
// NORM:          pop.batch_norm %{{.+}} {{{.*}}pop.recompute = #pop<recompute recompute>
// NORM-NEXT:     pop.reshape %{{.+}} {pop.recompute = #pop<recompute recompute>}
// NORM-NEXT:     pop.relu %{{.+}} : tensor<8x4xf32>
// ALL:           pop.relu %{{.+}} {pop.recompute = #pop<recompute recompute>}
// CHECK:         pop.loss_scale
pop.variable @scale : tensor<4xf32> = dense<0.5> : tensor<4xf32>
func.func @norms(%x: tensor<8x4xf32>, %b: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>) -> (tensor<32xf32>, tensor<8x4xf32>) {
  %r = pop.get_variable @scale : !pop.ref<4xf32>
  %s = pop.read %r : !pop.ref<4xf32>
  %0 = pop.batch_norm %x, %s, %b, %m, %v {epsilon = 1.0e-5 : f32} : tensor<8x4xf32>, tensor<4xf32>
  %1 = pop.reshape %0 : tensor<8x4xf32> to tensor<32xf32>
  %2 = pop.relu %0 : tensor<8x4xf32>
  %one = pop.constant dense<1.0> : tensor<f32>
  %scale = pop.loss_scale %one : tensor<f32>
  %3 = pop.exp %1 : tensor<32xf32>
  return %3, %2 : tensor<32xf32>, tensor<8x4xf32>
}
