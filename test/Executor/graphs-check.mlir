// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute{check})' -o /dev/null
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute)' -o /dev/null

// What only a checked run finds.

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!p = memref<i1, #one>
!i = memref<i32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main() {
    // expected-note @below {{variable "p" is undefined from here until it is written}}
    %p = ipu.var "p" : !p
    // expected-error @below {{'ipu.if' op reads element [] of variable "p" on tile 0 of replica 0, which is undefined}}
    ipu.if %p : !p {
    }
    // expected-note @below {{variable "n" is undefined from here until it is written}}
    %n = ipu.var "n" : !i
    // expected-error @below {{'ipu.repeat' op reads element [] of variable "n" on tile 0 of replica 0, which is undefined}}
    ipu.repeat %n : !i {
    }
    // expected-note @below {{variable "q" is undefined from here until it is written}}
    %q = ipu.var "q" : !p
    // expected-error @below {{'ipu.while' op reads element [] of variable "q" on tile 0 of replica 0, which is undefined}}
    ipu.while %q : !p {
    } do {
    }
    return
  }
}

// -----

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.stream @y device_to_host : tensor<1xf32>
  ipu.remote_buffer @b : 3 x tensor<1xf32>
  ipu.state @s in @b[0] : tensor<1xf32> = dense<1.0> : tensor<1xf32>
  func.func @main() {
    %v = ipu.var "v" : !v
    %w = ipu.var "w" : !v
    // expected-note @below {{variable "u" is undefined from here until it is written}}
    %u = ipu.var "u" : !v
    %x = ipu.var "x" : !v
    ipu.remote_exchange "load" {
      ipu.remote_load @b[0] to %v : !v
      // expected-error @below {{'ipu.remote_load' op reads undefined row 1 of remote buffer 'b' on replica 0: nothing has been stored to this row}}
      ipu.remote_load @b[1] to %w : !v
    }
    // Undefined elements may go there and back, but the host must not see them.
    ipu.remote_exchange "there" {
      ipu.remote_store %u to @b[2] : !v
    }
    ipu.remote_exchange "back" {
      ipu.remote_load @b[2] to %x : !v
    }
    // expected-error @below {{'ipu.collective' op reads element [0] of variable "u" on tile 0 of replica 0, which is undefined}}
    ipu.collective all_reduce add %u to %v : !v to !v
    // expected-error @below {{reads element [0] of variable "x" on tile 0 of replica 0, which is undefined}}
    ipu.host_store %x to @y : !v
    return
  }
}

// -----

// Storage that is no state is undefined when a run begins, and so are the other
// variables of a function in each call.
#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.stream @y device_to_host : tensor<1xf32>
  // expected-note @below {{variable "s" is undefined from here until it is written}}
  ipu.storage @s : !v
  func.func @f() {
    %one = ipu.var "one" init(dense<1.0> : tensor<1xf32>) : !v
    // expected-note @below {{variable "t" is undefined from here until it is written}}
    %t = ipu.var "t" : !v
    // expected-error @below {{reads element [0] of variable "t" on tile 0 of replica 0, which is undefined}}
    ipu.host_store %t to @y : !v
    ipu.exchange "t" {
      ipu.move %one to %t : !v to !v
    }
    return
  }
  func.func @main() {
    %s = ipu.var "s" of @s : !v
    // expected-error @below {{reads element [0] of variable "s" on tile 0 of replica 0, which is undefined}}
    // expected-warning @below {{stream 'y' is stored at least 2 times in a run but the host has 1 tensor; after the last tensor, the first one is replaced}}
    ipu.host_store %s to @y : !v
    ipu.call @f
    return
  }
}
