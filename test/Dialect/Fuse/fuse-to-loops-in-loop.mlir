// RUN: ipu-opt %s --fuse-to-loops --canonicalize | FileCheck %s

// A buffer on the stack is the function's: in the loop, each trip would take one.
// CHECK-LABEL: func @in_loop(
// CHECK: %[[BUFFER:.*]] = memref.alloca() {alignment = 64 : i64} : memref<10xf32>
// CHECK: scf.for
// CHECK: affine.store %{{.*}}, %[[BUFFER]]
func.func @in_loop(%x: tensor<10xf32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tensor.empty() : tensor<f32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %start) -> (tensor<f32>) {
    %0 = fuse.fusion ins(%x : tensor<10xf32>) -> tensor<f32> {
    ^bb0(%in: tensor<10xf32>):
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<10xf32>
      %1 = linalg.exp ins(%in : tensor<10xf32>) outs(%e : tensor<10xf32>) -> tensor<10xf32>
      %e0 = tensor.empty() : tensor<f32>
      %f = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
      %2 = linalg.reduce { arith.addf } ins(%1 : tensor<10xf32>) outs(%f : tensor<f32>) dimensions = [0]
      fuse.yield %2 : tensor<f32>
    }
    scf.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}
