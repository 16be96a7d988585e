// A pipeline of two stages written by hand: while the second one works on a tensor,
// the first one works on the next. It gives what the stages give one after the
// other. Virtual graphs and tiles for transfers are not said.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ones engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ones check})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp engine=jit})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp check})' | FileCheck %s --check-prefix=RAMP

// CHECK{LITERAL}: y : tensor<4x2x3xf32> = dense<[[[4.0, 7.0, -4.5], [4.0, 7.0, -4.5]], [[4.0, 7.0, -4.5], [4.0, 7.0, -4.5]], [[4.0, 7.0, -4.5], [4.0, 7.0, -4.5]], [[4.0, 7.0, -4.5], [4.0, 7.0, -4.5]]]>
// CHECK-NEXT{LITERAL}: serial : tensor<4x2x3xf32> = dense<[[[4.0, 7.0, -4.5], [4.0, 7.0, -4.5]], [[4.0, 7.0, -4.5], [4.0, 7.0, -4.5]], [[4.0, 7.0, -4.5], [4.0, 7.0, -4.5]], [[4.0, 7.0, -4.5], [4.0, 7.0, -4.5]]]>
// RAMP{LITERAL}: y : tensor<4x2x3xf32> = dense<[[[1.625, 2.25, -2.125], [1.9375, 2.875, -2.4375]], [[2.25, 3.5, -2.75], [2.5625, 4.125, -3.0625]], [[2.875, 4.75, -3.375], [3.1875, 5.375, -3.6875]], [[3.5, 6.0, -4.0], [3.8125, 6.625, -4.3125]]]>
// RAMP-NEXT{LITERAL}: serial : tensor<4x2x3xf32> = dense<[[[1.625, 2.25, -2.125], [1.9375, 2.875, -2.4375]], [[2.25, 3.5, -2.75], [2.5625, 4.125, -3.0625]], [[2.875, 4.75, -3.375], [3.1875, 5.375, -3.6875]], [[3.5, 6.0, -4.0], [3.8125, 6.625, -4.3125]]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>, pop.host_transfers = 4 : i64} {
  pop.stream @x host_to_device : tensor<2x2xf32>
  pop.stream @y device_to_host : tensor<2x3xf32>
  pop.stream @serial device_to_host : tensor<2x3xf32>
  pop.variable @W1 : tensor<2x2xf32> = dense<[[0.5, -1.0], [2.0, 0.25]]> : tensor<2x2xf32>
  pop.variable @b1 : tensor<2xf32> = dense<[1.0, -4.0]> : tensor<2xf32>
  pop.variable @W2 : tensor<2x3xf32> = dense<[[1.0, 2.0, -1.0], [0.5, 0.0, 4.0]]> : tensor<2x3xf32>
  pop.variable @b2 : tensor<3xf32> = dense<[0.5, 0.0, -1.0]> : tensor<3xf32>
  func.func private @stage0(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %rW = pop.get_variable @W1 : !pop.ref<2x2xf32>
    %rb = pop.get_variable @b1 : !pop.ref<2xf32>
    %W = pop.read %rW : !pop.ref<2x2xf32>
    %b = pop.read %rb : !pop.ref<2xf32>
    %0 = pop.matmul %x, %W : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = pop.add %0, %b : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    %2 = pop.relu %1 : tensor<2x2xf32>
    return %2 : tensor<2x2xf32>
  }
  func.func private @stage1(%x: tensor<2x2xf32>) -> tensor<2x3xf32> {
    %rW = pop.get_variable @W2 : !pop.ref<2x3xf32>
    %rb = pop.get_variable @b2 : !pop.ref<3xf32>
    %W = pop.read %rW : !pop.ref<2x3xf32>
    %b = pop.read %rb : !pop.ref<3xf32>
    %0 = pop.matmul %x, %W : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = pop.add %0, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    // Ramp up, three cycles, ramp down.
    %x0 = pop.host_load @x : tensor<2x2xf32>
    %h0 = func.call @stage0(%x0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %h = scf.for %i = %c0 to %c3 step %c1 iter_args(%old = %h0) -> (tensor<2x2xf32>) {
      %x = pop.host_load @x : tensor<2x2xf32>
      %new = func.call @stage0(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %y = func.call @stage1(%old) : (tensor<2x2xf32>) -> tensor<2x3xf32>
      pop.host_store %y, @y : tensor<2x3xf32>
      scf.yield %new : tensor<2x2xf32>
    }
    %y3 = func.call @stage1(%h) : (tensor<2x2xf32>) -> tensor<2x3xf32>
    pop.host_store %y3, @y : tensor<2x3xf32>
    // Four transfers later, the stream starts again.
    scf.for %i = %c0 to %c4 step %c1 {
      %x = pop.host_load @x : tensor<2x2xf32>
      %0 = func.call @stage0(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %y = func.call @stage1(%0) : (tensor<2x2xf32>) -> tensor<2x3xf32>
      pop.host_store %y, @serial : tensor<2x3xf32>
    }
    return
  }
}
