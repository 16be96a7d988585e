// UNSUPPORTED: asan
// RUN: not %mlir_opt %load_plugin --pass-pipeline='builtin.module(func.func(pop-to-ipu-pipeline))' %s 2>&1 | FileCheck %s -DNAME=pop-to-ipu-pipeline
// RUN: not %mlir_opt %load_plugin --pass-pipeline='builtin.module(func.func(fuse-pipeline))' %s 2>&1 | FileCheck %s -DNAME=fuse-pipeline
// RUN: not %mlir_opt %load_plugin --pass-pipeline='builtin.module(func.func(sdy-import-pipeline))' %s 2>&1 | FileCheck %s -DNAME=sdy-import-pipeline
// RUN: not %mlir_opt %load_plugin --pass-pipeline='builtin.module(func.func(sdy-export-pipeline))' %s 2>&1 | FileCheck %s -DNAME=sdy-export-pipeline
// RUN: not %mlir_opt %load_plugin --pass-pipeline='builtin.module(func.func(sdy-propagation-pipeline))' %s 2>&1 | FileCheck %s -DNAME=sdy-propagation-pipeline

// Neither does a nested pipeline end a host.

// CHECK: error: '[[NAME]]' expects to run on 'builtin.module' but got 'func.func'
// CHECK-NOT: Stack dump

func.func @main() {
  return
}
