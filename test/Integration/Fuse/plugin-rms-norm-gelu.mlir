// RMS normalisation and GELU: a sum over the row, then all else in one loop over it.

// UNSUPPORTED: asan
// RUN: %mlir_opt %examples/rms-norm-gelu.mlir %load_plugin --pass-pipeline='builtin.module(func.func(fuse-form,fuse-inline-most,fuse-to-loops))' > %t.loops
// RUN: FileCheck %s < %t.loops
// RUN: %mlir_opt %t.loops --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.fused
// RUN: %compare rms_norm_gelu %t.fused
// RUN: %mlir_opt %examples/rms-norm-gelu.mlir --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.unfused
// RUN: %compare %t.unfused %t.fused
// RUN: %mlir_opt %examples/rms-norm-gelu.mlir %load_plugin --pass-pipeline='builtin.module(fuse-pipeline,%to_llvm)' | %run_main > %t.pipeline
// RUN: %compare rms_norm_gelu %t.pipeline

// CHECK-LABEL: func.func @rms_norm_gelu
// CHECK: affine.for %{{.*}} = 0 to 6 {
// CHECK: affine.for %{{.*}} = 0 to 48
// CHECK: affine.for %{{.*}} = 0 to 48
// CHECK-NOT: affine.for
// CHECK: return
