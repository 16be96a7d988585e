// The script of examples/fusion in Debian's own mlir-opt, executed and compared;
// and the plugin in a program that has the same ops already.

// UNSUPPORTED: asan
// DEFINE: %{script} = transform-preload-library{transform-library-paths=%examples/matmul-tiles.schedule.mlir},transform-interpreter
// RUN: %mlir_opt %examples/matmul-tiles.mlir %load_plugin --pass-pipeline='builtin.module(%{script})' > %t.loops
// RUN: FileCheck %s < %t.loops
// RUN: %mlir_opt %t.loops --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.fused
// RUN: %compare matmul %t.fused
// RUN: ipu-opt %examples/matmul-tiles.mlir --pass-pipeline='builtin.module(%{script})' > %t.ours
// RUN: cmp %t.ours %t.loops
// RUN: ipu-opt %examples/matmul-tiles.mlir %load_plugin --pass-pipeline='builtin.module(%{script})' > %t.both
// RUN: cmp %t.both %t.loops

// An error of a script, as plain mlir-opt prints it.
// RUN: sed 's/%a, %c, 3/%a, %c, 7/' %examples/matmul-tiles.schedule.mlir > %t.wrong.mlir
// RUN: not %mlir_opt %examples/matmul-tiles.mlir %load_plugin --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%t.wrong.mlir},transform-interpreter)' 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK-LABEL: func.func @matmul
// CHECK-DAG: memref.alloca() {{.*}} : memref<16x32xf32>
// CHECK-DAG: memref.alloca() {{.*}} : memref<16x8xf32>
// CHECK-DAG: memref.alloca() {{.*}} : memref<32x8xf32>
// CHECK: affine.for %{{.*}} = 0 to 3
// CHECK: affine.for
// CHECK: affine.for %{{.*}} = 0 to 5
// CHECK: return

// WRONG: wrong.mlir:{{[0-9]+}}:5: error: position 7 of 'C' is out of range: expected -7 to 6 for the loops C[i0o, i1o, r:i2o, i0i, i1i, r:i2i]
// WRONG: matmul-tiles.mlir:{{[0-9]+}}:13: note: target op
