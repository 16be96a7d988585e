// RUN: ipu-opt %s --canonicalize | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=4, "one"=1]>

// CHECK-LABEL: func @only_the_last_reshard_counts
func.func @only_the_last_reshard_counts(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[R:.*]] = sdy.reshard %arg0 <@m, [{}, {"y"}]>
  // CHECK-NEXT: return %[[R]]
  %0 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@m, [{}, {"y"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func @a_reshard_with_two_uses_stays
func.func @a_reshard_with_two_uses_stays(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-COUNT-2: sdy.reshard
  %0 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@m, [{}, {"y"}]> : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func @unused_arguments_of_a_manual_computation
func.func @unused_arguments_of_a_manual_computation(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: sdy.manual_computation(%arg1) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<4xf32>)
  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@m, [{"x"}]>, <@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%c: tensor<4xf32>, %d: tensor<4xf32>) {
    sdy.return %d : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @a_manual_computation_on_one_device
func.func @a_manual_computation_on_one_device(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[R:.*]] = stablehlo.negate %arg0
  // CHECK-NEXT: return %[[R]]
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"one"}]>] out_shardings=[<@m, [{"one"}]>] manual_axes={"one"} (%b: tensor<8xf32>) {
    %1 = stablehlo.negate %b : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @an_empty_manual_computation
func.func @an_empty_manual_computation() {
  // CHECK-NEXT: return
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  return
}

// CHECK-LABEL: func @collectives_without_axes
func.func @collectives_without_axes(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: return %arg0
  %0 = sdy.all_gather [{}, {}] %a out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = sdy.reduce_scatter [{}, {}] %1 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  %3 = sdy.all_reduce {} %2 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  %4 = sdy.collective_permute %3 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// CHECK-LABEL: func @a_slice_of_what_was_gathered
func.func @a_slice_of_what_was_gathered(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: return %arg0
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func @sums_of_known_tensors
func.func @sums_of_known_tensors(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: %[[G:.*]] = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@m, [{}, {}]>
  // CHECK-NEXT: return %arg0, %[[G]]
  %0 = sdy.replicated_to_unreduced {"y"} %a out_sharding=<@m, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
  %1 = sdy.all_reduce {"y"} %0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  %3 = sdy.all_reduce {"x"} %2 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func @moves_between_other_dimensions
func.func @moves_between_other_dimensions(%a: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}, {}, {}]>}) -> tensor<8x8x8x8xf32> {
  // CHECK-NEXT: sdy.all_to_all [{"y"}: 0->2, {"x"}: 1->3] %arg0 out_sharding=<@m, [{}, {}, {"y"}, {"x"}]>
  %0 = sdy.all_to_all [{"x"}: 1->3] %a out_sharding=<@m, [{"y"}, {}, {}, {"x"}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"y"}: 0->2] %0 out_sharding=<@m, [{}, {}, {"y"}, {"x"}]> : tensor<8x8x8x8xf32>
  return %1 : tensor<8x8x8x8xf32>
}
