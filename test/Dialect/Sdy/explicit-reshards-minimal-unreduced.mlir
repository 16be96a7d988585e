// RUN: ipu-opt %s --sdy-insert-explicit-reshards | FileCheck %s
// RUN: ipu-opt %s --sdy-insert-explicit-reshards -o %t.once
// RUN: ipu-opt %t.once --sdy-insert-explicit-reshards -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: ipu-opt %s --mlir-print-op-generic -o %t.given
// RUN: ipu-opt %s --sdy-propagation-pipeline --mlir-print-op-generic -o %t.final
// RUN: %python %S/Inputs/run-parts.py %t.given %t.final
// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true --sdy-reshard-to-collectives --mlir-print-op-generic -o %t.full
// RUN: %python %S/Inputs/run-parts.py %t.given %t.full
// RUN: not %python %S/Inputs/run-parts.py %t.given %t.given | FileCheck %s --check-prefix=WRONG

// The minimal version leaves dimensions to the partitioner, but not
// partial values. The script runs all devices and compares with the whole program;
// without the pass, it finds wrong values.

// WRONG: @nonlinear result 0

sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: @nonlinear(
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: stablehlo.exponential %[[A]]
func.func public @nonlinear(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.exponential %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The product makes parts, as it was told to; the square of their sum is wanted.
// Dimensions that disagree stay so.
// CHECK-LABEL: @product(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"x"} %[[DOT]] out_sharding=<@mesh, [{}, {}]> : tensor<4x8xf32>
// CHECK-NEXT: stablehlo.multiply %[[DOT]], %[[SUM]]
// CHECK-NEXT: %[[OTHER:.*]] = sdy.all_reduce {"x"} %[[DOT]] out_sharding=<@mesh, [{}, {}]> : tensor<4x8xf32>
// CHECK-NEXT: stablehlo.exponential %[[OTHER]] {{.*}}<@mesh, [{"y"}, {}]>
func.func public @product(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.multiply %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<4x8xf32>
  %2 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<4x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: @returned(
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
// CHECK-NEXT: %[[B:.*]] = sdy.all_reduce {"x", "y"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT: return %[[A]], %[[B]]
func.func public @returned(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x", "y"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, tensor<8xf32>) {
  return %a, %a : tensor<8xf32>, tensor<8xf32>
}

// The result's other dimensions are not this pass's business.
// CHECK-LABEL: @parts_of_wholes(
// CHECK-NEXT: %[[A:.*]] = sdy.replicated_to_unreduced {"x"} %arg0 out_sharding=<@mesh, [{"y"}, {}], unreduced={"x"}>
// CHECK-NEXT: return %[[A]]
func.func public @parts_of_wholes(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}], unreduced={"x"}>}) {
  return %a : tensor<8x4xf32>
}

// CHECK-LABEL: @parts_of_shards(
// CHECK-NEXT: %[[A:.*]] = sdy.sharded_to_unreduced [{"x"}] %arg0 out_sharding=<@mesh, [{"y"}], unreduced={"x"}>
// CHECK-NEXT: return %[[A]]
func.func public @parts_of_shards(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}) {
  return %a : tensor<8xf32>
}

// CHECK-LABEL: @parts_of_nothing_said(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}]>
// CHECK-NEXT: sdy.replicated_to_unreduced {"x"} %[[A]]
func.func public @parts_of_nothing_said(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  return %a : tensor<8xf32>
}

// It makes no parts along "y".
// CHECK-LABEL: @results(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}}<@mesh, [{}, {}], unreduced={"x"}>
// CHECK-NEXT: %[[PARTS:.*]] = sdy.replicated_to_unreduced {"y"} %[[DOT]] out_sharding=<@mesh, [{}, {}], unreduced={"x", "y"}>
// CHECK-NEXT: return %[[PARTS]]
func.func public @results(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x", "y"}>]>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The product makes parts along "x" itself: a part of an operand times these is
// no part of the result.
// CHECK-LABEL: @part_beside_parts(
// CHECK-NEXT: %[[B:.*]] = sdy.all_reduce {"x"} %arg1 out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %[[B]], {{.*}}unreduced={"x"}
// CHECK-NEXT: return %[[DOT]]
func.func public @part_beside_parts(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Along "y", which is not summed up along, one operand may stay in parts.
// CHECK-LABEL: @part_of_the_left(
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"y"}>
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %[[A]], %arg1, {{.*}}unreduced={"x", "y"}
// CHECK-NEXT: return %[[DOT]]
func.func public @part_of_the_left(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x", "y"}>]>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @constant(
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant {{.*}}<@mesh, [{}]>
// CHECK-NEXT: sdy.replicated_to_unreduced {"x"} %[[C]]
func.func public @constant() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} dense<1.5> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @reshard(
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{}]>
// CHECK-NEXT: %[[B:.*]] = sdy.reshard %[[A]] <@mesh, [{"y"}]>
// CHECK-NEXT: stablehlo.exponential %[[B]]
func.func public @reshard(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = sdy.reshard %a <@mesh, [{"y"}]> : tensor<8xf32>
  %1 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @manual_computation(
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{}]>
// CHECK-NEXT: %[[B:.*]] = sdy.replicated_to_unreduced {"y"} %arg1 out_sharding=<@mesh, [{"x"}], unreduced={"y"}>
// CHECK-NEXT: %[[ALL:.*]] = sdy.manual_computation(%[[A]], %[[B]])
// CHECK-SAME: (%[[C:[a-z0-9]+]]: tensor<4xf32>, %[[D:[a-z0-9]+]]: tensor<4xf32>) {
// CHECK-NEXT: %[[LOCAL:.*]] = sdy.reshard %[[D]] <@mesh, [{}], unreduced={"y"}>
// CHECK-NEXT: %[[E:.*]] = sdy.all_reduce {"y"} %[[LOCAL]] out_sharding=<@mesh, [{}]>
// CHECK-NEXT: %[[F:.*]] = stablehlo.multiply %[[C]], %[[E]]
// CHECK: %[[G:.*]] = sdy.replicated_to_unreduced {"y"}
// CHECK-NEXT: sdy.return %[[G]]
// CHECK: return %[[ALL]]
func.func public @manual_computation(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"y"}>}) {
  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}], unreduced={"y"}>] out_shardings=[<@mesh, [{"x"}], unreduced={"y"}>] manual_axes={"x"} (%c: tensor<4xf32>, %d: tensor<4xf32>) {
    %1 = stablehlo.multiply %c, %d : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The product makes parts along "x" and "y", and is declared to return those along "x".
// CHECK-LABEL: @part_of_parts(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}}<@mesh, [{}, {}], unreduced={"x", "y"}>
// CHECK-NEXT: %[[PARTS:.*]] = sdy.all_reduce {"y"} %[[DOT]] out_sharding=<@mesh, [{}, {}], unreduced={"x"}>
// CHECK-NEXT: return %[[PARTS]]
func.func public @part_of_parts(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// So is the other axis that it makes parts along where the parts come from an operand.
// CHECK-LABEL: @parts_of_an_operand(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}}<@mesh, [{}, {}], unreduced={"x", "y"}>
// CHECK-NEXT: %[[PARTS:.*]] = sdy.all_reduce {"x"} %[[DOT]] out_sharding=<@mesh, [{}, {}], unreduced={"y"}>
// CHECK-NEXT: return %[[PARTS]]
func.func public @parts_of_an_operand(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], unreduced={"y"}>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The reduced axis shards the result afterwards.
// CHECK-LABEL: @scattered_parts(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}}<@mesh, [{}, {}], unreduced={"x", "y"}>
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %[[DOT]] out_sharding=<@mesh, [{}, {}], unreduced={"x"}>
// CHECK-NEXT: %[[PARTS:.*]] = sdy.reshard %[[SUM]] <@mesh, [{"y"}, {}], unreduced={"x"}>
// CHECK-NEXT: return %[[PARTS]]
func.func public @scattered_parts(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced={"x"}>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
