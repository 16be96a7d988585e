// RUN: ipu-opt %s --sdy-insert-explicit-reshards | FileCheck %s
// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s --check-prefix=FULL

// The arguments of blocks have no shardings. Partial values are reduced before they become
// arguments; the full version also gathers shards.

sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: @branches(
// CHECK: cf.cond_br %arg1, ^[[A:.*]], ^[[B:.*]]
// CHECK: ^[[A]]:
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{"x"}]>
// CHECK-NEXT: cf.br ^[[C:.*]](%[[SUM]] :
// CHECK: ^[[B]]:
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{"x"}]>
// CHECK-NEXT: cf.br ^[[C]](%[[SUM]] :
// FULL-LABEL: @branches(
// FULL: %[[SUM:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{"x"}]>
// FULL-NEXT: %[[WHOLE:.*]] = sdy.reshard %[[SUM]] <@mesh, [{}]>
// FULL-NEXT: cf.br ^{{.*}}(%[[WHOLE]] :
func.func @branches(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"y"}>}, %p: i1) -> tensor<8xf32> {
  cf.cond_br %p, ^a, ^b
^a:
  cf.br ^c(%a : tensor<8xf32>)
^b:
  cf.br ^c(%a : tensor<8xf32>)
^c(%b: tensor<8xf32>):
  %0 = stablehlo.exponential %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}
