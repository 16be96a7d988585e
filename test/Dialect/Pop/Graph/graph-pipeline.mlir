// RUN: ipu-opt %s --pop-graph-pipeline | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{host-io=false merge-exchange=false})' | FileCheck %s --check-prefix=CHOICES
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(func.func(pop-graph-pipeline))' 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: 'pop-graph-pipeline' expects to run on 'builtin.module' but got 'func.func'

// CHECK-NOT:   @dead
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    %[[IN:.+]]:2 = pop.remote_exchange {
// CHECK-NEXT:      pop.host_load @x
// CHECK-NEXT:      pop.host_load @random_seed
// CHECK-NEXT:      pop.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    pop.replica_index
// CHECK:         %[[SEED:.+]] = pop.add %[[IN]]#1
// CHECK-NEXT:    %[[A:.+]] = pop.dropout %[[IN]]#0, %[[SEED]]
// CHECK-NEXT:    %[[B:.+]] = pop.exp %[[A]]
// CHECK-NEXT:    %[[C:.+]] = pop.add %[[B]], %[[B]]
// CHECK-NEXT:    pop.remote_exchange {
// CHECK-NEXT:      pop.host_store %[[A]], @dropped
// CHECK-NEXT:      pop.host_store %[[C]], @y
// CHECK-NEXT:    }
// CHECK-NEXT:    return

// CHOICES-LABEL: func.func @main(
// CHOICES-SAME:      tensor<4xf32> {pop.name = "x"})
// CHOICES-NEXT:    pop.host_load @random_seed
// CHOICES-NOT:     pop.remote_exchange
// CHOICES:         return %{{.*}}, %{{.*}}
func.func private @dead(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32> {pop.name = "x"}) -> (tensor<4xf32> {pop.name = "dropped"}, tensor<4xf32> {pop.name = "y"}) {
  %s = pop.next_seed
  %0 = pop.dropout %x, %s, 0.5 : tensor<4xf32>, tensor<2xui32>
  %1 = call @dead(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = pop.exp %0 : tensor<4xf32>
  %3 = pop.exp %0 : tensor<4xf32>
  %4 = pop.add %2, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %4 : tensor<4xf32>, tensor<4xf32>
}
