// A pipeline with passes on modules is refused where it is nested under
// another op, with a diagnostic that names both.

// RUN: not ipu-opt %s --pass-pipeline='builtin.module(func.func(pop-to-ipu-pipeline))' 2>&1 | FileCheck %s -DNAME=pop-to-ipu-pipeline
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-pipeline))' 2>&1 | FileCheck %s -DNAME=fuse-pipeline
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(func.func(sdy-import-pipeline))' 2>&1 | FileCheck %s -DNAME=sdy-import-pipeline
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(func.func(sdy-export-pipeline))' 2>&1 | FileCheck %s -DNAME=sdy-export-pipeline
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(func.func(sdy-propagation-pipeline))' 2>&1 | FileCheck %s -DNAME=sdy-propagation-pipeline
// RUN: not ipu-run %s --pass-pipeline='func.func(pop-to-ipu-pipeline)' 2>&1 | FileCheck %s -DNAME=pop-to-ipu-pipeline

// CHECK: error: {{.*}}'[[NAME]]' expects to run on 'builtin.module' but got 'func.func'
// CHECK-NOT: Stack dump

// There is no other pipeline.

// RUN: ipu-opt --help | grep -oE '^ +--(fuse|ipu|pop|sdy|stablehlo)(-[a-z-]+)?-pipeline ' | FileCheck %s --check-prefix=ALL
// ALL: --fuse-pipeline
// ALL-NEXT: --pop-graph-pipeline
// ALL-NEXT: --pop-to-ipu-pipeline
// ALL-NEXT: --sdy-export-pipeline
// ALL-NEXT: --sdy-import-pipeline
// ALL-NEXT: --sdy-propagation-pipeline
// ALL-NOT: {{[a-z]}}

// A module in a module, and whatever op it is that a tool reads, are fine.

// RUN: ipu-opt %s --pass-pipeline='builtin.module(builtin.module(fuse-pipeline))' | FileCheck %s --check-prefix=FINE
// RUN: ipu-opt %s --pass-pipeline='any(fuse-pipeline)' | FileCheck %s --check-prefix=FINE
// FINE: func.func @main

func.func @main() {
  return
}
