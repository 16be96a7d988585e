// RUN: ipu-opt %s --sdy-propagation-pipeline --verify-diagnostics | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @main
// CHECK-NOT: call
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @h(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-note @+1 {{called here}}
  %1 = call @said(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// CHECK-NOT: func.func
func.func private @h(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// expected-warning @+1 {{shardings of the arguments and results of @said are lost because its calls are inlined; `inline-calls=false` keeps them}}
func.func private @said(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
