// RUN: ipu-opt %s --split-input-file --pop-auto-vgraph=method=segments | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-auto-vgraph="method=segments ratios=0.2,0.8" | FileCheck %s --check-prefix=RATIOS
// RUN: ipu-opt %s --split-input-file --pop-auto-vgraph="method=segments training" | FileCheck %s --check-prefix=TRAINING

// Only the weights of a program count, of which the second op has twice as many bytes
// as the others. An op without cost stays on the IPU of the op before. In training, the
// results count, too.

// CHECK-LABEL: func.func @weights
// CHECK: pop.matmul {{.*}}pop.vgraph = 0 : i64
// CHECK-NEXT: pop.matmul {{.*}}pop.vgraph = 0 : i64
// CHECK-NEXT: pop.relu {{.*}}pop.vgraph = 0 : i64
// CHECK-NEXT: pop.matmul {{.*}}pop.vgraph = 1 : i64
//
// RATIOS-LABEL: func.func @weights
// RATIOS: pop.matmul {{.*}}pop.vgraph = 0 : i64
// RATIOS-NEXT: pop.matmul {{.*}}pop.vgraph = 1 : i64
// RATIOS-NEXT: pop.relu {{.*}}pop.vgraph = 1 : i64
// RATIOS-NEXT: pop.matmul {{.*}}pop.vgraph = 1 : i64
//
// TRAINING-LABEL: func.func @weights
// TRAINING: pop.matmul {{.*}}pop.vgraph = 0 : i64
// TRAINING-NEXT: pop.matmul {{.*}}pop.vgraph = 0 : i64
// TRAINING-NEXT: pop.relu {{.*}}pop.vgraph = 1 : i64
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, ipus = 2 : i64}>} {
  pop.variable @u : tensor<64x64xf32> = dense<0.5> : tensor<64x64xf32>
  pop.variable @v : tensor<64x128xf32> = dense<0.5> : tensor<64x128xf32>
  pop.variable @w : tensor<128x32xf32> = dense<0.5> : tensor<128x32xf32>
  func.func @weights(%x: tensor<16x64xf32>) -> tensor<16x32xf32> {
    %ru = pop.get_variable @u : !pop.ref<64x64xf32>
    %rv = pop.get_variable @v : !pop.ref<64x128xf32>
    %rw = pop.get_variable @w : !pop.ref<128x32xf32>
    %u = pop.read %ru : !pop.ref<64x64xf32>
    %v = pop.read %rv : !pop.ref<64x128xf32>
    %w = pop.read %rw : !pop.ref<128x32xf32>
    %0 = pop.matmul %x, %u : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
    %1 = pop.matmul %0, %v : (tensor<16x64xf32>, tensor<64x128xf32>) -> tensor<16x128xf32>
    %2 = pop.relu %1 : tensor<16x128xf32>
    %3 = pop.matmul %2, %w : (tensor<16x128xf32>, tensor<128x32xf32>) -> tensor<16x32xf32>
    return %3 : tensor<16x32xf32>
  }
}
