// RUN: ipu-opt %s --sdy-propagation-pipeline --verify-diagnostics --split-input-file | FileCheck %s
// RUN: ipu-opt %s --sdy-propagation-pipeline=enable-insert-explicit-collectives=true --verify-diagnostics --split-input-file -o %t

// A sum of whole values stays what the program says it is, with a warning.

sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @whole(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.exponential %a : tensor<8xf32>
  // expected-warning@+1 {{'sdy.all_reduce' op expects an operand with partial values along {"x", "y"} but got whole values, of which each device adds one}}
  %1 = sdy.all_reduce {"x", "y"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>
// The exponential needs the sum.
// CHECK-LABEL: @not_linear(
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"x"} %arg0
// CHECK-NEXT: stablehlo.exponential %[[SUM]]
func.func @not_linear(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %w = sdy.sharding_constraint %a <@mesh, [{}]> : tensor<8xf32>
  %0 = stablehlo.exponential %w : tensor<8xf32>
  // expected-warning@+1 {{'sdy.all_reduce' op expects an operand with partial values along {"x"} but got whole values}}
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>
// Maxima of equal values are these values.
func.func @maximum(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.all_reduce max {"x"} %a out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>
// Along a manual axis, devices have different values.
// CHECK-LABEL: @manual(
func.func @manual(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%b: tensor<4x4xf32>) {
    %1 = sdy.all_reduce {"x"} %b out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
    sdy.return %1 : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
