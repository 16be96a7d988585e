// call_with_info: the callee changes a tensor of its caller, which there has to be
// said for each call and here is what passing a ref means.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @x : tensor<2x2xf32> = dense<1.0> : tensor<2x2xf32>
  func.func private @increment(%x: !pop.ref<2x2xf32>, %value: tensor<2x2xf32>) {
    pop.add_ %x, %value : !pop.ref<2x2xf32>, tensor<2x2xf32>
    return
  }
  func.func @main() {
    %x = pop.get_variable @x : !pop.ref<2x2xf32>
    %value = pop.constant dense<1.0> : tensor<2x2xf32>
    func.call @increment(%x, %value) : (!pop.ref<2x2xf32>, tensor<2x2xf32>) -> ()
    %0 = pop.read %x : !pop.ref<2x2xf32>
    pop.expect_eq %0, dense<2.0> : tensor<2x2xf32>
    pop.host_store %0, @output_stream : tensor<2x2xf32>
    return
  }
  pop.stream @output_stream device_to_host : tensor<2x2xf32>
}
// CHECK{LITERAL}: output_stream : tensor<2x2xf32> = dense<[[2.0, 2.0], [2.0, 2.0]]>
