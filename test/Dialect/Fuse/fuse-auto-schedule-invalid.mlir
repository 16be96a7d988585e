// RUN: not ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-auto-schedule{vector-width=12}))' 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-auto-schedule{vector-width=128}))' 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(fuse-pipeline{reduction-order=fast})' 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(fuse-pipeline{cache-bytes=-1})' 2>&1 | FileCheck %s --check-prefix=CACHE

// WIDTH: error: expects 'vector-width' to be a power of two up to 64 but got 12
// WIDE: error: expects 'vector-width' to be a power of two up to 64 but got 128
// CACHE: error: expects 'cache-bytes' to be 0 or more but got -1
// ORDER: error: expects 'reduction-order' to be serial or blocked but got 'fast'
func.func @f() {
  return
}
