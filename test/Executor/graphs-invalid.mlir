// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute{engine=interp})' -o /dev/null
// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute{check})' -o /dev/null

// What fails when the program is read, or when it runs.

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!i = memref<i32, #one>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  ipu.remote_buffer @b : 3 x tensor<1xf32>
  func.func @main() {
    %n = ipu.var "n" : !i
    %v = ipu.var "v" init(dense<1.0> : tensor<1xf32>) : !v
    ipu.replica_index to %n : !i
    ipu.remote_exchange "store" {
      // expected-error @below {{expects a row number of remote buffer 'b', which has 3 rows, but got 3 on replica 3}}
      ipu.remote_store %v to @b[%n : !i] : !v
    }
    return
  }
}

// -----

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!i = memref<i32, #one>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.remote_buffer @b : 3 x tensor<1xf32>
  func.func @main() {
    %n = ipu.var "n" init(dense<-1> : tensor<i32>) : !i
    %v = ipu.var "v" : !v
    ipu.remote_exchange "load" {
      // expected-error @below {{expects a row number of remote buffer 'b', which has 3 rows, but got -1 on replica 0}}
      ipu.remote_load @b[%n : !i] to %v : !v
    }
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @f() {
    // expected-note @below {{'g' is called here}}
    ipu.call @g
    return
  }
  func.func @g() {
    // expected-error @below {{'ipu.call' op makes 'f' call itself}}
    ipu.call @f
    return
  }
  func.func @main() {
    // expected-note @below {{'f' is called here}}
    ipu.call @f
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main() {
    // expected-error @below {{'ipu.call' op makes 'main' call itself}}
    ipu.call @main
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @f() attributes {no_inline} {
    return
  }
  func.func @main() {
    // expected-error @below {{'ipu.code_copy' op expects the code of 'f' to be in 'io_buffer'}}
    ipu.code_copy @f from io_buffer to executable
    ipu.call @f
    return
  }
}

// -----

// 2^56 bytes are more than there is.
module attributes {ipu.host_transfers = 72057594037927936 : i64, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.stream @y device_to_host : tensor<i8>
  func.func @main() {
    %x = ipu.var "x" init(dense<1> : tensor<i8>) : memref<i8, #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>>
    // expected-error @below {{'ipu.host_store' op cannot allocate a 'tensor<72057594037927936xi8>': the host has too little memory}}
    ipu.host_store %x to @y : memref<i8, #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>>
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  // expected-error @below {{'ipu.remote_buffer' op cannot be executed with rows of type 'tensor<2xi4>'}}
  ipu.remote_buffer @b : 3 x tensor<2xi4>
  func.func @main() {
    return
  }
}

// -----

// 2^56 times 8 bytes fit 64 bits, those of 32 replicas do not.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 32 : i64}>} {
  ipu.remote_buffer @b : 1 x tensor<72057594037927936xf64>
  // expected-error @below {{'ipu.state' op cannot be executed with host tensors of type 'tensor<72057594037927936xf64>'}}
  ipu.state @s in @b[0] : tensor<72057594037927936xf64> = dense<0.0> : tensor<72057594037927936xf64>
  func.func @main() {
    return
  }
}
