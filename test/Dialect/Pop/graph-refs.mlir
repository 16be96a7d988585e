// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK: pop.variable @w : tensor<2x2xf32> = dense<3.000000e+00> : tensor<2x2xf32>{{$}}
pop.variable @w : tensor<2x2xf32> = dense<3.0> : tensor<2x2xf32>
// CHECK: pop.variable @part : tensor<3xf16> = dense<0.000000e+00> : tensor<3xf16> {sharding = #pop.replica_groups<stride = 1, size = 2>}{{$}}
pop.variable @part : tensor<3xf16> = dense<0.0> : tensor<3xf16> {sharding = #pop.replica_groups<stride = 1, size = 2>}

// CHECK-LABEL: func.func @origins(
func.func @origins(%t: tensor<2x2xf32>) {
  // CHECK: pop.get_variable @w : !pop.ref<2x2xf32>{{$}}
  %w = pop.get_variable @w : !pop.ref<2x2xf32>
  // CHECK: pop.get_variable @part : !pop.ref<2xf16>{{$}}
  %p = pop.get_variable @part : !pop.ref<2xf16>
  // CHECK: pop.alloc zero : !pop.ref<2x0xui8>{{$}}
  %z = pop.alloc zero : !pop.ref<2x0xui8>
  // CHECK: pop.alloc undef : !pop.ref<f8E4M3FN>{{$}}
  %u = pop.alloc undef : !pop.ref<f8E4M3FN>
  // CHECK: pop.from_tensor %{{.*}} : tensor<2x2xf32>{{$}}
  %r = pop.from_tensor %t : tensor<2x2xf32>
  // CHECK: pop.read %{{.*}} : !pop.ref<2x2xf32>{{$}}
  %now = pop.read %r : !pop.ref<2x2xf32>
  return
}

// CHECK-LABEL: func.func @views(
func.func @views(%a: !pop.ref<2x6xf32>, %b: !pop.ref<2x3xi1>, %c: !pop.ref<f32>) {
  // CHECK: pop.ref_reshape %{{.*}} : !pop.ref<2x6xf32> to !pop.ref<3x4xf32>{{$}}
  %0 = pop.ref_reshape %a : !pop.ref<2x6xf32> to !pop.ref<3x4xf32>
  // CHECK: pop.ref_transpose %{{.*}} {permutation = array<i64: 1, 0>} : !pop.ref<2x3xi1> -> !pop.ref<3x2xi1>{{$}}
  %1 = pop.ref_transpose %b {permutation = array<i64: 1, 0>} : !pop.ref<2x3xi1> -> !pop.ref<3x2xi1>
  // CHECK: pop.ref_slice %{{.*}} {sizes = array<i64: 1, 3>, starts = array<i64: 1, 5>, steps = array<i64: 1, -2>} : !pop.ref<2x6xf32> -> !pop.ref<1x3xf32>{{$}}
  %2 = pop.ref_slice %a {sizes = array<i64: 1, 3>, starts = array<i64: 1, 5>, steps = array<i64: 1, -2>} : !pop.ref<2x6xf32> -> !pop.ref<1x3xf32>
  // CHECK: pop.ref_reshape %{{.*}} : !pop.ref<f32> to !pop.ref<1x1xf32>{{$}}
  %3 = pop.ref_reshape %c : !pop.ref<f32> to !pop.ref<1x1xf32>
  // CHECK: pop.ref_row %{{[^ ]*}}[1] : !pop.ref<2x6xf32> -> !pop.ref<6xf32>{{$}}
  %4 = pop.ref_row %a[1] : !pop.ref<2x6xf32> -> !pop.ref<6xf32>
  // CHECK: pop.ref_row %{{[^ ]*}}[0, 2] : !pop.ref<2x3xi1> -> !pop.ref<i1>{{$}}
  %5 = pop.ref_row %b[0, 2] : !pop.ref<2x3xi1> -> !pop.ref<i1>
  return
}
