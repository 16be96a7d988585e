// RUN: ipu-opt %s --sdy-add-data-flow-edges --sdy-apply-sharding-constraints | FileCheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>

// The last of several constraints on one value is what later users read, also
// where the value gets the sharding of the first, which is closed.
// CHECK-LABEL: func.func @closed(
// CHECK: %[[X:.*]] = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>}
// CHECK-NEXT: %[[EARLY:.*]] = stablehlo.negate %[[X]]
// CHECK-NEXT: %[[A:.*]] = sdy.sharding_constraint %[[X]] <@mesh, [{"a"}, {}]>
// CHECK-NEXT: %[[B:.*]] = sdy.sharding_constraint %[[A]] <@mesh, [{}, {"b"}]>
// CHECK-NEXT: %[[LATE:.*]] = stablehlo.abs %[[B]]
// CHECK-NEXT: return %[[X]], %[[EARLY]], %[[LATE]]
func.func @closed(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.tanh %x : tensor<8x8xf32>
  %early = stablehlo.negate %0 : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"b"}]> : tensor<8x8xf32>
  %late = stablehlo.abs %0 : tensor<8x8xf32>
  return %0, %early, %late : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// Users inside of regions are not in the block of the chain.
// CHECK-LABEL: func.func @inside(
// CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{}, {"b"}]>
// CHECK: "stablehlo.case"
// CHECK-NEXT: stablehlo.return %arg0
func.func @inside(%x: tensor<8x8xf32>, %c: tensor<i32>) -> tensor<8x8xf32> {
  %1 = sdy.sharding_constraint %x <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"b"}]> : tensor<8x8xf32>
  %3 = "stablehlo.case"(%c) ({
    stablehlo.return %x : tensor<8x8xf32>
  }) : (tensor<i32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// No end decides if there are two of them, or if a manual computation demands
// something of the value, too.
// CHECK-LABEL: func.func @forked(
// CHECK: stablehlo.abs %arg0
func.func @forked(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %1 = sdy.sharding_constraint %x <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"b"}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"c"}, {}]> : tensor<8x8xf32>
  %4 = sdy.sharding_constraint %2 <@mesh, [{}, {"c"}]> : tensor<8x8xf32>
  %5 = stablehlo.abs %x : tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @manual(
// CHECK-SAME: %arg0: tensor<8x8xf32>)
// CHECK: stablehlo.abs %arg0
// CHECK: sdy.manual_computation(%arg0)
func.func @manual(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %1 = sdy.sharding_constraint %x <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"b"}]> : tensor<8x8xf32>
  %3 = stablehlo.abs %x : tensor<8x8xf32>
  %4 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"c"}, {}]>] out_shardings=[<@mesh, [{"c"}, {}]>]
      manual_axes={"c"} (%p: tensor<4x8xf32>) {
    sdy.return %p : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>
}

// All users of a loop's argument read the constraint; the loop's edge has the
// unreduced axes, which do not propagate.
// CHECK-LABEL: func.func @block_argument(
// CHECK: %[[LOOP:.*]]:2 = stablehlo.while(%{{.*}}, %[[ARG:.*]] = %arg0)
// CHECK: do
// CHECK-NEXT: %[[C:.*]] = sdy.sharding_constraint %[[ARG]] <@mesh, [{}, {"b"}], unreduced={"a"}>
// CHECK-NEXT: stablehlo.negate %[[C]]
// CHECK: sdy.data_flow_edge %[[LOOP]]#1 sharding=<@mesh, [{?}, {?}], unreduced={"a"}>
func.func @block_argument(%x: tensor<8x8xf32>, %n: tensor<i32>) -> tensor<8x8xf32> {
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<8x8xf32> cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %y : tensor<8x8xf32>
    %2 = sdy.sharding_constraint %y <@mesh, [{}, {"b"}], unreduced={"a"}> : tensor<8x8xf32>
    stablehlo.return %i, %1 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// The edge has a sharding: nothing changes.
// CHECK-LABEL: func.func @given(
// CHECK: do
// CHECK-NEXT: stablehlo.negate %iterArg
func.func @given(%x: tensor<8x8xf32>, %n: tensor<i32>) -> tensor<8x8xf32> {
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<8x8xf32>
      attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"c", ?}, {?}]>]>} cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %y : tensor<8x8xf32>
    %2 = sdy.sharding_constraint %y <@mesh, [{}, {"b"}]> : tensor<8x8xf32>
    stablehlo.return %i, %1 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}
