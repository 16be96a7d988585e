// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-verify-replicas

// Every op is looked at, also one that nobody uses.

module attributes {ipu.target = #ipu.target<"gc200", {replicas = 4 : i64}>} {
  pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2x2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
  func.func @main(%x: tensor<4xf32>) {
    %0 = pop.all_reduce add %x {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<4xf32>
    // expected-error @+1 {{expects groups whose stride times size divides 4 replicas but got #pop.replica_groups<stride = 1, size = 3>, with the product 3}}
    %1 = pop.all_reduce add %x {groups = #pop.replica_groups<stride = 1, size = 3>} : tensor<4xf32>
    // expected-error @+1 {{expects 'tensor<12xf32>' to be divided into parts of type 'tensor<3xf32>' in groups of 4 but got 'tensor<4xf32>'}}
    %2 = pop.all_gather %x : tensor<4xf32> to tensor<12xf32>
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {replicas = 4 : i64}>} {
  // expected-error @+1 {{expects `value` of shape [2, 2] for 2 groups of replicas but got [3, 2]}}
  pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<3x2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
}
