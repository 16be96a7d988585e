// RUN: ipu-opt %s --split-input-file --sdy-add-data-flow-edges --sdy-apply-sharding-constraints="debug-sharding-origins debug-propagation-edge-sharding" | FileCheck %s --check-prefix=APPLY
// RUN: ipu-opt %s --split-input-file --sdy-add-data-flow-edges --sdy-apply-sharding-constraints="debug-sharding-origins debug-propagation-edge-sharding" \
// RUN:   --sdy-aggressive-propagate="debug-sharding-origins debug-propagation-edge-sharding" \
// RUN:   --sdy-sink-data-flow-edges="sink-debug-sharding-origins sink-debug-propagation-edge-sharding" | FileCheck %s --check-prefix=SINK
// RUN: ipu-opt %s --split-input-file --sdy-add-data-flow-edges --sdy-apply-sharding-constraints="debug-sharding-origins debug-propagation-edge-sharding" \
// RUN:   --sdy-aggressive-propagate="debug-sharding-origins debug-propagation-edge-sharding" \
// RUN:   --sdy-sink-data-flow-edges="sink-debug-sharding-origins" | FileCheck %s --implicit-check-not=_propagation_edges --check-prefix=ORIGINS
// RUN: ipu-opt %s --split-input-file --sdy-add-data-flow-edges --sdy-apply-sharding-constraints="debug-sharding-origins debug-propagation-edge-sharding" \
// RUN:   --sdy-aggressive-propagate="debug-sharding-origins debug-propagation-edge-sharding" \
// RUN:   --sdy-sink-data-flow-edges | FileCheck %s --implicit-check-not=result_ --implicit-check-not=block_arg_ --check-prefix=NONE
// RUN: ipu-opt %s --split-input-file --sdy-propagation-pipeline="debug-sharding-origins debug-propagation-edge-sharding" | FileCheck %s --check-prefix=PIPE
// RUN: ipu-opt %s --split-input-file --sdy-import-pipeline="debug-sharding-origins debug-propagation-edge-sharding" | FileCheck %s --check-prefix=APPLY

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8]>

// What a value has by a constraint comes from there, and all that follows.
// APPLY-LABEL: func.func @constraints(
// APPLY-SAME: %arg0: {{[^%]*}}[{"a"}]>, sdy.sharding_origins = {a = "constraint_0"}}
// APPLY-SAME: %arg1: {{[^%]*}}[{"b"}]>, sdy.sharding_origins = {b = "self"}}
// APPLY: stablehlo.abs %arg1 {{.*}}, sdy.sharding_origins = [{c = "constraint_1"}]
// APPLY: sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = result-0 -> [operand-0]}]}]>, sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {a = "self"}}
// APPLY: sdy.sharding_constraint {{.*}} {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"c" = result-0 -> [operand-0]}]}]>, sdy.sharding_origin_name = "constraint_1"
// SINK-LABEL: func.func @constraints(
// SINK-SAME: %arg0: {{[^%]*}}sdy.sharding_origins = {a = "constraint_0"}
// SINK-SAME: -> ({{.*}}sdy.sharding_origins = {a = "constraint_0"}}, {{.*}}sdy.sharding_origins = {c = "constraint_1"}})
// SINK: sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = result-0 -> [operand-0]}]}]>
// PIPE-LABEL: func.func @constraints(
// PIPE-SAME: %arg0: {{[^%]*}}sdy.sharding_origins = {a = "constraint_0"}
// PIPE: sdy.reshard %arg0 <@mesh, [{"a"}]> {{.*}}sdy.sharding_origin_name = "constraint_0"
// ORIGINS-LABEL: func.func @constraints(
// NONE-LABEL: func.func @constraints(
func.func @constraints(%x: tensor<8xf32>, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.abs %y : tensor<8xf32>
  %1 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"c"}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=2]>

// What a manual computation demands of an operand, likewise. The names of two
// steps of the pipeline are the same.
// APPLY-LABEL: func.func @manual(
// APPLY-SAME: sdy.sharding_origins = {a = "mc_0_input: 0", b = "mc_0_input: 0"}
// APPLY: sdy.data_flow_edge %arg1 sharding=<@mesh, [{}, {"b"}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = result-0 -> [operand-0]}, {"b" = result-0 -> [operand-0]}]}]>, sdy.sharding_origins = {a = "self", b = "self"}}
// SINK-LABEL: func.func @manual(
// SINK-SAME: sdy.sharding_origins = {a = "mc_0_input: 0", b = "mc_0_input: 0"}
// SINK: {sdy.block_arg_propagation_edges = [#sdy.propagation_edges<[{step-0 =
// SINK-SAME: sdy.block_arg_sharding_origins = [{a = "self", b = "self"}]
// SINK-SAME: sdy.result_sharding_origins = [{a = "self", b = "mc_0_input: 0"}]
// SINK-SAME: sdy.sharding_origin_name = "mc_0"
// PIPE-LABEL: func.func @manual(
// ORIGINS-LABEL: func.func @manual(
// ORIGINS: sdy.block_arg_sharding_origins = [{a = "self", b = "self"}]
// NONE-LABEL: func.func @manual(
func.func @manual(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}, {"b"}]>] out_shardings=[<@mesh, [{"a"}, {?}]>]
      manual_axes={"a"} (%p: tensor<4x8xf32>) {
    %1 = stablehlo.negate %p : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["c"=8]>

// An axis is named as the program has it, `c:(1)4`, not the part of it that was
// new.
// SINK-LABEL: func.func @parts(
// SINK-SAME: %arg0: {{[^%]*}}sdy.sharding_origins = {"c:(1)4" = "self"}
// SINK-SAME: -> ({{.*}}sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"c":(1)2 = result-0 -> [operand-0]}]}, {step-2 = [{"c":(1)4 = operand-0 -> [result-0]}]}]>
// SINK-SAME: sdy.sharding_origins = {"c:(1)2" = "self", "c:(1)4" = "input: 0"}
// SINK: stablehlo.add {{.*}}step-1 = [{"c":(1)4 = operand-0 -> [result-0]}]
// SINK-SAME: sdy.sharding_origins = [{"c:(1)2" = "output: 0", "c:(1)4" = "input: 0"}]
// APPLY-LABEL: func.func @parts(
// PIPE-LABEL: func.func @parts(
// ORIGINS-LABEL: func.func @parts(
// NONE-LABEL: func.func @parts(
func.func @parts(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"c":(1)4, ?}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"c":(1)2, ?}]>}) {
  %0 = stablehlo.add %x, %x : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8]>

// Axes that come together come from one operand: the first that has them all.
// SINK-LABEL: func.func @together(
// SINK-SAME: %arg0: {{[^%]*}}sdy.sharding_origins = {a = "self", b = "input: 1"}
// SINK: stablehlo.add %arg0, %arg1 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-1 -> [result-0]}, {"b" = operand-1 -> [operand-0, result-0]}]}]>
// SINK-SAME: sdy.sharding_origins = [{a = "input: 1", b = "input: 1"}]
// APPLY-LABEL: func.func @together(
// PIPE-LABEL: func.func @together(
// ORIGINS-LABEL: func.func @together(
// NONE-LABEL: func.func @together(
func.func @together(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>},
                    %y: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}) -> tensor<16xf32> {
  %0 = stablehlo.add %x, %y : tensor<16xf32>
  return %0 : tensor<16xf32>
}
