// RUN: ipu-opt %s --split-input-file --pop-choose-accumulation --pop-auto-vgraph | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-choose-accumulation --pop-auto-vgraph --pop-inter-ipu-copy -o /dev/null

// The example of the description of the pass.

// CHECK-LABEL: func.func @main
// CHECK-NEXT: pop.matmul {{.*}}pop.vgraph = 0 : i64
// CHECK-NEXT: pop.matmul {{.*}}pop.vgraph = 1 : i64
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, ipus = 2 : i64}>} {
  func.func @main(%x: tensor<256x512xf32>, %u: tensor<512x512xf32>, %v: tensor<512x512xf32>) -> tensor<256x512xf32> {
    %0 = pop.matmul %x, %u : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
    %1 = pop.matmul %0, %v : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
    return %1 : tensor<256x512xf32>
  }
}

// -----

// One IPU has all ops.

// CHECK-LABEL: func.func @one
// CHECK-NEXT: pop.exp {{.*}} {pop.vgraph = 0 : i64}
// CHECK-NEXT: pop.log {{.*}} {pop.vgraph = 0 : i64}
func.func @one(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = pop.exp %x : tensor<16xf32>
  %1 = pop.log %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// A program that copies make slower stays on one IPU.

// CHECK-LABEL: func.func @small
// CHECK-NEXT: pop.exp {{.*}} {pop.vgraph = 0 : i64}
// CHECK-NEXT: pop.log {{.*}} {pop.vgraph = 0 : i64}
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, ipus = 2 : i64}>} {
  func.func @small(%x: tensor<16xf32>) -> tensor<16xf32> {
    %0 = pop.exp %x : tensor<16xf32>
    %1 = pop.log %0 : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}

// -----

// The embedding and the projection share a large weight, so they are on one IPU, and
// the softmax follows the projection. The transposition is where the weight is.

// CHECK-LABEL: func.func @tied
// CHECK: pop.transpose {{.*}}pop.vgraph = 0 : i64
// CHECK: pop.matmul {{.*}}pop.vgraph = 0 : i64
// CHECK: pop.matmul {{.*}}pop.vgraph = 1 : i64
// CHECK: pop.matmul {{.*}}pop.vgraph = 1 : i64
// CHECK: pop.matmul {{.*}}pop.vgraph = 1 : i64
// CHECK: pop.matmul {{.*}}pop.vgraph = 0 : i64
// CHECK: pop.softmax {{.*}}pop.vgraph = 0 : i64
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 2 : i64, tile_memory = 300000 : i64}>} {
  pop.variable @e : tensor<256x128xf32> = dense<0.5> : tensor<256x128xf32>
  func.func @tied(%x: tensor<64x256xf32>, %w: tensor<128x128xf32>) -> tensor<64x256xf32> {
    %ref = pop.get_variable @e : !pop.ref<256x128xf32>
    %e = pop.read %ref : !pop.ref<256x128xf32>
    %t = pop.transpose %e {permutation = array<i64: 1, 0>} : tensor<256x128xf32> -> tensor<128x256xf32>
    %0 = pop.matmul %x, %e : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
    %1 = pop.matmul %0, %w : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
    %2 = pop.matmul %1, %w : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
    %3 = pop.matmul %2, %w : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
    %4 = pop.matmul %3, %t : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
    %5 = pop.softmax %4 {axis = 1 : i64} : tensor<64x256xf32>
    return %5 : tensor<64x256xf32>
  }
}

// -----

// A loop is split, too. A function that is called twice has no placement; its calls have.
// A function that is called once is split like the ops around its call.

// CHECK-LABEL: func.func private @layer
// CHECK-NOT: pop.vgraph
// CHECK-LABEL: func.func private @once
// CHECK: pop.matmul {{.*}}pop.vgraph = 0 : i64
// CHECK: pop.matmul {{.*}}pop.vgraph = 1 : i64
// CHECK-LABEL: func.func @main
// CHECK: call @once({{.*}}) : (
// CHECK: scf.for
// CHECK: call @layer({{.*}}) {pop.vgraph = 2 : i64}
// CHECK: call @layer({{.*}}) {pop.vgraph = 3 : i64}
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, ipus = 4 : i64}>} {
  func.func private @layer(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = pop.matmul %x, %u : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
  func.func private @once(%x: tensor<256x256xf32>, %u: tensor<256x256xf32>) -> tensor<64x64xf32> {
    %0 = pop.matmul %x, %u : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %1 = pop.matmul %0, %u : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %2 = pop.slice %1 {sizes = array<i64: 64, 64>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<256x256xf32> -> tensor<64x64xf32>
    return %2 : tensor<64x64xf32>
  }
  func.func @main(%x: tensor<256x256xf32>, %u: tensor<256x256xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c20 = arith.constant 20 : index
    %0 = func.call @once(%x, %u) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<64x64xf32>
    %1 = scf.for %i = %c0 to %c20 step %c1 iter_args(%a = %0) -> tensor<64x64xf32> {
      %2 = func.call @layer(%a, %v) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %3 = func.call @layer(%2, %v) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %3 : tensor<64x64xf32>
    }
    return %1 : tensor<64x64xf32>
  }
}

// -----

// Calls of a function that uses a variable, and ops that use one remote buffer, are on
// one IPU.

// CHECK-LABEL: func.func @main
// CHECK: pop.remote_store {{.*}}pop.vgraph = [[A:[0-9]]] : i64
// CHECK: call @f({{.*}}) {pop.vgraph = [[F:[0-9]]] : i64}
// CHECK: call @f({{.*}}) {pop.vgraph = [[F]] : i64}
// CHECK: pop.remote_load {{.*}}pop.vgraph = [[A]] : i64
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 4 : i64, link_latency_ns = 0 : i64, sync_ipus_cycles = 0 : i64, rearrange_cycles = 0 : i64}>} {
  pop.variable @v : tensor<16x16xf32> = dense<0.5> : tensor<16x16xf32>
  pop.remote_buffer @b : 2 x tensor<16x16xf32>
  func.func private @f(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %r = pop.get_variable @v : !pop.ref<16x16xf32>
    %w = pop.read %r : !pop.ref<16x16xf32>
    %0 = pop.matmul %x, %w : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
  func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
    pop.remote_store %x, @b[0] : tensor<16x16xf32>
    %0 = func.call @f(%x) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %1 = pop.tanh %0 : tensor<16x16xf32>
    %2 = pop.matmul %1, %1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %3 = func.call @f(%2) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %4 = pop.remote_load @b[0] : tensor<16x16xf32>
    %5 = pop.matmul %3, %4 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return %5 : tensor<16x16xf32>
  }
}

// -----

// A function whose code is loaded is on one IPU.

// CHECK-LABEL: func.func @main
// CHECK: call @g({{.*}}) {pop.vgraph = [[G:[0-9]]] : i64}
// CHECK: call @g({{.*}}) {pop.vgraph = [[G]] : i64}
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 4 : i64, link_latency_ns = 0 : i64, sync_ipus_cycles = 0 : i64, rearrange_cycles = 0 : i64}>} {
  func.func private @g(%x: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {no_inline} {
    %0 = pop.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    pop.remote_code_load @g to executable
    %0 = func.call @g(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.matmul %0, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = func.call @g(%1) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    return %2 : tensor<64x64xf32>
  }
}

// -----

// The entry calls itself, and a loop has more iterations than can be counted.

// CHECK-LABEL: func.func private @main
// CHECK: pop.tanh {{.*}}pop.vgraph = {{[0-9]}} : i64
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 4 : i64}>} {
  func.func private @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 4611686018427387904 : index
    %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<64x64xf32> {
      %1 = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<64x64xf32> {
        %2 = pop.tanh %b : tensor<64x64xf32>
        %3 = pop.exp %2 : tensor<64x64xf32>
        scf.yield %3 : tensor<64x64xf32>
      }
      scf.yield %1 : tensor<64x64xf32>
    }
    %4 = func.call @main(%0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    return %4 : tensor<64x64xf32>
  }
}
