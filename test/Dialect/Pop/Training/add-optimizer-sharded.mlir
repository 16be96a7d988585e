// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-add-optimizer{optimizer={#pop.optimizer<adam>} reduce=gradient mean=post})' | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-add-optimizer{optimizer={#pop.optimizer<adam>} reduce=accumulator mean=post accumulation-factor=2})' | FileCheck %s --check-prefixes=CHECK,PARTS
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-add-optimizer{optimizer={#pop.optimizer<adam>} reduce=gradient})' | FileCheck %s --check-prefix=SUM

// The states of a weight that is distributed over replicas are distributed over
// them, but for the number of updates. Its gradient is reduced already: a mean
// divides it by the number of replicas before it is accumulated.
//
// CHECK:      pop.variable @w
// CHECK:      pop.variable @Accl1___w : tensor<2x3xf32> = dense<0.000000e+00> : tensor<2x3xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
// CHECK:      pop.variable @Accl2___w : tensor<2x3xf32> = dense<0.000000e+00> : tensor<2x3xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
// CHECK:      pop.variable @Step___w : tensor<f32> = dense<0.000000e+00> : tensor<f32>{{$}}
// PARTS:      pop.variable @Accum___w : tensor<2x3xf32> = dense<0.000000e+00> : tensor<2x3xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
// CHECK:      func.func @main(%[[G:.+]]: tensor<3xf32>)
// CHECK-NOT:  all_reduce
// CHECK:      %[[TWO:.+]] = pop.constant dense<2.000000e+00> : tensor<f32>
// CHECK:      %[[MEAN:.+]] = pop.div %[[G]], %[[TWO]]
// PARTS:      pop.accumulate_ add %{{.+}}, %[[MEAN]] : !pop.ref<3xf32>
// WHOLE:      pop.optimizer_step <adam> %{{.+}}, %[[MEAN]] state(%{{.+}}) {pop.sharding = #pop.replica_groups<stride = 1, size = 2>} : (tensor<3xf32>
// PARTS:      pop.optimizer_step <adam>
// CHECK-NOT:  all_reduce
// CHECK:      return
//
// SUM:        func.func @main(%[[G:.+]]: tensor<3xf32>)
// SUM-NOT:    pop.div
// SUM:        pop.optimizer_step <adam> %{{.+}}, %[[G]] state
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  pop.variable @w : tensor<2x3xf32> = dense<1.0> : tensor<2x3xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  func.func @main(%g: tensor<3xf32>) -> (tensor<3xf32> {pop.gradient_of = #pop.graph_value<variable @w>}) {
    return %g : tensor<3xf32>
  }
}
