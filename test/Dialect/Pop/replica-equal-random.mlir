// RUN: ipu-opt %s --split-input-file --pop-print-replica-equal=replicas=4 -o /dev/null | FileCheck %s

// Equal seeds make equal numbers.

// CHECK-LABEL: @main()
// CHECK-NEXT: 'pop.constant': all
// CHECK-NEXT: 'pop.random_uniform': all
// CHECK-NEXT: 'pop.random_normal': all
// CHECK-NEXT: 'pop.random_bernoulli': all
// CHECK-NEXT: 'pop.split_seed': all
// CHECK-NEXT: 'pop.dropout': all
func.func @main() {
  %seed = pop.constant dense<[1, 2]> : tensor<2xui32>
  %0 = pop.random_uniform %seed : tensor<2xui32> -> tensor<4xf32>
  %1 = pop.random_normal %seed : tensor<2xui32> -> tensor<4xf32>
  %2 = pop.random_bernoulli %seed, 0.5 : tensor<2xui32> -> tensor<4xi1>
  %3 = pop.split_seed %seed : tensor<2xui32> -> tensor<3x2xui32>
  %4 = pop.dropout %0, %seed, 0.5 : tensor<4xf32>, tensor<2xui32>
  return
}

// -----

// Each replica is sent a seed of its own.

// CHECK-LABEL: @main()
// CHECK-NEXT: 'pop.host_load': none
// CHECK-NEXT: 'pop.random_uniform': none
// CHECK-NEXT: 'pop.random_normal': none
// CHECK-NEXT: 'pop.random_bernoulli': none
// CHECK-NEXT: 'pop.split_seed': none
// CHECK-NEXT: 'pop.constant': all
// CHECK-NEXT: 'pop.dropout': none
pop.stream @seed host_to_device : tensor<2xui32>
func.func @main() {
  %seed = pop.host_load @seed : tensor<2xui32>
  %0 = pop.random_uniform %seed : tensor<2xui32> -> tensor<4xf32>
  %1 = pop.random_normal %seed : tensor<2xui32> -> tensor<4xf32>
  %2 = pop.random_bernoulli %seed, 0.5 : tensor<2xui32> -> tensor<4xi1>
  %3 = pop.split_seed %seed : tensor<2xui32> -> tensor<3x2xui32>
  %x = pop.constant dense<1.0> : tensor<4xf32>
  %4 = pop.dropout %x, %seed, 0.5 : tensor<4xf32>, tensor<2xui32>
  return
}

// -----

// Seeds that are equal in groups; what is dropped may still differ.

// CHECK-LABEL: @main()
// CHECK-NEXT: 'pop.get_variable': {0,1}{2,3}
// CHECK-NEXT: 'pop.read': {0,1}{2,3}
// CHECK-NEXT: 'pop.random_normal': {0,1}{2,3}
// CHECK-NEXT: 'pop.host_load': none
// CHECK-NEXT: 'pop.dropout': none
pop.variable @seeds : tensor<2xui32> = dense<[[1, 2], [3, 4]]> : tensor<2x2xui32> {groups = #pop.replica_groups<stride = 1, size = 2>}
pop.stream @x host_to_device : tensor<4xf32>
func.func @main() {
  %r = pop.get_variable @seeds : !pop.ref<2xui32>
  %seed = pop.read %r : !pop.ref<2xui32>
  %0 = pop.random_normal %seed : tensor<2xui32> -> tensor<4xf32>
  %x = pop.host_load @x : tensor<4xf32>
  %1 = pop.dropout %x, %seed, 0.5 : tensor<4xf32>, tensor<2xui32>
  return
}
