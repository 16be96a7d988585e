// RUN: ipu-opt %s --sdy-canonicalize-collectives | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=2]>

// Collectives, and nothing else.
// CHECK-LABEL: func @only_collectives
func.func @only_collectives(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  // CHECK-NEXT: %[[C:.*]] = stablehlo.constant
  // CHECK-NEXT: %[[C:.*]] = stablehlo.constant
  // CHECK-NEXT: sdy.reshard
  // CHECK-NEXT: sdy.reshard
  // CHECK-NEXT: sdy.reduce_scatter [{"x"}] %arg0
  // CHECK-NEXT: return
  %c = stablehlo.constant dense<0.0> : tensor<8xf32>
  %d = stablehlo.constant dense<0.0> : tensor<8xf32>
  %r = sdy.reshard %c <@m, [{"x"}]> : tensor<8xf32>
  %s = sdy.reshard %r <@m, [{"y"}]> : tensor<8xf32>
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@m, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
