// A pass that needs options names those that were not given.

// RUN: not ipu-opt %s --fuse-split=tensor=T 2>&1 | FileCheck %s -DPASS=fuse-split --check-prefix=AXIS-FACTOR
// RUN: not ipu-opt %s --fuse-split='tensor=T factor=4' 2>&1 | FileCheck %s -DPASS=fuse-split -DOPTION=axis
// RUN: not ipu-opt %s --fuse-split='tensor=T axis=0' 2>&1 | FileCheck %s -DPASS=fuse-split -DOPTION=factor
// RUN: not ipu-opt %s --fuse-split='axis=0 factor=4' 2>&1 | FileCheck %s -DPASS=fuse-split -DOPTION=tensor
// RUN: not ipu-opt %s --fuse-merge=tensor=T 2>&1 | FileCheck %s -DPASS=fuse-merge -DOPTION=axis
// RUN: not ipu-opt %s --fuse-merge=axis=0 2>&1 | FileCheck %s -DPASS=fuse-merge -DOPTION=tensor
// RUN: not ipu-opt %s --fuse-reorder=tensor=T 2>&1 | FileCheck %s -DPASS=fuse-reorder -DOPTION=order
// RUN: not ipu-opt %s --fuse-reorder=order=0 2>&1 | FileCheck %s -DPASS=fuse-reorder -DOPTION=tensor
// RUN: not ipu-opt %s --fuse-rfactor=tensor=T 2>&1 | FileCheck %s -DPASS=fuse-rfactor -DOPTION=axes
// RUN: not ipu-opt %s --fuse-rfactor=axes=0 2>&1 | FileCheck %s -DPASS=fuse-rfactor -DOPTION=tensor
// RUN: not ipu-opt %s --fuse-set-type='tensor=T type=serial' 2>&1 | FileCheck %s -DPASS=fuse-set-type -DOPTION=axis
// RUN: not ipu-opt %s --fuse-set-type='tensor=T axis=0' 2>&1 | FileCheck %s -DPASS=fuse-set-type -DOPTION=type
// RUN: not ipu-opt %s --fuse-set-type='axis=0 type=serial' 2>&1 | FileCheck %s -DPASS=fuse-set-type -DOPTION=tensor
// RUN: not ipu-opt %s --fuse-compute-at=producer=T 2>&1 | FileCheck %s -DPASS=fuse-compute-at -DOPTION=consumer
// RUN: not ipu-opt %s --fuse-compute-at=consumer=T 2>&1 | FileCheck %s -DPASS=fuse-compute-at -DOPTION=producer
// RUN: not ipu-opt %s --fuse-compute-with 2>&1 | FileCheck %s -DPASS=fuse-compute-with -DOPTION=tensor
// RUN: not ipu-opt %s --fuse-propagate 2>&1 | FileCheck %s -DPASS=fuse-propagate -DOPTION=tensor
// RUN: not ipu-opt %s --sdy-save-module-op 2>&1 | FileCheck %s -DPASS=sdy-save-module-op -DOPTION=module-dump-directory

// CHECK: error: '[[PASS]]' expects a value of option '[[OPTION]]' but got none
// AXIS-FACTOR: error: '[[PASS]]' expects a value of option 'axis', 'factor' but got none

func.func @f() {
  return
}
