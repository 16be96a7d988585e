// RUN: ipu-opt %s --sdy-canonicalize-reshards | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=2]>

// CHECK-LABEL: func @equal_reshards
func.func @equal_reshards(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: %[[R:.*]] = sdy.reshard %arg0 <@m, [{"x"}, {}]>
  // CHECK-NEXT: %[[S:.*]] = sdy.reshard %arg0 <@m, [{"y"}, {}]>
  // CHECK-NEXT: return %[[R]], %[[R]], %[[S]]
  %0 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<8x4xf32>
  %1 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<8x4xf32>
  %2 = sdy.reshard %a <@m, [{"y"}, {}]> : tensor<8x4xf32>
  return %0, %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// Two ways to one tensor.
// CHECK-LABEL: func @behind_reshapes_and_transposes
func.func @behind_reshapes_and_transposes(%a: tensor<8x4xf32>) -> (tensor<4x2x4xf32>, tensor<4x2x4xf32>) {
  // CHECK: %[[R:.*]] = sdy.reshard
  // CHECK-NOT: sdy.reshard
  // CHECK: return %[[R]], %[[R]]
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x8xf32>) -> tensor<4x2x4xf32>
  %2 = sdy.reshard %1 <@m, [{"x"}, {}, {}]> : tensor<4x2x4xf32>
  %3 = stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<2x4x1x4xf32>
  %4 = stablehlo.transpose %3, dims = [2, 3, 0, 1] : (tensor<2x4x1x4xf32>) -> tensor<1x4x2x4xf32>
  %5 = stablehlo.reshape %4 : (tensor<1x4x2x4xf32>) -> tensor<4x2x4xf32>
  %6 = sdy.reshard %5 <@m, [{"x"}, {}, {}]> : tensor<4x2x4xf32>
  return %2, %6 : tensor<4x2x4xf32>, tensor<4x2x4xf32>
}

// CHECK-LABEL: func @of_other_dialects
func.func @of_other_dialects(%a: tensor<8x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>) {
  // CHECK: %[[R:.*]] = sdy.reshard
  // CHECK-NOT: sdy.reshard
  // CHECK: return %[[R]], %[[R]]
  %0 = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 4, 4] : tensor<8x4xf32> into tensor<2x4x4xf32>
  %1 = sdy.reshard %0 <@m, [{"x"}, {}, {}]> : tensor<2x4x4xf32>
  %2 = stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<2x4x4xf32>
  %3 = sdy.reshard %2 <@m, [{"x"}, {}, {}]> : tensor<2x4x4xf32>
  return %1, %3 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
}

// CHECK-LABEL: func @other_tensors
func.func @other_tensors(%a: tensor<4x4xf32>, %b: tensor<6x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<0x2xf32>) {
  // CHECK-COUNT-6: sdy.reshard
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.reshard %0 <@m, [{"x"}, {}]> : tensor<4x4xf32>
  %2 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<4x4xf32>
  %3 = stablehlo.negate %a : tensor<4x4xf32>
  %4 = sdy.reshard %3 <@m, [{"x"}, {}]> : tensor<4x4xf32>
  %5 = stablehlo.reshape %b : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %6 = sdy.reshard %5 <@m, [{"x"}, {}]> : tensor<4x6xf32>
  %7 = stablehlo.transpose %b, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %8 = sdy.reshard %7 <@m, [{"x"}, {}]> : tensor<4x6xf32>
  %e = stablehlo.constant dense<0.0> : tensor<2x0xf32>
  %9 = stablehlo.transpose %e, dims = [1, 0] : (tensor<2x0xf32>) -> tensor<0x2xf32>
  %10 = sdy.reshard %9 <@m, [{"x"}, {}]> : tensor<0x2xf32>
  return %1, %2, %4, %6, %8, %10 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<0x2xf32>
}

// What a region yields is not known outside.
// CHECK-LABEL: func @in_blocks
func.func @in_blocks(%a: tensor<8xf32>, %c: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-COUNT-2: sdy.reshard %arg0
  %0 = "stablehlo.case"(%c) ({
    %1 = sdy.reshard %a <@m, [{"x"}]> : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  %2 = sdy.reshard %a <@m, [{"x"}]> : tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}

// Of two that are merged the one before has no other uses.
// CHECK-LABEL: func @merged_behind_another
func.func @merged_behind_another(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK-NEXT: %[[R:.*]] = sdy.reshard %arg0 <@m, [{"y"}, {}]>
  // CHECK-NEXT: stablehlo.add %[[R]], %[[R]]
  %0 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<8x4xf32>
  %1 = sdy.reshard %0 <@m, [{"y"}, {}]> : tensor<8x4xf32>
  %2 = sdy.reshard %0 <@m, [{"y"}, {}]> : tensor<8x4xf32>
  %3 = stablehlo.add %1, %2 : tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// And what is left then may be equal to others.
// CHECK-LABEL: func @equal_after_a_merge
func.func @equal_after_a_merge(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: %[[R:.*]] = sdy.reshard %arg0 <@m, [{"y"}, {}]>
  // CHECK-NEXT: return %[[R]], %[[R]], %[[R]]
  %0 = sdy.reshard %a <@m, [{"y"}, {}]> : tensor<8x4xf32>
  %1 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<8x4xf32>
  %2 = sdy.reshard %1 <@m, [{"y"}, {}]> : tensor<8x4xf32>
  %3 = sdy.reshard %1 <@m, [{"y"}, {}]> : tensor<8x4xf32>
  return %0, %2, %3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// The maximum is taken in between.
// CHECK-LABEL: func @parts_of_other_kinds
func.func @parts_of_other_kinds(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"y"}>}) -> tensor<8x4xf32> {
  // CHECK-NEXT: %[[R:.*]] = sdy.reshard %arg0 <@m, [{}, {}]>
  // CHECK-NEXT: sdy.reshard %[[R]] <@m, [{}, {}], unreduced={"y"}>
  %0 = sdy.reshard %a <@m, [{}, {}]> : tensor<8x4xf32>
  %1 = sdy.reshard %0 <@m, [{}, {}], unreduced={"y"}> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// CHECK-LABEL: func @parts_along_other_axes
func.func @parts_along_other_axes(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"y"}>}) -> tensor<8x4xf32> {
  // CHECK-NEXT: sdy.reshard %arg0 <@m, [{}, {}], unreduced={"x"}>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@m, [{}, {}]> : tensor<8x4xf32>
  %1 = sdy.reshard %0 <@m, [{}, {}], unreduced={"x"}> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// CHECK-LABEL: func @only_the_last_counts
func.func @only_the_last_counts(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: sdy.reshard %arg0 <@m, [{"y"}]>
  // CHECK-NEXT: return
  %0 = sdy.reshard %a <@m, [{"x"}]> : tensor<8xf32>
  %1 = sdy.reshard %0 <@m, [{"y"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
