// RUN: ipu-opt %s --sdy-infer-unreduced-axes | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic -o %t.given
// RUN: ipu-opt %s --sdy-propagation-pipeline --mlir-print-op-generic -o %t.final
// RUN: %python %S/Inputs/run-parts.py %t.given %t.final
// RUN: ipu-opt %s --sdy-propagation-pipeline=enable-insert-explicit-collectives=true --mlir-print-op-generic -o %t.full
// RUN: %python %S/Inputs/run-parts.py %t.given %t.full
// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version=true --mlir-print-op-generic -o %t.twice
// RUN: not %python %S/Inputs/run-parts.py %t.given %t.twice | FileCheck %s --check-prefix=WRONG

// A program reduces partial values itself. Ops between the partial values and the
// reduction keep them. Without the pass, the values are summed up twice, as the last two
// lines show.

// WRONG: @negated result 0

sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: @negated(
// CHECK-NEXT: %[[N:.*]] = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}], unreduced={"x"}>]>}
// CHECK-NEXT: sdy.all_reduce {"x"} %[[N]]
func.func public @negated(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// The product is not declared to be partial, but computes partial values. The other user
// of the sum reads whole values.
// CHECK-LABEL: @made(
// CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general {{.*}}<@mesh, [{?}, {?}], unreduced={"x"}>
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[DOT]], %[[DOT]] {{.*}}<@mesh, [{}, {}], unreduced={"x"}>
// CHECK-NEXT: %[[WHOLE:.*]] = sdy.sharding_constraint %[[SUM]] <@mesh, [{}, {}]>
// CHECK-NEXT: %[[ALL:.*]] = sdy.all_reduce {"x"} %[[SUM]] out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT: stablehlo.exponential %[[WHOLE]] : tensor<4x8xf32>
func.func public @made(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.add %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<4x8xf32>
  %2 = sdy.all_reduce {"x"} %1 out_sharding=<@mesh, [{}, {}]> : tensor<4x8xf32>
  %3 = stablehlo.exponential %1 : tensor<4x8xf32>
  return %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Of the factors of a product, only one may be partial. The other one is declared whole.
// CHECK-LABEL: @one_factor(
// CHECK-NEXT: %[[A:.*]] = stablehlo.negate %arg0 {{.*}}unreduced={"x"}
// CHECK-NEXT: %[[B:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{}]>
// CHECK-NEXT: stablehlo.multiply %[[A]], %[[B]] {{.*}}unreduced={"x"}
// CHECK-NEXT: sdy.reduce_scatter
func.func public @one_factor(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = sdy.sharding_constraint %a <@mesh, [{}]> : tensor<8xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<8xf32>
  %3 = sdy.reduce_scatter [{"x"}] %2 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// The two reductions take partial values along different axes.
// CHECK-LABEL: @two_reductions(
// CHECK-NEXT: %[[A:.*]] = stablehlo.negate %arg0 {{.*}}unreduced={"x", "y"}
// CHECK-NEXT: %[[OF_X:.*]] = sdy.sharding_constraint %[[A]] <@mesh, [{?}], unreduced={"x"}>
// CHECK-NEXT: %[[OF_Y:.*]] = sdy.sharding_constraint %[[A]] <@mesh, [{?}], unreduced={"y"}>
// CHECK-NEXT: sdy.all_reduce {"x"} %[[OF_X]]
// CHECK-NEXT: sdy.all_reduce {"y"} %[[OF_Y]]
func.func public @two_reductions(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x", "y"}>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %2 = sdy.all_reduce {"y"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// The partial values are reduced in two steps, of which the first one keeps those along "y".
// CHECK-LABEL: @in_steps(
// CHECK-NEXT: %[[A:.*]] = stablehlo.negate %arg0 {{.*}}unreduced={"x", "y"}
// CHECK-NEXT: %[[X:.*]] = sdy.reduce_scatter [{"x"}] %[[A]] out_sharding=<@mesh, [{"x"}], unreduced={"y"}>
// CHECK-NEXT: sdy.all_reduce {"y"} %[[X]] out_sharding=<@mesh, [{"x"}]>
func.func public @in_steps(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x", "y"}>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = sdy.reduce_scatter [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.all_reduce {"y"} %1 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: @made_in_steps(
// CHECK-NEXT: stablehlo.dot_general {{.*}}unreduced={"x", "y"}
func.func public @made_in_steps(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<4x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x8xf32>
  %2 = sdy.all_reduce {"y"} %1 out_sharding=<@mesh, [{}, {}]> : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// A division of floats is linear in the dividend, but not in the divisor.
// CHECK-LABEL: @divided(
// CHECK-NEXT: %[[DIVISOR:.*]] = stablehlo.exponential %arg1
// CHECK-NEXT: %[[QUOTIENT:.*]] = stablehlo.divide %arg0, %[[DIVISOR]] {{.*}}unreduced={"x"}
// CHECK-NEXT: sdy.all_reduce {"x"} %[[QUOTIENT]]
func.func public @divided(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  %e = stablehlo.exponential %b : tensor<8xf32>
  %0 = stablehlo.divide %a, %e : tensor<8xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Ops of pop are like those of stablehlo.
// CHECK-LABEL: @pop(
// CHECK-NEXT: %[[DIVISOR:.*]] = stablehlo.exponential %arg1
// CHECK-NEXT: %[[NEG:.*]] = pop.neg %arg0 {{.*}}unreduced={"x"}
// CHECK-NEXT: %[[SUM:.*]] = pop.add %[[NEG]], %arg0 {{.*}}unreduced={"x"}
// CHECK-NEXT: %[[PRODUCT:.*]] = pop.mul %[[SUM]], %arg1 {{.*}}unreduced={"x"}
// CHECK-NEXT: %[[QUOTIENT:.*]] = pop.div %[[PRODUCT]], %[[DIVISOR]] {{.*}}unreduced={"x"}
// CHECK-NEXT: %[[PADDED:.*]] = pop.pad %[[QUOTIENT]] {{.*}}unreduced={"x"}
// CHECK-NEXT: sdy.all_reduce {"x"} %[[PADDED]]
func.func public @pop(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %b: tensor<8xf32>) -> tensor<16xf32> {
  %e = stablehlo.exponential %b : tensor<8xf32>
  %0 = pop.neg %a : tensor<8xf32>
  %1 = pop.add %0, %a : tensor<8xf32>
  %2 = pop.mul %1, %b : tensor<8xf32>
  %3 = pop.div %2, %e : tensor<8xf32>
  %4 = pop.pad %3 {high = array<i64: 8>, low = array<i64: 0>, value = 0.0 : f32} : tensor<8xf32> -> tensor<16xf32>
  %5 = sdy.all_reduce {"x"} %4 out_sharding=<@mesh, [{}]> : tensor<16xf32>
  return %5 : tensor<16xf32>
}

// Where one side of a select is 0, the other side may be partial.
// CHECK-LABEL: @masked(
// CHECK: %[[MASKED:.*]] = stablehlo.select %arg1, %arg0, %{{.*}} {{.*}}unreduced={"x"}
// CHECK-NEXT: sdy.all_reduce {"x"} %[[MASKED]]
func.func public @masked(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %p: tensor<8xi1>) -> tensor<8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<8xf32>
  %0 = stablehlo.select %p, %a, %z : tensor<8xi1>, tensor<8xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Zeros around partial values are partial values.
// CHECK-LABEL: @padded(
// CHECK: %[[PADDED:.*]] = stablehlo.pad %arg0, %{{.*}} {{.*}}unreduced={"x"}
// CHECK-NEXT: sdy.all_reduce {"x"} %[[PADDED]]
func.func public @padded(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<16xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %z, low = [0], high = [8], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<16xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<16xf32>
  return %1 : tensor<16xf32>
}
