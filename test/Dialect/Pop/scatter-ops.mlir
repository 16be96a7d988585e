// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s

// CHECK-LABEL: func @scatter
func.func @scatter(%x: tensor<10x3xf32>, %i: tensor<2x4xi32>, %u: tensor<2x4x3xf32>, %a: tensor<4x10x3xi1>, %j: tensor<4x2xui8>, %v: tensor<4x2x3xi1>) {
  // CHECK: pop.scatter add %{{.*}}, %{{.*}}, %{{.*}} : tensor<10x3xf32>, tensor<2x4xi32>, tensor<2x4x3xf32>
  %0 = pop.scatter add %x, %i, %u {batch_dims = 0 : i64} : tensor<10x3xf32>, tensor<2x4xi32>, tensor<2x4x3xf32>
  // CHECK: pop.scatter mul
  %1 = pop.scatter mul %x, %i, %u : tensor<10x3xf32>, tensor<2x4xi32>, tensor<2x4x3xf32>
  // CHECK: pop.scatter max
  %2 = pop.scatter max %x, %i, %u : tensor<10x3xf32>, tensor<2x4xi32>, tensor<2x4x3xf32>
  // CHECK: pop.scatter min
  %3 = pop.scatter min %x, %i, %u : tensor<10x3xf32>, tensor<2x4xi32>, tensor<2x4x3xf32>
  // CHECK: pop.scatter replace %{{.*}}, %{{.*}}, %{{.*}} {batch_dims = 1 : i64} : tensor<4x10x3xi1>, tensor<4x2xui8>, tensor<4x2x3xi1>
  %4 = pop.scatter replace %a, %j, %v {batch_dims = 1 : i64} : tensor<4x10x3xi1>, tensor<4x2xui8>, tensor<4x2x3xi1>
  return
}

// CHECK-LABEL: func @scatter_buckets
func.func @scatter_buckets(%x: tensor<1x10x3xf32>, %i: tensor<1x13xui8>, %u: tensor<1x13x3xf32>) {
  // CHECK: pop.bucket_indices %{{.*}} {block = 4 : i64, chunk = 8 : i64, rows = 10 : i64} : tensor<1x13xui8> -> tensor<1x2x3x8xi32>
  %0 = pop.bucket_indices %i {rows = 10 : i64, block = 4 : i64, chunk = 8 : i64} : tensor<1x13xui8> -> tensor<1x2x3x8xi32>
  // CHECK: pop.scatter_buckets add %{{.*}}, %{{.*}}, %{{.*}} {block = 4 : i64} : tensor<1x10x3xf32>, tensor<1x2x3x8xi32>, tensor<1x13x3xf32>
  %1 = pop.scatter_buckets add %x, %0, %u {block = 4 : i64} : tensor<1x10x3xf32>, tensor<1x2x3x8xi32>, tensor<1x13x3xf32>
  return
}

// CHECK-LABEL: func @select_and_scatter
func.func @select_and_scatter(%x: tensor<1x4x8x8xf16>, %dy: tensor<1x4x4x4xf16>, %wide: tensor<1x4x4x4xf32>, %all: tensor<1x4x7x7xf16>) {
  // CHECK: pop.select_and_scatter max %{{.*}}, %{{.*}} {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf16>, tensor<1x4x4x4xf16> -> tensor<1x4x8x8xf16>
  %0 = pop.select_and_scatter max %x, %dy {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf16>, tensor<1x4x4x4xf16> -> tensor<1x4x8x8xf16>
  // CHECK: pop.select_and_scatter min %{{.*}}, %{{.*}} {ceil_mode, dilations = array<i64: 2, 1>, kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf16>, tensor<1x4x4x4xf32> -> tensor<1x4x8x8xf32>
  %1 = pop.select_and_scatter min %x, %wide {ceil_mode, dilations = array<i64: 2, 1>, kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf16>, tensor<1x4x4x4xf32> -> tensor<1x4x8x8xf32>
  // CHECK: pop.select_and_scatter max %{{.*}}, %{{.*}} {kernel = array<i64: 2, 2>} : tensor<1x4x8x8xf16>, tensor<1x4x7x7xf16> -> tensor<1x4x8x8xf16>
  %2 = pop.select_and_scatter max %x, %all {kernel = array<i64: 2, 2>} : tensor<1x4x8x8xf16>, tensor<1x4x7x7xf16> -> tensor<1x4x8x8xf16>
  return
}
