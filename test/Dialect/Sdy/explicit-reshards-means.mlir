// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s

// Means of shards are no parts of a mean that a collective combines to its bits:
// the axis is made whole first, where a sum is reduced afterwards.

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func @mean
// CHECK-SAME: (%[[A:[a-z0-9]+]]
func.func @mean(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  // CHECK: %[[WHOLE:.*]] = sdy.reshard %[[A]] <@mesh, [{}, {"y"}]>
  // CHECK: %[[MEAN:.*]] = pop.reduce mean %[[WHOLE]]
  %0 = pop.reduce mean %a {axes = array<i64: 0>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8x4xf32> -> tensor<4xf32>
  // CHECK: %[[PARTS:.*]] = pop.reduce sum %[[A]]
  // CHECK: %[[SUM:.*]] = sdy.all_reduce {"x"} %[[PARTS]]
  %1 = pop.reduce sum %a {axes = array<i64: 0>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8x4xf32> -> tensor<4xf32>
  // CHECK: return %[[MEAN]], %[[SUM]]
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
