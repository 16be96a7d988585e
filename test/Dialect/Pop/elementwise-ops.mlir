// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK-LABEL: func @unary_ops_of_numbers
func.func @unary_ops_of_numbers(%f: tensor<2x3xf32>, %i: tensor<2x3xui8>) {
  // CHECK: pop.abs %{{.*}} : tensor<2x3xf32>
  %0 = pop.abs %f : tensor<2x3xf32>
  // CHECK: pop.neg %{{.*}} : tensor<2x3xf32>
  %1 = pop.neg %f : tensor<2x3xf32>
  // CHECK: pop.sign %{{.*}} : tensor<2x3xf32>
  %2 = pop.sign %f : tensor<2x3xf32>
  // CHECK: pop.relu %{{.*}} : tensor<2x3xf32>
  %3 = pop.relu %f : tensor<2x3xf32>
  // CHECK: pop.abs %{{.*}} : tensor<2x3xui8>
  %4 = pop.abs %i : tensor<2x3xui8>
  return
}

// CHECK-LABEL: func @unary_ops_of_floats
func.func @unary_ops_of_floats(%x: tensor<2x3xf32>, %s: tensor<f64>) {
  // CHECK: pop.exp %{{.*}} : tensor<2x3xf32>
  %0 = pop.exp %x : tensor<2x3xf32>
  // CHECK: pop.log %{{.*}} : tensor<2x3xf32>
  %1 = pop.log %x : tensor<2x3xf32>
  // CHECK: pop.sqrt %{{.*}} : tensor<2x3xf32>
  %2 = pop.sqrt %x : tensor<2x3xf32>
  // CHECK: pop.rsqrt %{{.*}} : tensor<2x3xf32>
  %3 = pop.rsqrt %x : tensor<2x3xf32>
  // CHECK: pop.reciprocal %{{.*}} : tensor<2x3xf32>
  %4 = pop.reciprocal %x : tensor<2x3xf32>
  // CHECK: pop.tanh %{{.*}} : tensor<2x3xf32>
  %5 = pop.tanh %x : tensor<2x3xf32>
  // CHECK: pop.sigmoid %{{.*}} : tensor<2x3xf32>
  %6 = pop.sigmoid %x : tensor<2x3xf32>
  // CHECK: pop.erf %{{.*}} : tensor<2x3xf32>
  %7 = pop.erf %x : tensor<2x3xf32>
  // CHECK: pop.sin %{{.*}} : tensor<2x3xf32>
  %8 = pop.sin %x : tensor<2x3xf32>
  // CHECK: pop.cos %{{.*}} : tensor<2x3xf32>
  %9 = pop.cos %x : tensor<2x3xf32>
  // CHECK: pop.floor %{{.*}} : tensor<2x3xf32>
  %10 = pop.floor %x : tensor<2x3xf32>
  // CHECK: pop.ceil %{{.*}} : tensor<2x3xf32>
  %11 = pop.ceil %x : tensor<2x3xf32>
  // CHECK: pop.round %{{.*}} : tensor<f64>
  %12 = pop.round %s : tensor<f64>
  return
}

// CHECK-LABEL: func @composed_functions
func.func @composed_functions(%x: tensor<2x3xf32>, %h: tensor<3xf16>) {
  // CHECK: pop.expm1 %{{.*}} : tensor<2x3xf32>
  %0 = pop.expm1 %x : tensor<2x3xf32>
  // CHECK: pop.log1p %{{.*}} : tensor<2x3xf32>
  %1 = pop.log1p %x : tensor<2x3xf32>
  // CHECK: pop.gaussian %{{.*}} : tensor<2x3xf32>
  %2 = pop.gaussian %x : tensor<2x3xf32>
  // CHECK: pop.sinh %{{.*}} : tensor<2x3xf32>
  %3 = pop.sinh %x : tensor<2x3xf32>
  // CHECK: pop.cosh %{{.*}} : tensor<2x3xf32>
  %4 = pop.cosh %x : tensor<2x3xf32>
  // CHECK: pop.asinh %{{.*}} : tensor<2x3xf32>
  %5 = pop.asinh %x : tensor<2x3xf32>
  // CHECK: pop.acosh %{{.*}} : tensor<2x3xf32>
  %6 = pop.acosh %x : tensor<2x3xf32>
  // CHECK: pop.atanh %{{.*}} : tensor<2x3xf32>
  %7 = pop.atanh %x : tensor<2x3xf32>
  // CHECK: pop.asin %{{.*}} : tensor<2x3xf32>
  %asin = pop.asin %x : tensor<2x3xf32>
  // CHECK: pop.acos %{{.*}} : tensor<2x3xf32>
  %acos = pop.acos %x : tensor<2x3xf32>
  // CHECK: pop.atan %{{.*}} : tensor<2x3xf32>
  %atan = pop.atan %x : tensor<2x3xf32>
  // CHECK: pop.gelu %{{.*}} : tensor<2x3xf32>
  %8 = pop.gelu %x : tensor<2x3xf32>
  // CHECK: pop.gelu %{{.*}} {approximate} : tensor<3xf16>
  %9 = pop.gelu %h {approximate} : tensor<3xf16>
  // CHECK: pop.gelu_slope %{{.*}} : tensor<2x3xf32>
  %10 = pop.gelu_slope %x : tensor<2x3xf32>
  // CHECK: pop.gelu_slope %{{.*}} {approximate} : tensor<3xf16>
  %11 = pop.gelu_slope %h {approximate} : tensor<3xf16>
  return
}

// CHECK-LABEL: func @predicates_and_complement
func.func @predicates_and_complement(%x: tensor<2x3xf32>, %b: tensor<2x3xi1>) {
  // CHECK: pop.is_nan %{{.*}} : tensor<2x3xf32>
  %0 = pop.is_nan %x : tensor<2x3xf32>
  // CHECK: pop.is_inf %{{.*}} : tensor<2x3xf32>
  %1 = pop.is_inf %x : tensor<2x3xf32>
  // CHECK: pop.not %{{.*}} : tensor<2x3xi1>
  %2 = pop.not %0 : tensor<2x3xi1>
  return
}

// CHECK-LABEL: func @binary_ops
func.func @binary_ops(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2x3xf32>) {
  // CHECK: pop.add %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = pop.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: pop.sub %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = pop.sub %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: pop.mul %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %2 = pop.mul %a, %c : tensor<2x3xf32>
  // CHECK: pop.div %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %3 = pop.div %a, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: pop.rem %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %4 = pop.rem %a, %c : tensor<2x3xf32>
  // CHECK: pop.pow %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %5 = pop.pow %a, %c : tensor<2x3xf32>
  // CHECK: pop.atan2 %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %atan2 = pop.atan2 %a, %c : tensor<2x3xf32>
  // CHECK: pop.max %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %6 = pop.max %a, %c : tensor<2x3xf32>
  // CHECK: pop.min %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %7 = pop.min %a, %c : tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @bitwise_ops
func.func @bitwise_ops(%a: tensor<2x3xi32>, %b: tensor<3xi32>, %c: tensor<2x3xi1>) {
  // CHECK: pop.and %{{.*}}, %{{.*}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %0 = pop.and %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: pop.or %{{.*}}, %{{.*}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %1 = pop.or %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: pop.xor %{{.*}}, %{{.*}} : tensor<2x3xi1>
  %2 = pop.xor %c, %c : tensor<2x3xi1>
  return
}

// CHECK-LABEL: func @comparisons
func.func @comparisons(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2x3xi1>) {
  // CHECK: pop.equal %{{.*}}, %{{.*}} : tensor<2x3xi1>
  %0 = pop.equal %c, %c : tensor<2x3xi1>
  // CHECK: pop.not_equal %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %1 = pop.not_equal %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: pop.less %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %2 = pop.less %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: pop.less_equal %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %3 = pop.less_equal %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: pop.greater %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %4 = pop.greater %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: pop.greater_equal %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %5 = pop.greater_equal %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: func @select_and_cast
func.func @select_and_cast(%c: tensor<3xi1>, %a: tensor<2x3xf32>, %b: tensor<f32>) {
  // CHECK: pop.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi1>, tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
  %0 = pop.select %c, %a, %b : tensor<3xi1>, tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
  // CHECK: pop.cast %{{.*}} : tensor<2x3xf32> to tensor<2x3xf16>
  %1 = pop.cast %a : tensor<2x3xf32> to tensor<2x3xf16>
  return
}

// CHECK-LABEL: func @element_types
func.func @element_types(%x: tensor<2xf32>) {
  // CHECK: tensor<2xbf16>
  %0 = pop.cast %x : tensor<2xf32> to tensor<2xbf16>
  // CHECK: tensor<2xf64>
  %1 = pop.cast %x : tensor<2xf32> to tensor<2xf64>
  // CHECK: tensor<2xf8E4M3FN>
  %2 = pop.cast %x : tensor<2xf32> to tensor<2xf8E4M3FN>
  // CHECK: tensor<2xf8E4M3FNUZ>
  %3 = pop.cast %x : tensor<2xf32> to tensor<2xf8E4M3FNUZ>
  // CHECK: tensor<2xf8E5M2>
  %4 = pop.cast %x : tensor<2xf32> to tensor<2xf8E5M2>
  // CHECK: tensor<2xf8E5M2FNUZ>
  %5 = pop.cast %x : tensor<2xf32> to tensor<2xf8E5M2FNUZ>
  // CHECK: tensor<2xi1>
  %6 = pop.cast %x : tensor<2xf32> to tensor<2xi1>
  // CHECK: tensor<2xi64>
  %7 = pop.cast %x : tensor<2xf32> to tensor<2xi64>
  // CHECK: tensor<2xui16>
  %8 = pop.cast %x : tensor<2xf32> to tensor<2xui16>
  return
}

// Zero-sized and 0-d tensors are values like others.
// CHECK-LABEL: func @shapes_at_the_edge
func.func @shapes_at_the_edge(%a: tensor<0x3xf32>, %b: tensor<f32>, %c: tensor<1x1xf32>) {
  // CHECK: pop.add %{{.*}}, %{{.*}} : (tensor<0x3xf32>, tensor<f32>) -> tensor<0x3xf32>
  %0 = pop.add %a, %b : (tensor<0x3xf32>, tensor<f32>) -> tensor<0x3xf32>
  // CHECK: pop.add %{{.*}}, %{{.*}} : (tensor<0x3xf32>, tensor<1x1xf32>) -> tensor<0x3xf32>
  %1 = pop.add %a, %c : (tensor<0x3xf32>, tensor<1x1xf32>) -> tensor<0x3xf32>
  // CHECK: pop.add %{{.*}}, %{{.*}} : tensor<f32>
  %2 = pop.add %b, %b : tensor<f32>
  return
}

// CHECK-LABEL: func @sum
func.func @sum(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<f32>, %i: tensor<2xui8>) {
  // CHECK: pop.sum %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %0 = pop.sum %a, %b, %c : (tensor<2x3xf32>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // CHECK: pop.sum %{{.*}} : (tensor<2xui8>) -> tensor<2xui8>
  %1 = pop.sum %i : (tensor<2xui8>) -> tensor<2xui8>
  return
}

// CHECK-LABEL: func @shifts
func.func @shifts(%a: tensor<2x3xi32>, %b: tensor<3xi32>, %c: tensor<2x3xui8>) {
  // CHECK: pop.shift_left %{{.*}}, %{{.*}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %0 = pop.shift_left %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: pop.shift_right_logical %{{.*}}, %{{.*}} : tensor<2x3xui8>
  %1 = pop.shift_right_logical %c, %c : tensor<2x3xui8>
  // CHECK: pop.shift_right_arithmetic %{{.*}}, %{{.*}} : tensor<2x3xui8>
  %2 = pop.shift_right_arithmetic %c, %c : tensor<2x3xui8>
  return
}
