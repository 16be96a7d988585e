// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK-LABEL: func @constants
func.func @constants() {
  // CHECK: pop.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = pop.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: pop.constant dense<> : tensor<0xui8>
  %1 = pop.constant dense<> : tensor<0xui8>
  // CHECK: pop.constant dense<true> : tensor<i1>
  %2 = pop.constant dense<true> : tensor<i1>
  // CHECK: pop.constant dense_resource<weights> : tensor<2xf32>
  %3 = pop.constant dense_resource<weights> : tensor<2xf32>
  return
}

// CHECK-LABEL: func @views
func.func @views(%a: tensor<2x6xf32>, %b: tensor<2x3xf32>, %c: tensor<2x4xf32>,
                 %d: tensor<3x1xf32>) {
  // CHECK: pop.reshape %{{.*}} : tensor<2x6xf32> to tensor<3x4xf32>
  %0 = pop.reshape %a : tensor<2x6xf32> to tensor<3x4xf32>
  // CHECK: pop.transpose %{{.*}} {permutation = array<i64: 1, 0>} : tensor<2x3xf32> -> tensor<3x2xf32>
  %1 = pop.transpose %b {permutation = array<i64: 1, 0>} : tensor<2x3xf32> -> tensor<3x2xf32>
  // CHECK: pop.slice %{{.*}} {sizes = array<i64: 2, 2>, starts = array<i64: 0, 3>, steps = array<i64: 1, -1>} : tensor<2x4xf32> -> tensor<2x2xf32>
  %2 = pop.slice %c {sizes = array<i64: 2, 2>, starts = array<i64: 0, 3>, steps = array<i64: 1, -1>} : tensor<2x4xf32> -> tensor<2x2xf32>
  // CHECK: pop.expand %{{.*}} : tensor<3x1xf32> to tensor<2x3x4xf32>
  %3 = pop.expand %d : tensor<3x1xf32> to tensor<2x3x4xf32>
  return
}

// CHECK-LABEL: func @moves
func.func @moves(%a: tensor<2x3xf32>, %b: tensor<2x5xf32>) {
  // CHECK: pop.concat %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  %0 = pop.concat %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  // CHECK: pop.pad %{{.*}} {high = array<i64: 0, 2>, low = array<i64: 1, 0>, value = 0.000000e+00 : f32} : tensor<2x3xf32> -> tensor<3x5xf32>
  %1 = pop.pad %a {high = array<i64: 0, 2>, low = array<i64: 1, 0>, value = 0.0 : f32} : tensor<2x3xf32> -> tensor<3x5xf32>
  return
}

// CHECK-LABEL: func @checks
func.func @checks(%x: tensor<2xi32>, %y: tensor<2xf32>) {
  // CHECK: pop.expect_eq %{{.*}}, dense<[1, 2]> : tensor<2xi32>
  pop.expect_eq %x, dense<[1, 2]> : tensor<2xi32>
  // CHECK: pop.expect_close %{{.*}}, dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>{{$}}
  pop.expect_close %y, dense<[1.0, 2.0]> : tensor<2xf32> {rtol = 1.0e-5 : f64}
  // CHECK: pop.expect_close %{{.*}}, dense<1.000000e+00> : tensor<2xf32> {atol = 1.000000e+00 : f64}
  pop.expect_close %y, dense<1.0> : tensor<2xf32> {atol = 1.0 : f64}
  return
}

// CHECK-LABEL: func @gather
func.func @gather(%t: tensor<10x3xf16>, %i: tensor<2x4xi8>, %u: tensor<10xui64>) {
  // CHECK: pop.gather %{{.*}}, %{{.*}} : (tensor<10x3xf16>, tensor<2x4xi8>) -> tensor<2x4x3xf16>
  %0 = pop.gather %t, %i {batch_dims = 0 : i64} : (tensor<10x3xf16>, tensor<2x4xi8>) -> tensor<2x4x3xf16>
  // CHECK: pop.gather %{{.*}}, %{{.*}} {batch_dims = 1 : i64} : (tensor<10x3xf16>, tensor<10xui64>) -> tensor<10xf16>
  %1 = pop.gather %t, %u {batch_dims = 1 : i64} : (tensor<10x3xf16>, tensor<10xui64>) -> tensor<10xf16>
  return
}

// CHECK-LABEL: func @gather_partials
func.func @gather_partials(%t: tensor<2x10x3xf16>, %i: tensor<2x4xi8>) {
  // CHECK: pop.gather_partials %{{.*}}, %{{.*}} {block = 4 : i64} : (tensor<2x10x3xf16>, tensor<2x4xi8>) -> tensor<2x4x3x3xf16>
  %0 = pop.gather_partials %t, %i {block = 4 : i64} : (tensor<2x10x3xf16>, tensor<2x4xi8>) -> tensor<2x4x3x3xf16>
  return
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}

// CHECK-LABEL: func @boxes
func.func @boxes(%x: tensor<8x4xf32>, %u: tensor<2x4xf32>, %s: tensor<1xi32>, %p: tensor<3x1xf32>, %t: tensor<2xui8>, %n: tensor<0xi64>) {
  // CHECK: pop.dynamic_slice %{{.*}}[%{{.*}}] {axes = array<i64: 0>, sizes = array<i64: 2>} : tensor<8x4xf32>, tensor<1xi32> -> tensor<2x4xf32>
  %0 = pop.dynamic_slice %x[%s] {axes = array<i64: 0>, sizes = array<i64: 2>} : tensor<8x4xf32>, tensor<1xi32> -> tensor<2x4xf32>
  // CHECK: pop.dynamic_slice %{{.*}}[%{{.*}}] {axes = array<i64: 1, 0>, sizes = array<i64: 1, 3>} : tensor<8x4xf32>, tensor<2xui8> -> tensor<3x1xf32>
  %1 = pop.dynamic_slice %x[%t] {axes = array<i64: 1, 0>, sizes = array<i64: 1, 3>} : tensor<8x4xf32>, tensor<2xui8> -> tensor<3x1xf32>
  // CHECK: pop.dynamic_slice %{{.*}}[%{{.*}}] {axes = array<i64>, sizes = array<i64>} : tensor<8x4xf32>, tensor<0xi64> -> tensor<8x4xf32>
  %2 = pop.dynamic_slice %x[%n] {axes = array<i64>, sizes = array<i64>} : tensor<8x4xf32>, tensor<0xi64> -> tensor<8x4xf32>
  // CHECK: pop.dynamic_update %{{.*}}, %{{.*}}[%{{.*}}] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<2x4xf32>, tensor<1xi32>
  %3 = pop.dynamic_update %x, %u[%s] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<2x4xf32>, tensor<1xi32>
  // CHECK: pop.dynamic_update %{{.*}}, %{{.*}}[%{{.*}}] {axes = array<i64: 1, 0>} : tensor<8x4xf32>, tensor<3x1xf32>, tensor<2xui8>
  %4 = pop.dynamic_update %x, %p[%t] {axes = array<i64: 1, 0>} : tensor<8x4xf32>, tensor<3x1xf32>, tensor<2xui8>
  return
}
