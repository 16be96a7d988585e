// RUN: ipu-opt %s --sdy-remove-size-one-axes | FileCheck %s --check-prefixes=CHECK,MESH
// RUN: ipu-opt %s --sdy-remove-size-one-axes=from-meshes | FileCheck %s --check-prefixes=CHECK,NOMESH

// MESH: sdy.mesh @m = <["one"=1, "x"=2, "y"=4, "uno"=1]>
// NOMESH: sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @m = <["one"=1, "x"=2, "y"=4, "uno"=1]>

// CHECK-LABEL: func @collectives
func.func @collectives(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"one", "x"}, {}], unreduced={"uno"}>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {} %arg0 out_sharding=<@m, [{"x"}, {}]>
  %0 = sdy.all_reduce {"uno"} %a out_sharding=<@m, [{"one", "x"}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[B:.*]] = sdy.all_slice [{}, {"y"}] %[[A]] out_sharding=<@m, [{"x"}, {"y"}]>
  %1 = sdy.all_slice [{}, {"y":(1)2, "uno", "y":(2)2}] %0 out_sharding=<@m, [{"one", "x"}, {"y":(1)2, "uno", "y":(2)2}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[C:.*]] = sdy.all_gather [{"x"}, {}] %[[B]] out_sharding=<@m, [{}, {"y"}]>
  %2 = sdy.all_gather [{"one", "x"}, {}] %1 out_sharding=<@m, [{}, {"y":(1)2, "uno", "y":(2)2}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[D:.*]] = sdy.all_to_all [{"y":(2)2}: 1->0] %[[C]] out_sharding=<@m, [{"y":(2)2}, {"y":(1)2}]>
  %3 = sdy.all_to_all [{"uno", "y":(2)2}: 1->0] %2 out_sharding=<@m, [{"uno", "y":(2)2}, {"y":(1)2}]> : tensor<8x8xf32>
  // CHECK-NEXT: %[[E:.*]] = sdy.reduce_scatter [{}, {}] %[[D]] out_sharding=<@m, [{"y":(2)2}, {"y":(1)2}]>
  %4 = sdy.reduce_scatter [{"one"}, {}] %3 out_sharding=<@m, [{"uno", "y":(2)2, "one"}, {"y":(1)2}]> : tensor<8x8xf32>
  // Exchanges of nothing that may not be empty.
  // CHECK-NEXT: %[[F:.*]] = sdy.sharded_to_unreduced [{}, {}] %[[E]] out_sharding=<@m, [{"y":(2)2}, {"y":(1)2}]>
  // CHECK-NEXT: %[[G:.*]] = sdy.all_reduce {} %[[F]]
  // CHECK-NEXT: return %[[G]]
  %5 = sdy.all_to_all [{"one"}: 0->1] %4 out_sharding=<@m, [{"uno", "y":(2)2}, {"y":(1)2, "one"}]> : tensor<8x8xf32>
  %6 = sdy.sharded_to_unreduced [{}, {"one"}] %5 out_sharding=<@m, [{"uno", "y":(2)2}, {"y":(1)2}], unreduced={"one"}> : tensor<8x8xf32>
  %7 = sdy.all_reduce {"one"} %6 out_sharding=<@m, [{"uno", "y":(2)2}, {"y":(1)2}]> : tensor<8x8xf32>
  %8 = sdy.replicated_to_unreduced {"one"} %7 out_sharding=<@m, [{"uno", "y":(2)2}, {"y":(1)2}], unreduced={"one"}> : tensor<8x8xf32>
  return %8 : tensor<8x8xf32>
}
