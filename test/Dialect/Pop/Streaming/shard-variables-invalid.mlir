// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-shard-variables=variables=w*
// RUN: not ipu-opt %s --split-input-file --pop-shard-variables="variables=w domain=3" 2>&1 | FileCheck %s --check-prefix=DOMAIN
// RUN: not ipu-opt %s --split-input-file --pop-shard-variables="variables=w domain={#pop.replica_groups<stride=1,size=3>}" 2>&1 | FileCheck %s --check-prefix=DIVIDE
// RUN: not ipu-opt %s --split-input-file --pop-shard-variables="variables=w domain={#pop.replica_groups<stride=1,size=1>}" 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not ipu-opt %s --split-input-file --pop-shard-variables="variables=w min-elements=-2" 2>&1 | FileCheck %s --check-prefix=LEAST

// DOMAIN: error: 'pop-shard-variables' expects option 'domain' to be a '#pop.replica_groups<...>' but got '3'
// DIVIDE: error: {{.*}}3
// ONE: error: 'pop-shard-variables' expects groups of at least 2 replicas as option 'domain' but got #pop.replica_groups<stride = 1, size = 1>
// LEAST: error: 'pop-shard-variables' expects option 'min-elements' to be at least 0 but got -2

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<4xf32>
  // expected-error @below {{'pop.variable' op 'w' may become different on replicas of a group; 'pop-shard-variables' expects variables on the chip that are equal on the replicas of a group, and whose accesses read or write the whole tensor}}
  pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
  func.func @main() {
    %r = pop.get_variable @w : !pop.ref<4xf32>
    %x = pop.host_load @x : tensor<4xf32>
    pop.copy_ %r, %x : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<4xf32>
  // expected-error @below {{'w' is different on replicas of a group in a part of the program}}
  pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
  func.func @main() {
    %r = pop.get_variable @w : !pop.ref<4xf32>
    %x = pop.host_load @x : tensor<4xf32>
    pop.copy_ %r, %x : !pop.ref<4xf32>, tensor<4xf32>
    %w = pop.read %r : !pop.ref<4xf32>
    %sum = pop.all_reduce add %w : tensor<4xf32>
    pop.copy_ %r, %sum : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  // expected-error @below {{'w' has different values on replicas of a group}}
  pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
  func.func @main() {
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  // expected-error @below {{'w' is a scalar}}
  pop.variable @w : tensor<f32> = dense<0.0> : tensor<f32>
  func.func @main() {
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  // expected-error @below {{'w' is divided already}}
  pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {sharding = #pop.replica_groups<stride = 1, size = 4>}
  func.func @main() {
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.variable @n : tensor<i32> = dense<[0, 1]> : tensor<2xi32> {groups = #pop.replica_groups<stride = 1, size = 1>}
  // expected-error @below {{'w' is accessed in a branch or loop that replicas of a group may execute differently}}
  pop.variable @w : tensor<8xf32> = dense<1.0> : tensor<8xf32>
  pop.stream @y device_to_host : tensor<8xf32>
  func.func @main() {
    %one = pop.constant dense<1> : tensor<i32>
    %rn = pop.get_variable @n : !pop.ref<i32>
    %rw = pop.get_variable @w : !pop.ref<8xf32>
    %n = pop.read %rn : !pop.ref<i32>
    %c = pop.equal %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p = tensor.extract %c[] : tensor<i1>
    scf.if %p {
      %w = pop.read %rw : !pop.ref<8xf32>
      pop.host_store %w, @y : tensor<8xf32>
    }
    return
  }
}

// -----

// expected-error @below {{'pop-shard-variables' expects a target with several replicas, over which variables are divided, but got 1}}
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
  func.func @main() {
    return
  }
}
