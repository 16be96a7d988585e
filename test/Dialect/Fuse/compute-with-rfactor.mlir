// RUN: ipu-opt %s --pass-pipeline="builtin.module(func.func(fuse-form, \
// RUN:     fuse-split{tensor=Z axis=1 factor=16}, \
// RUN:     fuse-propagate{tensor=Z position=3}, \
// RUN:     fuse-rfactor{tensor=Z axes=1}, \
// RUN:     fuse-compute-with{tensor=E position=2}, \
// RUN:     fuse-to-loops))" | FileCheck %s

// E is stored as a whole, and computed in the loops of the partial sums, whose
// loops are pieces of an axis that is split before rfactor. They start from -0,
// which no sum loses.
// CHECK: %[[SUMS:.*]] = memref.alloca() {{.*}} : memref<8x16xf32>
// CHECK: %[[E:.*]] = memref.alloca() {{.*}} : memref<8x4x16xf32>
// CHECK: %[[NEUTRAL:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: affine.for %[[A:.*]] = 0 to 8
// CHECK:   affine.store %[[NEUTRAL]], %[[SUMS]]
// CHECK:   affine.for %[[B:.*]] = 0 to 4
// CHECK:     affine.store %{{.*}}, %[[E]][%[[A]], %[[B]], %{{.*}}]
// CHECK:     affine.load %[[E]][%[[A]], %[[B]], %{{.*}}]
// CHECK:     affine.store %{{.*}}, %[[SUMS]]
func.func @f(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  %e0 = tensor.empty() : tensor<8x64xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(a,b)->(a,b)>, affine_map<(a,b)->(a,b)>], iterator_types=["parallel","parallel"]} ins(%x: tensor<8x64xf32>) outs(%e0: tensor<8x64xf32>) attrs = {fuse.name = "E"} {
  ^bb0(%a: f32, %b: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32
  } -> tensor<8x64xf32>
  %z = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z: f32) outs(%i: tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a,b)->(a,b)>, affine_map<(a,b)->(a)>], iterator_types=["parallel","reduction"]} ins(%e: tensor<8x64xf32>) outs(%f: tensor<8xf32>) attrs = {fuse.name = "Z"} {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}
