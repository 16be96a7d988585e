// RUN: ipu-opt %s --split-input-file --pop-choose-accumulation --pop-auto-vgraph | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-choose-accumulation --pop-auto-vgraph --pop-inter-ipu-copy --pop-place-graphs --pop-verify-placement=complete -o /dev/null

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

// Ops that read only weights are counted once each, however often one reads another. An
// op that reads more than 16 weights is placed by itself.

// CHECK-LABEL: func.func @main
// CHECK-COUNT-60: pop.add {{.*}}pop.vgraph = 0 : i64
// CHECK: pop.mul {{.*}}pop.vgraph = 0 : i64
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 2 : i64}>} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %w0 = pop.constant dense<0.5> : tensor<4xf32>
    %w1 = pop.add %w0, %w0 : tensor<4xf32>
    %w2 = pop.add %w1, %w1 : tensor<4xf32>
    %w3 = pop.add %w2, %w2 : tensor<4xf32>
    %w4 = pop.add %w3, %w3 : tensor<4xf32>
    %w5 = pop.add %w4, %w4 : tensor<4xf32>
    %w6 = pop.add %w5, %w5 : tensor<4xf32>
    %w7 = pop.add %w6, %w6 : tensor<4xf32>
    %w8 = pop.add %w7, %w7 : tensor<4xf32>
    %w9 = pop.add %w8, %w8 : tensor<4xf32>
    %w10 = pop.add %w9, %w9 : tensor<4xf32>
    %w11 = pop.add %w10, %w10 : tensor<4xf32>
    %w12 = pop.add %w11, %w11 : tensor<4xf32>
    %w13 = pop.add %w12, %w12 : tensor<4xf32>
    %w14 = pop.add %w13, %w13 : tensor<4xf32>
    %w15 = pop.add %w14, %w14 : tensor<4xf32>
    %w16 = pop.add %w15, %w15 : tensor<4xf32>
    %w17 = pop.add %w16, %w16 : tensor<4xf32>
    %w18 = pop.add %w17, %w17 : tensor<4xf32>
    %w19 = pop.add %w18, %w18 : tensor<4xf32>
    %w20 = pop.add %w19, %w19 : tensor<4xf32>
    %w21 = pop.add %w20, %w20 : tensor<4xf32>
    %w22 = pop.add %w21, %w21 : tensor<4xf32>
    %w23 = pop.add %w22, %w22 : tensor<4xf32>
    %w24 = pop.add %w23, %w23 : tensor<4xf32>
    %w25 = pop.add %w24, %w24 : tensor<4xf32>
    %w26 = pop.add %w25, %w25 : tensor<4xf32>
    %w27 = pop.add %w26, %w26 : tensor<4xf32>
    %w28 = pop.add %w27, %w27 : tensor<4xf32>
    %w29 = pop.add %w28, %w28 : tensor<4xf32>
    %w30 = pop.add %w29, %w29 : tensor<4xf32>
    %w31 = pop.add %w30, %w30 : tensor<4xf32>
    %w32 = pop.add %w31, %w31 : tensor<4xf32>
    %w33 = pop.add %w32, %w32 : tensor<4xf32>
    %w34 = pop.add %w33, %w33 : tensor<4xf32>
    %w35 = pop.add %w34, %w34 : tensor<4xf32>
    %w36 = pop.add %w35, %w35 : tensor<4xf32>
    %w37 = pop.add %w36, %w36 : tensor<4xf32>
    %w38 = pop.add %w37, %w37 : tensor<4xf32>
    %w39 = pop.add %w38, %w38 : tensor<4xf32>
    %w40 = pop.add %w39, %w39 : tensor<4xf32>
    %c0 = pop.constant dense<0.25> : tensor<4xf32>
    %w41 = pop.add %w40, %c0 : tensor<4xf32>
    %c1 = pop.constant dense<1.25> : tensor<4xf32>
    %w42 = pop.add %w41, %c1 : tensor<4xf32>
    %c2 = pop.constant dense<2.25> : tensor<4xf32>
    %w43 = pop.add %w42, %c2 : tensor<4xf32>
    %c3 = pop.constant dense<3.25> : tensor<4xf32>
    %w44 = pop.add %w43, %c3 : tensor<4xf32>
    %c4 = pop.constant dense<4.25> : tensor<4xf32>
    %w45 = pop.add %w44, %c4 : tensor<4xf32>
    %c5 = pop.constant dense<5.25> : tensor<4xf32>
    %w46 = pop.add %w45, %c5 : tensor<4xf32>
    %c6 = pop.constant dense<6.25> : tensor<4xf32>
    %w47 = pop.add %w46, %c6 : tensor<4xf32>
    %c7 = pop.constant dense<7.25> : tensor<4xf32>
    %w48 = pop.add %w47, %c7 : tensor<4xf32>
    %c8 = pop.constant dense<8.25> : tensor<4xf32>
    %w49 = pop.add %w48, %c8 : tensor<4xf32>
    %c9 = pop.constant dense<9.25> : tensor<4xf32>
    %w50 = pop.add %w49, %c9 : tensor<4xf32>
    %c10 = pop.constant dense<10.25> : tensor<4xf32>
    %w51 = pop.add %w50, %c10 : tensor<4xf32>
    %c11 = pop.constant dense<11.25> : tensor<4xf32>
    %w52 = pop.add %w51, %c11 : tensor<4xf32>
    %c12 = pop.constant dense<12.25> : tensor<4xf32>
    %w53 = pop.add %w52, %c12 : tensor<4xf32>
    %c13 = pop.constant dense<13.25> : tensor<4xf32>
    %w54 = pop.add %w53, %c13 : tensor<4xf32>
    %c14 = pop.constant dense<14.25> : tensor<4xf32>
    %w55 = pop.add %w54, %c14 : tensor<4xf32>
    %c15 = pop.constant dense<15.25> : tensor<4xf32>
    %w56 = pop.add %w55, %c15 : tensor<4xf32>
    %c16 = pop.constant dense<16.25> : tensor<4xf32>
    %w57 = pop.add %w56, %c16 : tensor<4xf32>
    %c17 = pop.constant dense<17.25> : tensor<4xf32>
    %w58 = pop.add %w57, %c17 : tensor<4xf32>
    %c18 = pop.constant dense<18.25> : tensor<4xf32>
    %w59 = pop.add %w58, %c18 : tensor<4xf32>
    %c19 = pop.constant dense<19.25> : tensor<4xf32>
    %w60 = pop.add %w59, %c19 : tensor<4xf32>
    %y = pop.mul %x, %w60 : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
