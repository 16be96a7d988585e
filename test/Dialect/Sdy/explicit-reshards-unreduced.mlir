// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s
// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true -o %t.once
// RUN: ipu-opt %t.once --sdy-insert-explicit-reshards=enable-full-version=true -o %t.twice
// RUN: diff %t.once %t.twice

sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: @reduced_before_use(
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: stablehlo.exponential %[[A]]
func.func @reduced_before_use(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = stablehlo.exponential %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @maxima(
// CHECK-NEXT: sdy.all_reduce max {"x"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
func.func @maxima(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.exponential %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The result is in parts along "x", as the operand is; "y" is not.
// CHECK-LABEL: @kept(
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
// CHECK-NEXT: stablehlo.negate %[[A]]
// CHECK-NEXT: return
func.func @kept(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x", "y"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @unknown_op(
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT: stablehlo.custom_call @f(%[[A]])
func.func @unknown_op(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @replicated_to_unreduced(
// CHECK-NEXT: %[[A:.*]] = sdy.replicated_to_unreduced {"x"} %arg0 out_sharding=<@mesh, [{"y"}], unreduced={"x"}> : tensor<8xf32>
// CHECK-NEXT: return %[[A]]
func.func @replicated_to_unreduced(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}) {
  return %a : tensor<8xf32>
}

// CHECK-LABEL: @sharded_to_unreduced(
// CHECK-NEXT: %[[A:.*]] = sdy.sharded_to_unreduced [{"x"}] %arg0 out_sharding=<@mesh, [{"y"}], unreduced={"x"}> : tensor<8xf32>
// CHECK-NEXT: return %[[A]]
func.func @sharded_to_unreduced(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}) {
  %0 = sdy.reshard %a <@mesh, [{"y"}], unreduced={"x"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Axes have to come last in their dimension to leave it.
// CHECK-LABEL: @moved_to_the_end(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"x", "y":(2)2, "y":(1)2}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: %[[B:.*]] = sdy.sharded_to_unreduced [{"y":(1)2}, {}] %[[A]] out_sharding=<@mesh, [{"x", "y":(2)2}, {}], unreduced={"y":(1)2}> : tensor<16x8xf32>
// CHECK-NEXT: %[[C:.*]] = sdy.reshard %[[B]] <@mesh, [{}, {}], unreduced={"y":(1)2}> : tensor<16x8xf32>
// CHECK-NEXT: return %[[C]]
func.func @moved_to_the_end(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y":(1)2}>}) {
  return %a : tensor<16x8xf32>
}

// What has no sharding gets one first.
// CHECK-LABEL: @no_sharding(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT: %[[B:.*]] = sdy.replicated_to_unreduced {"x"} %[[A]] out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
// CHECK-NEXT: return %[[B]]
func.func @no_sharding(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  return %a : tensor<8xf32>
}

// Arguments in a computation are global to whoever reads their shardings.
// CHECK-LABEL: @in_manual_computation(
// CHECK: manual_axes={"x"} (%[[IN:[a-z0-9]+]]: tensor<4xf32>) {
// CHECK-NEXT: %[[LOCAL:.*]] = sdy.reshard %[[IN]] <@mesh, [{}], unreduced={"y"}> : tensor<4xf32>
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %[[LOCAL]] out_sharding=<@mesh, [{}]> : tensor<4xf32>
// CHECK-NEXT: stablehlo.exponential %[[SUM]]
func.func @in_manual_computation(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"y"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}], unreduced={"y"}>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    %1 = stablehlo.exponential %b : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
