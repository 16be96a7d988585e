// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s
// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true -o %t.once
// RUN: ipu-opt %t.once --sdy-insert-explicit-reshards=enable-full-version=true -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: ipu-opt %s --sdy-insert-explicit-reshards | FileCheck %s --check-prefix=MINIMAL
// RUN: ipu-opt %s --mlir-print-op-generic -o %t.given
// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true --sdy-reshard-to-collectives --mlir-print-op-generic -o %t.full
// RUN: %python %S/Inputs/run-parts.py %t.given %t.full
// RUN: ipu-opt %s --sdy-insert-explicit-reshards --mlir-print-op-generic -o %t.minimal
// RUN: %python %S/Inputs/run-parts.py %t.given %t.minimal
// RUN: ipu-opt %s --sdy-propagation-pipeline="enable-insert-explicit-collectives=true" --mlir-print-op-generic -o %t.pipeline
// RUN: %python %S/Inputs/run-parts.py %t.given %t.pipeline

// What a sum starts from is added by one device, whichever dimension is made in parts.

sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: @updates(
// CHECK-NEXT: %[[OWN:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
// CHECK-NEXT: %[[ONE:.*]] = sdy.replicated_to_unreduced {"x"} %[[OWN]] out_sharding=<@mesh, [{}, {}], unreduced={"x"}>
// CHECK-NEXT: %[[PARTS:.*]] = "stablehlo.scatter"(%[[ONE]], %arg1, %arg2)
// CHECK: sdy.all_reduce {"x"} %[[PARTS]] out_sharding=<@mesh, [{}, {}]>
// MINIMAL-LABEL: @updates(
// MINIMAL-NEXT: "stablehlo.scatter"(%arg0, %arg1, %arg2)
func.func public @updates(%a: tensor<8x4xf32>, %i: tensor<16x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<16x1xi32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Each device has a block of the operand, which need not be exchanged for that.
// CHECK-LABEL: @operand_of_blocks(
// CHECK-NEXT: %[[BLOCKS:.*]] = sdy.sharded_to_unreduced [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {"y"}], unreduced={"x"}>
// CHECK-NEXT: "stablehlo.scatter"(%[[BLOCKS]], %arg1, %arg2)
func.func public @operand_of_blocks(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %i: tensor<64x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x4xf32>, tensor<64x1xi32>, tensor<64x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// The operand is in parts as it is; the result stays so.
// CHECK-LABEL: @operand_of_parts(
// CHECK-NEXT: %[[PARTS:.*]] = "stablehlo.scatter"(%arg0, %arg1, %arg2)
// CHECK: return %[[PARTS]]
// MINIMAL-LABEL: @operand_of_parts(
// MINIMAL-NEXT: %[[PARTS:.*]] = "stablehlo.scatter"(%arg0, %arg1, %arg2)
// MINIMAL: return %[[PARTS]]
func.func public @operand_of_parts(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, %i: tensor<16x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x4xf32>, tensor<16x1xi32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Declared to be made in parts, it is so in the minimal version too.
// CHECK-LABEL: @result_of_parts(
// CHECK: sdy.replicated_to_unreduced {"x"}
// CHECK-NEXT: %[[PARTS:.*]] = "stablehlo.scatter"
// CHECK: return %[[PARTS]]
// MINIMAL-LABEL: @result_of_parts(
// MINIMAL: %[[ONE:.*]] = sdy.replicated_to_unreduced {"x"}
// MINIMAL-NEXT: %[[PARTS:.*]] = "stablehlo.scatter"(%[[ONE]], %arg1, %arg2)
// MINIMAL: return %[[PARTS]]
func.func public @result_of_parts(%a: tensor<8x4xf32>, %i: tensor<16x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x4xf32>, tensor<16x1xi32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

//===----------------------------------------------------------------------===//
// What a reduction of parts starts from
//===----------------------------------------------------------------------===//

// Each part would add it: they are reduced first.
// CHECK-LABEL: @parts_and_value(
// CHECK: %[[A:.*]] = sdy.all_reduce {"x"} %arg0
// CHECK: stablehlo.reduce(%[[A]] init:
// CHECK: sdy.replicated_to_unreduced {"x"}
func.func public @parts_and_value(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %one) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
