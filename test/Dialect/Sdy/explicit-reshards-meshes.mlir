// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s
// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true -o %t.once
// RUN: ipu-opt %t.once --sdy-insert-explicit-reshards=enable-full-version=true -o %t.twice
// RUN: diff %t.once %t.twice

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @swapped = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
sdy.mesh @other = <["a"=4]>
sdy.mesh @single = <[], device_ids=[3]>

// Most are on @mesh.
// CHECK-LABEL: @device_orders(
// CHECK-NEXT: %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT: stablehlo.add %arg0, %[[B]]
// CHECK-NEXT: return
func.func @device_orders(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@swapped, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A whole tensor is the same on all meshes.
// CHECK-LABEL: @whole(
// CHECK-NEXT: stablehlo.add %arg0, %arg1
// CHECK-NEXT: return
func.func @whole(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@swapped, [{}]>}) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @reduced_to_whole(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}}<@mesh, [{}, {}]>
// CHECK-NEXT: sdy.all_reduce {"x"} %[[DOT]] out_sharding=<@mesh, [{}, {}]>
func.func @reduced_to_whole(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@swapped, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Meshes of other axes have nothing in common.
// CHECK-LABEL: @other_axes(
// CHECK-NEXT: stablehlo.add %arg0, %arg1
// CHECK-NEXT: return
func.func @other_axes(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @on_one_device(
// CHECK-NEXT: %[[ALL:.*]] = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT: %[[ONE:.*]] = sdy.reshard %[[ALL]] <@single, []> : tensor<8xf32>
// CHECK-NEXT: %[[F:.*]] = stablehlo.custom_call @f(%[[ONE]])
// CHECK-NEXT: %[[BACK:.*]] = sdy.reshard %[[F]] <@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT: %[[G:.*]] = stablehlo.custom_call @g(%[[F]])
// CHECK-NEXT: %[[X:.*]] = sdy.reshard %[[BACK]] <@mesh, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT: return %[[X]]
func.func @on_one_device(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@single, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @g(%0) {sdy.sharding = #sdy.sharding_per_value<[<@single, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Ops without meshes of their own read what comes back.
// CHECK-LABEL: @chain_on_one_device(
// CHECK: %[[SUM:.*]] = stablehlo.add {{.*}}<@single, []>
// CHECK-NEXT: %[[T:.*]] = stablehlo.transpose %[[SUM]], {{.*}}<@single, []>
// CHECK-NEXT: %[[BACK:.*]] = sdy.reshard %[[T]] <@mesh, [{}, {}]>
// CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %[[BACK]]
// CHECK-NEXT: return %[[NEG]], %[[BACK]]
func.func @chain_on_one_device(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@single, []>]>} : tensor<8x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@single, []>]>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.negate %1 : tensor<4x8xf32>
  return %2, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}
