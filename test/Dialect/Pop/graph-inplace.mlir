// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK-LABEL: func.func @copy(
func.func @copy(%r: !pop.ref<2x3xf32>, %t: tensor<2x3xf32>) {
  // CHECK: pop.copy_ %{{.*}}, %{{.*}} : !pop.ref<2x3xf32>, tensor<2x3xf32>{{$}}
  pop.copy_ %r, %t : !pop.ref<2x3xf32>, tensor<2x3xf32>
  // CHECK: pop.zero_ %{{.*}} : !pop.ref<2x3xf32>{{$}}
  pop.zero_ %r : !pop.ref<2x3xf32>
  return
}

// CHECK-LABEL: func.func @unary(
func.func @unary(%r: !pop.ref<2x3xf32>, %n: !pop.ref<2xi8>) {
  // CHECK: pop.abs_ %{{.*}} : !pop.ref<2xi8>{{$}}
  pop.abs_ %n : !pop.ref<2xi8>
  // CHECK: pop.neg_ %{{.*}} : !pop.ref<2xi8>{{$}}
  pop.neg_ %n : !pop.ref<2xi8>
  // CHECK: pop.relu_ %{{.*}} : !pop.ref<2xi8>{{$}}
  pop.relu_ %n : !pop.ref<2xi8>
  // CHECK: pop.exp_ %{{.*}} : !pop.ref<2x3xf32>{{$}}
  pop.exp_ %r : !pop.ref<2x3xf32>
  // CHECK: pop.log_ %{{.*}} : !pop.ref<2x3xf32>{{$}}
  pop.log_ %r : !pop.ref<2x3xf32>
  // CHECK: pop.sqrt_ %{{.*}} : !pop.ref<2x3xf32>{{$}}
  pop.sqrt_ %r : !pop.ref<2x3xf32>
  // CHECK: pop.tanh_ %{{.*}} : !pop.ref<2x3xf32>{{$}}
  pop.tanh_ %r : !pop.ref<2x3xf32>
  // CHECK: pop.sigmoid_ %{{.*}} : !pop.ref<2x3xf32>{{$}}
  pop.sigmoid_ %r : !pop.ref<2x3xf32>
  return
}

// CHECK-LABEL: func.func @binary(
func.func @binary(%r: !pop.ref<2x3xf32>, %row: tensor<3xf32>, %one: tensor<f32>, %n: !pop.ref<2xui8>, %m: tensor<2xui8>, %b: !pop.ref<2xi1>, %c: tensor<1xi1>) {
  // CHECK: pop.add_ %{{.*}}, %{{.*}} : !pop.ref<2x3xf32>, tensor<3xf32>{{$}}
  pop.add_ %r, %row : !pop.ref<2x3xf32>, tensor<3xf32>
  // CHECK: pop.sub_ %{{.*}}, %{{.*}} : !pop.ref<2x3xf32>, tensor<f32>{{$}}
  pop.sub_ %r, %one : !pop.ref<2x3xf32>, tensor<f32>
  // CHECK: pop.mul_ %{{.*}}, %{{.*}} : !pop.ref<2x3xf32>, tensor<f32>{{$}}
  pop.mul_ %r, %one : !pop.ref<2x3xf32>, tensor<f32>
  // CHECK: pop.div_ %{{.*}}, %{{.*}} : !pop.ref<2xui8>, tensor<2xui8>{{$}}
  pop.div_ %n, %m : !pop.ref<2xui8>, tensor<2xui8>
  // CHECK: pop.max_ %{{.*}}, %{{.*}} : !pop.ref<2xui8>, tensor<2xui8>{{$}}
  pop.max_ %n, %m : !pop.ref<2xui8>, tensor<2xui8>
  // CHECK: pop.min_ %{{.*}}, %{{.*}} : !pop.ref<2xui8>, tensor<2xui8>{{$}}
  pop.min_ %n, %m : !pop.ref<2xui8>, tensor<2xui8>
  // CHECK: pop.and_ %{{.*}}, %{{.*}} : !pop.ref<2xi1>, tensor<1xi1>{{$}}
  pop.and_ %b, %c : !pop.ref<2xi1>, tensor<1xi1>
  // CHECK: pop.or_ %{{.*}}, %{{.*}} : !pop.ref<2xui8>, tensor<2xui8>{{$}}
  pop.or_ %n, %m : !pop.ref<2xui8>, tensor<2xui8>
  return
}

// CHECK-LABEL: func.func @updates(
func.func @updates(%r: !pop.ref<2xf32>, %t: tensor<2xf32>, %h: tensor<2xf16>, %f: tensor<f32>, %g: tensor<f16>, %step: tensor<i32>) {
  // CHECK: pop.scaled_add_ %{{.*}}, %{{.*}} : !pop.ref<2xf32>, tensor<2xf32>{{$}}
  pop.scaled_add_ %r, %t : !pop.ref<2xf32>, tensor<2xf32>
  // CHECK: pop.scaled_add_ %{{.*}}, %{{.*}} {a = 5.000000e-01 : f64, b = -1.000000e+00 : f64} : !pop.ref<2xf32>, tensor<2xf32>{{$}}
  pop.scaled_add_ %r, %t {a = 0.5, b = -1.0} : !pop.ref<2xf32>, tensor<2xf32>
  // CHECK: pop.scaled_add_ %{{.*}}, %{{.*}} scale(%{{.*}}, %{{.*}} : tensor<f32>, tensor<f16>) : !pop.ref<2xf32>, tensor<f32>{{$}}
  pop.scaled_add_ %r, %f scale(%f, %g : tensor<f32>, tensor<f16>) : !pop.ref<2xf32>, tensor<f32>
  // CHECK: pop.accumulate_ add %{{.*}}, %{{.*}} {factor = 5.000000e-01 : f64} : !pop.ref<2xf32>, tensor<2xf16>{{$}}
  pop.accumulate_ add %r, %h {factor = 0.5 : f64} : !pop.ref<2xf32>, tensor<2xf16>
  // CHECK: pop.accumulate_ square %{{.*}}, %{{.*}} : !pop.ref<2xf32>, tensor<2xf32>{{$}}
  pop.accumulate_ square %r, %t : !pop.ref<2xf32>, tensor<2xf32>
  // CHECK: pop.accumulate_ mean %{{.*}}, %{{.*}} step(%{{.*}} : tensor<i32>) : !pop.ref<2xf32>, tensor<2xf32>{{$}}
  pop.accumulate_ mean %r, %t step(%step : tensor<i32>) : !pop.ref<2xf32>, tensor<2xf32>
  // CHECK: pop.accumulate_ moving_average %{{.*}}, %{{.*}} factor(%{{.*}} : tensor<f32>) : !pop.ref<2xf32>, tensor<2xf32>{{$}}
  pop.accumulate_ moving_average %r, %t factor(%f : tensor<f32>) : !pop.ref<2xf32>, tensor<2xf32>
  // CHECK: pop.accumulate_ moving_average_square %{{.*}}, %{{.*}} {factor = 5.000000e-01 : f64} : !pop.ref<2xf32>, tensor<2xf32>{{$}}
  pop.accumulate_ moving_average_square %r, %t {factor = 0.5 : f64} : !pop.ref<2xf32>, tensor<2xf32>
  // CHECK: pop.accumulate_ infinity %{{.*}}, %{{.*}} factor(%{{.*}} : tensor<f16>) : !pop.ref<2xf32>, tensor<2xf32>{{$}}
  pop.accumulate_ infinity %r, %t factor(%g : tensor<f16>) : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @boxes(
func.func @boxes(%r: !pop.ref<8x4xf32>, %u: tensor<2x4xf32>, %s: tensor<1xi32>) {
  // CHECK: pop.dynamic_update_ %{{.*}}, %{{.*}}[%{{.*}}] {axes = array<i64: 0>} : !pop.ref<8x4xf32>, tensor<2x4xf32>, tensor<1xi32>
  pop.dynamic_update_ %r, %u[%s] {axes = array<i64: 0>} : !pop.ref<8x4xf32>, tensor<2x4xf32>, tensor<1xi32>
  return
}
