// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK-LABEL: func @reduce
func.func @reduce(%x: tensor<4x8xf32>, %h: tensor<4x8xf16>, %b: tensor<4x8xi1>) {
  // CHECK: pop.reduce sum %{{.*}} {axes = array<i64: 1>} : tensor<4x8xf32> -> tensor<4xf32>
  %0 = pop.reduce sum %x {axes = array<i64: 1>} : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK: pop.reduce prod %{{.*}} {axes = array<i64: 0, 1>, keep_dims} : tensor<4x8xf16> -> tensor<1x1xf32>
  %1 = pop.reduce prod %h {axes = array<i64: 0, 1>, keep_dims} : tensor<4x8xf16> -> tensor<1x1xf32>
  // CHECK: pop.reduce max %{{.*}} {accum = #pop.accum<blocked, block = 8, lanes = 4>, axes = array<i64: 0, 1>} : tensor<4x8xf32> -> tensor<f32>
  %2 = pop.reduce max %x {axes = array<i64: 0, 1>, accum = #pop.accum<blocked, block = 8, lanes = 4>} : tensor<4x8xf32> -> tensor<f32>
  // CHECK: pop.reduce min %{{.*}} {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axes = array<i64>} : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = pop.reduce min %x {axes = array<i64>, accum = #pop.accum<blocked, block = 1024, lanes = 16>} : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: pop.reduce and %{{.*}} {axes = array<i64: 0>} : tensor<4x8xi1> -> tensor<8xi1>
  %4 = pop.reduce and %b {axes = array<i64: 0>} : tensor<4x8xi1> -> tensor<8xi1>
  // CHECK: pop.reduce or %{{.*}} {axes = array<i64: 0>} : tensor<4x8xi1> -> tensor<8xi1>
  %5 = pop.reduce or %b {axes = array<i64: 0>} : tensor<4x8xi1> -> tensor<8xi1>
  // CHECK: pop.reduce sum %{{.*}} {accum = #pop.accum<blocked, block = 128, lanes = 1, box = [4]>, axes = array<i64: 0>} : tensor<4x8xf16> -> tensor<8xf32>
  %6 = pop.reduce sum %h {axes = array<i64: 0>, accum = #pop.accum<blocked, block = 128, lanes = 1, box = [4]>} : tensor<4x8xf16> -> tensor<8xf32>
  // CHECK: pop.reduce_blocks sum %{{.*}} {accum = #pop.accum<blocked, block = 3, lanes = 1>, axis = 1 : i64} : tensor<4x8xf16> -> tensor<4x3xf32>
  %7 = pop.reduce_blocks sum %h {axis = 1 : i64, accum = #pop.accum<blocked, block = 3, lanes = 1>} : tensor<4x8xf16> -> tensor<4x3xf32>
  // CHECK: pop.reduce_blocks and %{{.*}} {accum = #pop.accum<blocked, block = 4, lanes = 2>, axis = 0 : i64} : tensor<4x8xi1> -> tensor<1x8xi1>
  %8 = pop.reduce_blocks and %b {axis = 0 : i64, accum = #pop.accum<blocked, block = 4, lanes = 2>} : tensor<4x8xi1> -> tensor<1x8xi1>
  return
}

// CHECK-LABEL: func @windows
func.func @windows(%x: tensor<1x4x8x8xf32>, %h: tensor<1x4x9xf16>) {
  // CHECK: pop.reduce_window max %{{.*}} {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  %0 = pop.reduce_window max %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  // CHECK: pop.reduce_window sum %{{.*}} {dilations = array<i64: 4>, kernel = array<i64: 3>} : tensor<1x4x9xf16> -> tensor<1x4x1xf32>
  %1 = pop.reduce_window sum %h {kernel = array<i64: 3>, dilations = array<i64: 4>} : tensor<1x4x9xf16> -> tensor<1x4x1xf32>
  // CHECK: pop.max_pool %{{.*}} {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  %2 = pop.max_pool %x {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  // CHECK: pop.max_pool %{{.*}} {ceil_mode, kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  %3 = pop.max_pool %x {ceil_mode, kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  // CHECK: pop.avg_pool %{{.*}} {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  %4 = pop.avg_pool %x {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  // CHECK: pop.avg_pool %{{.*}} {count_include_pad, kernel = array<i64: 2>, pads = array<i64: 1, 0>} : tensor<1x4x9xf16> -> tensor<1x4x9xf16>
  %5 = pop.avg_pool %h {count_include_pad, kernel = array<i64: 2>, pads = array<i64: 1, 0>} : tensor<1x4x9xf16> -> tensor<1x4x9xf16>
  return
}

// CHECK-LABEL: func @norms
func.func @norms(%x: tensor<4x10xf32>, %i: tensor<2x3x4x4xf32>, %c: tensor<3xf32>) {
  // CHECK: pop.softmax %{{.*}} {axis = 1 : i64} : tensor<4x10xf32>
  %0 = pop.softmax %x {axis = 1 : i64} : tensor<4x10xf32>
  // CHECK: pop.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3x4x4xf32>, tensor<3xf32>
  %1 = pop.batch_norm %i, %c, %c, %c, %c {epsilon = 1.0e-5 : f32} : tensor<2x3x4x4xf32>, tensor<3xf32>
  // CHECK: pop.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 2.000000e+00 : f32} : tensor<2x3x4x4xf32>, tensor<3xf32>
  %2 = pop.batch_norm %i, %c, %c, %c, %c {epsilon = 2.0 : f32} : tensor<2x3x4x4xf32>, tensor<3xf32>
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}} = pop.batch_norm_training %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3x4x4xf32>, tensor<3xf32>
  %3:3 = pop.batch_norm_training %i, %c, %c {epsilon = 1.0e-5 : f32} : tensor<2x3x4x4xf32>, tensor<3xf32>
  // CHECK: pop.batch_norm_training %{{.*}}, %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 8, lanes = 4>, epsilon = 2.000000e+00 : f32} : tensor<2x3x4x4xf32>, tensor<3xf32>
  %4:3 = pop.batch_norm_training %i, %c, %c {epsilon = 2.0 : f32, accum = #pop.accum<blocked, block = 8, lanes = 4>} : tensor<2x3x4x4xf32>, tensor<3xf32>
  return
}

// CHECK-LABEL: func @means
func.func @means(%x: tensor<4x8xf32>, %h: tensor<1x4x9xf16>) {
  // CHECK: pop.reduce mean %{{.*}} {accum = #pop.accum<blocked, block = 4, lanes = 2>, axes = array<i64: 1>} : tensor<4x8xf32> -> tensor<4xf32>
  %0 = pop.reduce mean %x {accum = #pop.accum<blocked, block = 4, lanes = 2>, axes = array<i64: 1>} : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK: pop.reduce mean %{{.*}} {axes = array<i64: 0, 2>, keep_dims} : tensor<1x4x9xf16> -> tensor<1x4x1xf32>
  %1 = pop.reduce mean %h {axes = array<i64: 0, 2>, keep_dims} : tensor<1x4x9xf16> -> tensor<1x4x1xf32>
  // CHECK: pop.reduce_window mean %{{.*}} {kernel = array<i64: 3>, strides = array<i64: 3>} : tensor<1x4x9xf16> -> tensor<1x4x3xf16>
  %2 = pop.reduce_window mean %h {kernel = array<i64: 3>, strides = array<i64: 3>} : tensor<1x4x9xf16> -> tensor<1x4x3xf16>
  return
}
