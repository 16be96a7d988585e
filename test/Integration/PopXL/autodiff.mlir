// autodiff: a linear layer and its gradient graph, written out as autodiff makes it;
// the gradient of the result is 1 or, in the second run, is not.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=ones engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=ones check})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp,seed=ones engine=jit})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp,seed=ones check})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=ramp engine=jit})' | FileCheck %s --check-prefix=SEED
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=ramp engine=interp})' | FileCheck %s --check-prefix=SEED

// CHECK{LITERAL}: y : tensor<2x4xf32> = dense<[[9.5, -2.75, 1.5, 7.0], [9.5, -2.75, 1.5, 7.0]]>
// CHECK-NEXT{LITERAL}: dx : tensor<2x2xf32> = dense<[[3.5, 10.25], [3.5, 10.25]]>
// CHECK-NEXT{LITERAL}: dW : tensor<2x4xf32> = dense<[[2.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0]]>
// CHECK-NEXT: db : tensor<4xf32> = dense<[2.0, 2.0, 2.0, 2.0]>
// RAMP{LITERAL}: y : tensor<2x4xf32> = dense<[[2.5, -0.9375, 1.75, 0.75], [7.0, -1.8125, 1.5, 4.25]]>
// RAMP-NEXT{LITERAL}: dx : tensor<2x2xf32> = dense<[[3.5, 10.25], [3.5, 10.25]]>
// RAMP-NEXT{LITERAL}: dW : tensor<2x4xf32> = dense<[[0.5, 0.5, 0.5, 0.5], [1.0, 1.0, 1.0, 1.0]]>
// RAMP-NEXT: db : tensor<4xf32> = dense<[2.0, 2.0, 2.0, 2.0]>
// SEED{LITERAL}: y : tensor<2x4xf32> = dense<[[2.5, -0.9375, 1.75, 0.75], [7.0, -1.8125, 1.5, 4.25]]>
// SEED-NEXT{LITERAL}: dx : tensor<2x2xf32> = dense<[[1.375, 0.90625], [3.125, 6.03125]]>
// SEED-NEXT{LITERAL}: dW : tensor<2x4xf32> = dense<[[0.25, 0.3125, 0.375, 0.4375], [0.375, 0.5, 0.625, 0.75]]>
// SEED-NEXT: db : tensor<4xf32> = dense<[0.5, 0.75, 1.0, 1.25]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<2x2xf32>
  pop.stream @seed host_to_device : tensor<2x4xf32>
  pop.stream @y device_to_host : tensor<2x4xf32>
  pop.stream @dx device_to_host : tensor<2x2xf32>
  pop.stream @dW device_to_host : tensor<2x4xf32>
  pop.stream @db device_to_host : tensor<4xf32>
  pop.variable @W : tensor<2x4xf32> = dense<[[1.0, -2.0, 0.5, 4.0], [8.0, 0.25, -1.0, 3.0]]> : tensor<2x4xf32>
  pop.variable @b : tensor<4xf32> = dense<[0.5, -1.0, 2.0, 0.0]> : tensor<4xf32>
  func.func private @linear(%x: tensor<2x2xf32>, %rW: !pop.ref<2x4xf32>, %rb: !pop.ref<4xf32>) -> tensor<2x4xf32> {
    %W = pop.read %rW : !pop.ref<2x4xf32>
    %b = pop.read %rb : !pop.ref<4xf32>
    %0 = pop.matmul %x, %W : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %1 = pop.add %0, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
  // What autodiff makes of @linear: from the gradient of its result and the
  // inputs that it needs, the gradients of its inputs.
  func.func private @linear_grad(%dy: tensor<2x4xf32>, %x: tensor<2x2xf32>, %rW: !pop.ref<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x4xf32>, tensor<4xf32>) {
    %W = pop.read %rW : !pop.ref<2x4xf32>
    %Wt = pop.transpose %W {permutation = array<i64: 1, 0>} : tensor<2x4xf32> -> tensor<4x2xf32>
    %dx = pop.matmul %dy, %Wt : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
    %xt = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<2x2xf32> -> tensor<2x2xf32>
    %dW = pop.matmul %xt, %dy : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %db = pop.reduce sum %dy {axes = array<i64: 0>} : tensor<2x4xf32> -> tensor<4xf32>
    return %dx, %dW, %db : tensor<2x2xf32>, tensor<2x4xf32>, tensor<4xf32>
  }
  func.func @main() {
    %x = pop.host_load @x : tensor<2x2xf32>
    %seed = pop.host_load @seed : tensor<2x4xf32>
    %W = pop.get_variable @W : !pop.ref<2x4xf32>
    %b = pop.get_variable @b : !pop.ref<4xf32>
    %y = func.call @linear(%x, %W, %b) : (tensor<2x2xf32>, !pop.ref<2x4xf32>, !pop.ref<4xf32>) -> tensor<2x4xf32>
    %dx, %dW, %db = func.call @linear_grad(%seed, %x, %W) : (tensor<2x4xf32>, tensor<2x2xf32>, !pop.ref<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x4xf32>, tensor<4xf32>)
    pop.host_store %y, @y : tensor<2x4xf32>
    pop.host_store %dx, @dx : tensor<2x2xf32>
    pop.host_store %dW, @dW : tensor<2x4xf32>
    pop.host_store %db, @db : tensor<4xf32>
    return
  }
}
