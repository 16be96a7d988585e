// More programs like that of remote-variable.mlir.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --split-input-file --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})' | FileCheck %s

// Three rows, of which the second one has no variable and is stored to first; the
// row is that of the iteration.
// CHECK{LITERAL}: rows : tensor<3x2xf32> = dense<[[1.0, -2.5], [1.0, 1.0], [9.0, 10.0]]>
// CHECK-NEXT{LITERAL}: stored : tensor<3x2xf32> = dense<[[2.0, -5.0], [2.0, 2.0], [18.0, 20.0]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>, pop.host_transfers = 3 : i64} {
  pop.remote_buffer @buffer : 3 x tensor<2xf32>
  pop.variable @first : tensor<2xf32> = dense<[0.5, -3.0]> : tensor<2xf32> {buffer = @buffer, row = 0 : i64}
  pop.variable @third : tensor<2xf32> = dense<[8.5, 9.5]> : tensor<2xf32> {buffer = @buffer, row = 2 : i64}
  pop.stream @rows device_to_host : tensor<2xf32>
  pop.stream @stored device_to_host : tensor<2xf32>
  func.func private @update(%row: tensor<i32>) {
    %x = pop.remote_load @buffer[%row] : tensor<2xf32>
    %half = pop.constant dense<0.5> : tensor<f32>
    %y = pop.add %x, %half : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    pop.host_store %y, @rows : tensor<2xf32>
    %z = pop.add %y, %y : tensor<2xf32>
    pop.remote_store %z, @buffer[%row] : tensor<2xf32>
    return
  }
  func.func @main() {
    %half = pop.constant dense<0.5> : tensor<2xf32>
    pop.remote_store %half, @buffer[1] : tensor<2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %row = pop.from_scalar %i : index to tensor<i32>
      func.call @update(%row) : (tensor<i32>) -> ()
    }
    %a, %b, %c = pop.remote_exchange {
      %0 = pop.remote_load @buffer[0] : tensor<2xf32>
      %1 = pop.remote_load @buffer[1] : tensor<2xf32>
      %2 = pop.remote_load @buffer[2] : tensor<2xf32>
      pop.yield %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    } : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    pop.host_store %a, @stored : tensor<2xf32>
    pop.host_store %b, @stored : tensor<2xf32>
    pop.host_store %c, @stored : tensor<2xf32>
    return
  }
}
