// RUN: ipu-opt %s --sdy-basic-propagate | FileCheck %s
// RUN: ipu-opt %s --sdy-aggressive-propagate | FileCheck %s

// A manual axis comes to no dimension of the result, where the type of the body
// has been fixed.
sdy.mesh @mesh = <["a"=2, "b"=2]>

// CHECK-LABEL: func.func @manual_axis_outside
func.func @manual_axis_outside(%x: tensor<8x8xf32>,
    %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) -> tensor<8x8xf32> {
  // CHECK: sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a", "b"}
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>]
      manual_axes={"a", "b"} (%z: tensor<4x8xf32>) {
    %3 = stablehlo.negate %z : tensor<4x8xf32>
    sdy.return %3 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %0, %y : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
