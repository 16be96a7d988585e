// RUN: ipu-opt %s --sdy-reshard-to-collectives | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @twin = <["x"=2, "y"=2]>
sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
sdy.mesh @other = <["a"=2, "b"=2]>
sdy.mesh @wide = <["x"=2, "y"=4]>
sdy.mesh @high = <["p"=4, "q"=2]>
sdy.mesh @two_three = <["x"=2, "y"=3]>
sdy.mesh @three_two = <["x"=3, "y"=2]>
sdy.mesh @one = <[], device_ids=[1]>

// CHECK-LABEL: func @other_device_order
func.func @other_device_order(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: sdy.collective_permute %arg0 out_sharding=<@turned, [{"x"}, {}]>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@turned, [{"x"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// One permutation does it all.
// CHECK-LABEL: func @other_device_order_and_axes
func.func @other_device_order_and_axes(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{}, {"y"}] %arg0 out_sharding=<@m, [{"x"}, {"y"}]>
  // CHECK-NEXT: sdy.collective_permute %[[S]] out_sharding=<@turned, [{"y"}, {"x"}]>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@turned, [{"y"}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func @gather_in_other_device_order
func.func @gather_in_other_device_order(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[P:.*]] = sdy.collective_permute %arg0 out_sharding=<@turned, [{"x"}, {}]>
  // CHECK-NEXT: sdy.all_gather [{"x"}, {}] %[[P]] out_sharding=<@turned, [{}, {}]>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@turned, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func @replicated_in_other_device_order
func.func @replicated_in_other_device_order(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[P:.*]] = sdy.collective_permute %arg0 out_sharding=<@turned, [{}]>
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{"x"}] %[[P]] out_sharding=<@turned, [{"x"}]>
  // CHECK-NEXT: return %arg0, %[[S]]
  %0 = sdy.reshard %a <@turned, [{}]> : tensor<8xf32>
  %1 = sdy.reshard %a <@turned, [{}]> : tensor<8xf32>
  %2 = sdy.all_slice [{"x"}] %1 out_sharding=<@turned, [{"x"}]> : tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}

// A permutation may not only change the name.
// CHECK-LABEL: func @equal_mesh_of_another_name
func.func @equal_mesh_of_another_name(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: sdy.collective_permute %arg0 out_sharding=<@m, [{"y"}, {"x"}]>
  // CHECK-NEXT: sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@twin, [{}, {"y"}]>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@twin, [{"y"}, {"x"}]> : tensor<8x8xf32>
  %1 = sdy.reshard %a <@twin, [{}, {"y"}]> : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func @other_axes
func.func @other_axes(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: sdy.reshard %arg0 <@other, [{"a"}, {}]>
  %0 = sdy.reshard %a <@other, [{"a"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The same devices in another order of axes: nothing moves where each keeps its
// shard. All else happens on the first mesh.
// CHECK-LABEL: func @axes_of_other_sizes
func.func @axes_of_other_sizes(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@wide, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: %[[SAME:.*]] = sdy.reshard %arg0 <@high, [{"p":(1)2}, {}]>
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{"y":(1)2}, {}] %arg0 out_sharding=<@wide, [{"x", "y":(1)2}, {}]>
  // CHECK-NEXT: %[[ROWS:.*]] = sdy.reshard %[[S]] <@high, [{"p"}, {}]>
  // CHECK-NEXT: %[[T:.*]] = sdy.all_slice [{}, {"y":(2)2}] %arg0 out_sharding=<@wide, [{"x"}, {"y":(2)2}]>
  // CHECK-NEXT: %[[P:.*]] = sdy.collective_permute %[[T]] out_sharding=<@wide, [{"y":(1)2}, {"y":(2)2}]>
  // CHECK-NEXT: %[[MOVED:.*]] = sdy.reshard %[[P]] <@high, [{"p":(2)2}, {"q"}]>
  // CHECK-NEXT: return %[[SAME]], %[[ROWS]], %[[MOVED]]
  %0 = sdy.reshard %a <@high, [{"p":(1)2}, {}]> : tensor<8x8xf32>
  %1 = sdy.reshard %a <@high, [{"p"}, {}]> : tensor<8x8xf32>
  %2 = sdy.reshard %a <@high, [{"p":(2)2}, {"q"}]> : tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// Halves of three are no axis.
// CHECK-LABEL: func @axes_without_common_parts
func.func @axes_without_common_parts(%a: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@two_three, [{"x"}, {}]>}) -> tensor<6x6xf32> {
  // CHECK-NEXT: sdy.reshard %arg0 <@three_two, [{"x"}, {}]>
  %0 = sdy.reshard %a <@three_two, [{"x"}, {}]> : tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}

// CHECK-LABEL: func @parts_on_other_axes
func.func @parts_on_other_axes(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@wide, [{}], unreduced={"y"}>}) -> tensor<8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"y":(1)2} %arg0 out_sharding=<@wide, [{}], unreduced={"y":(2)2}>
  // CHECK-NEXT: sdy.reshard %[[A]] <@high, [{}], unreduced={"q"}>
  %0 = sdy.reshard %a <@high, [{}], unreduced={"q"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @one_device
func.func @one_device(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[R:.*]] = sdy.reshard %arg0 <@one, []>
  // CHECK-NEXT: sdy.reshard %[[R]] <@m, [{}, {"x"}]>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@one, []> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@one, []> : tensor<8x8xf32>
  %2 = sdy.reshard %1 <@m, [{}, {"x"}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// CHECK-LABEL: func @mesh_in_the_sharding
func.func @mesh_in_the_sharding(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) -> tensor<8xf32> {
  // CHECK-NEXT: sdy.all_gather [{"x"}] %arg0 out_sharding=<mesh<["x"=2]>, [{}]>
  %0 = sdy.reshard %a <mesh<["x"=2]>, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
