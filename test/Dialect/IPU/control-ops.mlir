// RUN: ipu-opt %s --mlir-print-local-scope | ipu-opt --mlir-print-local-scope | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt --mlir-print-local-scope | FileCheck %s
// RUN: ipu-opt %s --sccp --cse --canonicalize --mlir-print-local-scope | FileCheck %s --check-prefix=KEPT

// Storage, state, branches, loops, calls, streaming memory, replicas and code.

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#s = #ipu.map<[], grid = [1], blocks = []>
#n = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
#h = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>

// CHECK: module attributes {ipu.host_transfers = 8 : i64
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>,
                   ipu.host_transfers = 8 : i64} {
  // CHECK: ipu.stream @x host_to_device replicated : tensor<2x2xf32> {depth = 3 : i64}
  ipu.stream @x host_to_device replicated : tensor<2x2xf32> {depth = 3 : i64}

  ipu.stream @y device_to_host : tensor<2x2xf32>
  // CHECK: ipu.stream @losses device_to_host : tensor<f32> {transfers = 2 : i64}
  ipu.stream @losses device_to_host : tensor<f32> {transfers = 2 : i64}

  // CHECK: ipu.storage @w.storage : memref<2x2xf32, #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>>
  ipu.storage @w.storage : memref<2x2xf32, #m>
  ipu.storage @half : memref<2xui8, #h>
  // CHECK: ipu.remote_buffer @b : 3 x tensor<2x2xf32>
  ipu.remote_buffer @b : 3 x tensor<2x2xf32>

  // CHECK: ipu.state @w in @w.storage : tensor<2x2xf32> = dense<3.000000e+00> : tensor<2x2xf32>
  ipu.state @w in @w.storage : tensor<2x2xf32> = dense<3.0> : tensor<2x2xf32>
  // CHECK: ipu.state @m in @b[0] : tensor<2x2xf32> = dense<0.000000e+00> : tensor<2x2x2xf32>
  // CHECK-SAME: groups = #pop.replica_groups<stride = 1, size = 2>
  // CHECK-SAME: retrieval = #ipu<retrieval all_replicas>
  ipu.state @m in @b[0] : tensor<2x2xf32> = dense<0.0> : tensor<2x2x2xf32>
    {groups = #pop.replica_groups<stride = 1, size = 2>, retrieval = #ipu<retrieval all_replicas>}
  // Three elements on two replicas: two on each, filled up with zeros.
  // CHECK: ipu.state @sharded in @half : tensor<3xui8> = dense<1> : tensor<3xui8>
  // CHECK-SAME: sharding = #pop.replica_groups<stride = 2, size = 2>
  ipu.state @sharded in @half : tensor<3xui8> = dense<1> : tensor<3xui8>
    {sharding = #pop.replica_groups<stride = 2, size = 2>}

  // CHECK-LABEL: func.func @f
  // KEPT-LABEL: func.func @f
  func.func @f() {
    // CHECK: %[[W:.*]] = ipu.var "w" of @w.storage : memref<2x2xf32,
    %w = ipu.var "w" of @w.storage : memref<2x2xf32, #m>
    %y = ipu.var "y" : memref<2x2xf32, #m>
    ipu.sync internal
    // CHECK: ipu.exchange "copy" {
    // CHECK-NEXT: ipu.move %[[W]] to
    // KEPT: ipu.exchange
    ipu.exchange "copy" {
      ipu.move %w to %y : memref<2x2xf32, #m> to memref<2x2xf32, #m>
    }
    return
  }
  func.func @g() {
    return
  }

  // CHECK-LABEL: func.func @main
  // KEPT-LABEL: func.func @main
  func.func @main() {
    %p = ipu.var "p" init(dense<true> : tensor<i1>) : memref<i1, #s>
    %n = ipu.var "n" init(dense<2> : tensor<i32>) : memref<i32, #s>
    %i = ipu.var "i" : memref<i32, #s>
    %w = ipu.var "w" of @w.storage : memref<2x2xf32, #m>
    %v = ipu.var "v" : memref<2x2xf32, #m>
    %x = ipu.var "x" : memref<4xf32, #m>
    %y = ipu.var "y" : memref<4xf32, #m>
    %z = ipu.var "z" : memref<8xf32, #n>
    %k = ipu.var "k" : memref<2xf32, #h>

    // CHECK: ipu.call @f
    // KEPT: ipu.call @f
    ipu.call @f
    // CHECK: ipu.if %[[P:.*]] : memref<i1, {{.*}}> {
    // CHECK-NEXT: ipu.call @f
    // CHECK-NEXT: } else {
    // CHECK-NEXT: ipu.call @g
    // CHECK-NEXT: }
    // KEPT: ipu.if
    // KEPT: else
    ipu.if %p : memref<i1, #s> {
      ipu.call @f
    } else {
      ipu.call @g
    }
    // CHECK: ipu.if %[[P]] : memref<i1, {{.*}}> {
    // CHECK-NEXT: ipu.var "t" : memref<i32,
    // CHECK-NEXT: }
    // CHECK-NOT: else
    ipu.if %p : memref<i1, #s> {
      %t = ipu.var "t" : memref<i32, #s>
    }
    // CHECK: ipu.while %[[P]] : memref<i1, {{.*}}> {
    // CHECK-NEXT: ipu.call @f
    // CHECK-NEXT: } do {
    // CHECK-NEXT: ipu.repeat %[[N:.*]] : memref<i32, {{.*}}> {
    // CHECK-NEXT: ipu.sync internal
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    // KEPT: ipu.while
    // KEPT: do {
    // KEPT: ipu.repeat
    ipu.while %p : memref<i1, #s> {
      ipu.call @f
    } do {
      ipu.repeat %n : memref<i32, #s> {
        ipu.sync internal
      }
    }
    // CHECK: ipu.while %[[P]] : memref<i1, {{.*}}> {
    // CHECK-NEXT: } do {
    // CHECK-NEXT: }
    ipu.while %p : memref<i1, #s> {
    } do {
    }

    // CHECK: ipu.remote_exchange "weights" {
    // CHECK-NEXT: ipu.remote_load @b[0] to %[[V:.*]] : memref<2x2xf32, {{.*}}>
    // CHECK-NEXT: ipu.remote_store %[[W2:.*]] to @b[2] : memref<2x2xf32,
    // CHECK-NEXT: }
    // KEPT: ipu.remote_exchange
    ipu.remote_exchange "weights" {
      ipu.remote_load @b[0] to %v : memref<2x2xf32, #m>
      ipu.remote_store %w to @b[2] : memref<2x2xf32, #m>
    }
    // CHECK: ipu.remote_store %[[V]] to @b[%[[N]] : memref<i32, {{.*}}>] : memref<2x2xf32,
    // KEPT: ipu.remote_store
    ipu.remote_exchange "row" {
      ipu.remote_store %v to @b[%n : memref<i32, #s>] : memref<2x2xf32, #m>
    }

    // CHECK: ipu.replica_index to %[[I:.*]] : memref<i32,
    // KEPT: ipu.replica_index
    ipu.replica_index to %i : memref<i32, #s>
    // CHECK: ipu.collective all_reduce add %[[X:.*]] to %[[Y:.*]] : memref<4xf32, {{.*}}> to memref<4xf32,
    ipu.collective all_reduce add %x to %y : memref<4xf32, #m> to memref<4xf32, #m>
    // CHECK: ipu.collective all_gather %[[X]] to %[[Z:.*]] {axis = 0 : i64, groups = #pop.replica_groups<stride = 2, size = 2>}
    ipu.collective all_gather %x to %z {axis = 0 : i64, groups = #pop.replica_groups<stride = 2, size = 2>}
      : memref<4xf32, #m> to memref<8xf32, #n>
    // CHECK: ipu.collective reduce_scatter local %[[Z]] to %[[K:.*]] {axis = 0 : i64} :
    ipu.collective reduce_scatter local %z to %k {axis = 0 : i64} : memref<8xf32, #n> to memref<2xf32, #h>
    // CHECK: ipu.collective all_to_all %[[X]] to %[[Y]] {concat_axis = 0 : i64, split_axis = 0 : i64} :
    ipu.collective all_to_all %x to %y {split_axis = 0 : i64, concat_axis = 0 : i64}
      : memref<4xf32, #m> to memref<4xf32, #m>
    // CHECK: ipu.collective broadcast %[[X]] to %[[Y]] {root = 3 : i64} :
    ipu.collective broadcast %x to %y {root = 3 : i64} : memref<4xf32, #m> to memref<4xf32, #m>
    // CHECK: ipu.collective permute %[[X]] to %[[Y]] {pairs = {{\[\[}}0, 1], [1, 0{{\]\]}}} :
    // KEPT-COUNT-6: ipu.collective
    ipu.collective permute %x to %y {pairs = [[0, 1], [1, 0]]} : memref<4xf32, #m> to memref<4xf32, #m>

    // CHECK: ipu.code_load [@f, @g] to executable
    // KEPT: ipu.code_load [@f, @g] to executable
    ipu.code_load [@f, @g] to executable
    // CHECK: ipu.code_load [@f] to io_buffer
    ipu.code_load [@f] to io_buffer
    // CHECK: ipu.code_copy @f from io_buffer to executable
    // KEPT: ipu.code_copy
    ipu.code_copy @f from io_buffer to executable
    // What only the host sees is an effect.
    // KEPT: ipu.if
    // KEPT-NEXT: ipu.host_store
    // KEPT: ipu.expect
    ipu.if %p : memref<i1, #s> {
      ipu.host_store %v to @y : memref<2x2xf32, #m>
    }
    ipu.expect %x, dense<0.0> : tensor<4xf32> : memref<4xf32, #m>
    return
  }
}
