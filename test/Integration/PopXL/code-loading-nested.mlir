// code_loading_nested: @g1 is loaded by the main graph and by @g2. @g3 and @g4 load
// @g1 and @g2 when they are called. Program order is the schedule, so that a load
// comes before its call without a further word.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ones engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ones check})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp engine=jit})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp check})' | FileCheck %s --check-prefix=RAMP

// CHECK{LITERAL}: y : tensor<4x2xf32> = dense<[[4.0, 4.0], [4.0, 4.0], [4.0, 4.0], [4.0, 4.0]]>
// RAMP{LITERAL}: y : tensor<4x2xf32> = dense<[[2.0, 2.25], [2.5, 2.75], [3.0, 3.25], [3.5, 3.75]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<4x2xf32>
  pop.stream @y device_to_host : tensor<4x2xf32>
  func.func private @g1(%x: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {no_inline} {
    %c1 = pop.constant dense<1.0> : tensor<f32>
    %0 = pop.add %x, %c1 : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
  func.func private @g2(%x: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {no_inline} {
    func.call @g3() : () -> ()
    %0 = func.call @g1(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %1 = pop.add %x, %0 : tensor<4x2xf32>
    return %1 : tensor<4x2xf32>
  }
  func.func private @g3() {
    pop.remote_code_load @g1 to executable
    return
  }
  func.func private @g4() {
    pop.remote_code_load @g2 to executable
    return
  }
  func.func @main() {
    %x = pop.host_load @x : tensor<4x2xf32>
    func.call @g3() : () -> ()
    func.call @g4() : () -> ()
    // 2 x + 1, and then 1 more.
    %0 = func.call @g2(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %1 = func.call @g1(%0) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    pop.host_store %1, @y : tensor<4x2xf32>
    return
  }
}
