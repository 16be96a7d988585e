// Two reductions of one producer: all in one loop over rows and one over columns.

// UNSUPPORTED: asan
// RUN: %mlir_opt %examples/two-reductions.mlir %load_plugin --pass-pipeline='builtin.module(func.func(fuse-form,fuse-inline-most,fuse-to-loops))' > %t.loops
// RUN: FileCheck %s < %t.loops
// RUN: %mlir_opt %t.loops --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.fused
// RUN: %compare two_reductions %t.fused
// RUN: %mlir_opt %examples/two-reductions.mlir --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.unfused
// RUN: %compare %t.unfused %t.fused
// RUN: %mlir_opt %examples/two-reductions.mlir %load_plugin --pass-pipeline='builtin.module(fuse-pipeline,%to_llvm)' | %run_main > %t.pipeline
// RUN: %compare two_reductions %t.pipeline

// CHECK-LABEL: func.func @two_reductions
// CHECK: affine.for %{{.*}} = 0 to 8 {
// CHECK: affine.for %{{.*}} = 0 to 33
// CHECK: math.exp
// CHECK-NOT: affine.for
// CHECK: return
