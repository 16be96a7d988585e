// repeat_graph_2: each of eight iterations loads its own tensor and stores its own
// result; the host gives and gets all eight at once.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ones engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ones check})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ramp engine=jit})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=input_stream=ramp check})' | FileCheck %s --check-prefix=RAMP

// CHECK{LITERAL}: output_stream : tensor<8x2x2xf32> = dense<[[[3.5, -4.75], [3.5, -4.75]], [[3.5, -4.75], [3.5, -4.75]], [[3.5, -4.75], [3.5, -4.75]], [[3.5, -4.75], [3.5, -4.75]], [[3.5, -4.75], [3.5, -4.75]], [[3.5, -4.75], [3.5, -4.75]], [[3.5, -4.75], [3.5, -4.75]], [[3.5, -4.75], [3.5, -4.75]]]>
// RAMP{LITERAL}: output_stream : tensor<8x2x2xf32> = dense<[[[1.0625, -3.9921875], [1.21875, -4.0390625]], [[1.375, -4.0859375], [1.53125, -4.1328125]], [[1.6875, -4.1796875], [1.84375, -4.2265625]], [[2.0, -4.2734375], [2.15625, -4.3203125]], [[2.3125, -4.3671875], [2.46875, -4.4140625]], [[2.625, -4.4609375], [2.78125, -4.5078125]], [[2.9375, -4.5546875], [3.09375, -4.6015625]], [[3.25, -4.6484375], [3.40625, -4.6953125]]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>, pop.host_transfers = 8 : i64} {
  pop.stream @input_stream host_to_device : tensor<2x2xf32>
  pop.stream @output_stream device_to_host : tensor<2x2xf32>
  pop.variable @W : tensor<2x2xf32> = dense<[[0.5, -1.0], [2.0, 0.25]]> : tensor<2x2xf32>
  pop.variable @b : tensor<2xf32> = dense<[1.0, -4.0]> : tensor<2xf32>
  func.func private @linear(%rW: !pop.ref<2x2xf32>, %rb: !pop.ref<2xf32>) {
    %x = pop.host_load @input_stream : tensor<2x2xf32>
    %W = pop.read %rW : !pop.ref<2x2xf32>
    %b = pop.read %rb : !pop.ref<2xf32>
    %0 = pop.matmul %x, %W : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = pop.add %0, %b : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    pop.host_store %1, @output_stream : tensor<2x2xf32>
    return
  }
  func.func @main() {
    %W = pop.get_variable @W : !pop.ref<2x2xf32>
    %b = pop.get_variable @b : !pop.ref<2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      func.call @linear(%W, %b) : (!pop.ref<2x2xf32>, !pop.ref<2xf32>) -> ()
    }
    return
  }
}
