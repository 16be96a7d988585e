// RUN: ipu-opt %s --pop-shard-variables="variables=Accl* domain={#pop.replica_groups<stride=1,size=2>}" | FileCheck %s
// RUN: ipu-opt %s --pop-shard-variables="variables=Accl* exact domain={#pop.replica_groups<stride=1,size=2>}" | FileCheck %s --check-prefix=EXACT

// In a domain of two of four replicas, gradients are scattered in the domain, and the
// replicas with the same part add theirs. With `exact`, all replicas add first.

// CHECK: pop.variable @Accl___w : {{.*}} {sharding = #pop.replica_groups<stride = 1, size = 2>}
// CHECK: %[[g:.*]] = pop.reduce_scatter add %{{.*}} {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<6xf32> to tensor<3xf32>
// CHECK-NEXT: %[[sum:.*]] = pop.all_reduce add %[[g]] {groups = #pop.replica_groups<{{\[\[}}0, 2], [1, 3]]>} : tensor<3xf32>
// CHECK: pop.accumulate add %{{.*}}, %[[sum]] : tensor<3xf32>
// EXACT: %[[sum:.*]] = pop.all_reduce add %{{.*}} : tensor<6xf32>
// EXACT-NEXT: pop.replica_slice %[[sum]] {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<6xf32> to tensor<3xf32>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  pop.variable @Accl___w : tensor<6xf32> = dense<0.0> : tensor<6xf32>
  pop.stream @x host_to_device : tensor<6xf32>
  func.func @main() {
    %rm = pop.get_variable @Accl___w : !pop.ref<6xf32>
    %x = pop.host_load @x : tensor<6xf32>
    %sum = pop.all_reduce add %x : tensor<6xf32>
    pop.accumulate_ add %rm, %sum : !pop.ref<6xf32>, tensor<6xf32>
    return
  }
}
