// RUN: ipu-opt %s --sdy-insert-explicit-reshards | FileCheck %s
// RUN: ipu-opt %s --sdy-insert-explicit-reshards -o %t.once
// RUN: ipu-opt %t.once --sdy-insert-explicit-reshards -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: ipu-opt %s "--sdy-export-pipeline=enable-insert-explicit-collectives=true" | FileCheck %s --check-prefix=FULL

sdy.mesh @mesh = <["x"=2, "y"=4]>

// Only in the full version.
// CHECK-LABEL: @elementwise(
// CHECK-NEXT: stablehlo.add %arg0, %arg1
// CHECK-NEXT: return
// FULL-LABEL: @elementwise(
// FULL-NOT: stablehlo.add %arg0, %arg1
// FULL: return
func.func public @elementwise(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @callee(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32>

// CHECK-LABEL: @call(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: call @callee(%[[A]])
func.func public @call(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = call @callee(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The result has more elements than the part, so its rows win. Columns, joined
// here, have to be whole, and their axis goes to the rows.
// CHECK-LABEL: @concatenate(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"y", "x"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{"y", "x"}, {}]> : tensor<8x16xf32>
// CHECK-NEXT: stablehlo.concatenate %[[A]], %[[B]], dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "x"}, {}]>]>}
func.func public @concatenate(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = stablehlo.concatenate %a, %b, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x24xf32>
  return %0 : tensor<8x24xf32>
}

// All alike: whoever partitions the program deals with the joined dimension.
// CHECK-LABEL: @concatenate_alike(
// CHECK-NEXT: stablehlo.concatenate %arg0, %arg0
// CHECK-NEXT: return
func.func public @concatenate_alike(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.concatenate %a, %a, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// Operands and results of computations, as of the calls that they were.
// CHECK-LABEL: @named_computation(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"y"}]>
// CHECK-NEXT: %[[B:.*]] = sdy.named_computation<"f">(%[[A]])
// CHECK-NEXT: %[[C:.*]] = stablehlo.negate
// CHECK-NEXT: %[[D:.*]] = sdy.reshard %[[C]] <@mesh, [{"x", "y"}]>
// CHECK-NEXT: sdy.return %[[D]]
// CHECK: return %[[B]]
func.func public @named_computation(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>] (%b: tensor<8xf32>) {
    %1 = stablehlo.negate %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Those of a manual computation stay.
// CHECK-LABEL: @manual_computation(
// CHECK-NEXT: sdy.manual_computation(%arg0)
func.func public @manual_computation(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    sdy.return %b : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

// The rows of the result have the axis that is summed up along: the product is
// sharded by rows of the operand, and its result moved.
// CHECK-LABEL: @product_rows(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}}<@mesh, [{"x"}, {}]>
// CHECK-NEXT: %[[MOVED:.*]] = sdy.reshard %[[DOT]] <@mesh, [{"y"}, {}]>
// CHECK-NEXT: stablehlo.negate %[[MOVED]]
func.func public @product_rows(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// CHECK-LABEL: @product_columns(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}}<@mesh, [{}, {"x"}]>
// CHECK-NEXT: sdy.reshard %[[DOT]] <@mesh, [{}, {"y"}]>
func.func public @product_columns(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %b: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Of batches, the larger operand counts. Axes that are summed up along are in order.
// CHECK-LABEL: @product_batches(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}}<@mesh, [{"x"}, {}, {}]>
// CHECK-NEXT: sdy.reshard %[[DOT]] <@mesh, [{"y":(2)2, "y":(1)2}, {}, {}]>
func.func public @product_batches(%a: tensor<4x2x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y":(2)2}, {"y":(1)2}]>}, %b: tensor<4x8x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y":(2)2}, {"y":(1)2}, {}]>}) -> (tensor<4x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2, "y":(1)2}, {}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(2)2, "y":(1)2}, {}, {}]>]>} : (tensor<4x2x8x8xf32>, tensor<4x8x8x4xf32>) -> tensor<4x2x4xf32>
  return %0 : tensor<4x2x4xf32>
}

// Operands that disagree; rows of the operand that are whole; two dimensions that
// disagree; other axes than those that are summed up along; the order of these; an
// axis that another dimension of the result has; a result that is larger.
// CHECK-LABEL: @products_that_stay(
// CHECK-NOT: sdy.reshard
// CHECK: return
func.func public @products_that_stay(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %c: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %d: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %e: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %f: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %d, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(2)2, "y":(1)2}, {}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %5 = stablehlo.dot_general %a, %e, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %6 = stablehlo.dot_general %a, %f, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
  return
}
