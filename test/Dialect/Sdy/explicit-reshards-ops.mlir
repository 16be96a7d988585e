// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s
// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true -o %t.once
// RUN: ipu-opt %t.once --sdy-insert-explicit-reshards=enable-full-version=true -o %t.twice
// RUN: diff %t.once %t.twice

sdy.mesh @mesh = <["x"=2, "y"=4, "z"=3]>

// All agree: nothing happens.
// CHECK-LABEL: @dot_alike(
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NEXT: return
func.func @dot_alike(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>
  return %0 : tensor<8x12xf32>
}

// The result says nothing of rows, which the larger operand has: rows it is.
// CHECK-LABEL: @dot_rows(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// CHECK-NEXT: %[[OLD:.*]] = sdy.reshard %[[DOT]] <@mesh, [{}, {}]> : tensor<8x4xf32>
// CHECK-NEXT: return %[[OLD]]
func.func @dot_rows(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Contracted over a sharded dimension: each device has a part of the sum.
// CHECK-LABEL: @dot_reduced(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %[[DOT]] out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x12xf32>
// CHECK-NEXT: return %[[SUM]]
func.func @dot_reduced(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>
  return %0 : tensor<8x12xf32>
}

// The same where the result is to stay in parts.
// CHECK-LABEL: @dot_unreduced(
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NEXT: return
func.func @dot_unreduced(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, %b: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x", "y"}>]>} : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>
  return %0 : tensor<8x12xf32>
}

// "x" is contracted in the operands and on rows in the result, which is
// smaller than both.
// CHECK-LABEL: @dot_contracting_conflict(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"x"} %[[DOT]] out_sharding=<@mesh, [{}, {}]> : tensor<8x4xf32>
// CHECK-NEXT: %[[OLD:.*]] = sdy.reshard %[[SUM]] <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
// CHECK-NEXT: return %[[OLD]]
func.func @dot_contracting_conflict(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Operands that contract over different axes.
// CHECK-LABEL: @dot_operands_disagree(
// CHECK-NEXT: %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{"y"}, {}]> : tensor<16x4xf32>
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %[[B]],
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %[[DOT]] out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT: return %[[SUM]]
func.func @dot_operands_disagree(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @elementwise(
// CHECK-NEXT: %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %[[ADD:.*]] = stablehlo.add %arg0, %[[B]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// CHECK-NEXT: return %[[ADD]]
func.func @elementwise(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Two tensors of one size: that on more devices.
// CHECK-LABEL: @transpose(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}, {"y"}]> : tensor<8x4xf32>
// CHECK-NEXT: stablehlo.transpose %[[A]], dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>}
func.func @transpose(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = stablehlo.transpose %a, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @reduce_max(
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant
// CHECK-NEXT: %[[MAX:.*]] = stablehlo.reduce(%arg0 init: %[[C]])
// CHECK-NEXT: %[[ALL:.*]] = sdy.all_reduce max {"y"} %[[MAX]] out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT: return %[[ALL]]
func.func @reduce_max(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// No collective multiplies.
// CHECK-LABEL: @reduce_product(
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
// CHECK-NEXT: %[[MUL:.*]] = stablehlo.reduce(%[[A]] init: %[[C]])
// CHECK-NEXT: return %[[MUL]]
func.func @reduce_product(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.multiply across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// [ij]->[i, j]: "x" divides i, and then "y" j.
// CHECK-LABEL: @reshape_compound(
// CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: %[[OLD:.*]] = sdy.reshard %[[R]] <@mesh, [{}, {"y"}]> : tensor<2x4xf32>
// CHECK-NEXT: return %[[OLD]]
func.func @reshape_compound(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> (tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// "z" divides neither factor: only "x" of the operand's axes is left.
// CHECK-LABEL: @reshape_overflow(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT: stablehlo.reshape %[[A]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8xf32>) -> tensor<4x2xf32>
func.func @reshape_overflow(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}]>}) -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// The sorted dimension has to be whole; all tensors have rows, which take its
// axis.
// CHECK-LABEL: @sort(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %[[S:.*]] = "stablehlo.sort"(%[[A]])
// CHECK: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
// CHECK-NEXT: %[[OLD:.*]] = sdy.reshard %[[S]] <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
// CHECK-NEXT: return %[[OLD]]
func.func @sort(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Batches of two cannot have all of "y", the next dimension can.
// CHECK-LABEL: @sort_whole_axis(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}, {"y"}, {}]> : tensor<2x8x8xf32>
// CHECK-NEXT: "stablehlo.sort"(%[[A]])
func.func @sort_whole_axis(%a: tensor<2x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}]>}) -> (tensor<2x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}]>}) {
  %0 = "stablehlo.sort"(%a) <{dimension = 2 : i64, is_stable = true}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"y"}]>]>} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  return %0 : tensor<2x8x8xf32>
}

// Matrices are whole on each device: their axes go to the batch.
// CHECK-LABEL: @cholesky(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}, {}]> : tensor<8x8x8xf32>
// CHECK-NEXT: %[[S:.*]] = stablehlo.cholesky %[[A]], lower = true {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : tensor<8x8x8xf32>
// CHECK-NEXT: %[[OLD:.*]] = sdy.reshard %[[S]] <@mesh, [{}, {}, {"x"}]> : tensor<8x8x8xf32>
// CHECK-NEXT: return %[[OLD]]
func.func @cholesky(%a: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) -> (tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) {
  %0 = stablehlo.cholesky %a, lower = true {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : tensor<8x8x8xf32>
  return %0 : tensor<8x8x8xf32>
}

// Batches of two cannot have all of "y", the next dimension can.
// CHECK-LABEL: @cholesky_whole_axis(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}, {"y"}, {}, {}]> : tensor<2x8x8x8xf32>
// CHECK-NEXT: stablehlo.cholesky %[[A]]
func.func @cholesky_whole_axis(%a: tensor<2x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}, {}]>}) -> (tensor<2x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}, {}]>}) {
  %0 = stablehlo.cholesky %a, lower = true {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"y"}, {}]>]>} : tensor<2x8x8x8xf32>
  return %0 : tensor<2x8x8x8xf32>
}

// CHECK-LABEL: @triangular_solve(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}, {}]> : tensor<8x4x4xf32>
// CHECK-NEXT: %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{"x"}, {}, {}]> : tensor<8x4x5xf32>
// CHECK-NEXT: %[[X:.*]] = "stablehlo.triangular_solve"(%[[A]], %[[B]])
// CHECK-NEXT: %[[OLD:.*]] = sdy.reshard %[[X]] <@mesh, [{}, {}, {}]> : tensor<8x4x5xf32>
// CHECK-NEXT: return %[[OLD]]
func.func @triangular_solve(%a: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %b: tensor<8x4x5xf32>) -> tensor<8x4x5xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<8x4x4xf32>, tensor<8x4x5xf32>) -> tensor<8x4x5xf32>
  return %0 : tensor<8x4x5xf32>
}

// A rule of the user's is like any other.
// CHECK-LABEL: @custom_rule(
// CHECK-NEXT: %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{"y"}, {}]> : tensor<16x4xf32>
// CHECK-NEXT: %[[CALL:.*]] = stablehlo.custom_call @f(%arg0, %[[B]])
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %[[CALL]] out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT: return %[[SUM]]
func.func @custom_rule(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %b: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @f(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=4, k=16} reduction={k}, custom>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Without rule nothing is known.
// CHECK-LABEL: @no_rule(
// CHECK-NEXT: stablehlo.custom_call
// CHECK-NEXT: return
func.func @no_rule(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Slices can be joined by exchanging halos; they can still when resharded.
// CHECK-LABEL: @concatenate_slices(
// CHECK: %[[A:.*]] = sdy.reshard %{{.*}} <@mesh, [{"y"}]> : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = sdy.reshard %{{.*}} <@mesh, [{"y"}]> : tensor<4xf32>
// CHECK-NEXT: stablehlo.concatenate %[[A]], %[[B]], dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=8} permutation={i}>}
func.func @concatenate_slices(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = stablehlo.slice %a [0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<4xf32>
  %1 = stablehlo.slice %a [12:16] : (tensor<16xf32>) -> tensor<4xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
