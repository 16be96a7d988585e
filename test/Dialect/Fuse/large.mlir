// RUN: %python %S/Inputs/chain.py 10000 > %t.mlir
// RUN: ipu-opt %t.mlir --fuse-form --fuse-inline-most --fuse-verify \
// RUN:   --fuse-print-schedule -o /dev/null | FileCheck %s

// A chain of 10,000 ops, in which each reads one of the six before it as well,
// is one fusion. It is scheduled in less than a second; a cost per pair of ops
// would be seen.
// CHECK: v0 [i0, i1] @2/0
// CHECK-NEXT: v1 [i0, i1] @2/2
// CHECK: v9998 [i0, i1] @2/2
// CHECK-NEXT: v9999 [i0, i1] @{{[0-2]}}/2
