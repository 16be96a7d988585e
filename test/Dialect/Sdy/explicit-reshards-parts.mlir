// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s
// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true -o %t.once
// RUN: ipu-opt %t.once --sdy-insert-explicit-reshards=enable-full-version=true -o %t.twice
// RUN: diff %t.once %t.twice

// Which ops make parts of a sum, which keep them, and who reduces them.

sdy.mesh @mesh = <["x"=2, "y"=4]>

//===----------------------------------------------------------------------===//
// Reduced already
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @scattered(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general
// CHECK-NEXT: %[[SUM:.*]] = sdy.reduce_scatter [{"x"}, {}] %[[DOT]]
// CHECK-NEXT: return %[[SUM]]
func.func @scattered(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// One of the users does not reduce.
// CHECK-LABEL: @some_reduce(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general
// CHECK-NEXT: %[[OWN:.*]] = sdy.all_reduce {"x"} %[[DOT]]
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"x"} %[[DOT]]
// CHECK-NEXT: %[[NEG:.*]] = stablehlo.negate %[[OWN]]
// CHECK-NEXT: return %[[SUM]], %[[NEG]]
func.func @some_reduce(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x4xf32>
  %2 = stablehlo.negate %0 : tensor<8x4xf32>
  return %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>
}

// Over "x" only: the rest comes behind.
// CHECK-LABEL: @in_steps(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general
// CHECK-NEXT: %[[PART:.*]] = sdy.reduce_scatter [{"x"}, {}] %[[DOT]]
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %[[PART]] out_sharding=<@mesh, [{"x"}, {}]>
// CHECK-NEXT: return %[[SUM]]
func.func @in_steps(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

//===----------------------------------------------------------------------===//
// Added once, not by each device
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @accumulator(
// CHECK-NEXT: %[[ACC:.*]] = sdy.reshard %arg2 <@mesh, [{}, {}]>
// CHECK-NEXT: %[[ONE:.*]] = sdy.replicated_to_unreduced {"x"} %[[ACC]]
// CHECK-NEXT: %[[SUM:.*]] = linalg.matmul ins(%arg0, %arg1 {{.*}} outs(%[[ONE]]
// CHECK-NEXT: sdy.all_reduce {"x"} %[[SUM]]
func.func @accumulator(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @zeros(
// CHECK: %[[SUM:.*]] = linalg.matmul ins(%arg0, %arg1
// CHECK-NEXT: sdy.all_reduce {"x"} %[[SUM]]
func.func @zeros(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>) outs(%fill : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @initial_value(
// CHECK: %[[ONE:.*]] = sdy.replicated_to_unreduced {"x"} %{{.*}} out_sharding=<@mesh, [], unreduced={"x"}> : tensor<f32>
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.reduce(%arg0 init: %[[ONE]]) applies stablehlo.add
// CHECK-NEXT: sdy.all_reduce {"x"} %[[SUM]]
// Of a maximum, the value may count more than once.
// CHECK-NEXT: %[[MAX:.*]] = stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.maximum
// CHECK-NEXT: sdy.all_reduce max {"x"} %[[MAX]]
func.func @initial_value(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %one) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.reduce(%a init: %one) applies stablehlo.maximum across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Zero, in a constant that does not fold.
// CHECK-LABEL: @zero_constants(
// CHECK-NEXT: %[[ZERO:.*]] = sdy.constant dense<0.0{{.*}}> : tensor<f32>
// CHECK-NEXT: %[[INTEGER:.*]] = sdy.constant dense<0> : tensor<i32>
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.reduce(%arg0 init: %[[ZERO]]) applies stablehlo.add
// CHECK-NEXT: sdy.all_reduce {"x"} %[[SUM]]
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.reduce(%arg1 init: %[[INTEGER]]) applies stablehlo.add
// CHECK-NEXT: sdy.all_reduce {"x"} %[[SUM]]
// CHECK: sdy.replicated_to_unreduced {"x"}
func.func @zero_constants(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8xf32>, tensor<8xi32>, tensor<8xf32>) {
  %zero = sdy.constant dense<0.0> : tensor<f32>
  %integer = sdy.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.reduce(%b init: %integer) applies stablehlo.add across dimensions = [1] : (tensor<8x16xi32>, tensor<i32>) -> tensor<8xi32>
  %one = sdy.constant dense<1.0> : tensor<f32>
  %2 = stablehlo.reduce(%a init: %one) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xi32>, tensor<8xf32>
}

// CHECK-LABEL: @bias(
// CHECK: %[[ONE:.*]] = sdy.replicated_to_unreduced {"x"} %{{.*}} out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<6xf32>
// CHECK-NEXT: %[[SUM:.*]] = tosa.conv2d %arg0, %arg1, %[[ONE]]
// CHECK-NEXT: sdy.all_reduce {"x"} %[[SUM]]
// CHECK-NEXT: %[[SUM:.*]] = tosa.conv2d %arg0, %arg1
// CHECK-NEXT: sdy.all_reduce {"x"} %[[SUM]]
func.func @bias(%a: tensor<1x8x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"x"}]>}, %w: tensor<6x1x1x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"x"}]>}, %b: tensor<6xf32>) -> (tensor<1x8x8x6xf32>, tensor<1x8x8x6xf32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %a, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<6x1x1x4xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x6xf32>
  %1 = tosa.conv2d %a, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<6x1x1x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x6xf32>
  return %0, %1 : tensor<1x8x8x6xf32>, tensor<1x8x8x6xf32>
}

// CHECK-LABEL: @pop_accumulator(
// CHECK: %[[ONE:.*]] = sdy.replicated_to_unreduced {"x"}
// CHECK-NEXT: %[[SUM:.*]] = pop.matmul %arg0, %arg1, %[[ONE]]
// CHECK-NEXT: sdy.all_reduce {"x"} %[[SUM]]
func.func @pop_accumulator(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pop.matmul %a, %b, %c : (tensor<8x16xf32>, tensor<16x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Positions in shards are not positions in the whole.
// CHECK-LABEL: @argmax(
// CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
// CHECK-NEXT: tosa.argmax %[[A]]
// CHECK-NEXT: return
func.func @argmax(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8xi32> {
  %0 = tosa.argmax %a {axis = 1 : i32} : (tensor<8x16xf32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

//===----------------------------------------------------------------------===//
// What bodies compute
//===----------------------------------------------------------------------===//

#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// CHECK-LABEL: @index_read(
// CHECK: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[A]]
func.func @index_read(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8xf32> {
  %o = arith.constant dense<0.0> : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<8x16xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %m = arith.mulf %x, %f : f32
    %s = arith.addf %m, %acc : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The body doubles what there is yet.
// CHECK-LABEL: @not_combined(
// CHECK: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[A]]
// CHECK: %[[B:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
// CHECK-NEXT: stablehlo.reduce(%[[B]]
func.func @not_combined(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %o = arith.constant dense<0.0> : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<8x16xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %acc : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    reducer(%x: tensor<f32>, %y: tensor<f32>) {
      %s = stablehlo.add %x, %x : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

//===----------------------------------------------------------------------===//
// Parts that the op does not make
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @split_behind(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}}<@mesh, [{}, {}]>
// CHECK-NEXT: %[[PARTS:.*]] = sdy.replicated_to_unreduced {"x"} %[[DOT]] out_sharding=<@mesh, [{}, {}], unreduced={"x"}>
// CHECK-NEXT: return %[[PARTS]]
func.func @split_behind(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// It reduces over "y", as the larger operand has it.
// CHECK-LABEL: @other_axis(
// CHECK: %[[DOT:.*]] = stablehlo.dot_general
// CHECK-NEXT: %[[SUM:.*]] = sdy.all_reduce {"y"} %[[DOT]] out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT: %[[PARTS:.*]] = sdy.replicated_to_unreduced {"x"} %[[SUM]]
// CHECK-NEXT: return %[[PARTS]]
func.func @other_axis(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// CHECK-LABEL: @constant(
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant {{.*}}<@mesh, [{}]>
// CHECK-NEXT: %[[PARTS:.*]] = sdy.replicated_to_unreduced {"x"} %[[C]]
// CHECK-NEXT: return %[[PARTS]]
func.func @constant() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} dense<1.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Without a rule too.
// CHECK-LABEL: @no_rule(
// CHECK-NEXT: %[[ALL:.*]] = tensor.from_elements %arg0, %arg0 {{.*}}<@mesh, [{}]>
// CHECK-NEXT: sdy.replicated_to_unreduced {"x"} %[[ALL]]
func.func @no_rule(%a: f32) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = tensor.from_elements %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<2xf32>
  return %0 : tensor<2xf32>
}

//===----------------------------------------------------------------------===//
// Parts of operands
//===----------------------------------------------------------------------===//

// A sum of a part and a whole would count the whole on each device.
// CHECK-LABEL: @add_whole(
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"x"} %arg0
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[A]], %arg1 {{.*}}<@mesh, [{}]>
// CHECK-NEXT: sdy.replicated_to_unreduced {"x"} %[[SUM]]
func.func @add_whole(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %b: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @add_parts(
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %arg0, %arg1 {{.*}}unreduced={"x"}
// CHECK-NEXT: return %[[SUM]]
func.func @add_parts(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Of a product, one factor may be in parts.
// CHECK-LABEL: @square(
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"x"} %arg0
// CHECK-NEXT: %[[PARTS:.*]] = stablehlo.multiply %arg0, %[[A]] {{.*}}unreduced={"x"}
// CHECK-NEXT: return %[[PARTS]]
func.func @square(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = stablehlo.multiply %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @not_linear(
// CHECK-NEXT: %[[A:.*]] = sdy.all_reduce {"x"} %arg0
// CHECK-NEXT: %[[EXP:.*]] = stablehlo.exponential %[[A]]
// CHECK-NEXT: sdy.replicated_to_unreduced {"x"} %[[EXP]]
func.func @not_linear(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = stablehlo.exponential %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Maxima are moved as sums are, and are maxima of maxima.
// CHECK-LABEL: @maxima(
// CHECK-NEXT: %[[T:.*]] = stablehlo.transpose %arg0, {{.*}}unreduced=max{"x"}
// CHECK-NEXT: %[[M:.*]] = stablehlo.maximum %[[T]], %[[T]] {{.*}}unreduced=max{"x"}
// CHECK-NEXT: return %[[M]]
func.func @maxima(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"x"}>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"x"}>}) {
  %0 = stablehlo.transpose %a, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced=max{"x"}>]>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.maximum %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced=max{"x"}>]>} : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
