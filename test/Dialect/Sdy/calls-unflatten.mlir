// RUN: ipu-opt %s --split-input-file --sdy-unflatten-call-graph | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Of copies with equal shardings the first called is called; @other_0 is a copy
// of another function, @leaf_2 sharded otherwise, @leaf_3 no copy in spite of what
// it says. Callers are equal once what they call is.

// CHECK-LABEL: @main(
// CHECK: call @leaf_1(
// CHECK: call @leaf_1(
// CHECK: call @leaf_2(
// CHECK: call @leaf_3(
// CHECK: call @leaf_4(
// CHECK: call @other_0(
// CHECK: call @caller(
// CHECK: call @caller(
// CHECK-NOT: sdy.original_func_name
// CHECK: func.func private @caller(
// CHECK: call @leaf_1(
func.func @main(%a: tensor<8xf32>) {
  %0 = call @leaf_1(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @leaf(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @leaf_2(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @leaf_3(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = call @leaf_4(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %5 = call @other_0(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %6 = call @caller(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %7 = call @caller_0(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func private @leaf(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @leaf_1(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "leaf"} {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @leaf_2(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "leaf"} {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @leaf_3(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "leaf"} {
  %0 = stablehlo.abs %a : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @leaf_4(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "leaf"} {
  %0 = stablehlo.negate %a {note = 1 : i64} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @other_0(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "other"} {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @caller(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @leaf(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @caller_0(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "caller"} {
  %0 = call @leaf_1(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// The same axes are manual around @leaf_0 (within @mid) and @leaf_1, others than
// around @leaf; @leaf_2 says itself that these are others yet.

// CHECK-LABEL: @axes(
// CHECK: func.call @mid(
// CHECK: func.call @leaf_1(
// CHECK: call @leaf(
// CHECK: call @leaf_2(
// CHECK: func.func private @mid(
// CHECK: call @leaf_1(
// CHECK: call @leaf_1(
// CHECK-NOT: sdy.func_manual_axes
func.func @axes(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%c: tensor<4xf32>) {
    %1 = func.call @mid(%c) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = func.call @leaf_1(%c) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @leaf(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = call @leaf_2(%b) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @mid(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @leaf_1(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @leaf_0(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @leaf(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func private @leaf_0(%a: tensor<4xf32>) -> tensor<4xf32> attributes {sdy.original_func_name = "leaf"} {
  return %a : tensor<4xf32>
}
func.func private @leaf_1(%a: tensor<4xf32>) -> tensor<4xf32> attributes {sdy.original_func_name = "leaf"} {
  return %a : tensor<4xf32>
}
func.func private @leaf_2(%a: tensor<4xf32>) -> tensor<4xf32> attributes {sdy.original_func_name = "leaf", sdy.func_manual_axes = #sdy<manual_axes{"y"}>} {
  return %a : tensor<4xf32>
}
