// RUN: ipu-opt %s --sdy-manual-axes-cleanup | FileCheck %s
// RUN: ipu-opt %s --sdy-propagation-pipeline | FileCheck %s --check-prefix=PIPE
// RUN: ipu-opt %s --sdy-propagation-pipeline="enable-insert-explicit-collectives debug-sharding-origins debug-propagation-edge-sharding" | FileCheck %s --check-prefix=PIPE

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Effects in order inside of a manual computation: a token goes through it. It
// has no axes, manual ones neither.
// CHECK-LABEL: func.func @main(
// CHECK: sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, []>, <@mesh, [{"x"}, {?}], replicated={"y"}>] out_shardings=[<@mesh, []>, <@mesh, [{"x"}, {?}], replicated={"y"}>] manual_axes={"x", "y"}
// PIPE-LABEL: func.func @main(
// PIPE-SAME: %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>
// PIPE: sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, []>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, []>, <@mesh, [{"x"}, {}]>] manual_axes={"x", "y"}
// PIPE: stablehlo.custom_call @print(%{{.*}}, %{{.*}}) {{.*}} : (!stablehlo.token, tensor<4x8xf32>) -> !stablehlo.token
func.func @main(%t: !stablehlo.token, %a: tensor<8x8xf32>) -> (!stablehlo.token, tensor<8x8xf32>) {
  %0:2 = sdy.manual_computation(%t, %a) in_shardings=[<@mesh, []>, <@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, []>, <@mesh, [{"x"}, {?}]>]
      manual_axes={"x", "y"} (%u: !stablehlo.token, %b: tensor<4x8xf32>) {
    %1 = stablehlo.abs %b : tensor<4x8xf32>
    %2 = stablehlo.custom_call @print(%u, %1) {has_side_effect = true} : (!stablehlo.token, tensor<4x8xf32>) -> !stablehlo.token
    sdy.return %2, %1 : !stablehlo.token, tensor<4x8xf32>
  } : (!stablehlo.token, tensor<8x8xf32>) -> (!stablehlo.token, tensor<8x8xf32>)
  return %0#0, %0#1 : !stablehlo.token, tensor<8x8xf32>
}

// A token of a loop is an operand of a computation in it.
// PIPE-LABEL: func.func @loop(
// PIPE: sdy.manual_computation(%{{.*}}, %{{.*}}) in_shardings=[<@mesh, []>, <@mesh, [{"y"}]>] out_shardings=[<@mesh, []>] manual_axes={"y"}
func.func @loop(%t: !stablehlo.token, %n: tensor<i32>, %a: tensor<8xf32>) -> !stablehlo.token {
  %0:3 = stablehlo.while(%i = %n, %u = %t, %x = %a) : tensor<i32>, !stablehlo.token, tensor<8xf32> cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = sdy.manual_computation(%u, %x) in_shardings=[<@mesh, []>, <@mesh, [{"y"}]>] out_shardings=[<@mesh, []>]
        manual_axes={"y"} (%v: !stablehlo.token, %p: tensor<4xf32>) {
      %2 = stablehlo.custom_call @print(%v, %p) {has_side_effect = true} : (!stablehlo.token, tensor<4xf32>) -> !stablehlo.token
      sdy.return %2 : !stablehlo.token
    } : (!stablehlo.token, tensor<8xf32>) -> !stablehlo.token
    stablehlo.return %i, %1, %x : tensor<i32>, !stablehlo.token, tensor<8xf32>
  }
  return %0#1 : !stablehlo.token
}
