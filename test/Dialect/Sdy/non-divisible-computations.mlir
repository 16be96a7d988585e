// Named computations that become functions lose axes that do not divide, as
// those do: one warning for each sharding that is not kept.
// RUN: ipu-opt %s --split-input-file --sdy-propagation-pipeline=inline-calls=false --verify-diagnostics -o %t
// RUN: ipu-opt %s --split-input-file --sdy-import-pipeline=inline-calls=false --verify-diagnostics -o %t
// RUN: ipu-opt %s --split-input-file --sdy-lint-shardings=exports-computations --verify-diagnostics -o %t
// Where computations stay, or nothing is dropped, there is nothing to say.
// RUN: sed /expected-/d %s > %t.mlir
// RUN: ipu-opt %t.mlir --split-input-file --sdy-propagation-pipeline 2>&1 | FileCheck %s --implicit-check-not=divide --check-prefix=STAYS
// RUN: ipu-opt %t.mlir --split-input-file --sdy-propagation-pipeline="inline-calls=false update-non-divisible-input-output-shardings=false" -o %t 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=divide --check-prefix=NOTHING

sdy.mesh @mesh = <["x"=2, "y"=4]>

// STAYS: sdy.named_computation<"part">{{.*}} in_shardings=[<@mesh, [{"y"}, {"x"}]>] out_shardings=[<@mesh, [{}, {"y", "x"}]>]
func.func @main(%a: tensor<6x12xf32>) -> tensor<6x12xf32> {
  // expected-warning@+2 {{'sdy.named_computation' op operand 0 expects axes that divide 'tensor<6x12xf32>' but got #sdy.sharding<@mesh, [{"y"}, {"x"}]>; keeps #sdy.sharding<@mesh, [{"y":(1)2}, {"x"}]>}}
  // expected-warning@+1 {{'sdy.named_computation' op result 0 expects axes that divide 'tensor<6x12xf32>' but got #sdy.sharding<@mesh, [{}, {"y", "x"}]>; keeps #sdy.sharding<@mesh, [{}, {"y"}]>}}
  %0 = sdy.named_computation<"part">(%a) in_shardings=[<@mesh, [{"y"}, {"x"}]>] out_shardings=[<@mesh, [{}, {"y", "x"}]>] (%b: tensor<6x12xf32>) {
    %1 = stablehlo.sqrt %b : tensor<6x12xf32>
    sdy.return %1 : tensor<6x12xf32>
  } : (tensor<6x12xf32>) -> tensor<6x12xf32>
  return %0 : tensor<6x12xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>

// Of what is empty there is another warning, as for manual computations.
// NOTHING: warning: operand 0 has a sharded dimension of size 0
func.func @main(%a: tensor<0x4xf32>) -> tensor<0x4xf32> {
  // expected-warning@+1 {{operand 0 has a sharded dimension of size 0}}
  %0 = sdy.named_computation<"none">(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}]>] (%b: tensor<0x4xf32>) {
    sdy.return %b : tensor<0x4xf32>
  } : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}
