// RUN: ipu-opt %s --pop-annotate-recompute=method=standard --split-input-file | FileCheck %s --check-prefixes=CHECK,STANDARD
// RUN: ipu-opt %s --pop-annotate-recompute=method=all --split-input-file | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: ipu-opt %s --pop-annotate-recompute=method=norm-only --split-input-file | FileCheck %s --check-prefixes=CHECK,NORM
// RUN: ipu-opt %s --pop-annotate-recompute=method=standard --split-input-file --remarks-filter=pop-graph --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Few bytes are live at %s, so standard keeps %s, and recomputes the large
// tensors before it. It also keeps %b1, and all that comes after it.
//
// CHECK-LABEL: func.func @chain(
// STANDARD:      pop.exp %{{.+}} {pop.recompute = #pop<recompute recompute>}
// STANDARD-NEXT: pop.sin %{{.+}} {pop.recompute = #pop<recompute recompute>}
// STANDARD-NEXT: pop.reduce sum %{{.+}} {axes = array<i64: 1>} :
// STANDARD-NEXT: pop.mul %{{.+}} {pop.recompute = #pop<recompute recompute>}
// STANDARD-NOT:  #pop<recompute
// ALL-COUNT-5:   #pop<recompute recompute>
// ALL-NOT:       #pop<recompute
// NORM-NOT:      #pop<recompute
// CHECK:         pop.loss_scale
func.func @chain(%x: tensor<64x64xf32>) -> (tensor<f32>, tensor<64x64xf32>) {
  %a0 = pop.exp %x : tensor<64x64xf32>
  %a1 = pop.sin %a0 : tensor<64x64xf32>
  %s = pop.reduce sum %a1 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  %b0 = pop.mul %s, %x : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %b1 = pop.exp %b0 : tensor<64x64xf32>
  %b2 = pop.sin %b1 : tensor<64x64xf32>
  %loss = pop.reduce sum %b2 {axes = array<i64: 0, 1>} : tensor<64x64xf32> -> tensor<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  %scale = pop.loss_scale %one : tensor<f32>
  %0 = pop.cos %b1 : tensor<64x64xf32>
  %1 = pop.mul %0, %scale : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %2 = pop.mul %1, %b0 : tensor<64x64xf32>
  %3 = pop.reduce sum %2 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  %4 = pop.cos %a0 : tensor<64x64xf32>
  %5 = pop.mul %4, %a1 : tensor<64x64xf32>
  %6 = pop.mul %5, %3 : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  return %loss, %6 : tensor<f32>, tensor<64x64xf32>
}

// -----

// Nothing lowers the peak, which is in the backward pass. Ops keep their marks:
// `all` does not mark a checkpoint.
//
// CHECK-LABEL: func.func @nothing(
// CHECK:         pop.exp %{{.+}} {pop.recompute = #pop<recompute checkpoint>}
// CHECK-NEXT:    pop.loss_scale
// REMARK:        remark: {{.*}}no op is marked{{.*}}peak=48
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %0 = pop.exp %x {pop.recompute = #pop<recompute checkpoint>} : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %1 = pop.mul %0, %scale : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Views are marked with what they are views of. Reads and constants are never
// marked.
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
  %4 = pop.sign %2 : tensor<8x4xf32>
  return %3, %4 : tensor<32xf32>, tensor<8x4xf32>
}
