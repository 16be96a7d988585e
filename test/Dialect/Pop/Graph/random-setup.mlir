// RUN: ipu-opt %s --split-input-file --pop-random-setup | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-random-setup --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=NAMES

// Seeds are named after what they are for.
//
// NAMES-LABEL: func.func private @g(
// NAMES-SAME:      %seed: tensor<2xui32>)
// NAMES-LABEL: func.func @main(
// NAMES-NEXT:    %random_seed = pop.host_load @random_seed
// NAMES:         %[[OWN:random_seed.*]] = pop.add %random_seed
// NAMES-NEXT:    %seed = pop.split_seed %[[OWN]]

// The example of the pass.
//
// CHECK-LABEL: func.func private @g(
// CHECK-SAME:      %[[X:.+]]: tensor<4xf32>, %[[S:.+]]: tensor<2xui32>)
// CHECK-NEXT:    pop.dropout %[[X]], %[[S]]
// CHECK:       pop.stream @random_seed host_to_device broadcast : tensor<2xui32> {seed}
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[SEED:.+]] = pop.host_load @random_seed : tensor<2xui32>
// CHECK-NEXT:    %[[INDEX:.+]] = pop.replica_index : tensor<i32>
// CHECK-NEXT:    %[[NUMBER:.+]] = pop.cast %[[INDEX]] : tensor<i32> to tensor<ui32>
// CHECK-NEXT:    %[[LAST:.+]] = pop.constant dense<[0, 1]> : tensor<2xui32>
// CHECK-NEXT:    %[[WORDS:.+]] = pop.mul %[[LAST]], %[[NUMBER]] : (tensor<2xui32>, tensor<ui32>) -> tensor<2xui32>
// CHECK-NEXT:    %[[OWN:.+]] = pop.add %[[SEED]], %[[WORDS]] : tensor<2xui32>
// CHECK-NEXT:    %[[ALL:.+]] = pop.split_seed %[[OWN]] : tensor<2xui32> -> tensor<2x2xui32>
// CHECK-NEXT:    %[[R0:.+]] = pop.slice %[[ALL]] {sizes = array<i64: 1, 2>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<2x2xui32> -> tensor<1x2xui32>
// CHECK-NEXT:    %[[S0:.+]] = pop.reshape %[[R0]] : tensor<1x2xui32> to tensor<2xui32>
// CHECK-NEXT:    %[[R1:.+]] = pop.slice %[[ALL]] {sizes = array<i64: 1, 2>, starts = array<i64: 1, 0>, steps = array<i64: 1, 1>} : tensor<2x2xui32> -> tensor<1x2xui32>
// CHECK-NEXT:    %[[S1:.+]] = pop.reshape %[[R1]] : tensor<1x2xui32> to tensor<2xui32>
// CHECK-NEXT:    %[[D:.+]] = pop.dropout %{{.*}}, %[[S0]]
// CHECK-NEXT:    %[[C:.+]] = call @g(%[[D]], %[[S1]])
// CHECK-NEXT:    return %[[C]]
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %seed = pop.next_seed
  %0 = pop.dropout %x, %seed, 0.5 : tensor<4xf32>, tensor<2xui32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %seed = pop.next_seed
  %0 = pop.dropout %x, %seed, 0.5 : tensor<4xf32>, tensor<2xui32>
  %1 = call @g(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// One op takes the seed of the replica; seeds that the program names stay.
//
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    pop.host_load @random_seed
// CHECK:         %[[S:.+]] = pop.add
// CHECK-NEXT:    %[[D:.+]] = pop.dropout %{{.*}}, %[[S]]
// CHECK-NEXT:    pop.dropout %[[D]], %{{.*}}, 2.500000e-01
func.func @main(%x: tensor<4xf32>, %own: tensor<2xui32>) -> tensor<4xf32> {
  %seed = pop.next_seed
  %0 = pop.dropout %x, %seed, 0.5 : tensor<4xf32>, tensor<2xui32>
  %1 = pop.dropout %0, %own, 0.25 : tensor<4xf32>, tensor<2xui32>
  return %1 : tensor<4xf32>
}

// -----

// A loop carries a seed, whose last part is that of the next iteration.
//
// CHECK-LABEL: func.func @main(
// CHECK:         pop.host_load
// CHECK:         %[[S:.+]] = pop.add
// CHECK:         scf.for {{.*}} iter_args(%[[A:.+]] = %{{.*}}, %[[B:.+]] = %[[S]]) -> (tensor<4xf32>, tensor<2xui32>) {
// CHECK-NEXT:      %[[ALL:.+]] = pop.split_seed %[[B]] : tensor<2xui32> -> tensor<3x2xui32>
// CHECK:           %[[D:.+]] = pop.dropout
// CHECK-NEXT:      %[[E:.+]] = func.call @g(%[[D]], %{{.*}})
// CHECK-NEXT:      scf.yield %[[E]], %[[N:.+]] : tensor<4xf32>, tensor<2xui32>
// CHECK-NEXT:    } {pop.vgraph = 0 : i64}
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %seed = pop.next_seed
  %0 = pop.dropout %x, %seed, 0.5 : tensor<4xf32>, tensor<2xui32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %seed = pop.next_seed
    %1 = pop.dropout %a, %seed, 0.5 : tensor<4xf32>, tensor<2xui32>
    %2 = func.call @g(%1) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } {pop.vgraph = 0 : i64}
  return %0 : tensor<4xf32>
}

// -----

// The regions of a branch take the same seed: one of them runs. A loop without
// results carries one, too.
//
// CHECK-LABEL: func.func @main(
// CHECK:         pop.split_seed %{{.*}} : tensor<2xui32> -> tensor<2x2xui32>
// CHECK:         %[[S:.+]] = pop.reshape
// CHECK:         %[[T:.+]] = pop.reshape
// CHECK:         scf.if
// CHECK-NEXT:      pop.random_uniform %[[S]]
// CHECK:         } else {
// CHECK-NEXT:      pop.random_uniform %[[S]]
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[T]]) -> (tensor<2xui32>)
func.func @main(%c: i1, %n: index, %r: !pop.ref<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.if %c -> tensor<4xf32> {
    %s = pop.next_seed
    %1 = pop.random_uniform %s {low = 0.0, high = 1.0} : tensor<2xui32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %s = pop.next_seed
    %1 = pop.random_uniform %s {low = 0.0, high = 2.0} : tensor<2xui32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %s = pop.next_seed
    %1 = pop.random_uniform %s {low = 0.0, high = 1.0} : tensor<2xui32> -> tensor<4xf32>
    pop.add_ %r, %1 : !pop.ref<4xf32>, tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Both regions of a while loop may ask for seeds.
//
// CHECK-LABEL: func.func @main(
// CHECK:         pop.host_load
// CHECK:         %[[S:.+]] = pop.add
// CHECK:         %[[L:.+]]:2 = scf.while (%{{.*}} = %{{.*}}, %[[B:.+]] = %[[S]]) : (tensor<4xf32>, tensor<2xui32>) -> (tensor<4xf32>, tensor<2xui32>) {
// CHECK:           pop.split_seed %[[B]] : tensor<2xui32> -> tensor<2x2xui32>
// CHECK:           scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<2xui32>
// CHECK:         ^bb0(%{{.*}}: tensor<4xf32>, %[[A:.+]]: tensor<2xui32>):
// CHECK:           pop.split_seed %[[A]] : tensor<2xui32> -> tensor<2x2xui32>
// CHECK:           scf.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<2xui32>
// CHECK:         return %[[L]]#0
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %s = pop.next_seed
    %1 = pop.random_bernoulli %s, 0.5 : tensor<2xui32> -> tensor<i1>
    %2 = tensor.extract %1[] : tensor<i1>
    scf.condition(%2) %a : tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %s = pop.next_seed
    %3 = pop.dropout %b, %s, 0.5 : tensor<4xf32>, tensor<2xui32>
    scf.yield %3 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Each strand has a copy of the seed, and divides it on its virtual graph, in its
// stage.
//
// CHECK-LABEL: func.func private @g(
// CHECK-SAME:      %[[S0:[^:]+]]: tensor<2xui32> {pop.vgraph = 0 : i64},
// CHECK-SAME:      %[[S1:[^:]+]]: tensor<2xui32> {pop.stage = 2 : i64, pop.vgraph = 1 : i64})
// CHECK-NEXT:    pop.split_seed %[[S1]] {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<2xui32> -> tensor<2x2xui32>
// CHECK-NEXT:    pop.slice {{.*}}starts = array<i64: 1, 0>
// CHECK-NEXT:    %[[R1:.+]] = pop.reshape
// CHECK-NEXT:    pop.split_seed %[[S0]] {pop.vgraph = 0 : i64} : tensor<2xui32> -> tensor<2x2xui32>
// CHECK-NEXT:    pop.slice {{.*}}starts = array<i64: 0, 0>
// CHECK-NEXT:    %[[R0:.+]] = pop.reshape
// CHECK-NEXT:    pop.dropout %{{.*}}, %[[R0]]
// CHECK-NEXT:    pop.dropout %{{.*}}, %[[R1]]
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[HOST:.+]] = pop.host_load @random_seed {pop.vgraph = 0 : i64}
// CHECK-NEXT:    pop.replica_index {pop.vgraph = 0 : i64}
// CHECK:         %[[H:.+]] = pop.add %[[HOST]], %{{.+}} {pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[ALL:.+]] = pop.split_seed %[[H]] {pop.vgraph = 0 : i64} : tensor<2xui32> -> tensor<2x2xui32>
// CHECK:         %[[C:.+]] = pop.ipu_copy %[[H]] from 0 to 1 {pop.stage = 2 : i64} : tensor<2xui32>
// CHECK-NEXT:    pop.split_seed %[[C]] {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<2xui32> -> tensor<2x2xui32>
// CHECK:         call @g
// CHECK:         call @g
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = pop.next_seed {pop.vgraph = 0 : i64}
  %0 = pop.dropout %x, %s, 0.5 {pop.vgraph = 0 : i64} : tensor<4xf32>, tensor<2xui32>
  %t = pop.next_seed {pop.vgraph = 1 : i64, pop.stage = 2 : i64}
  %1 = pop.dropout %0, %t, 0.5 {pop.vgraph = 1 : i64, pop.stage = 2 : i64} : tensor<4xf32>, tensor<2xui32>
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @g(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Loops and calls read no seed of a later stage than theirs, though what asks for
// it is in one.
//
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[HOST:.+]] = pop.host_load @random_seed {pop.stage = 0 : i64}
// CHECK:         %[[H:.+]] = pop.add %[[HOST]], %{{.+}} {pop.stage = 0 : i64}
// CHECK-NEXT:    pop.split_seed %[[H]] {pop.stage = 0 : i64} : tensor<2xui32> -> tensor<3x2xui32>
// CHECK:         pop.split_seed %[[H]] {pop.stage = 1 : i64} : tensor<2xui32> -> tensor<3x2xui32>
// CHECK:         call @g
// CHECK:         scf.for
// CHECK:           pop.split_seed %{{.*}} {pop.stage = 3 : i64} : tensor<2xui32> -> tensor<2x2xui32>
// CHECK:         } {pop.stage = 0 : i64}
// CHECK:         call @g
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = pop.next_seed {pop.stage = 2 : i64}
  %0 = pop.dropout %x, %s, 0.5 {pop.stage = 2 : i64} : tensor<4xf32>, tensor<2xui32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = call @g(%x) {pop.stage = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %s = pop.next_seed {pop.stage = 3 : i64}
    %2 = pop.dropout %a, %s, 0.5 {pop.stage = 3 : i64} : tensor<4xf32>, tensor<2xui32>
    scf.yield %2 : tensor<4xf32>
  } {pop.stage = 0 : i64}
  %3 = call @g(%0) {pop.stage = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Without random ops nothing changes.
//
// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %{{[^,]*}}: tensor<4xf32>) ->
// CHECK-NOT:     host_load
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
