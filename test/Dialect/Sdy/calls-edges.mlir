// RUN: ipu-opt %s --split-input-file --sdy-add-func-data-flow-edges | FileCheck %s
// RUN: ipu-opt %s --split-input-file --sdy-add-func-data-flow-edges --sdy-basic-propagate | FileCheck %s --check-prefix=STEP
// RUN: ipu-opt %s --split-input-file --sdy-add-func-data-flow-edges --sdy-basic-propagate --sdy-propagate-to-func-results --sdy-sink-func-data-flow-edges | FileCheck %s --check-prefix=SUNK

sdy.mesh @mesh = <["x"=2, "y"=2]>

// From a call through the function to another call of it, and back to the first
// call's operand.

// CHECK-LABEL: @main(
// CHECK: %[[C:.+]] = call @foo(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y", ?}]>]>}
// CHECK: %[[E:.+]] = sdy.func_data_flow_edge %[[C]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK: %[[D:.+]] = call @foo(%[[E]])
// CHECK: %[[F:.+]] = sdy.func_data_flow_edge %[[D]] : tensor<8x8xf32>
// CHECK: return %[[F]]
// CHECK: func.func private @foo(%[[A:.+]]: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>})
// CHECK: %[[G:.+]] = sdy.func_data_flow_edge %[[A]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK: stablehlo.add %[[G]], %[[G]]
// STEP-LABEL: @main(
// STEP-SAME: %{{.+}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>})
// STEP-COUNT-2: sdy.func_data_flow_edge %{{.+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>}
// STEP: func.func private @foo
// STEP: sdy.func_data_flow_edge %{{.+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>}
// SUNK-LABEL: @main(
// SUNK: %[[C:.+]] = call @foo(%{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>}
// SUNK: %[[D:.+]] = call @foo(%[[C]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>}
// SUNK: return %[[D]]
// SUNK: func.func private @foo(%[[A:.+]]: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>}) {
// SUNK: stablehlo.add %[[A]], %[[A]]
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @foo(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y", ?}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @foo(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func private @foo(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %a, %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Calls that disagree: nothing passes. What the function says of its result is not
// asked if the calls say something. Without calls it is.

// STEP-LABEL: @main(
// STEP: sdy.func_data_flow_edge %{{.+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// STEP: sdy.func_data_flow_edge %{{.+}} : tensor<8xf32>
// STEP: func.func private @foo(
// STEP: sdy.func_data_flow_edge %{{.+}} : tensor<8xf32>
// STEP: stablehlo.negate %{{.+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>}
// STEP: func.func @free(
// STEP: stablehlo.abs %{{.+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}]>]>}
// SUNK-LABEL: @main(
// SUNK: call @foo(%{{.+}}, %{{.+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{?}]>]>}
// SUNK: func.func private @foo({{.*}}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, tensor<8xf32>) {
// SUNK: func.func @free({{.*}}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0:2 = call @foo(%a, %a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1:2 = call @foo(%b, %b) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}
func.func private @foo(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<8xf32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  return %1, %b : tensor<8xf32>, tensor<8xf32>
}
func.func @free(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = stablehlo.abs %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// No edges for what has no static shape, and for results of declarations. What a
// function of several blocks returns comes from all of them.

// CHECK-LABEL: @main(
// CHECK: call @external(
// CHECK-NEXT: call @dynamic(
// CHECK-NEXT: call @blocks(
// CHECK-NEXT: sdy.func_data_flow_edge
// CHECK: func.func private @external(
// CHECK: func.func private @dynamic(
// CHECK-NEXT: return
// CHECK: func.func private @blocks(
// CHECK: sdy.func_data_flow_edge
// SUNK-LABEL: @main(
func.func @main(%a: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %0 = call @external(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @dynamic(%c) : (i1) -> i1
  %2 = call @blocks(%0, %1) : (tensor<8xf32>, i1) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @external(tensor<8xf32>) -> tensor<8xf32>
func.func private @dynamic(%a: i1) -> i1 {
  return %a : i1
}
func.func private @blocks(%a: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %0 = stablehlo.negate %a : tensor<8xf32>
  cf.cond_br %c, ^one, ^other
^one:
  return %0 : tensor<8xf32>
^other:
  %1 = stablehlo.negate %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
