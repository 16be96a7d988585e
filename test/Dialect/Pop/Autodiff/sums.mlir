// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f})' | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f})' --mlir-print-debuginfo | FileCheck %s --check-prefix=NAME

// Gradients that meet are one sum, the one of the last use first. The integer
// has none. What no gradient leads to is left out, and so is what leads nowhere.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 1>},
// CHECK-SAME:    %[[X:[^:]+]]: tensor<4xf32> {pop.forward_value = #pop.graph_value<argument 0>})
// CHECK-SAME:    -> (tensor<4xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) {
// CHECK-NEXT:    %[[SLOPE:.+]] = pop.cos %[[X]]
// CHECK-NEXT:    %[[LAST:.+]] = pop.mul %[[DY]], %[[SLOPE]]
// CHECK-NEXT:    %[[FIRST:.+]] = pop.neg %[[DY]]
// CHECK-NEXT:    %[[SUM:.+]] = pop.sum %[[LAST]], %[[DY]], %[[FIRST]]
// CHECK-NEXT:    return %[[SUM]]
//
// NAME: pop.sum %{{.*}} loc(#[[LOC:.+]])
// NAME: #[[LOC]] = loc("GradSum"(
func.func private @f(%x: tensor<4xf32>, %n: tensor<4xi32>, %unused: tensor<2xf32>) -> (tensor<4xi32>, tensor<4xf32>) {
  %0 = pop.neg %x : tensor<4xf32>
  %1 = pop.add %x, %0 : tensor<4xf32>
  %2 = pop.sin %x : tensor<4xf32>
  %3 = pop.add %2, %1 : tensor<4xf32>
  %4 = pop.add %n, %n : tensor<4xi32>
  %5 = pop.exp %3 : tensor<4xf32>
  return %4, %3 : tensor<4xi32>, tensor<4xf32>
}
