// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute{engine=interp inputs=*=ones})' -o /dev/null
// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute{check inputs=*=ones})' -o /dev/null

// What replicas that take different ways cannot do: ops that they run together.

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!p = memref<i1, #one>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  // expected-note @below {{false on replica 0}}
  // expected-note @below {{true on replicas 1 to 3}}
  ipu.storage @p : !p
  ipu.state @ps in @p : tensor<i1> = dense<[0, 1, 1, 1]> : tensor<4xi1> {groups = #pop.replica_groups<stride = 1, size = 1>}
  func.func @main() {
    %p = ipu.var "p" of @p : !p
    %v = ipu.var "v" init(dense<1.0> : tensor<1xf32>) : !v
    %w = ipu.var "w" : !v
    // expected-error @below {{'ipu.if' op expects control-flow predicate "p" to be equal on all replicas, because they execute 'ipu.collective' together}}
    ipu.if %p : !p {
    } else {
      // expected-note @below {{'ipu.collective' op is here}}
      ipu.collective all_reduce add %v to %w : !v to !v
    }
    return
  }
}

// -----

// In a loop, of which it is before the condition.

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!p = memref<i1, #one>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  ipu.stream @x host_to_device : tensor<1xf32>
  // expected-note @below {{false on replicas 0, 1}}
  // expected-note @below {{true on replicas 2, 3}}
  ipu.storage @p : !p
  ipu.state @ps in @p : tensor<i1> = dense<[0, 1]> : tensor<2xi1> {groups = #pop.replica_groups<stride = 1, size = 2>}
  func.func @main() {
    %p = ipu.var "p" of @p : !p
    %v = ipu.var "v" : !v
    // expected-error @below {{'ipu.while' op expects control-flow predicate "p" to be equal on all replicas, because they execute 'ipu.host_load' together}}
    ipu.while %p : !p {
      // expected-note @below {{'ipu.host_load' op is here}}
      ipu.host_load @x to %v : !v
    } do {
    }
    return
  }
}

// -----

// In a function that a function calls.

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!i = memref<i32, #one>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  ipu.remote_buffer @b : 3 x tensor<1xf32>
  func.func @plain() {
    return
  }
  func.func @inner() {
    %v = ipu.var "v" init(dense<1.0> : tensor<1xf32>) : !v
    // expected-note @below {{'ipu.remote_exchange' op is here}}
    ipu.remote_exchange "store" {
      ipu.remote_store %v to @b[0] : !v
    }
    return
  }
  func.func @outer() {
    // expected-note @below {{called here}}
    ipu.call @inner
    return
  }
  func.func @main() {
    // expected-note @below {{0 on replica 0}}
    // expected-note @below {{1 on replica 1}}
    // expected-note @below {{2 on replica 2}}
    // expected-note @below {{3 on replica 3}}
    %n = ipu.var "n" : !i
    ipu.replica_index to %n : !i
    // expected-error @below {{'ipu.repeat' op expects control-flow predicate "n" to be equal on all replicas, because they execute 'ipu.remote_exchange' together}}
    ipu.repeat %n : !i {
      ipu.call @plain
      // expected-note @below {{called here}}
      ipu.call @outer
    }
    return
  }
}

// -----

// In a branch inside of the one that replicas decide differently.

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!p = memref<i1, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  // expected-note @below {{false on replica 0}}
  // expected-note @below {{true on replicas 1 to 3}}
  ipu.storage @p : !p
  ipu.state @ps in @p : tensor<i1> = dense<[0, 1, 1, 1]> : tensor<4xi1> {groups = #pop.replica_groups<stride = 1, size = 1>}
  ipu.storage @q : !p
  ipu.state @qs in @q : tensor<i1> = dense<[0, 1, 0, 1]> : tensor<4xi1> {groups = #pop.replica_groups<stride = 1, size = 1>}
  func.func @main() {
    %p = ipu.var "p" of @p : !p
    %q = ipu.var "q" of @q : !p
    // expected-error @below {{'ipu.if' op expects control-flow predicate "p" to be equal on all replicas, because they execute 'ipu.sync' together}}
    ipu.if %p : !p {
      ipu.if %q : !p {
        // expected-note @below {{'ipu.sync' op is here}}
        ipu.sync external
      }
    }
    return
  }
}

// -----

// Code is at one place on all replicas.

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!p = memref<i1, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  // expected-note @below {{true on replica 0}}
  // expected-note @below {{false on replica 1}}
  ipu.storage @p : !p
  ipu.state @ps in @p : tensor<i1> = dense<[1, 0]> : tensor<2xi1> {groups = #pop.replica_groups<stride = 1, size = 1>}
  func.func @f() attributes {no_inline} {
    return
  }
  func.func @main() {
    %p = ipu.var "p" of @p : !p
    ipu.code_load [@f] to io_buffer
    // expected-error @below {{'ipu.if' op expects control-flow predicate "p" to be equal on all replicas, because they execute 'ipu.code_copy' together}}
    ipu.if %p : !p {
      // expected-note @below {{'ipu.code_copy' op is here}}
      ipu.code_copy @f from io_buffer to executable
      ipu.call @f
    }
    return
  }
}

// -----

// Many values.

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!i = memref<i32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 12 : i64}>} {
  func.func @main() {
    // expected-note @below {{0 on replica 0}}
    // expected-note @below {{1 on replica 1}}
    // expected-note @below {{2 on replica 2}}
    // expected-note @below {{3 on replica 3}}
    // expected-note @below {{4 on replica 4}}
    // expected-note @below {{5 on replica 5}}
    // expected-note @below {{6 on replica 6}}
    // expected-note @below {{7 on replica 7}}
    // expected-note @below {{4 other values}}
    %n = ipu.var "n" : !i
    ipu.replica_index to %n : !i
    // expected-error @below {{'ipu.repeat' op expects control-flow predicate "n" to be equal}}
    ipu.repeat %n : !i {
      // expected-note @below {{'ipu.sync' op is here}}
      ipu.sync external
    }
    return
  }
}

// -----

// A failed expectation names the replicas that were there.

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!p = memref<i1, #one>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.storage @p : !p
  ipu.state @ps in @p : tensor<i1> = dense<[0, 1]> : tensor<2xi1> {groups = #pop.replica_groups<stride = 1, size = 1>}
  func.func @main() {
    %p = ipu.var "p" of @p : !p
    %v = ipu.var "v" init(dense<1.0> : tensor<1xf32>) : !v
    ipu.if %p : !p {
      // expected-error @below {{'ipu.expect' op does not hold on replica 1}}
      ipu.expect %v, dense<2.0> : tensor<1xf32> : !v
    }
    return
  }
}

// -----

// The transfer that a sync is for.

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!p = memref<i1, #one>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.stream @x host_to_device : tensor<1xf32>
  // expected-note @below {{false on replica 0}}
  // expected-note @below {{true on replica 1}}
  ipu.storage @p : !p
  ipu.state @ps in @p : tensor<i1> = dense<[0, 1]> : tensor<2xi1> {groups = #pop.replica_groups<stride = 1, size = 1>}
  func.func @main() {
    %p = ipu.var "p" of @p : !p
    %v = ipu.var "v" : !v
    // expected-error @below {{'ipu.if' op expects control-flow predicate "p" to be equal on all replicas, because they execute 'ipu.host_load' together}}
    ipu.if %p : !p {
      ipu.sync external
      // expected-note @below {{'ipu.host_load' op is here}}
      ipu.host_load @x to %v : !v
    }
    return
  }
}

// -----

// A remote exchange.

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!p = memref<i1, #one>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.remote_buffer @b : 3 x tensor<1xf32>
  // expected-note @below {{false on replica 0}}
  // expected-note @below {{true on replica 1}}
  ipu.storage @p : !p
  ipu.state @ps in @p : tensor<i1> = dense<[0, 1]> : tensor<2xi1> {groups = #pop.replica_groups<stride = 1, size = 1>}
  func.func @main() {
    %p = ipu.var "p" of @p : !p
    %v = ipu.var "v" init(dense<1.0> : tensor<1xf32>) : !v
    // expected-error @below {{because they execute 'ipu.remote_exchange' together}}
    ipu.if %p : !p {
      ipu.sync external
      // expected-note @below {{'ipu.remote_exchange' op is here}}
      ipu.remote_exchange "store" {
        ipu.remote_store %v to @b[0] : !v
      }
    }
    return
  }
}

// -----

// A sync that is for nothing.

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!p = memref<i1, #one>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.stream @x host_to_device : tensor<1xf32>
  // expected-note @below {{false on replica 0}}
  // expected-note @below {{true on replica 1}}
  ipu.storage @p : !p
  ipu.state @ps in @p : tensor<i1> = dense<[0, 1]> : tensor<2xi1> {groups = #pop.replica_groups<stride = 1, size = 1>}
  func.func @main() {
    %p = ipu.var "p" of @p : !p
    %v = ipu.var "v" : !v
    // expected-error @below {{because they execute 'ipu.sync' together}}
    ipu.if %p : !p {
      // expected-note @below {{'ipu.sync' op is here}}
      ipu.sync external
      ipu.sync external
      ipu.host_load @x to %v : !v
    }
    return
  }
}
