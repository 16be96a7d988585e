// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f stitch=add_fwd_outputs})' | FileCheck %s --check-prefixes=CHECK,ADD
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f stitch=safe_add_fwd_outputs})' | FileCheck %s --check-prefixes=CHECK,ADD
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f stitch=recompute_minimal})' | FileCheck %s --check-prefixes=CHECK,MINIMAL
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f stitch=recompute_all_non_inputs})' | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=main stitch=safe_add_fwd_outputs})' | FileCheck %s --check-prefix=MAIN

pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>

// The graph that is called has a backward graph of its own, and values of both
// are stitched. Reads of variables are executed again.
//
// ADD-LABEL:     func.func private @layer(
// ADD-SAME:        -> (tensor<4xf32>, tensor<4xf32>)
// ADD:             %[[E:.+]] = pop.exp
// ADD-NEXT:        %[[S:.+]] = pop.sin %[[E]]
// ADD-NEXT:        return %[[S]], %[[E]]
// CHECK-LABEL:   func.func private @layer_backward(
// ADD-SAME:        %[[X:[^:]+]]: tensor<4xf32> {pop.forward_value = #pop.graph_value<argument 0>}, %[[E:[^:]+]]: tensor<4xf32> {pop.forward_value = #pop.graph_value<result 1>})
// ADD:             pop.read
// ADD-NOT:         pop.exp
// MINIMAL:         pop.read
// MINIMAL:         pop.exp
// ALL:             pop.read
// ALL:             pop.exp
func.func private @layer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = pop.get_variable @w : !pop.ref<4xf32>
  %w = pop.read %r : !pop.ref<4xf32>
  %0 = pop.mul %x, %w : tensor<4xf32>
  %1 = pop.exp %0 : tensor<4xf32>
  %2 = pop.sin %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// ADD-LABEL:     func.func private @f(
// ADD:             %[[FIRST:.+]]:2 = call @layer(
// ADD-NEXT:        %[[SECOND:.+]]:2 = call @layer(%[[FIRST]]#0)
// ADD:             return %{{.+}}, %[[FIRST]]#0, %[[FIRST]]#1, %[[SECOND]]#1
// CHECK-LABEL:   func.func private @f_backward(
// ADD-NOT:         call @layer(
// MINIMAL-SAME:    %{{[^:]+}}: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 0>}, %[[X:[^:]+]]: tensor<4xf32> {pop.forward_value = #pop.graph_value<argument 0>}, %[[Y:[^:]+]]: tensor<4xf32> {pop.forward_value = #pop.graph_value<result 0>})
// MINIMAL-NOT:     pop.tanh
// MINIMAL:         call @layer(%[[X]])
// MINIMAL-NOT:     call @layer(
// ALL:             call @layer(
// ALL:             call @layer(
// ALL:             pop.tanh
// CHECK:           call @layer_backward(
// CHECK:           call @layer_backward(
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @layer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @layer(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = pop.tanh %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A call of a graph that got results gets them, too.
//
// ADD-LABEL:     func.func @main(
// ADD:             %{{.+}}:4 = call @f(
// The host knows the results of the entry function, which stay as they are.
//
// MAIN-LABEL:    func.func @main(
// MAIN-SAME:       -> tensor<4xf32>
// MAIN-LABEL:    func.func private @main_backward(
// MAIN:            call @f(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = pop.tanh %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
