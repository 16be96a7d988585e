// RUN: ipu-opt %s --sdy-basic-propagate | FileCheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
sdy.mesh @other = <["x"=8]>

// Along a chain of contractions, forwards and backwards.
// CHECK-LABEL: @contractions(
// CHECK-SAME: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}
// CHECK-SAME: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}
// CHECK-SAME: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}]>}
// CHECK-SAME: -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.dot_general %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}}, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.tanh %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x32xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.dot_general %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}}, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
func.func @contractions(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>},
                        %w: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>},
                        %v: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// Two factors want one axis: nothing happens.
// CHECK-LABEL: @conflict(
// CHECK-SAME: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}
// CHECK-SAME: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.dot_general %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}}, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
func.func @conflict(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>},
                    %w: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// Nothing is added to closed dimensions, nor along replicated axes.
// CHECK-LABEL: @closed(
// CHECK-SAME: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.tanh %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b", ?}]>]>} : tensor<8x16xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.negate %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}], replicated={"b"}>]>} : tensor<8x16xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.add %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} : tensor<8x16xf32>
func.func @closed(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> tensor<8x16xf32> {
  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {?}]>]>} : tensor<8x16xf32>
  %1 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}], replicated={"b"}>]>} : tensor<8x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// What fits the major factor of a split dimension, and what overflows it.
// CHECK-LABEL: @reshape(
// CHECK-SAME: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a", ?}, {?}]>}
// CHECK-SAME: -> (tensor<4x2x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}, {"a", ?}, {?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.reshape %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c", ?}, {"a", ?}, {?}]>]>} : (tensor<8x16xf32>) -> tensor<4x2x16xf32>
func.func @reshape(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a", ?}, {?}]>}) -> tensor<4x2x16xf32> {
  %0 = stablehlo.reshape %x : (tensor<8x16xf32>) -> tensor<4x2x16xf32>
  return %0 : tensor<4x2x16xf32>
}

// A part of an axis.
// CHECK-LABEL: @part_of_axis(
// CHECK-SAME: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)2, ?}, {"a", ?}]>}
// CHECK-SAME: -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"c":(1)2, ?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.transpose %{{[a-zA-Z0-9_]+}}, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"c":(1)2, ?}]>]>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
func.func @part_of_axis(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)2, ?}, {"a", ?}]>}) -> tensor<16x8xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// Meshes do not mix.
// CHECK-LABEL: @meshes(
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"x", ?}]>}
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.add %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} : tensor<8xf32>
func.func @meshes(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>},
                  %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"x", ?}]>}) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A barrier lets through forwards only.
// CHECK-LABEL: @barrier(
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.propagation_barrier %{{[a-zA-Z0-9_]+}} allowed_direction=FORWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.add %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.propagation_barrier %{{[a-zA-Z0-9_]+}} allowed_direction=FORWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
func.func @barrier(%x: tensor<8xf32>, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.propagation_barrier %x allowed_direction=FORWARD : tensor<8xf32>
  %1 = stablehlo.add %0, %y : tensor<8xf32>
  %2 = sdy.propagation_barrier %y allowed_direction=FORWARD : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// Rules that are given count as those of ops do.
// CHECK-LABEL: @custom_rule(
// CHECK-SAME: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}
// CHECK-SAME: -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {"a", ?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.custom_call @swap(%{{[a-zA-Z0-9_]+}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}, {"a", ?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=4}, custom>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
func.func @custom_rule(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @swap(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=4}, custom>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
