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

// Whether a dimension is open does not matter.
// CHECK-LABEL: func @permuted_to_where_it_is
func.func @permuted_to_where_it_is(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: %[[P:.*]] = sdy.collective_permute %arg0 out_sharding=<@m, [{"y":(1)2, ?}, {}]>
  // CHECK-NEXT: return %arg0, %[[P]]
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"x"}, {?}]> : tensor<8x8xf32>
  %1 = sdy.collective_permute %a out_sharding=<@m, [{"y":(1)2, ?}, {}]> : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
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

// CHECK-LABEL: func @a_sum_that_is_sliced
func.func @a_sum_that_is_sliced(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x", "y"}>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: %[[S:.*]] = sdy.reduce_scatter max [{"y"}, {"x"}] %arg0 out_sharding=<@m, [{"y"}, {"x"}]>
  // CHECK-NEXT: return %[[S]], %[[S]]
  %0 = sdy.all_reduce max {"x", "y"} %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"y"}, {"x"}] %0 out_sharding=<@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  %2 = sdy.all_slice [{"y"}, {"x"}] %0 out_sharding=<@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func @a_sum_that_is_sliced_further
func.func @a_sum_that_is_sliced_further(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"y":(1)2}>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.reduce_scatter [{"y":(1)2}, {}] %arg0 out_sharding=<@m, [{"y":(1)2}, {}]>
  // CHECK-NEXT: %[[T:.*]] = sdy.all_slice [{"y":(2)2}, {"x"}] %[[S]] out_sharding=<@m, [{"y"}, {"x"}]>
  // CHECK-NEXT: return %[[T]]
  %0 = sdy.all_reduce {"y":(1)2} %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"y"}, {"x"}] %0 out_sharding=<@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func @a_sum_sliced_in_parts
func.func @a_sum_sliced_in_parts(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y"}>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.reduce_scatter [{"y":(2)2}, {"y":(1)2}] %arg0 out_sharding=<@m, [{"x", "y":(2)2}, {"y":(1)2}]>
  // CHECK-NEXT: return %[[S]]
  %0 = sdy.all_reduce {"y"} %a out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"y":(2)2}, {"y":(1)2}] %0 out_sharding=<@m, [{"x", "y":(2)2}, {"y":(1)2}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func @sums_that_stay
func.func @sums_that_stay(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x", "y"}>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  // Not sliced along all axes.
  // CHECK: sdy.all_reduce {"x", "y"}
  %0 = sdy.all_reduce {"x", "y"} %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: sdy.all_slice [{"x"}, {}]
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  // Another axis comes first.
  // CHECK-NEXT: sdy.all_reduce {"x"}
  %2 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
  // CHECK-NEXT: sdy.all_slice [{"one", "x"}, {}]
  %3 = sdy.all_slice [{"one", "x"}, {}] %2 out_sharding=<@m, [{"one", "x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
  // Sliced in two ways.
  // CHECK-NEXT: sdy.all_reduce {"x"}
  %4 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
  // CHECK-NEXT: sdy.all_slice [{"x"}, {}]
  %5 = sdy.all_slice [{"x"}, {}] %4 out_sharding=<@m, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
  // CHECK-NEXT: sdy.all_slice [{}, {"x"}]
  %6 = sdy.all_slice [{}, {"x"}] %4 out_sharding=<@m, [{}, {"x"}], unreduced={"y"}> : tensor<8x8xf32>
  // Used as a whole.
  // CHECK-NEXT: sdy.all_reduce {"x"}
  %7 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
  // CHECK-NEXT: sdy.all_slice [{"x"}, {}]
  %8 = sdy.all_slice [{"x"}, {}] %7 out_sharding=<@m, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
  %9 = stablehlo.add %7, %8 : tensor<8x8xf32>
  return %1, %3, %5, %6, %9 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func @the_first_sharding_of_a_value
func.func @the_first_sharding_of_a_value(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: sdy.all_slice [{}] %arg0
  %0 = sdy.all_slice [{}] %a out_sharding=<@m, [{}]> : tensor<8xf32>
  %1 = sdy.replicated_to_unreduced {"x"} %0 out_sharding=<@m, [{}], unreduced={"x"}> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
