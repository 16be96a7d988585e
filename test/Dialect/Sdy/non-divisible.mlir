// RUN: ipu-opt %s --split-input-file --sdy-propagation-pipeline --verify-diagnostics -o %t
// RUN: ipu-opt %s --split-input-file --sdy-update-non-divisible-input-output-shardings --verify-diagnostics -o %t
// RUN: sed /expected-/d %s | ipu-opt - --split-input-file --sdy-propagation-pipeline=update-non-divisible-input-output-shardings=false -o %t 2>&1 \
// RUN:   | FileCheck %s --allow-empty --implicit-check-not=warning

sdy.mesh @mesh = <["x"=4, "y"=2]>

// A warning for each sharding of the program that is not kept. What propagation
// brings is none of the user's: "x" on the third argument is dropped silently.
// expected-warning@+2 {{'func.func' op result 0 expects axes that divide 'tensor<6x8xf32>' but got #sdy.sharding<@mesh, [{"x"}, {}]>; keeps #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}}
// expected-warning@+1 {{'func.func' op argument 0 expects axes that divide 'tensor<6x8xf32>' but got #sdy.sharding<@mesh, [{"x"}, {"y"}]>; keeps #sdy.sharding<@mesh, [{"x":(1)2}, {"y"}]>}}
func.func @main(%a: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                %c: tensor<6x8xf32>)
    -> (tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.add %a, %c : tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=4, "y"=2]>

// Free axes of manual computations, too. The size of "x" divides nothing of 3.
func.func @manual(%a: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // expected-warning@+2 {{'sdy.manual_computation' op operand 0 expects axes that divide 'tensor<6x8xf32>' but got #sdy.sharding<@mesh, [{"y", "x"}, {}]>; keeps #sdy.sharding<@mesh, [{"y"}, {}]>}}
  // expected-warning@+1 {{'sdy.manual_computation' op result 0 expects}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y", "x"}, {}]>] out_shardings=[<@mesh, [{"y", "x"}, {}]>]
      manual_axes={"y"} (%b: tensor<3x8xf32>) {
    %1 = stablehlo.tanh %b : tensor<3x8xf32>
    sdy.return %1 : tensor<3x8xf32>
  } : (tensor<6x8xf32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
