// RUN: ipu-opt %s --pop-to-ipu-pipeline=accumulation=chain --ipu-execute="inputs=*=ramp engine=jit" -o %t.with.mlir > %t.with
// RUN: sed "/pop.remote_code_load/d" %s > %t.plain.mlir
// RUN: ipu-opt %t.plain.mlir --pop-to-ipu-pipeline=accumulation=chain --ipu-execute="inputs=*=ramp engine=jit" -o %t.without.mlir > %t.without
// RUN: cmp %t.with %t.without
// RUN: ipu-opt %s --pop-to-ipu-pipeline=accumulation=chain --ipu-execute="inputs=*=ramp check" -o /dev/null > %t.checked
// RUN: cmp %t.checked %t.with
// RUN: FileCheck %s --check-prefix=WITH < %t.with.mlir
// RUN: FileCheck %s --check-prefix=WITHOUT < %t.without.mlir
// RUN: FileCheck %s < %t.with

// A transformer, each layer of which is loaded when it is its turn, code and weights, and a
// classifier that needs most memory. Layers have codelets in common, which are there where
// any layer is; each has exchanges, a sequence of steps and an activation of its own. With
// loads the tensors of the classifier lie where the layers were.

// In all: 40548 bytes instead of 51456. The classifier's step has 24584 of variables and 8568
// of code; without loads, 11668 bytes of the layers' code and exchanges are there as well.
// WITH: tile = 0, {{.*}} bytes = 40548, {{.*}} not_always_live = 24584
// WITHOUT: tile = 6, {{.*}} bytes = 51456, {{.*}} not_always_live = 24584
// CHECK: y : tensor<16x1024xf32> = dense<{{\[\[}}0.0005482078, 0.00054877735, 

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  pop.stream @x host_to_device : tensor<16x16xf32>
  pop.stream @head host_to_device : tensor<16x1024xf32>
  pop.stream @y device_to_host : tensor<16x1024xf32>
  pop.remote_buffer @b.q0 : 1 x tensor<16x16xf32>
  pop.variable @q0 : tensor<16x16xf32> = dense<0.01> : tensor<16x16xf32> {buffer = @b.q0, row = 0 : i64}
  pop.remote_buffer @b.k0 : 1 x tensor<16x16xf32>
  pop.variable @k0 : tensor<16x16xf32> = dense<0.01> : tensor<16x16xf32> {buffer = @b.k0, row = 0 : i64}
  pop.remote_buffer @b.v0 : 1 x tensor<16x16xf32>
  pop.variable @v0 : tensor<16x16xf32> = dense<0.01> : tensor<16x16xf32> {buffer = @b.v0, row = 0 : i64}
  pop.remote_buffer @b.o0 : 1 x tensor<16x16xf32>
  pop.variable @o0 : tensor<16x16xf32> = dense<0.01> : tensor<16x16xf32> {buffer = @b.o0, row = 0 : i64}
  pop.remote_buffer @b.up0 : 1 x tensor<16x16xf32>
  pop.variable @up0 : tensor<16x16xf32> = dense<0.01> : tensor<16x16xf32> {buffer = @b.up0, row = 0 : i64}
  pop.remote_buffer @b.down0 : 1 x tensor<16x16xf32>
  pop.variable @down0 : tensor<16x16xf32> = dense<0.01> : tensor<16x16xf32> {buffer = @b.down0, row = 0 : i64}
  pop.remote_buffer @b.q1 : 1 x tensor<16x16xf32>
  pop.variable @q1 : tensor<16x16xf32> = dense<0.02> : tensor<16x16xf32> {buffer = @b.q1, row = 0 : i64}
  pop.remote_buffer @b.k1 : 1 x tensor<16x16xf32>
  pop.variable @k1 : tensor<16x16xf32> = dense<0.02> : tensor<16x16xf32> {buffer = @b.k1, row = 0 : i64}
  pop.remote_buffer @b.v1 : 1 x tensor<16x16xf32>
  pop.variable @v1 : tensor<16x16xf32> = dense<0.02> : tensor<16x16xf32> {buffer = @b.v1, row = 0 : i64}
  pop.remote_buffer @b.o1 : 1 x tensor<16x16xf32>
  pop.variable @o1 : tensor<16x16xf32> = dense<0.02> : tensor<16x16xf32> {buffer = @b.o1, row = 0 : i64}
  pop.remote_buffer @b.up1 : 1 x tensor<16x32xf32>
  pop.variable @up1 : tensor<16x32xf32> = dense<0.02> : tensor<16x32xf32> {buffer = @b.up1, row = 0 : i64}
  pop.remote_buffer @b.down1 : 1 x tensor<32x16xf32>
  pop.variable @down1 : tensor<32x16xf32> = dense<0.02> : tensor<32x16xf32> {buffer = @b.down1, row = 0 : i64}
  pop.remote_buffer @b.q2 : 1 x tensor<16x16xf32>
  pop.variable @q2 : tensor<16x16xf32> = dense<0.03> : tensor<16x16xf32> {buffer = @b.q2, row = 0 : i64}
  pop.remote_buffer @b.k2 : 1 x tensor<16x16xf32>
  pop.variable @k2 : tensor<16x16xf32> = dense<0.03> : tensor<16x16xf32> {buffer = @b.k2, row = 0 : i64}
  pop.remote_buffer @b.v2 : 1 x tensor<16x16xf32>
  pop.variable @v2 : tensor<16x16xf32> = dense<0.03> : tensor<16x16xf32> {buffer = @b.v2, row = 0 : i64}
  pop.remote_buffer @b.o2 : 1 x tensor<16x16xf32>
  pop.variable @o2 : tensor<16x16xf32> = dense<0.03> : tensor<16x16xf32> {buffer = @b.o2, row = 0 : i64}
  pop.remote_buffer @b.up2 : 1 x tensor<16x48xf32>
  pop.variable @up2 : tensor<16x48xf32> = dense<0.03> : tensor<16x48xf32> {buffer = @b.up2, row = 0 : i64}
  pop.remote_buffer @b.down2 : 1 x tensor<48x16xf32>
  pop.variable @down2 : tensor<48x16xf32> = dense<0.03> : tensor<48x16xf32> {buffer = @b.down2, row = 0 : i64}
  func.func private @layer0(%x: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {no_inline} {
    %wq = pop.remote_load @b.q0[0] : tensor<16x16xf32>
    %wk = pop.remote_load @b.k0[0] : tensor<16x16xf32>
    %wv = pop.remote_load @b.v0[0] : tensor<16x16xf32>
    %wo = pop.remote_load @b.o0[0] : tensor<16x16xf32>
    %wup = pop.remote_load @b.up0[0] : tensor<16x16xf32>
    %wdown = pop.remote_load @b.down0[0] : tensor<16x16xf32>
    %q = pop.matmul %x, %wq : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %k = pop.matmul %x, %wk : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %v = pop.matmul %x, %wv : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %t = pop.transpose %k {permutation = array<i64: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
    %s = pop.matmul %q, %t : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %p = pop.softmax %s {axis = 1 : i64} : tensor<16x16xf32>
    %a = pop.matmul %p, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %o = pop.matmul %a, %wo : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %r = pop.add %o, %x : tensor<16x16xf32>
    %h = pop.matmul %r, %wup : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %g = pop.relu %h : tensor<16x16xf32>
    %f = pop.matmul %g, %wdown : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %y = pop.add %f, %r : tensor<16x16xf32>
    return %y : tensor<16x16xf32>
  }
  func.func private @layer1(%x: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {no_inline} {
    %wq = pop.remote_load @b.q1[0] : tensor<16x16xf32>
    %wk = pop.remote_load @b.k1[0] : tensor<16x16xf32>
    %wv = pop.remote_load @b.v1[0] : tensor<16x16xf32>
    %wo = pop.remote_load @b.o1[0] : tensor<16x16xf32>
    %wup = pop.remote_load @b.up1[0] : tensor<16x32xf32>
    %wdown = pop.remote_load @b.down1[0] : tensor<32x16xf32>
    %q = pop.matmul %x, %wq : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %k = pop.matmul %x, %wk : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %v = pop.matmul %x, %wv : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %t = pop.transpose %k {permutation = array<i64: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
    %s = pop.matmul %q, %t : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %p = pop.softmax %s {axis = 1 : i64} : tensor<16x16xf32>
    %a = pop.matmul %p, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %o = pop.matmul %a, %wo : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %r = pop.add %o, %x : tensor<16x16xf32>
    %h = pop.matmul %r, %wup : (tensor<16x16xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %g = pop.tanh %h : tensor<16x32xf32>
    %f = pop.matmul %g, %wdown : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
    %y = pop.add %f, %r : tensor<16x16xf32>
    return %y : tensor<16x16xf32>
  }
  func.func private @layer2(%x: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {no_inline} {
    %wq = pop.remote_load @b.q2[0] : tensor<16x16xf32>
    %wk = pop.remote_load @b.k2[0] : tensor<16x16xf32>
    %wv = pop.remote_load @b.v2[0] : tensor<16x16xf32>
    %wo = pop.remote_load @b.o2[0] : tensor<16x16xf32>
    %wup = pop.remote_load @b.up2[0] : tensor<16x48xf32>
    %wdown = pop.remote_load @b.down2[0] : tensor<48x16xf32>
    %q = pop.matmul %x, %wq : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %k = pop.matmul %x, %wk : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %v = pop.matmul %x, %wv : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %t = pop.transpose %k {permutation = array<i64: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
    %s = pop.matmul %q, %t : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %p = pop.softmax %s {axis = 1 : i64} : tensor<16x16xf32>
    %a = pop.matmul %p, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %o = pop.matmul %a, %wo : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %r = pop.add %o, %x : tensor<16x16xf32>
    %h = pop.matmul %r, %wup : (tensor<16x16xf32>, tensor<16x48xf32>) -> tensor<16x48xf32>
    %g = pop.sigmoid %h : tensor<16x48xf32>
    %f = pop.matmul %g, %wdown : (tensor<16x48xf32>, tensor<48x16xf32>) -> tensor<16x16xf32>
    %y = pop.add %f, %r : tensor<16x16xf32>
    return %y : tensor<16x16xf32>
  }
  func.func @main() {
    %x0 = pop.host_load @x : tensor<16x16xf32>
    pop.remote_code_load @layer0 to executable
    %x1 = func.call @layer0(%x0) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    pop.remote_code_load @layer1 to executable
    %x2 = func.call @layer1(%x1) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    pop.remote_code_load @layer2 to executable
    %x3 = func.call @layer2(%x2) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %head = pop.host_load @head : tensor<16x1024xf32>
    %z = pop.matmul %x3, %head : (tensor<16x16xf32>, tensor<16x1024xf32>) -> tensor<16x1024xf32>
    %y = pop.softmax %z {axis = 1 : i64} : tensor<16x1024xf32>
    pop.host_store %y, @y : tensor<16x1024xf32>
    return
  }
}
