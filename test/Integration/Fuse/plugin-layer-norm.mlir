// Layer normalisation: one loop over rows.

// UNSUPPORTED: asan
// RUN: %mlir_opt %examples/layer-norm.mlir %load_plugin --pass-pipeline='builtin.module(func.func(fuse-form,fuse-inline-most,fuse-to-loops))' > %t.loops
// RUN: FileCheck %s < %t.loops
// RUN: %mlir_opt %t.loops --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.fused
// RUN: %compare layer_norm %t.fused
// RUN: %mlir_opt %examples/layer-norm.mlir --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.unfused
// RUN: %compare %t.unfused %t.fused
// RUN: %mlir_opt %examples/layer-norm.mlir %load_plugin --pass-pipeline='builtin.module(fuse-pipeline,%to_llvm)' | %run_main > %t.pipeline
// RUN: %compare layer_norm %t.pipeline

// CHECK-LABEL: func.func @layer_norm
// CHECK: affine.for %{{.*}} = 0 to 9 {
// CHECK-NOT: 0 to 9
// CHECK: return
