// RUN: ipu-opt %s --sdy-reshard-to-collectives=keep-redundant-reshards | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=2]>

// CHECK-LABEL: func @redundant
func.func @redundant(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: sdy.reshard %arg0 <@m, [{"x"}]>
  // CHECK-NEXT: sdy.reshard %arg1 <@m, [{}]>
  // CHECK-NEXT: sdy.all_gather
  %0 = sdy.reshard %a <@m, [{"x"}]> : tensor<8xf32>
  %1 = sdy.reshard %b <@m, [{}]> : tensor<8xf32>
  %2 = sdy.reshard %a <@m, [{}]> : tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
