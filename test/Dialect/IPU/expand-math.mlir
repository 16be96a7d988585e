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
  // expected-error @+1 {{is unsupported for 'f64': it has no expansion}}
  %1 = math.exp %0 : f64
  memref.store %1, %x[] : !double
}

// -----

!double = memref<f64, strided<[], offset: ?>>

// The logarithm of f64 is as exact as f64, so that others can be made of it.
// CHECK-LABEL: ipu.codelet @log_of_double
// CHECK-NOT: arith.truncf
// CHECK-NOT: math.log
ipu.codelet @log_of_double(%x : !double) inputs 0 cost <vector, supervisor = 0, worker = 1, per = 1> {
  %0 = memref.load %x[] : !double
  %1 = math.log %0 : f64
  memref.store %1, %x[] : !double
}
