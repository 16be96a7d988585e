// RUN: ipu-opt %s --sdy-isolate-collectives | FileCheck %s
// RUN: ipu-opt %s --sdy-propagation-pipeline -o %t
// RUN: ipu-opt %s --sdy-propagation-pipeline=inline-calls=false -o %t
// RUN: ipu-opt %s --sdy-propagation-pipeline=enable-insert-explicit-collectives=true -o %t

// Propagation, groups and constraints do not change what collectives say of their operands
// and results.

sdy.mesh @mesh = <["a"=2, "c"=2]>

// Along the free axis "c", the second dimension of %b is sharded in the users of the sum.
// CHECK-LABEL: @partial_manual(
// CHECK: stablehlo.negate
// CHECK-NEXT: %[[FIXED:.*]] = sdy.sharding_constraint %{{.*}} <@mesh, [{}, {}]>
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"a"} %[[FIXED]] out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT: %[[OPEN:.*]] = sdy.sharding_constraint %[[SUM]] <@mesh, [{?}, {?}]>
// CHECK-NEXT: stablehlo.negate %[[OPEN]]
func.func public @partial_manual(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}]>] manual_axes={"a"} (%b: tensor<4x8xf32>) {
    %1 = stablehlo.negate %b : tensor<4x8xf32>
    %2 = sdy.all_reduce {"a"} %1 out_sharding=<@mesh, [{?}, {?}]> : tensor<4x8xf32>
    %3 = stablehlo.negate %2 : tensor<4x8xf32>
    sdy.return %3 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The argument loses "c", which does not divide it.
// CHECK-LABEL: @argument(
// CHECK-NEXT: %[[FIXED:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{"c"}]>
// CHECK-NEXT: sdy.all_gather [{"c"}] %[[FIXED]]
func.func public @argument(%a: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}]>}) -> tensor<7xf32> {
  %0 = sdy.all_gather [{"c"}] %a out_sharding=<@mesh, [{}]> : tensor<7xf32>
  return %0 : tensor<7xf32>
}

// Another constraint of the operand says nothing of the collective.
// CHECK-LABEL: @constraint(
func.func public @constraint(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"c"}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @group(
// CHECK: %[[SLICE:.*]] = sdy.all_slice [{"a"}]
// CHECK-NEXT: %[[MEMBER:.*]] = sdy.sharding_constraint %[[SLICE]] <@mesh, [{"a"}]>
// CHECK-NEXT: sdy.sharding_group %[[MEMBER]]
func.func public @group(%a: tensor<8xf32>, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}]>}) -> tensor<8xf32> {
  sdy.sharding_group %b group_id=0 : tensor<8xf32>
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  sdy.sharding_group %1 group_id=1 : tensor<8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// The function loses the shardings of its arguments if the call is inlined.
// CHECK-LABEL: @callee(
// CHECK-NEXT: sdy.sharding_constraint %arg0 <@mesh, [{"a"}]>
func.func private @callee(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = sdy.all_gather [{"a"}] %a out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func public @call(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @callee(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Nothing to do.
// CHECK-LABEL: @fixed(
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: sdy.all_gather
// CHECK-NEXT: return
func.func public @fixed(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  %1 = sdy.all_gather [{"a"}] %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
