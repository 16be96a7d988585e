// RUN: not ipu-opt %s --fuse-to-loops=loops=cloog 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: not ipu-opt %s --fuse-to-loops=layout=infer 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: not ipu-opt %s --fuse-pipeline=layout=infer 2>&1 | FileCheck %s --check-prefix=LAYOUT

// LOOPS: error: option 'loops' expects affine or scf but got 'cloog'
// LAYOUT: error: option 'layout' expects dynamic or identity but got 'infer'
func.func @f() {
  return
}
