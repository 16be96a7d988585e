// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEEP
// RUN: ipu-opt %s --pop-decompose | FileCheck %s --check-prefix=DECOMPOSE

// CHECK-LABEL: func @ipu_copy
// KEEP-LABEL: func @ipu_copy
// DECOMPOSE-LABEL: func @ipu_copy
// DECOMPOSE-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<2xf16>)
func.func @ipu_copy(%a: tensor<4xf32>, %b: tensor<2xf16>) -> (tensor<4xf32>, tensor<2xf16>, tensor<4xf32>, tensor<2xf16>, tensor<4xf32>) {
  // CHECK: %{{.*}}:2 = pop.ipu_copy %{{.*}}, %{{.*}} from 0 to 1 : tensor<4xf32>, tensor<2xf16>{{$}}
  // KEEP: pop.ipu_copy %{{.*}}, %{{.*}} from 0 to 1 : tensor<4xf32>, tensor<2xf16>
  // DECOMPOSE-NEXT: %[[A1:.*]] = pop.ipu_copy %[[A]] from 0 to 1 : tensor<4xf32>
  // DECOMPOSE-NEXT: %[[B1:.*]] = pop.ipu_copy %[[B]] from 0 to 1 : tensor<2xf16>
  %0, %1 = pop.ipu_copy %a, %b from 0 to 1 : tensor<4xf32>, tensor<2xf16>
  // CHECK: %{{.*}}:2 = pop.ipu_copy %{{.*}}, %{{.*}} from [0, 1] to 2 : tensor<4xf32>, tensor<2xf16>{{$}}
  // KEEP: pop.ipu_copy %{{.*}}, %{{.*}} from [0, 1] to 2 : tensor<4xf32>, tensor<2xf16>
  %2, %3 = pop.ipu_copy %a, %1 from [0, 1] to 2 : tensor<4xf32>, tensor<2xf16>
  // DECOMPOSE-NEXT: pop.ipu_copy %[[A]] from 0 to 2
  // DECOMPOSE-NEXT: pop.ipu_copy %[[B1]] from 1 to 2
  // CHECK: pop.ipu_copy %{{.*}} from 3 to 0 : tensor<4xf32>{{$}}
  // KEEP: pop.ipu_copy %{{.*}} from 3 to 0 : tensor<4xf32>
  %4 = pop.ipu_copy %a from [3] to 0 : tensor<4xf32>
  // DECOMPOSE: return %[[A1]], %[[B1]],
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<2xf16>, tensor<4xf32>, tensor<2xf16>, tensor<4xf32>
}

// CHECK-LABEL: func @io_tile_copy
// KEEP-LABEL: func @io_tile_copy
func.func @io_tile_copy(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: pop.io_tile_copy %{{.*}} to io : tensor<4xf32>{{$}}
  // KEEP: pop.io_tile_copy %{{.*}} to io : tensor<4xf32>
  %0 = pop.io_tile_copy %a to io : tensor<4xf32>
  // CHECK: pop.io_tile_copy %{{.*}} to compute : tensor<4xf32>{{$}}
  // KEEP: pop.io_tile_copy %{{.*}} to compute : tensor<4xf32>
  %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
  // A constant is on the IPU that it is copied from as well.
  %c = pop.constant dense<1.0> : tensor<4xf32>
  // KEEP: pop.ipu_copy %{{.*}} from 0 to 1
  // KEEP-NEXT: pop.io_tile_copy
  %2 = pop.ipu_copy %c from 0 to 1 : tensor<4xf32>
  %3 = pop.io_tile_copy %2 to io : tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}
