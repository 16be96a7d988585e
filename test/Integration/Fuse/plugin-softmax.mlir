// Softmax as one op: decomposed, one loop over rows with a buffer for one row.

// UNSUPPORTED: asan
// RUN: %mlir_opt %examples/softmax.mlir %load_plugin --pass-pipeline='builtin.module(func.func(fuse-form,fuse-inline-most,fuse-to-loops))' > %t.loops
// RUN: FileCheck %s < %t.loops
// RUN: %mlir_opt %t.loops --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.fused
// RUN: %compare softmax %t.fused
// RUN: %mlir_opt %examples/softmax-written-out.mlir --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.unfused
// RUN: %compare %t.unfused %t.fused
// RUN: %mlir_opt %examples/softmax.mlir %load_plugin --pass-pipeline='builtin.module(fuse-pipeline,%to_llvm)' | %run_main > %t.pipeline
// RUN: %compare softmax %t.pipeline

// CHECK-LABEL: func.func @softmax
// CHECK: affine.for %{{.*}} = 0 to 7 {
// CHECK-NOT: 0 to 7
// CHECK: return
