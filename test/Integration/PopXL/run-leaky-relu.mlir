// run_leaky_relu: what is a custom op there is a function of ops here, with a slope
// that is exact in binary; its gradient beside it.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ones,grad=ones engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ones,grad=ones check})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp,grad=ramp engine=jit})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp,grad=ramp check})' | FileCheck %s --check-prefix=RAMP

// CHECK: y : tensor<8xf32> = dense<[4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0]>
// CHECK-NEXT: dx : tensor<8xf32> = dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]>
// RAMP: y : tensor<8xf32> = dense<[-1.0, -0.75, -0.5, -0.25, 0.0, 1.0, 2.0, 3.0]>
// RAMP-NEXT: dx : tensor<8xf32> = dense<[0.0, 0.03125, 0.0625, 0.09375, 0.125, 0.625, 0.75, 0.875]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<8xf32>
  pop.stream @grad host_to_device : tensor<8xf32>
  pop.stream @y device_to_host : tensor<8xf32>
  pop.stream @dx device_to_host : tensor<8xf32>
  func.func private @leaky_relu(%x: tensor<8xf32>) -> tensor<8xf32> {
    %alpha = pop.constant dense<0.25> : tensor<f32>
    %zero = pop.constant dense<0.0> : tensor<f32>
    %positive = pop.greater %x, %zero : (tensor<8xf32>, tensor<f32>) -> tensor<8xi1>
    %scaled = pop.mul %x, %alpha : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %0 = pop.select %positive, %x, %scaled : tensor<8xi1>, tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @leaky_relu_grad(%grad: tensor<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
    %alpha = pop.constant dense<0.25> : tensor<f32>
    %zero = pop.constant dense<0.0> : tensor<f32>
    %positive = pop.greater %x, %zero : (tensor<8xf32>, tensor<f32>) -> tensor<8xi1>
    %scaled = pop.mul %grad, %alpha : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %0 = pop.select %positive, %grad, %scaled : tensor<8xi1>, tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func @main() {
    %t = pop.host_load @x : tensor<8xf32>
    %grad = pop.host_load @grad : tensor<8xf32>
    // 8t - 4: a ramp from -4 to 3.
    %c8 = pop.constant dense<8.0> : tensor<f32>
    %c4 = pop.constant dense<4.0> : tensor<f32>
    %0 = pop.mul %t, %c8 : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %x = pop.sub %0, %c4 : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %y = func.call @leaky_relu(%x) : (tensor<8xf32>) -> tensor<8xf32>
    pop.host_store %y, @y : tensor<8xf32>
    %dx = func.call @leaky_relu_grad(%grad, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    pop.host_store %dx, @dx : tensor<8xf32>
    return
  }
}
