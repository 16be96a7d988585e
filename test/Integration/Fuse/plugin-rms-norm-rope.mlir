// RMS normalisation and rotary embedding: one nest of rows. What is normalised is
// a row, of which halves of heads are read in place; results go where they are
// joined. No other memory, no copy.

// UNSUPPORTED: asan
// RUN: %mlir_opt %examples/rms-norm-rope.mlir %load_plugin --pass-pipeline='builtin.module(func.func(fuse-form,fuse-inline-most,fuse-to-loops))' > %t.loops
// RUN: FileCheck %s --input-file %t.loops
// RUN: %mlir_opt %t.loops --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.fused
// RUN: %compare rms_norm_rope %t.fused
// RUN: %mlir_opt %examples/rms-norm-rope.mlir --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.unfused
// RUN: %compare %t.unfused %t.fused
// RUN: %mlir_opt %examples/rms-norm-rope.mlir %load_plugin --pass-pipeline='builtin.module(fuse-pipeline)' | FileCheck %s --check-prefix=PIPELINE
// RUN: %mlir_opt %examples/rms-norm-rope.mlir %load_plugin --pass-pipeline='builtin.module(fuse-pipeline,%to_llvm)' | %run_main > %t.pipeline
// RUN: %compare %t.unfused %t.pipeline

// CHECK-LABEL: func.func @rms_norm_rope
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<96xf32>
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<12x4x24xf32>
// CHECK-NOT: memref.alloc
// CHECK: affine.for %{{.*}} = 0 to 12 {
// CHECK-COUNT-2: affine.for %{{.*}} = 0 to 96
// CHECK-COUNT-2: affine.for %{{.*}} = 0 to 4 {
// CHECK-NOT: tensor.insert_slice
// CHECK: return

// PIPELINE-LABEL: func.func @rms_norm_rope
// PIPELINE: memref.alloc() {{.*}} : memref<12x4x24xf32>
// PIPELINE-NOT: memref.alloc()
// PIPELINE-NOT: memref.copy
// PIPELINE: return
