// RUN: not ipu-opt %S/group-matmuls.mlir --pop-group-matmuls=max-group=1 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not ipu-opt %S/group-matmuls.mlir --pop-group-matmuls=max-bytes=-1 2>&1 | FileCheck %s --check-prefix=BYTES

// GROUP: error: 'pop-group-matmuls' expects option 'max-group' to be at least 2 but got 1
// BYTES: error: 'pop-group-matmuls' expects option 'max-bytes' to be at least 0 but got -1
