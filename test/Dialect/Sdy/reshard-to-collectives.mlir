// RUN: ipu-opt %s --sdy-reshard-to-collectives | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
sdy.mesh @same = <["x"=2, "y"=2, "z"=4]>
sdy.mesh @odd = <["a"=2, "b"=3, "c"=6]>
sdy.mesh @ones = <["one"=1, "x"=2]>

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @slice
func.func @slice(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z":(1)2}, {}]>}) -> tensor<16x8xf32> {
  // CHECK-NEXT: %[[R:.*]] = sdy.all_slice [{"z":(2)2, "x"}, {"y"}] %arg0 out_sharding=<@m, [{"z", "x"}, {"y"}]>
  // CHECK-NEXT: return %[[R]]
  %0 = sdy.reshard %a <@m, [{"z", "x"}, {"y"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @slice_what_has_no_sharding
func.func @slice_what_has_no_sharding(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: sdy.all_slice [{"x"}, {}] %arg0 out_sharding=<@m, [{"x"}, {}]>
  %0 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func @gather
func.func @gather(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z", "x"}, {"y"}]>}) -> tensor<16x8xf32> {
  // CHECK-NEXT: sdy.all_gather [{"z":(2)2, "x"}, {"y"}] %arg0 out_sharding=<@m, [{"z":(1)2}, {}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@m, [{"z":(1)2}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func @move
func.func @move(%a: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "z"}, {"y"}, {}]>}) -> tensor<8x8x8xf32> {
  // CHECK-NEXT: sdy.all_to_all [{"z":(2)2}: 0->1] %arg0 out_sharding=<@m, [{"x", "z":(1)2}, {"y", "z":(2)2}, {}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@m, [{"x", "z":(1)2}, {"y", "z":(2)2}, {}]> : tensor<8x8x8xf32>
  return %0 : tensor<8x8x8xf32>
}

// CHECK-LABEL: func @two_moves_at_once
func.func @two_moves_at_once(%a: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {"y"}, {}]>}) -> tensor<8x8x8x8xf32> {
  // CHECK-NEXT: sdy.all_to_all [{"x"}: 1->3, {"y"}: 2->0] %arg0 out_sharding=<@m, [{"y"}, {}, {}, {"x"}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@m, [{"y"}, {}, {}, {"x"}]> : tensor<8x8x8x8xf32>
  return %0 : tensor<8x8x8x8xf32>
}

// CHECK-LABEL: func @swap
func.func @swap(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: sdy.collective_permute %arg0 out_sharding=<@m, [{"y"}, {"x"}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func @replace_an_axis
func.func @replace_an_axis(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: sdy.collective_permute %arg0 out_sharding=<@m, [{"z":(2)2}, {}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@m, [{"z":(2)2}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

//===----------------------------------------------------------------------===//
// Several steps
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @slice_before_move
func.func @slice_before_move(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{}, {"y"}] %arg0 out_sharding=<@m, [{"x"}, {"y"}]>
  // CHECK-NEXT: sdy.all_to_all [{"x"}: 0->1] %[[S]] out_sharding=<@m, [{}, {"y", "x"}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@m, [{}, {"y", "x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func @slice_where_it_moves_from
func.func @slice_where_it_moves_from(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{"y"}, {}] %arg0 out_sharding=<@m, [{"x", "y"}, {}]>
  // CHECK-NEXT: sdy.all_to_all [{"x", "y"}: 0->1] %[[S]] out_sharding=<@m, [{}, {"x", "y"}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@m, [{}, {"x", "y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The first dimension has no place for another axis: it is sliced afterwards.
// CHECK-LABEL: func @no_slice_where_it_moves_from
func.func @no_slice_where_it_moves_from(%a: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<2x8xf32> {
  // CHECK-NEXT: %[[M:.*]] = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@m, [{}, {"x"}]>
  // CHECK-NEXT: sdy.all_slice [{}, {"y"}] %[[M]] out_sharding=<@m, [{}, {"x", "y"}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@m, [{}, {"x", "y"}]> : tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// What is gathered moves along, to be gathered last.
// CHECK-LABEL: func @all_but_slice
func.func @all_but_slice(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "z"}, {}]>}) -> tensor<16x16xf32> {
  // CHECK-NEXT: %[[M:.*]] = sdy.all_to_all [{"x", "z"}: 0->1] %arg0 out_sharding=<@m, [{}, {"x", "z"}]>
  // CHECK-NEXT: sdy.all_gather [{}, {"z"}] %[[M]] out_sharding=<@m, [{}, {"x"}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@m, [{}, {"x"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// If the dimension cannot have it, another axis takes its place there for as long
// as a permutation goes on: 4 local sizes instead of 4.5.
// CHECK-LABEL: func @all_but_slice_of_few
func.func @all_but_slice_of_few(%a: tensor<16x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "z"}, {}]>}) -> tensor<16x2xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{}, {"y"}] %arg0 out_sharding=<@m, [{"x", "z"}, {"y"}]>
  // CHECK-NEXT: %[[P:.*]] = sdy.collective_permute %[[S]] out_sharding=<@m, [{"z", "y"}, {"x"}]>
  // CHECK-NEXT: sdy.all_gather [{"z", "y"}, {}] %[[P]] out_sharding=<@m, [{}, {"x"}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@m, [{}, {"x"}]> : tensor<16x2xf32>
  return %0 : tensor<16x2xf32>
}

// CHECK-LABEL: func @an_axis_in_parts
func.func @an_axis_in_parts(%a: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {}, {}]>}) -> tensor<16x16x16xf32> {
  // CHECK-NEXT: %[[M:.*]] = sdy.all_to_all [{"z"}: 0->1] %arg0 out_sharding=<@m, [{}, {"z"}, {}]>
  // CHECK-NEXT: sdy.all_gather [{}, {"z":(2)2}, {}] %[[M]] out_sharding=<@m, [{}, {"z":(1)2}, {}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@m, [{}, {"z":(1)2}, {}]> : tensor<16x16x16xf32>
  return %0 : tensor<16x16x16xf32>
}

// CHECK-LABEL: func @sizes_without_common_factor
func.func @sizes_without_common_factor(%a: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@odd, [{"a"}, {"b"}]>}) -> tensor<6x6xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{"c":(2)3}, {"c":(1)2}] %arg0 out_sharding=<@odd, [{"a", "c":(2)3}, {"b", "c":(1)2}]>
  // CHECK-NEXT: %[[P:.*]] = sdy.collective_permute %[[S]] out_sharding=<@odd, [{"b", "a"}, {"c"}]>
  // CHECK-NEXT: sdy.all_gather [{"a"}, {"c"}] %[[P]] out_sharding=<@odd, [{"b"}, {}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@odd, [{"b"}, {}]> : tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}

// Halves and thirds of one axis.
// CHECK-LABEL: func @parts_of_no_common_factorisation
func.func @parts_of_no_common_factorisation(%a: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@odd, [{"a", "c":(1)2}, {}]>}) -> tensor<6x6xf32> {
  // CHECK-NEXT: %[[G:.*]] = sdy.all_gather [{"c":(1)2}, {}] %arg0 out_sharding=<@odd, [{"a"}, {}]>
  // CHECK-NEXT: sdy.all_slice [{"c":(1)3}, {}] %[[G]] out_sharding=<@odd, [{"a", "c":(1)3}, {}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@odd, [{"a", "c":(1)3}, {}]> : tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}

// CHECK-LABEL: func @axes_of_one_device
func.func @axes_of_one_device(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@ones, [{"one"}, {}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{"x"}, {}] %arg0 out_sharding=<@ones, [{"one", "x"}, {}]>
  // CHECK-NEXT: sdy.all_to_all [{"one", "x"}: 0->1] %[[S]] out_sharding=<@ones, [{}, {"one", "x"}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@ones, [{}, {"one", "x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func @unknown_sizes
func.func @unknown_sizes(%a: tensor<?x?xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<?x?xf32> {
  // CHECK-NEXT: sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@m, [{}, {"x"}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@m, [{}, {"x"}]> : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

//===----------------------------------------------------------------------===//
// Nothing to do
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @unchanged
func.func @unchanged(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: return %arg0, %arg0
  %0 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.reshard %a <@same, [{"x"}, {?}]> : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func @replicated
func.func @replicated(%a: tensor<8xf32>, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@odd, [{}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: return %arg0, %arg1
  %0 = sdy.reshard %a <@m, [{}]> : tensor<8xf32>
  %1 = sdy.reshard %b <@m, [{}]> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A collective needs its operand's sharding.
// CHECK-LABEL: func @replicated_for_a_collective
func.func @replicated_for_a_collective(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{}] %arg0 out_sharding=<@m, [{}]>
  // CHECK-NEXT: sdy.replicated_to_unreduced {"x"} %[[S]]
  %0 = sdy.reshard %a <@m, [{}]> : tensor<8xf32>
  %1 = sdy.replicated_to_unreduced {"x"} %0 out_sharding=<@m, [{}], unreduced={"x"}> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

// The body does not see the manual axes.
// CHECK-LABEL: func @in_a_manual_computation
func.func @in_a_manual_computation(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x", "y"}, {}]>] out_shardings=[<@m, [{"x"}, {"y"}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    // CHECK: sdy.all_to_all [{"y"}: 0->1] %arg1 out_sharding=<@m, [{}, {"y"}]>
    // CHECK-NEXT: sdy.return
    %1 = sdy.reshard %b <@m, [{}, {"y"}]> : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// An argument of a loop is sharded as the loop's result is.
// CHECK-LABEL: func @in_a_loop
func.func @in_a_loop(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %c: tensor<i1>) -> tensor<8xf32> {
  %0 = stablehlo.while(%i = %a) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>}
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    // CHECK: sdy.all_gather [{"x"}] %iterArg out_sharding=<@m, [{}]>
    // CHECK-NEXT: sdy.all_slice [{"x"}]
    %1 = sdy.reshard %i <@m, [{}]> : tensor<8xf32>
    %2 = sdy.reshard %1 <@m, [{"x"}]> : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

sdy.mesh @four = <["a"=2, "b"=2, "c"=2, "d"=2]>

// Along "c", which is in neither, shards are smaller while they move.
// CHECK-LABEL: func @axes_of_neither
func.func @axes_of_neither(%a: tensor<48x48xf32> {sdy.sharding = #sdy.sharding<@four, [{"b", "a"}, {}]>}) -> tensor<48x48xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{}, {"d", "c"}] %arg0
  // CHECK-NEXT: %[[P:.*]] = sdy.collective_permute %[[S]] out_sharding=<@four, [{"a", "c"}, {"d", "b"}]>
  // CHECK-NEXT: sdy.all_gather [{"c"}, {}] %[[P]] out_sharding=<@four, [{"a"}, {"d", "b"}]>
  // CHECK-NOT: sdy
  %0 = sdy.reshard %a <@four, [{"a"}, {"d", "b"}]> : tensor<48x48xf32>
  return %0 : tensor<48x48xf32>
}

// Along "c", devices have parts of a sum.
// CHECK-LABEL: func @parts_along_the_other_axis
func.func @parts_along_the_other_axis(%a: tensor<48x48xf32> {sdy.sharding = #sdy.sharding<@four, [{"b", "a"}, {}], unreduced={"c"}>}) -> tensor<48x48xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.all_slice [{}, {"d"}] %arg0
  // CHECK-NEXT: %[[M:.*]] = sdy.all_to_all [{"b", "a"}: 0->1] %[[S]]
  // CHECK-NEXT: sdy.all_to_all [{"a"}: 1->0] %[[M]] out_sharding=<@four, [{"a"}, {"d", "b"}], unreduced={"c"}>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@four, [{"a"}, {"d", "b"}], unreduced={"c"}> : tensor<48x48xf32>
  return %0 : tensor<48x48xf32>
}
