// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-print-replica-equal=replicas=4 -o /dev/null | FileCheck %s --allow-empty --implicit-check-not=@

func.func @main(%a: tensor<4xf32>) {
  // expected-error @below {{expects groups whose stride times size divides 4 replicas but got #pop.replica_groups<stride = 1, size = 3>, with the product 3}}
  %0 = pop.all_reduce add %a {groups = #pop.replica_groups<stride = 1, size = 3>} : tensor<4xf32>
  return
}

// -----

func.func @main(%a: tensor<4xf32>) {
  // expected-error @below {{expects `root` less than 4, the size of groups, but got 4}}
  %0 = pop.broadcast %a {root = 4 : i64} : tensor<4xf32>
  return
}

// -----

func.func @main(%a: tensor<4xf32>) {
  // expected-error @below {{expects replicas from 0 to 3 in `pairs` but got 5}}
  %0 = pop.collective_permute %a {pairs = [[0, 5]]} : tensor<4xf32>
  return
}

// -----

// expected-error @below {{expects groups with 4 replicas in all but got #pop.replica_groups<[[0, 1], [2, 3], [4, 5]]> with 6}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<3x2xf32> {groups = #pop.replica_groups<[[0, 1], [2, 3], [4, 5]]>}
func.func @main() {
  return
}

// -----

func.func @main(%a: tensor<4xf32>) {
  // expected-error @below {{expects attribute 'pop.replica_equal' to be an array of '#pop.replica_partition<...>' but got 1}}
  %0 = pop.neg %a {pop.replica_equal = 1 : i64} : tensor<4xf32>
  return
}

// -----

func.func @main(%a: tensor<4xf32>) {
  // expected-error @below {{expects attribute 'pop.replica_equal_operands' to be an array of '#pop.replica_partition<...>' but got [1]}}
  %0 = pop.neg %a {pop.replica_equal_operands = [1 : i64]} : tensor<4xf32>
  return
}

// -----

// expected-error @below {{argument attribute 'pop.replica_equal' expects a '#pop.replica_partition<...>' but got 1}}
func.func @main(%a: tensor<4xf32> {pop.replica_equal = 1 : i64}) {
  return
}

// -----

// expected-error @below {{expects between 1 and 1048576 replicas but got 0}}
func.func private @f() attributes {a = #pop.replica_partition<all of 0>}

// -----

// expected-error @below {{expects replicas from 0 to 1048575 but got 1048576}}
func.func private @f() attributes {a = #pop.replica_partition<{0, 1048576}>}

// -----

// expected-error @below {{expects each replica only once but got replica 1 twice}}
func.func private @f() attributes {a = #pop.replica_partition<{0, 1}{1, 2}>}

// -----

// expected-error @below {{expects replicas 0 to 2 in classes but replica 2 is missing}}
func.func private @f() attributes {a = #pop.replica_partition<{0, 1}{3}>}
