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
// here, have to be whole.
// CHECK-LABEL: @concatenate(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{"y"}, {}]> : tensor<8x16xf32>
// CHECK-NEXT: stablehlo.concatenate %[[A]], %[[B]], dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>}
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
