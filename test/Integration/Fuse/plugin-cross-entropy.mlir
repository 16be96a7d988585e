// Cross-entropy: a maximum over the row, then both sums at once, and the mean over
// rows in the same loop.

// UNSUPPORTED: asan
// RUN: %mlir_opt %examples/cross-entropy.mlir %load_plugin --pass-pipeline='builtin.module(func.func(fuse-form,fuse-inline-most,fuse-to-loops))' > %t.loops
// RUN: FileCheck %s < %t.loops
// RUN: %mlir_opt %t.loops --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.fused
// RUN: %compare cross_entropy %t.fused
// RUN: %mlir_opt %examples/cross-entropy.mlir --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.unfused
// RUN: %compare %t.unfused %t.fused
// RUN: %mlir_opt %examples/cross-entropy.mlir %load_plugin --pass-pipeline='builtin.module(fuse-pipeline,%to_llvm)' | %run_main > %t.pipeline
// RUN: %compare cross_entropy %t.pipeline

// CHECK-LABEL: func.func @cross_entropy
// CHECK: affine.for %{{.*}} = 0 to 12 iter_args
// CHECK: affine.for %{{.*}} = 0 to 21
// CHECK: affine.for %{{.*}} = 0 to 21
// CHECK-NOT: affine.for
// CHECK: return
