// RUN: ipu-opt %s --sdy-propagation-pipeline | FileCheck %s

sdy.mesh @mesh = <["data"=2, "model"=4]>

// A layer as it is in frameworks: the batch sharded, weights of two matrices along
// what one makes and the other takes.
// CHECK-LABEL: @main(
// CHECK-SAME: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}
// CHECK-SAME: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}
// CHECK-SAME: tensor<256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}
// CHECK-SAME: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}
// CHECK-SAME: -> (tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.dot_general %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}}, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}]>]>} : (tensor<32x64xf32>, tensor<64x256xf32>) -> tensor<32x256xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.broadcast_in_dim %{{[a-zA-Z0-9_]+}}, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}]>]>} : (tensor<256xf32>) -> tensor<32x256xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.add %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}]>]>} : tensor<32x256xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}]>]>} dense<0.000000e+00> : tensor<32x256xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.maximum %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}]>]>} : tensor<32x256xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.dot_general %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}}, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<32x256xf32>, tensor<256x64xf32>) -> tensor<32x64xf32>
// CHECK: %{{[a-zA-Z0-9_]+}}:2 = stablehlo.while(%{{[a-zA-Z0-9_]+}} = %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} = %{{[a-zA-Z0-9_]+}}) : tensor<i32>, tensor<32x64xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"data"}, {}]>]>}
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.compare LT, %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.tanh %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : tensor<32x64xf32>
func.func public @main(%x: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %w: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model", ?}]>},
                %b: tensor<256xf32>, %v: tensor<256x64xf32>, %n: tensor<i32>) -> tensor<32x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = call @layer(%x, %w, %b, %v) : (tensor<32x64xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x64xf32>) -> tensor<32x64xf32>
  %1:2 = stablehlo.while(%i = %n, %h = %0) : tensor<i32>, tensor<32x64xf32>
   cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %t = stablehlo.tanh %h : tensor<32x64xf32>
    stablehlo.return %i, %t : tensor<i32>, tensor<32x64xf32>
  }
  return %1#1 : tensor<32x64xf32>
}
func.func private @layer(%x: tensor<32x64xf32>, %w: tensor<64x256xf32>, %b: tensor<256xf32>, %v: tensor<256x64xf32>) -> tensor<32x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x256xf32>) -> tensor<32x256xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<256xf32>) -> tensor<32x256xf32>
  %2 = stablehlo.add %0, %1 : tensor<32x256xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<32x256xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<32x256xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<32x256xf32>, tensor<256x64xf32>) -> tensor<32x64xf32>
  return %4 : tensor<32x64xf32>
}
