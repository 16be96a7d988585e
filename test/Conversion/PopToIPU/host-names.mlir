// RUN: ipu-opt %s --verify-diagnostics --pass-pipeline='builtin.module(pop-map-tensors,convert-pop-to-ipu)' | FileCheck %s

// A name for the host is kept as it is; codelets get others. Where that cannot
// be, a warning says so.

// CHECK: ipu.stream @"a/\22b" host_to_device : tensor<4xf32>
// CHECK: ipu.stream @arg1 host_to_device : tensor<4xf32>
// CHECK: ipu.stream @[[MAIN:main_[0-9]+]] host_to_device : tensor<4xf32>
// CHECK: ipu.stream @relu_f32 device_to_host : tensor<4xf32>
// CHECK: ipu.stream @[[AGAIN:arg1_[0-9]+]] device_to_host : tensor<4xf32>
// CHECK: ipu.host_load @[[MAIN]]
// CHECK: ipu.vertices @[[RELU:relu_f32_[0-9]+]]
// CHECK: ipu.host_store %{{.*}} to @relu_f32
// CHECK: ipu.host_store %{{.*}} to @[[AGAIN]]
// CHECK: ipu.codelet @[[RELU]](
func.func @main(%a: tensor<4xf32> {pop.name = "a/\22b"},
                %b: tensor<4xf32> {pop.name = ""},
                // expected-warning @+1 {{the name 'main' is already used; the host must use 'main_}}
                %c: tensor<4xf32> {pop.name = "main"})
    -> (tensor<4xf32> {pop.name = "relu_f32"}, tensor<4xf32> {pop.name = "arg1"}) {
  %0 = pop.relu %a : tensor<4xf32>
  // expected-warning @+1 {{the name 'arg1' is already used; the host must use 'arg1_}}
  return %0, %c : tensor<4xf32>, tensor<4xf32>
}
