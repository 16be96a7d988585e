// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(pop-decompose),pop-map-tensors,convert-pop-to-ipu)' | FileCheck %s

// Arguments and results are streams, by name or number; a chain is one compute
// set for each op, and two ops that do the same share a codelet.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // CHECK: ipu.stream @x host_to_device : tensor<64xf32>
  // CHECK: ipu.stream @arg1 host_to_device : tensor<64xf32>
  // CHECK: ipu.stream @result0 device_to_host : tensor<64xf32>
  // CHECK: ipu.stream @z device_to_host : tensor<8x8xf32>

  // CHECK-LABEL: func.func @main() {
  // CHECK-NEXT: ipu.sync external
  // CHECK-NEXT: %[[X:.*]] = ipu.var "x"
  // CHECK-NEXT: ipu.host_load @x to %[[X]]
  // CHECK-NEXT: %[[Y:.*]] = ipu.var "arg1"
  // CHECK-NEXT: ipu.host_load @arg1 to %[[Y]]
  func.func @main(%x: tensor<64xf32> {pop.name = "x"}, %y: tensor<64xf32>)
      -> (tensor<64xf32>, tensor<8x8xf32> {pop.name = "z"}) {
    // CHECK-NEXT: %[[A:.*]] = ipu.var "pop.add" : memref<64xf32, #tiles>
    // CHECK-NEXT: ipu.compute_set "pop.add" {
    // CHECK-NEXT: ipu.vertices @add_f32 ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[A]] : memref<64xf32, #tiles>) access [#tiles, #tiles, #tiles]
    // CHECK-NEXT: }
    %0 = pop.add %x, %y : tensor<64xf32>
    // CHECK: ipu.compute_set "named" {
    // CHECK-NEXT: ipu.vertices @add_f32
    %1 = pop.add %0, %y : tensor<64xf32> loc("named")
    // CHECK: ipu.compute_set "pop.relu" {
    // CHECK-NEXT: ipu.vertices @relu_f32 {{.*}} outs(%[[R:[0-9]+]]
    %2 = pop.relu %1 : tensor<64xf32>
    // CHECK: %[[V:.*]] = memref.reinterpret_cast %[[R]] to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<64xf32, #tiles> to memref<8x8xf32, #tiles>
    %3 = pop.reshape %2 : tensor<64xf32> to tensor<8x8xf32>
    // CHECK: ipu.sync external
    // CHECK: ipu.host_store %[[A]] to @result0
    // CHECK: ipu.host_store %{{.*}} to @z
    // CHECK-NEXT: return
    return %0, %3 : tensor<64xf32>, tensor<8x8xf32>
  }
  // CHECK: ipu.codelet @add_f32(
  // CHECK: ipu.codelet @relu_f32(
}

// -----

// Views cost nothing until somebody needs their order: a transposed and
// reversed tensor is one view, copied when it is stored. A reshape that no
// strides can say copies first.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // CHECK-LABEL: func.func @main() {
  func.func @main(%x: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<24xf32>) {
    // CHECK: %[[X:.*]] = ipu.var "arg0"
    %0 = pop.slice %x {starts = array<i64: 3, 0>, sizes = array<i64: 4, 6>, steps = array<i64: -1, 1>} : tensor<4x6xf32> -> tensor<4x6xf32>
    %1 = pop.transpose %0 {permutation = array<i64: 1, 0>} : tensor<4x6xf32> -> tensor<6x4xf32>
    // CHECK: %[[COPY:.*]] = ipu.var "pop.reshape" : memref<6x4xf32, #tiles>
    // CHECK: memref.reinterpret_cast %[[X]] to offset: [18], sizes: [6, 4], strides: [1, -6]
    // CHECK: ipu.sync internal
    // CHECK: ipu.exchange "pop.reshape" {
    // CHECK: ipu.move
    %2 = pop.reshape %1 : tensor<6x4xf32> to tensor<24xf32>
    return %1, %2 : tensor<6x4xf32>, tensor<24xf32>
  }
}

// -----

// A pad fills, then moves its operand into place; a concat only moves, in one
// exchange. Constants are variables with a value.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // CHECK-LABEL: func.func @main() {
  func.func @main(%x: tensor<2x3xf32>) -> tensor<8x5xf32> {
    // CHECK: %[[P:.*]] = ipu.var "pop.pad"
    // CHECK: ipu.compute_set "pop.pad" {
    // CHECK-NEXT: ipu.vertices @fill_f32 outs(%[[P]]
    // CHECK: %[[BOX:.*]] = memref.reinterpret_cast %[[P]] to offset: [11], sizes: [2, 3], strides: [5, 1]
    // CHECK: ipu.exchange "pop.pad" {
    // CHECK-NEXT: ipu.move %{{.*}} to %[[BOX]]
    %0 = pop.pad %x {low = array<i64: 2, 1>, high = array<i64: 0, 1>, value = 1.0 : f32} : tensor<2x3xf32> -> tensor<4x5xf32>
    // CHECK: ipu.var "pop.constant" init(dense<2.000000e+00> : tensor<4x5xf32>)
    %1 = pop.constant dense<2.0> : tensor<4x5xf32>
    // CHECK: ipu.exchange "pop.concat" {
    // CHECK-NEXT: ipu.move
    // CHECK-NEXT: ipu.move
    // CHECK-NEXT: }
    %2 = pop.concat %0, %1 {axis = 0 : i64} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<8x5xf32>
    return %2 : tensor<8x5xf32>
  }
}

// -----

// Unsigned integers are stored without sign; types that the machine lacks are
// marked.

// CHECK-LABEL: func.func @main() {
func.func @main(%x: tensor<4xui8>, %y: tensor<4xf64>) -> (tensor<4xui8>, tensor<4xf64>) {
  // CHECK: ipu.var "pop.div" : memref<4xi8
  %0 = pop.div %x, %x : tensor<4xui8>
  %1 = pop.add %y, %y : tensor<4xf64>
  return %0, %1 : tensor<4xui8>, tensor<4xf64>
}
// CHECK: ipu.codelet @div_ui8
// CHECK-NOT: emulated
// CHECK: ipu.codelet @add_f64
// CHECK-SAME: attributes {emulated}

// -----

// The f8 types without infinity and -0 are those of the C600.

// CHECK-LABEL: module attributes {ipu.target = #ipu.target<"c600"
module attributes {ipu.target = #ipu.target<"c600", {tiles = 4 : i64}>} {
  func.func @main(%x: tensor<4xf8E4M3FNUZ>, %y: tensor<4xf8E4M3FN>) -> (tensor<4xf8E4M3FNUZ>, tensor<4xf8E4M3FN>) {
    // CHECK: ipu.var "pop.neg" : memref<4xf8E4M3FNUZ
    %0 = pop.neg %x : tensor<4xf8E4M3FNUZ>
    // CHECK: ipu.var "pop.neg" : memref<4xf8E4M3FN,
    %1 = pop.neg %y : tensor<4xf8E4M3FN>
    return %0, %1 : tensor<4xf8E4M3FNUZ>, tensor<4xf8E4M3FN>
  }
  // CHECK: ipu.codelet @neg_f8E4M3FNUZ
  // CHECK-NOT: emulated
  // CHECK: ipu.codelet @neg_f8E4M3FN(
  // CHECK-SAME: attributes {emulated}
}

// -----

// CHECK-LABEL: module attributes {ipu.target = #ipu.target<"gc200"
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x: tensor<4xf8E4M3FNUZ>) -> tensor<4xf8E4M3FNUZ> {
    %0 = pop.neg %x : tensor<4xf8E4M3FNUZ>
    return %0 : tensor<4xf8E4M3FNUZ>
  }
  // CHECK: ipu.codelet @neg_f8E4M3FNUZ
  // CHECK-SAME: attributes {emulated}
}

// -----

// What an argument, or a stream, is without the host.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  // CHECK: ipu.stream @v host_to_device : tensor<2xf32> {default_value = dense<3.000000e+00> : tensor<2xf32>}
  pop.stream @v host_to_device broadcast : tensor<2xf32> {default_value = dense<3.0> : tensor<2xf32>}
  // CHECK: ipu.stream @w host_to_device : tensor<2xf32> {default_value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>}
  func.func @main(%w: tensor<2xf32> {pop.default = dense<[1.0, 2.0]> : tensor<2xf32>, pop.name = "w"}) -> tensor<2xf32> {
    return %w : tensor<2xf32>
  }
}

// -----

// How many tensors a run moves: of each stream, and of all others.
// CHECK: module attributes {ipu.host_transfers = 6 : i64
module attributes {pop.host_transfers = 6 : i64, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  // CHECK: ipu.stream @lr host_to_device : tensor<f32> {depth = 2 : i64, transfers = 3 : i64}{{$}}
  pop.stream @lr host_to_device broadcast : tensor<f32> {depth = 2 : i64, transfers = 3 : i64}
  // CHECK: ipu.stream @x host_to_device replicated : tensor<f32>{{$}}
  pop.stream @x host_to_device : tensor<f32>
  // CHECK: ipu.stream @y device_to_host replicated : tensor<f32> {transfers = 1 : i64}{{$}}
  pop.stream @y device_to_host : tensor<f32> {transfers = 1 : i64}
  func.func @main() {
    %lr = pop.host_load @lr : tensor<f32>
    %x = pop.host_load @x : tensor<f32>
    %y = pop.mul %x, %lr : tensor<f32>
    pop.host_store %y, @y : tensor<f32>
    return
  }
}

// -----

// An op writes the variable that its result is copied to, also where the ref is made
// after it; not if something reads the variable before the copy, through whatever ref.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  pop.variable @v : tensor<64xf32> = dense<1.0> : tensor<64xf32>
  // CHECK-LABEL: func.func @writes() {
  func.func @writes() {
    // CHECK: %[[V:.*]] = ipu.var "v" of @v.storage
    // CHECK: ipu.vertices @relu_f32 {{.*}} outs(%[[V]]
    // CHECK-NOT: ipu.exchange
    %x = pop.constant dense<2.0> : tensor<64xf32>
    %0 = pop.relu %x : tensor<64xf32>
    %v = pop.get_variable @v : !pop.ref<64xf32>
    pop.copy_ %v, %0 : !pop.ref<64xf32>, tensor<64xf32>
    return
  }
  // CHECK-LABEL: func.func @reads_before() {
  func.func @reads_before() {
    // CHECK: %[[R:.*]] = ipu.var "pop.relu"
    // CHECK: ipu.vertices @relu_f32 {{.*}} outs(%[[R]]
    // CHECK: ipu.vertices @neg_f32
    // CHECK: ipu.move %[[R]] to %[[V:.*]] :
    %x = pop.constant dense<2.0> : tensor<64xf32>
    %0 = pop.relu %x : tensor<64xf32>
    %v0 = pop.get_variable @v : !pop.ref<64xf32>
    %1 = pop.read %v0 : !pop.ref<64xf32>
    %2 = pop.neg %1 : tensor<64xf32>
    %v1 = pop.get_variable @v : !pop.ref<64xf32>
    pop.copy_ %v1, %0 : !pop.ref<64xf32>, tensor<64xf32>
    return
  }
  func.func @main() {
    call @writes() : () -> ()
    call @reads_before() : () -> ()
    return
  }
}
