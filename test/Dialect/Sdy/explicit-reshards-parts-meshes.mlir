// RUN: ipu-opt %s --sdy-insert-explicit-reshards | FileCheck %s
// RUN: ipu-opt %s --sdy-insert-explicit-reshards -o %t.once
// RUN: ipu-opt %t.once --sdy-insert-explicit-reshards -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: ipu-opt %s --mlir-print-op-generic -o %t.given
// RUN: ipu-opt %s --sdy-propagation-pipeline --mlir-print-op-generic -o %t.final
// RUN: %python %S/Inputs/run-parts.py %t.given %t.final
// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true --sdy-reshard-to-collectives --mlir-print-op-generic -o %t.full
// RUN: %python %S/Inputs/run-parts.py %t.given %t.full
// RUN: not %python %S/Inputs/run-parts.py %t.given %t.given | FileCheck %s --check-prefix=WRONG

// An axis of another mesh tells other devices apart, whatever its name: partial values
// are parts of sums along the axes of one mesh. The script runs all devices, each with
// its place on each mesh.

// WRONG-DAG: @returned result 0
// WRONG-DAG: @resharded result 0
// WRONG-DAG: @of_the_same_number result 0
// WRONG-DAG: @in_another_order result 0

sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @swapped = <["y"=4, "x"=2]>
sdy.mesh @cube = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @turned = <["x"=2, "y"=4], device_ids=[0, 1, 4, 5, 2, 3, 6, 7]>

// CHECK-LABEL: @returned(
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{}]>
// CHECK-NEXT: %[[MOVED:.*]] = sdy.reshard %[[SUM]] <@swapped, [{}]>
// CHECK-NEXT: %[[PARTS:.*]] = sdy.replicated_to_unreduced {"y"} %[[MOVED]] out_sharding=<@swapped, [{}], unreduced={"y"}>
// CHECK-NEXT: return %[[PARTS]]
func.func public @returned(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@swapped, [{}], unreduced={"y"}>}) {
  return %a : tensor<8xf32>
}

// CHECK-LABEL: @sharded(
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{"x"}]>
// CHECK-NEXT: %[[MOVED:.*]] = sdy.reshard %[[SUM]] <@swapped, [{}]>
// CHECK-NEXT: sdy.replicated_to_unreduced {"y"} %[[MOVED]]
func.func public @sharded(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"y"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@swapped, [{}], unreduced={"y"}>}) {
  return %a : tensor<8xf32>
}

// CHECK-LABEL: @resharded(
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{}]>
// CHECK-NEXT: %[[MOVED:.*]] = sdy.reshard %[[SUM]] <@swapped, [{}]>
// CHECK-NEXT: sdy.replicated_to_unreduced {"x"} %[[MOVED]]
func.func public @resharded(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@swapped, [{}], unreduced={"x"}>}) {
  %0 = sdy.reshard %a <@swapped, [{}], unreduced={"x"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The same devices have the same parts: there is nothing to reduce, nor to move.
// CHECK-LABEL: @of_other_names(
// CHECK-NEXT: %[[SAME:.*]] = sdy.reshard %arg0 <@cube, [{}], unreduced={"b", "c"}>
// CHECK-NEXT: return %[[SAME]]
func.func public @of_other_names(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@cube, [{}], unreduced={"b", "c"}>}) {
  %0 = sdy.reshard %a <@cube, [{}], unreduced={"b", "c"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Both are the second axis of their mesh, and of two devices, but of others.
// CHECK-LABEL: @of_the_same_number(
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"x"} %arg0 out_sharding=<@swapped, [{}]>
// CHECK-NEXT: %[[MOVED:.*]] = sdy.reshard %[[SUM]] <@cube, [{}]>
// CHECK-NEXT: sdy.replicated_to_unreduced {"b"} %[[MOVED]]
func.func public @of_the_same_number(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@swapped, [{}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@cube, [{}], unreduced={"b"}>}) {
  %0 = sdy.reshard %a <@cube, [{}], unreduced={"b"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @made_on_another_mesh(
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{}]>
// CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %[[SUM]] {{.*}}<@swapped, [{}]>
// CHECK-NEXT: sdy.replicated_to_unreduced {"y"} %[[NEG]] out_sharding=<@swapped, [{}], unreduced={"y"}>
func.func public @made_on_another_mesh(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@swapped, [{}], unreduced={"y"}>}) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@swapped, [{}], unreduced={"y"}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Devices along "y" of one mesh are not those along "y" of the other.
// CHECK-LABEL: @in_another_order(
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{}]>
// CHECK-NEXT: %[[B:.*]] = sdy.all_reduce {"y"} %arg1 out_sharding=<@turned, [{}]>
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[A]], %[[B]] {{.*}}<@mesh, [{}]>
// CHECK-NEXT: sdy.replicated_to_unreduced {"y"} %[[SUM]]
// CHECK-NEXT: %[[C:.*]] = sdy.all_reduce {"y"} %arg1 out_sharding=<@turned, [{}]>
// CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %[[C]] {{.*}}<@mesh, [{}]>
// CHECK-NEXT: sdy.replicated_to_unreduced {"y"} %[[NEG]] out_sharding=<@mesh, [{}], unreduced={"y"}>
func.func public @in_another_order(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@turned, [{}], unreduced={"y"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) {
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"y"}>]>} : tensor<8xf32>
  %1 = stablehlo.negate %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"y"}>]>} : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Parts may move to the devices that have the same places.
// CHECK-LABEL: @moved_parts(
// CHECK-NEXT: %[[MOVED:.*]] = sdy.reshard %arg0 <@mesh, [{}], unreduced={"y"}>
// CHECK-NEXT: return %[[MOVED]]
func.func public @moved_parts(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@turned, [{}], unreduced={"y"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) {
  return %a : tensor<8xf32>
}

// A sum starts from parts along axes of its own mesh only.
// CHECK-LABEL: @started_elsewhere(
// CHECK-NEXT: %[[START:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@turned, [{}, {}]>
// CHECK: stablehlo.scatter
func.func public @started_elsewhere(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@turned, [{}, {}], unreduced={"y"}>}, %i: tensor<16x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %u: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x4xf32>, tensor<16x1xi32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
