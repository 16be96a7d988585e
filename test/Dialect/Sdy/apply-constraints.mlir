// RUN: ipu-opt %s --sdy-propagation-pipeline | FileCheck %s
// RUN: ipu-opt %s --sdy-import-pipeline | FileCheck %s --check-prefix=IMPORT

// Constraints on what loops carry, and chains of them: where their reshards are, and
// who reads them.

sdy.mesh @mesh = <["a"=2, "b"=4]>

// The argument is on an edge. Its constraint goes to where it begins, in front of the
// conversion, and the others of its users read it.
// CHECK-LABEL: @loop_argument(
// CHECK: do {
// CHECK-NEXT: %[[X:.*]] = sdy.reshard %[[ARG:.*]] <@mesh, [{"a"}, {}]>
// CHECK-NEXT: %[[C:.*]] = stablehlo.convert
// CHECK-NEXT: %[[M:.*]] = stablehlo.multiply %[[X]], %[[C]]
// CHECK-NEXT: stablehlo.add %[[M]], %[[X]]
func.func @loop_argument(%a: tensor<16x8xf32>, %n: tensor<i32>, %c: tensor<16x8xi32>) -> tensor<16x8xf32> {
  %0:2 = stablehlo.while(%x = %a, %i = %n) : tensor<16x8xf32>, tensor<i32>
  cond {
    %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  } do {
    %1 = stablehlo.convert %c : (tensor<16x8xi32>) -> tensor<16x8xf32>
    %2 = sdy.sharding_constraint %x <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<16x8xf32>
    %4 = stablehlo.add %3, %x : tensor<16x8xf32>
    stablehlo.return %4, %i : tensor<16x8xf32>, tensor<i32>
  }
  return %0#0 : tensor<16x8xf32>
}

// A concatenation of the argument reads it too, though it comes first in the text.
// CHECK-LABEL: @loop_concatenation(
// CHECK: do {
// CHECK-NEXT: %[[X:.*]] = sdy.reshard %{{.*}} <@mesh, [{"a"}, {}]>
// CHECK-NEXT: %[[ALL:.*]] = stablehlo.concatenate %[[X]], %{{.*}}, dim = 1
func.func @loop_concatenation(%a: tensor<16x8xf32>, %n: tensor<i32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0:2 = stablehlo.while(%x = %a, %i = %n) : tensor<16x8xf32>, tensor<i32>
  cond {
    %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  } do {
    %1 = stablehlo.concatenate %x, %c, dim = 1 : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x16xf32>
    %2 = sdy.sharding_constraint %x <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
    %3 = stablehlo.slice %1 [0:16, 4:12] : (tensor<16x16xf32>) -> tensor<16x8xf32>
    %4 = stablehlo.add %2, %3 : tensor<16x8xf32>
    stablehlo.return %4, %i : tensor<16x8xf32>, tensor<i32>
  }
  return %0#0 : tensor<16x8xf32>
}

// Unreduced axes do not propagate: the edge gets them.
// IMPORT-LABEL: @loop_argument_of_parts(
// IMPORT: do {
// IMPORT-NEXT: %[[X:.*]] = sdy.sharding_constraint %{{.*}} <@mesh, [{"a"}, {}], unreduced={"b"}>
// IMPORT-NEXT: stablehlo.add %[[X]], %[[X]]
// IMPORT: sdy.data_flow_edge %{{.*}}#0 sharding=<@mesh, [{?}, {?}], unreduced={"b"}>
func.func @loop_argument_of_parts(%a: tensor<16x8xf32>, %n: tensor<i32>) -> tensor<16x8xf32> {
  %0:2 = stablehlo.while(%x = %a, %i = %n) : tensor<16x8xf32>, tensor<i32>
  cond {
    %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  } do {
    %1 = sdy.sharding_constraint %x <@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<16x8xf32>
    %2 = stablehlo.add %1, %x : tensor<16x8xf32>
    stablehlo.return %2, %i : tensor<16x8xf32>, tensor<i32>
  }
  return %0#0 : tensor<16x8xf32>
}

// An open one is no demand: it stays where it is.
// CHECK-LABEL: @loop_argument_open(
// CHECK: do {
// CHECK-NEXT: stablehlo.convert
// CHECK-NEXT: sdy.reshard
func.func @loop_argument_open(%a: tensor<16x8xf32>, %n: tensor<i32>, %c: tensor<16x8xi32>) -> tensor<16x8xf32> {
  %0:2 = stablehlo.while(%x = %a, %i = %n) : tensor<16x8xf32>, tensor<i32>
  cond {
    %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  } do {
    %1 = stablehlo.convert %c : (tensor<16x8xi32>) -> tensor<16x8xf32>
    %2 = sdy.sharding_constraint %x <@mesh, [{"a", ?}, {}]> : tensor<16x8xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<16x8xf32>
    %4 = stablehlo.add %3, %x : tensor<16x8xf32>
    stablehlo.return %4, %i : tensor<16x8xf32>, tensor<i32>
  }
  return %0#0 : tensor<16x8xf32>
}

// Later users read the last constraint of a chain, if the first is closed too. A part
// of an axis stays beside a whole one.
// CHECK-LABEL: @chain(
// CHECK-NEXT: %[[V:.*]] = stablehlo.negate %arg0 {{.*}}<@mesh, [{"a"}, {}]>
// CHECK-NEXT: %[[FIRST:.*]] = sdy.reshard %[[V]] <@mesh, [{"a"}, {}]>
// CHECK-NEXT: %[[LAST:.*]] = sdy.reshard %[[FIRST]] <@mesh, [{"b":(1)2, "a"}, {}]>
// CHECK-NEXT: %[[E:.*]] = stablehlo.exponential %[[LAST]] {{.*}}<@mesh, [{"b":(1)2, "a"}, {}]>
func.func @chain(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.negate %a : tensor<16x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"b":(1)2, "a"}, {}]> : tensor<16x8xf32>
  %3 = stablehlo.exponential %0 : tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}

// A scalar that is broadcast for each of its users has the leading axis only where the
// last constraint of the chain leads.
// CHECK-LABEL: @chain_and_scalar(
// CHECK-DAG: stablehlo.broadcast_in_dim %arg1, {{.*}}<@mesh, [{"a"}, {}]>
// CHECK-DAG: stablehlo.broadcast_in_dim %arg1, {{.*}}<@mesh, [{"b", "a"}, {}]>
func.func @chain_and_scalar(%a: tensor<16x8xf32>, %s: tensor<f32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %0 = stablehlo.negate %a : tensor<16x8xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
  %4 = stablehlo.add %0, %b : tensor<16x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"b", "a"}, {}]> : tensor<16x8xf32>
  %3 = stablehlo.add %0, %b : tensor<16x8xf32>
  return %3, %4 : tensor<16x8xf32>, tensor<16x8xf32>
}
