// RUN: ipu-opt %S/../../../examples/sharding/mlp-stablehlo.mlir --sdy-propagation-pipeline=enable-insert-explicit-collectives | FileCheck %s --check-prefix=MLP --match-full-lines --strict-whitespace
// RUN: ipu-opt %s --sdy-propagation-pipeline=enable-insert-explicit-collectives | FileCheck %s
// RUN: ipu-opt %s --sdy-propagation-pipeline="enable-insert-explicit-collectives remove-all-gather-reduce-scatter-for-cmv1 inline-meshes" | FileCheck %s --check-prefix=CMV1
// RUN: ipu-opt %s --sdy-propagation-pipeline="enable-insert-explicit-collectives avoid-export-for-partitioning" | FileCheck %s --check-prefix=AVOID

// The sum over the hidden features is the only exchange.
// MLP:    %3 = sdy.all_reduce {"model"} %2 out_sharding=<@mesh, [{"data"}, {}]> : tensor<32x64xf32>
// MLP-NEXT:    return %3 : tensor<32x64xf32>

sdy.mesh @mesh = <["x"=2, "y"=2]>

// The batch and the features that are summed up are on one axis: weights are
// gathered where they are used. The result is scattered.
// CHECK-LABEL: func.func public @gathered_weights
// CHECK-NEXT: %[[W:.*]] = sdy.all_gather [{"x"}, {}] %arg1 out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT: %[[D:.*]] = stablehlo.dot_general %arg0, %[[W]]
// CHECK-NEXT: return %[[D]]
// CMV1-NOT: sdy.mesh
// CMV1-LABEL: func.func public @gathered_weights
// CMV1-NEXT: sdy.all_gather [{"x"}, {}] %arg1 out_sharding=<mesh<["x"=2, "y"=2]>, [{}, {}]>
// AVOID-LABEL: func.func public @gathered_weights
// AVOID-NOT: sdy.all_gather
func.func public @gathered_weights(
    %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func public @scattered_sum
// CHECK-NEXT: %[[D:.*]] = stablehlo.dot_general %arg0, %arg1
// CHECK-NEXT: %[[S:.*]] = sdy.reduce_scatter [{"x"}, {}] %[[D]] out_sharding=<@mesh, [{"x"}, {}]>
// CHECK-NEXT: return %[[S]]
// CMV1-LABEL: func.func public @scattered_sum
// CMV1-NEXT: %[[D:.*]] = stablehlo.dot_general {{.*}}[{"x"}, {}]
// CMV1-NEXT: return %[[D]]
// AVOID-LABEL: func.func public @scattered_sum
// AVOID: sdy.sharding_constraint
func.func public @scattered_sum(
    %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
