// More programs like that of code-loading.mlir.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ones engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ones check})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp engine=jit})' | FileCheck %s --check-prefix=RAMP
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp check})' | FileCheck %s --check-prefix=RAMP

// CHECK{LITERAL}: y : tensor<4x2xf32> = dense<[[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]>
// RAMP{LITERAL}: y : tensor<4x2xf32> = dense<[[0.0, 0.125], [0.25, 0.375], [0.5, 0.625], [0.75, 0.875]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<4x2xf32>
  pop.stream @y device_to_host : tensor<4x2xf32>
  func.func private @expensive_id(%x: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {no_inline} {
    %0 = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<4x2xf32> -> tensor<2x4xf32>
    %1 = pop.neg %0 : tensor<2x4xf32>
    %2 = pop.transpose %1 {permutation = array<i64: 1, 0>} : tensor<2x4xf32> -> tensor<4x2xf32>
    %3 = pop.neg %2 : tensor<4x2xf32>
    return %3 : tensor<4x2xf32>
  }
  func.func @main() {
    %x = pop.host_load @x : tensor<4x2xf32>
    pop.remote_code_load @expensive_id to executable
    %0 = func.call @expensive_id(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    pop.remote_code_load @expensive_id to executable
    %1 = func.call @expensive_id(%0) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    pop.remote_code_load @expensive_id to executable
    %2 = func.call @expensive_id(%1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    pop.host_store %2, @y : tensor<4x2xf32>
    return
  }
}

// -----

// Through a buffer on the tiles.
// CHECK{LITERAL}: y : tensor<4x2xf32> = dense<[[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]>
// RAMP{LITERAL}: y : tensor<4x2xf32> = dense<[[0.0, 0.125], [0.25, 0.375], [0.5, 0.625], [0.75, 0.875]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<4x2xf32>
  pop.stream @y device_to_host : tensor<4x2xf32>
  func.func private @expensive_id(%x: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {no_inline} {
    %0 = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<4x2xf32> -> tensor<2x4xf32>
    %1 = pop.neg %0 : tensor<2x4xf32>
    %2 = pop.transpose %1 {permutation = array<i64: 1, 0>} : tensor<2x4xf32> -> tensor<4x2xf32>
    %3 = pop.neg %2 : tensor<4x2xf32>
    return %3 : tensor<4x2xf32>
  }
  func.func @main() {
    %x = pop.host_load @x : tensor<4x2xf32>
    pop.remote_code_load @expensive_id to io_buffer
    pop.code_copy @expensive_id from io_buffer to executable
    %0 = func.call @expensive_id(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    pop.code_copy @expensive_id from io_buffer to executable
    %1 = func.call @expensive_id(%0) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    pop.host_store %1, @y : tensor<4x2xf32>
    return
  }
}
