// A product in tiles of 16 x 32 x 8, which do not divide its 72 columns, with
// copies of the operands' tiles, and the product's tile kept for what follows.

// UNSUPPORTED: asan
// DEFINE: %{schedule} = fuse-form,\
// DEFINE:   fuse-split{tensor=D axis=0 factor=16},\
// DEFINE:   fuse-split{tensor=D axis=2 factor=32},\
// DEFINE:   fuse-reorder{tensor=D order=0,2,1,3},\
// DEFINE:   fuse-compute-at{producer=C consumer=D position=2},\
// DEFINE:   fuse-split{tensor=C axis=4 factor=8},\
// DEFINE:   fuse-reorder{tensor=C order=0,1,4,2,3,5},\
// DEFINE:   fuse-compute-at{producer=A consumer=C position=3},\
// DEFINE:   fuse-compute-at{producer=B consumer=C position=3}

// The passes are for the one function that they are about.
// RUN: sed '/@left() ->/,$d' %examples/matmul-tiles.mlir > %t.kernel.mlir
// RUN: sed -n '/@left() ->/,$p' %examples/matmul-tiles.mlir > %t.rest.mlir
// RUN: %mlir_opt %t.kernel.mlir %load_plugin -o /dev/null --pass-pipeline='builtin.module(func.func(%{schedule},fuse-print-schedule))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: %mlir_opt %t.kernel.mlir %load_plugin --pass-pipeline='builtin.module(func.func(%{schedule},fuse-to-loops))' --mlir-print-local-scope > %t.module
// RUN: FileCheck %s < %t.module
// RUN: sed "s|^module {||; s|^}||" %t.module > %t.loops
// RUN: cat %t.loops %t.rest.mlir | %mlir_opt --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.fused
// RUN: %compare matmul %t.fused
// RUN: %mlir_opt %examples/matmul-tiles.mlir --pass-pipeline='builtin.module(%to_llvm)' | %run_main > %t.unfused
// RUN: %compare %t.unfused %t.fused

// SCHEDULE: A [i0o, i1o, i0i, i1i] @2/0
// SCHEDULE: B [i1o, i0o, i1i, i0i] @2/0
// SCHEDULE: C [i0o, i1o, r:i2o, i0i, i1i, r:i2i] @2/3
// SCHEDULE: D [i0o, i1o, i0i, i1i] @0/2

// A tile of the product, then for each step along the reduction the tiles of
// both operands.
// CHECK-LABEL: func.func @matmul
// CHECK-DAG: memref.alloca() {{.*}} : memref<16x32xf32>
// CHECK-DAG: memref.alloca() {{.*}} : memref<16x8xf32>
// CHECK-DAG: memref.alloca() {{.*}} : memref<32x8xf32>
// CHECK: affine.for %{{.*}} = 0 to 3
// CHECK: affine.for
// CHECK: affine.for %{{.*}} = 0 to 5
// CHECK: return
