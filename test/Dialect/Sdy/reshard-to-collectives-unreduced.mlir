// RUN: ipu-opt %s --sdy-reshard-to-collectives | FileCheck %s
// RUN: ipu-opt %s --sdy-reshard-to-collectives --sdy-canonicalize-collectives | FileCheck %s --check-prefix=CANONICAL

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>

// CHECK-LABEL: func @sum_then_slice
// CANONICAL-LABEL: func @sum_then_slice
func.func @sum_then_slice(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{}, {}]>
  // CHECK-NEXT: sdy.all_slice [{"x"}, {}] %[[S]] out_sharding=<@m, [{"x"}, {}]>
  // CHECK-NEXT: return
  // CANONICAL-NEXT: sdy.reduce_scatter [{"x"}, {}] %arg0 out_sharding=<@m, [{"x"}, {}]>
  // CANONICAL-NEXT: return
  %0 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func @maximum_of_one_axis
func.func @maximum_of_one_axis(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced=max{"y", "z"}>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_reduce max {"z":(2)2} %arg0 out_sharding=<@m, [{"x"}, {}], unreduced=max{"y", "z":(1)2}>
  // CHECK-NEXT: sdy.all_gather [{"x"}, {}] %[[S]] out_sharding=<@m, [{}, {}], unreduced=max{"y", "z":(1)2}>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@m, [{}, {}], unreduced=max{"y", "z":(1)2}> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func @all_of_a_maximum
func.func @all_of_a_maximum(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"y"}>}) -> tensor<8xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_reduce max {"y"} %arg0 out_sharding=<@m, [{}]>
  // CHECK-NEXT: sdy.replicated_to_unreduced {"x"} %[[S]] out_sharding=<@m, [{}], unreduced={"x"}>
  %0 = sdy.reshard %a <@m, [{}], unreduced={"x"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @parts_instead_of_a_gather
func.func @parts_instead_of_a_gather(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.sharded_to_unreduced [{"y"}, {}] %arg0 out_sharding=<@m, [{"x"}, {}], unreduced={"y"}>
  // CHECK-NEXT: sdy.replicated_to_unreduced {"z"} %[[S]] out_sharding=<@m, [{"x"}, {}], unreduced={"y", "z"}>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@m, [{"x"}, {}], unreduced={"y", "z"}> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func @parts_of_what_was_gathered
func.func @parts_of_what_was_gathered(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_gather [{"x", "y"}, {}] %arg0 out_sharding=<@m, [{}, {}]>
  // CHECK-NEXT: sdy.replicated_to_unreduced {"y"} %[[S]] out_sharding=<@m, [{}, {}], unreduced={"y"}>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@m, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

sdy.mesh @n = <["a"=12]>

// Parts of no common factorisation with those that are gathered.
// CHECK-LABEL: func @other_parts_of_an_axis
func.func @other_parts_of_an_axis(%a: tensor<12xf32> {sdy.sharding = #sdy.sharding<@n, [{"a":(4)3}], unreduced={"a":(1)2}>}) -> tensor<12xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_reduce {"a":(1)2} %arg0 out_sharding=<@n, [{"a":(4)3}]>
  // CHECK-NEXT: %[[G:.*]] = sdy.all_gather [{"a":(4)3}] %[[S]] out_sharding=<@n, [{}]>
  // CHECK-NEXT: sdy.replicated_to_unreduced {"a":(3)4} %[[G]] out_sharding=<@n, [{}], unreduced={"a":(3)4}>
  %0 = sdy.reshard %a <@n, [{}], unreduced={"a":(3)4}> : tensor<12xf32>
  return %0 : tensor<12xf32>
}

sdy.mesh @turned = <["a"=12], device_ids=[11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>

// No op makes parts of a maximum.
// CHECK-LABEL: func @other_kind
func.func @other_kind(%a: tensor<12xf32> {sdy.sharding = #sdy.sharding<@n, [{}], unreduced={"a"}>}) -> tensor<12xf32> {
  // CHECK-NEXT: sdy.reshard %arg0 <@turned, [{}], unreduced=max{"a"}>
  %0 = sdy.reshard %a <@turned, [{}], unreduced=max{"a"}> : tensor<12xf32>
  return %0 : tensor<12xf32>
}

// CHECK-LABEL: func @sum_instead_of_a_maximum
func.func @sum_instead_of_a_maximum(%a: tensor<12xf32> {sdy.sharding = #sdy.sharding<@n, [{}], unreduced=max{"a"}>}) -> tensor<12xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_reduce max {"a"} %arg0 out_sharding=<@n, [{}]>
  // CHECK-NEXT: %[[G:.*]] = sdy.collective_permute %[[S]] out_sharding=<@turned, [{}]>
  // CHECK-NEXT: sdy.replicated_to_unreduced {"a"} %[[G]] out_sharding=<@turned, [{}], unreduced={"a"}>
  %0 = sdy.reshard %a <@turned, [{}], unreduced={"a"}> : tensor<12xf32>
  return %0 : tensor<12xf32>
}

// CHECK-LABEL: func @parts_in_other_device_order
func.func @parts_in_other_device_order(%a: tensor<12xf32> {sdy.sharding = #sdy.sharding<@n, [{}], unreduced={"a"}>}) -> (tensor<12xf32>, tensor<12xf32>) {
  // CHECK-NEXT: %[[P:.*]] = sdy.collective_permute %arg0 out_sharding=<@turned, [{}], unreduced={"a"}>
  // CHECK-NEXT: %[[S:.*]] = sdy.all_reduce {"a"} %arg0 out_sharding=<@n, [{}]>
  // CHECK-NEXT: return %[[P]], %[[S]]
  %0 = sdy.reshard %a <@turned, [{}], unreduced={"a"}> : tensor<12xf32>
  %1 = sdy.reshard %a <@turned, [{}]> : tensor<12xf32>
  return %0, %1 : tensor<12xf32>, tensor<12xf32>
}

// Collectives need an operand with a sharding.
// CHECK-LABEL: func @parts_of_a_tensor_without_sharding
func.func @parts_of_a_tensor_without_sharding(%a: tensor<12xf32>) -> tensor<12xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{}] %arg0 out_sharding=<@n, [{}]>
  // CHECK-NEXT: sdy.replicated_to_unreduced {"a"} %[[S]] out_sharding=<@n, [{}], unreduced={"a"}>
  %0 = sdy.reshard %a <@n, [{}], unreduced={"a"}> : tensor<12xf32>
  return %0 : tensor<12xf32>
}

// CHECK-LABEL: func @reduced_along_a_replicated_axis
func.func @reduced_along_a_replicated_axis(%a: tensor<12xf32> {sdy.sharding = #sdy.sharding<@n, [{}], replicated={"a"}>}) -> tensor<12xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{}] %arg0 out_sharding=<@n, [{}]>
  // CHECK-NEXT: sdy.all_reduce {"a"} %[[S]]
  %0 = sdy.reshard %a <@n, [{}]> : tensor<12xf32>
  %1 = sdy.all_reduce {"a"} %0 out_sharding=<@n, [{}]> : tensor<12xf32>
  return %1 : tensor<12xf32>
}
