// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-verify-replicas

// Sharded values of a program that nothing has partitioned.

module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  sdy.mesh @mesh = <["a"=2]>
  // expected-warning @+1 {{'func.func' op argument 1 is sharded as #sdy.sharding<@mesh, [{"a"}]>, but the program is not partitioned: each of the 2 replicas computes the whole program; 3 values are sharded}}
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = pop.relu %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<4xf32>
    %1 = pop.relu %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"a"}>]>} : tensor<4xf32>
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%x: tensor<4xf32>) {
    // expected-warning @+1 {{'pop.relu' op result 0 is sharded as #sdy.sharding<@mesh, [{"a"}]>, but the program is not partitioned: each of the 2 replicas computes the whole program}}
    %0 = pop.relu %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<4xf32>
    return
  }
}

// -----

// What is whole on each replica by its sharding, too.

module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"a"}>}) {
    %0 = pop.relu %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : tensor<4xf32>
    return
  }
}

// -----

// One replica.

sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  return
}

// -----

// Of a result only.

module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  sdy.mesh @mesh = <["a"=2]>
  // expected-warning @+1 {{'func.func' op result 1 is sharded as #sdy.sharding<@mesh, [{"a"}]>, but the program is not partitioned: each of the 2 replicas computes the whole program}}
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    return %x, %x : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Explicit collectives of a sharded program, on one replica, too.

sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<4xf32> {
  // expected-error @+2 {{'sdy.all_gather' op cannot be lowered to ipu, because no pass partitions sharded programs}}
  // expected-note @+1 {{to run the program, lower it before sdy passes insert collectives, or use collectives of pop instead}}
  %0 = sdy.all_gather [{"a"}] %x out_sharding=<@mesh, [{}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
