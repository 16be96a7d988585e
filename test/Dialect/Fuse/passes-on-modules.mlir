// A pass on a module acts on the functions that have the tensor, and fails only
// if none has it.

// RUN: ipu-opt %s --fuse-form --fuse-split="tensor=T axis=0 factor=4" --fuse-print-schedule -o /dev/null | FileCheck %s
// RUN: not ipu-opt %s --fuse-form --fuse-split="tensor=U axis=0 factor=4" 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: T [i0o, i0i] @0/0
// CHECK-NEXT: S [i0] @0/0
// CHECK-NEXT: T [i0o, i0i] @0/0
// NONE: error: no tensor is named 'U'; the tensors are 'arg0', 'T', 'S'{{$}}
func.func @first(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %1 = linalg.exp {fuse.name = "T"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func @lacks_it(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %1 = linalg.exp {fuse.name = "S"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func @last(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %1 = linalg.exp {fuse.name = "T"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
