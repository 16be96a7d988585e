// RUN: ipu-opt %s --pop-add-optimizer=reduce=gradient --pop-clip-gradients --pop-decompose-optimizers | FileCheck %s

// The weight is in parts on two pairs of replicas. The gradient of a part is the sum over
// its pair already; the replicas with the same part add theirs. The norms of gradients,
// weights and updates are those of the whole tensor, of which each replica has a part.

// CHECK-LABEL: func.func @main
// CHECK: %[[g:.*]] = pop.all_reduce add %arg0 {groups = #pop.replica_groups<{{\[\[}}0, 2], [1, 3]]>} : tensor<2xf32>
// CHECK: %[[squares:.*]] = pop.mul %[[g]], %[[g]] : tensor<2xf32>
// CHECK-NEXT: %[[sum:.*]] = pop.reduce sum %[[squares]]
// CHECK-NEXT: %[[all:.*]] = pop.all_reduce add %[[sum]] {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<f32>
// CHECK-NEXT: pop.sqrt %[[all]]
// CHECK: %[[ofWeight:.*]] = pop.reduce sum
// CHECK-NEXT: pop.all_reduce add %[[ofWeight]] {groups = #pop.replica_groups<stride = 1, size = 2>}
// CHECK: %[[ofStep:.*]] = pop.reduce sum
// CHECK-NEXT: pop.all_reduce add %[[ofStep]] {groups = #pop.replica_groups<stride = 1, size = 2>}
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, replicas = 4 : i64}>} {
  pop.variable @w : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>, pop.optimizer = #pop.optimizer<lamb, lr = 0.1>}
  func.func @main(%g: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<variable @w>}) attributes {pop.clip_norms = [#pop.clip_norm<1.0>]} {
    return %g : tensor<2xf32>
  }
}
