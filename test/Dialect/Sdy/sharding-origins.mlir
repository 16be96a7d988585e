// RUN: ipu-opt %s --split-input-file --sdy-propagation-pipeline="debug-sharding-origins debug-propagation-edge-sharding" | FileCheck %s
// RUN: ipu-opt %s --split-input-file --sdy-propagation-pipeline="debug-sharding-origins debug-propagation-edge-sharding" \
// RUN:   --sdy-remove-propagation-debug-info | FileCheck %s --check-prefix=REMOVED --implicit-check-not=origin --implicit-check-not=edges

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>

// REMOVED: func.func @main
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: {{.*}}sdy.sharding_origins = {a = "self", b = "input: 1"}
// CHECK-SAME: %arg1: {{.*}}sdy.sharding_origins = {a = "input: 0", b = "self"}
// CHECK-SAME: -> ({{.*}}sdy.propagation_edges = #sdy.propagation_edges<[
// CHECK-SAME: sdy.sharding_origins = {a = "input: 0", b = "input: 1"}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>},
                %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) -> tensor<8x8xf32> {
  // CHECK: stablehlo.add
  // CHECK-SAME: sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [operand-1, result-0]}, {"b" = operand-1 -> [operand-0, result-0]}]}]>
  // CHECK-SAME: sdy.sharding_origins = [{a = "input: 0", b = "input: 1"}]
  %0 = stablehlo.add %a, %b : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// An argument that is returned: what the result says stays the result's.
sdy.mesh @mesh = <["a"=2, "b"=2]>

// REMOVED: func.func @main
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: {{.*}}sdy.sharding_origins = {a = "self", b = "output: 1"}
// CHECK-SAME: sdy.propagation_edges = #sdy.propagation_edges<[{step-{{[0-9]}} = [{"a" = operand-0 -> [result-0]}]}{{.*}}sdy.sharding_origins = {a = "input: 0", b = "output: 1"}
// CHECK-SAME: sdy.propagation_edges = #sdy.propagation_edges<[{step-{{[0-9]}} = [{"a" = operand-1 -> [result-1]}, {"b" = result-1 -> [operand-1]}]}]>{{.*}}sdy.sharding_origins = {a = "input: 0", b = "self"}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
  return %a, %a : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Parts of an axis that merge keep their origins.
sdy.mesh @mesh = <["c"=4]>

// REMOVED: func.func @main
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<8xf32> {{.*}}sdy.sharding_origins = {"c:(1)2" = "input: 0", "c:(2)2" = "input: 1"}
func.func @main(%a: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)2, ?}, {?}]>},
                %b: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"c":(2)2, ?}]>}) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %b : tensor<2x4xf32>
  // CHECK: stablehlo.reshape
  // CHECK-SAME: sdy.sharding_origins = [{"c:(1)2" = "input: 0", "c:(2)2" = "input: 1"}]
  %1 = stablehlo.reshape %0 : (tensor<2x4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Constraints, other ops, and groups.
sdy.mesh @mesh = <["a"=2, "b"=2]>

// REMOVED: func.func @main
// CHECK-LABEL: func.func @main
// CHECK-SAME: sdy.sharding_origins = {a = "constraint_0", b = "op_0: 0"}
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.reshard
  // CHECK-SAME: sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {a = "self", b = "op_0: 0"}
  %0 = sdy.sharding_constraint %a <@mesh, [{"a", ?}, {?}]> : tensor<8x8xf32>
  // CHECK: stablehlo.abs
  // CHECK-SAME: sdy.sharding_origin_name = "op_0", sdy.sharding_origins = [{a = "constraint_0", b = "self"}]
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"b", ?}]>]>} : tensor<8x8xf32>
  %2 = stablehlo.iota dim = 0 : tensor<8x8xf32>
  sdy.sharding_group %1 group_id = 3 : tensor<8x8xf32>
  sdy.sharding_group %2 group_id = 3 : tensor<8x8xf32>
  // CHECK: stablehlo.iota
  // CHECK-SAME: sdy.sharding_origins = [{a = "constraint_0", b = "op_0: 0"}]
  %3 = stablehlo.add %1, %2 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// Edges: of a loop, and of a manual computation.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>

// REMOVED: func.func @main
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: {{.*}}sdy.sharding_origins = {a = "self", c = "mc_0_input: 0"}
// CHECK-SAME: -> ({{.*}}sdy.sharding_origins = {b = "mc_0_output: 0", c = "mc_0_input: 0"}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %n: tensor<i32>)
    -> tensor<8x8xf32> {
  %0:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<8x8xf32> cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %x : tensor<8x8xf32>
    stablehlo.return %i, %1 : tensor<i32>, tensor<8x8xf32>
  }
  // CHECK: sdy.result_propagation_edges = [#sdy.propagation_edges<[]>, #sdy.propagation_edges<[{step-
  // CHECK-SAME: sdy.result_sharding_origins = [{}, {a = "input: 0", c = "mc_0_input: 0"}]
  // CHECK: sdy.manual_computation
  %2 = sdy.manual_computation(%0#1) in_shardings=[<@mesh, [{"b", ?}, {"c", ?}]>] out_shardings=[<@mesh, [{"b", ?}, {?}]>]
      manual_axes={"b"} (%x: tensor<4x8xf32>) {
    %3 = stablehlo.negate %x : tensor<4x8xf32>
    sdy.return %3 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: {sdy.block_arg_propagation_edges = [#sdy.propagation_edges<[{step
  // CHECK-SAME: sdy.block_arg_sharding_origins = [{b = "self", c = "self"}]
  // CHECK-SAME: sdy.result_sharding_origins
  // CHECK-SAME: sdy.sharding_origin_name = "mc_0"
  return %2 : tensor<8x8xf32>
}

// -----

// Manual axes come from the computation, too, also where it has no others.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// REMOVED: func.func @main
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: {{.*}}[{"x"}, {"y"}]>, sdy.sharding_origins = {x = "mc_0_input: 0", y = "mc_0_input: 0"}
// CHECK-SAME: %arg1: {{.*}}[{"x"}, {"y"}]>, sdy.sharding_origins = {x = "mc_0_input: 1", y = "mc_0_input: 0"}
func.func @main(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"x"}, {"y", ?}]>, <@mesh, [{"x"}, {?}]>]
      out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<8x16xf32>, %q: tensor<8x16xf32>) {
    %r = stablehlo.dot_general %q, %p, contracting_dims = [1] x [1] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
    %s = stablehlo.dot_general %r, %p, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    sdy.return %s : tensor<8x16xf32>
  } : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  // CHECK: sdy.block_arg_sharding_origins = [{x = "self", y = "self"}, {x = "self", y = "mc_0_input: 0"}]
  return %0 : tensor<16x16xf32>
}

// -----

// With several functions, each is named; kept calls have edges.
sdy.mesh @mesh = <["a"=2, "b"=2]>

// RUN: ipu-opt %s --split-input-file --sdy-propagation-pipeline="debug-sharding-origins dedup-functions-fully" | FileCheck %s --check-prefix=KEEP

// KEEP-LABEL: func.func @main(%arg0: tensor<8x8xf32>, %arg1:
// REMOVED: func.func @main
// KEEP: func.func private @f(%arg0: {{.*}}[{"a"}, {"b"}]
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> tensor<8x8xf32> {
  %0 = func.call @f(%y) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) -> tensor<8x8xf32> {
  // KEEP: stablehlo.abs
  // KEEP-SAME: sdy.sharding_origins = [{a = "@main input: 1", b = "@f input: 0"}]
  %0 = stablehlo.abs %x : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
