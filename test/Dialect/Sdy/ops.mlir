// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK: sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @m = <["x"=2, "y"=4]>
// Ids in the order of the axes say nothing.
// CHECK: sdy.mesh @iota = <["x"=2]>
sdy.mesh @iota = <["x"=2], device_ids=[0, 1]>
// CHECK: sdy.mesh @swapped = <["x"=2], device_ids=[1, 0]>
sdy.mesh @swapped = <["x"=2], device_ids=[1, 0]>
// CHECK: sdy.mesh @maximal = <[], device_ids=[3]>
sdy.mesh @maximal = <[], device_ids=[3]>
// CHECK: sdy.mesh @empty = <[]>
sdy.mesh @empty = <[]>

// CHECK-LABEL: func @shardings
// CHECK-SAME: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y":(1)2, ?}p1, {?}]>}
// CHECK-SAME: %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={"x"}, unreduced={"y"}>}
// CHECK-SAME: %arg2: tensor<f32> {sdy.sharding = #sdy.sharding<mesh<["z"=3]>, []>}
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}p3], unreduced=max{"x"}>})
func.func @shardings(
    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y":(1)2, ?}p1, {?}]>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"y"}, replicated={"x"}>},
    %arg2: tensor<f32> {sdy.sharding = #sdy.sharding<mesh<["z"=3]>, []>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}p3], unreduced=max{"x"}>}) {
  // CHECK: sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>
  %0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x8xf32>
  // An op without results on one device.
  // CHECK: sdy.sharding = #sdy.sharding_per_value<[<@maximal, []>]>
  stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@maximal, []>]>} ()
  return %arg1 : tensor<8xf32>
}

// CHECK-LABEL: func @annotations
func.func @annotations(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.sharding_constraint %arg0 <@m, [{"x"}, {?}]> : tensor<8x8xf32>
  %0 = sdy.sharding_constraint %a <@m, [{"x"}, {?}]> : tensor<8x8xf32>
  // CHECK: sdy.reshard %0 <@m, [{}, {"x"}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@m, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK: sdy.sharding_group %1 group_id=7 : tensor<8x8xf32>
  sdy.sharding_group %1 group_id=7 : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<8x8xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<8x8xf32>
  // CHECK: sdy.constant dense<1.000000e+00> : tensor<8xf32>
  %3 = sdy.constant dense<1.0> : tensor<8xf32>
  // CHECK: sdy.data_flow_edge %{{.*}} sharding=<@m, [{"x"}]> : tensor<8xf32>
  %4 = stablehlo.negate %3 : tensor<8xf32>
  %5 = sdy.data_flow_edge %4 sharding=<@m, [{"x"}]> : tensor<8xf32>
  // CHECK: sdy.data_flow_edge %{{.*}} : tensor<8xf32>
  %6 = stablehlo.negate %5 : tensor<8xf32>
  %7 = sdy.data_flow_edge %6 : tensor<8xf32>
  %8 = call @callee(%7) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: sdy.func_data_flow_edge %{{.*}} : tensor<8xf32>
  %9 = sdy.func_data_flow_edge %8 : tensor<8xf32>
  return %2 : tensor<8x8xf32>
}
func.func private @callee(%a: tensor<8xf32>) -> tensor<8xf32>

// CHECK-LABEL: func @computations
func.func @computations(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x", "y"}, {}]>] out_shardings=[<@m, [{"x"}, {?}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x", "y"}, {}]>] out_shardings=[<@m, [{"x"}, {?}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    // CHECK: sdy.return %arg1 : tensor<4x8xf32>
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.named_computation<"f">(%0) in_shardings=[<@m, [{}, {}]>] (%arg1: tensor<8x8xf32>) {
  %1 = sdy.named_computation<"f">(%0) in_shardings=[<@m, [{}, {}]>] (%b: tensor<8x8xf32>) {
    sdy.return %b : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.named_computation<"g">() (
  sdy.named_computation<"g">() () {
    sdy.return
  } : () -> ()
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func @collectives
func.func @collectives(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK: sdy.all_gather [{"y"}, {}] %arg0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  %0 = sdy.all_gather [{"y"}, {}] %a out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.all_slice [{}, {"y":(1)2}] %0 out_sharding=<@m, [{"x"}, {"y":(1)2}]>
  %1 = sdy.all_slice [{}, {"y":(1)2}] %0 out_sharding=<@m, [{"x"}, {"y":(1)2}]> : tensor<8x8xf32>
  // CHECK: sdy.all_to_all [{"x"}: 0->1] %1 out_sharding=<@m, [{}, {"y":(1)2, "x"}]>
  %2 = sdy.all_to_all [{"x"}: 0->1] %1 out_sharding=<@m, [{}, {"y":(1)2, "x"}]> : tensor<8x8xf32>
  // CHECK: sdy.collective_permute %2 out_sharding=<@m, [{}, {"x", "y":(2)2}]>
  %3 = sdy.collective_permute %2 out_sharding=<@m, [{}, {"x", "y":(2)2}]> : tensor<8x8xf32>
  // CHECK: sdy.all_gather [{}, {"y":(2)2}]
  %4 = sdy.all_gather [{}, {"y":(2)2}] %3 out_sharding=<@m, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK: sdy.replicated_to_unreduced {"y"} %4 out_sharding=<@m, [{}, {"x"}], unreduced={"y"}>
  %5 = sdy.replicated_to_unreduced {"y"} %4 out_sharding=<@m, [{}, {"x"}], unreduced={"y"}> : tensor<8x8xf32>
  // CHECK: sdy.sharded_to_unreduced [{}, {"x"}] %5 out_sharding=<@m, [{}, {}], unreduced={"x", "y"}>
  %6 = sdy.sharded_to_unreduced [{}, {"x"}] %5 out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<8x8xf32>
  // CHECK: sdy.reduce_scatter [{"y"}, {}] %6 out_sharding=<@m, [{"y"}, {}], unreduced={"x"}>
  %7 = sdy.reduce_scatter [{"y"}, {}] %6 out_sharding=<@m, [{"y"}, {}], unreduced={"x"}> : tensor<8x8xf32>
  // CHECK: sdy.all_reduce {"x"} %7 out_sharding=<@m, [{"y"}, {}]>
  %8 = sdy.all_reduce {"x"} %7 out_sharding=<@m, [{"y"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.all_reduce max {"x"} %8 out_sharding=<@m, [{"y"}, {}]>
  %9 = sdy.all_reduce max {"x"} %8 out_sharding=<@m, [{"y"}, {}]> : tensor<8x8xf32>
  return %9 : tensor<8x8xf32>
}

// CHECK-LABEL: func @rules
func.func @rules(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>, %s: tensor<f32>) {
  // CHECK: #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}>
  %0 = stablehlo.custom_call @f(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  // CHECK: #sdy.op_sharding_rule<([ij, k])->([j, ik]) {i=2, j=4, k=32} need_replication={i} permutation={j} blocked_propagation={k}, custom>
  %1 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([j, ik]) {i=2, j=4, k=32} need_replication={i} permutation={j} blocked_propagation={k}, custom>} : (tensor<8x32xf32>) -> tensor<4x64xf32>
  // CHECK: #sdy.op_sharding_rule<([], [])->([])>
  %2 = stablehlo.custom_call @f(%s, %s) {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// The nineteenth factor and the next ones are z_1, z_2, ...
// CHECK: many_factors = #sdy.op_sharding_rule<([ijklmnop, qrstuvwx], [yzz_1])->([z_2, z_1z])
func.func private @many() attributes {many_factors = #sdy.op_sharding_rule<([ijklmnop, qrstuvwx], [yzz_1])->([z_2, z_1z]) {i=2, j=2, k=2, l=2, m=2, n=2, o=2, p=2, q=2, r=2, s=2, t=2, u=2, v=2, w=2, x=2, y=2, z=2, z_1=2, z_2=2}>}

// CHECK: edges = #sdy.propagation_edges<[{step-2 = [{"y" = operand-1 -> [operand-0, result-0]}, {"x":(1)2 = result-0 -> [operand-0]}]}]>
func.func private @edges() attributes {edges = #sdy.propagation_edges<[{step-2 = [{"y" = operand-1 -> [operand-0, result-0]}, {"x":(1)2 = result-0 -> [operand-0]}]}]>}
