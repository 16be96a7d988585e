// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(ipu.codelet(ipu-expand-math))' | FileCheck %s

!scalar = memref<f32, strided<[], offset: ?>>

// All approximations end in arithmetic; what IEEE 754 defines stays.
// CHECK-LABEL: ipu.codelet @functions
// CHECK-NOT: math.{{(exp|log|tanh|erf|sin|cos|powf|rsqrt)}}
// CHECK: math.sqrt
// CHECK: math.floor
// CHECK-NOT: math.{{(exp|log|tanh|erf|sin|cos|powf|rsqrt)}}
ipu.codelet @functions(%x : !scalar) inputs 0 cost <vector, supervisor = 0, worker = 1, per = 1> {
  %0 = memref.load %x[] : !scalar
  %1 = math.sqrt %0 : f32
  %2 = math.floor %1 : f32
  %3 = math.exp %2 : f32
  %4 = math.log %3 : f32
  %5 = math.tanh %4 : f32
  %6 = math.erf %5 : f32
  %7 = math.sin %6 : f32
  %8 = math.cos %7 : f32
  %9 = math.powf %8, %3 : f32
  memref.store %9, %x[] : !scalar
}

// -----

!scalar = memref<f32, strided<[], offset: ?>>
!double = memref<f64, strided<[], offset: ?>>

// Functions of functions are expanded as well, in f32 and f64.
// CHECK-LABEL: ipu.codelet @composed_functions
// CHECK-NOT: math.{{(exp|expm1|log|log1p|sinh|cosh|asinh|acosh|atanh|asin|acos|atan|atan2)}}
// CHECK: memref.store
// CHECK-NOT: math.{{(exp|expm1|log|log1p|sinh|cosh|asinh|acosh|atanh|asin|acos|atan|atan2)}}
// CHECK: memref.store
ipu.codelet @composed_functions(%x : !scalar, %d : !double) inputs 0 cost <vector, supervisor = 0, worker = 1, per = 1> {
  %0 = memref.load %x[] : !scalar
  %1 = math.expm1 %0 : f32
  %2 = math.log1p %1 : f32
  %3 = math.sinh %2 : f32
  %4 = math.cosh %3 : f32
  %5 = math.asinh %4 : f32
  %6 = math.acosh %5 : f32
  %7 = math.atanh %6 : f32
  %asin = math.asin %7 : f32
  %acos = math.acos %asin : f32
  %atan = math.atan %acos : f32
  %atan2 = math.atan2 %atan, %7 : f32
  memref.store %atan2, %x[] : !scalar
  %8 = memref.load %d[] : !double
  %9 = math.expm1 %8 : f64
  %10 = math.log1p %9 : f64
  %11 = math.sinh %10 : f64
  %12 = math.cosh %11 : f64
  %13 = math.asinh %12 : f64
  %14 = math.acosh %13 : f64
  %15 = math.atanh %14 : f64
  %asin_d = math.asin %15 : f64
  %acos_d = math.acos %asin_d : f64
  %atan_d = math.atan %acos_d : f64
  %atan2_d = math.atan2 %atan_d, %15 : f64
  memref.store %atan2_d, %d[] : !double
}

// -----

!scalar = memref<f32, strided<[], offset: ?>>

// Rounding stays in all types: x + 0.5 need not be exact.
// CHECK-LABEL: ipu.codelet @round
// CHECK: math.round %{{.*}} : f32
// CHECK: math.round %{{.*}} : f16
ipu.codelet @round(%x : !scalar) inputs 0 cost <vector, supervisor = 0, worker = 1, per = 1> {
  %0 = memref.load %x[] : !scalar
  %1 = math.round %0 : f32
  %2 = arith.truncf %1 : f32 to f16
  %3 = math.round %2 : f16
  %4 = arith.extf %3 : f16 to f32
  memref.store %4, %x[] : !scalar
}

// -----

!double = memref<f64, strided<[], offset: ?>>

ipu.codelet @double(%x : !double) inputs 0 cost <vector, supervisor = 0, worker = 1, per = 1> {
  %0 = memref.load %x[] : !double
  // expected-error @+1 {{is unsupported for 'f64': the op has no expansion}}
  %1 = math.cbrt %0 : f64
  memref.store %1, %x[] : !double
}

// -----

!double = memref<f64, strided<[], offset: ?>>

// Functions of f64 end in arithmetic on f64 and integers.
// CHECK-LABEL: ipu.codelet @functions_of_double
// CHECK-NOT: math.{{(exp|log|tanh|erf|sin|cos|powf|rsqrt)}}
// CHECK-NOT: f32
// CHECK: math.sqrt %{{.*}} : f64
// CHECK-NOT: math.{{(exp|log|tanh|erf|sin|cos|powf|rsqrt)}}
// CHECK-NOT: f32
// CHECK: memref.store
ipu.codelet @functions_of_double(%x : !double) inputs 0 cost <vector, supervisor = 0, worker = 1, per = 1> {
  %0 = memref.load %x[] : !double
  %1 = math.exp %0 : f64
  %2 = math.log %1 : f64
  %3 = math.tanh %2 : f64
  %4 = math.erf %3 : f64
  %5 = math.sin %4 : f64
  %6 = math.cos %5 : f64
  %7 = math.powf %6, %0 : f64
  %8 = math.rsqrt %7 : f64
  memref.store %8, %x[] : !double
}
