// RUN: ipu-opt %s --pop-outline="threshold=-1000000 max-slowdown=1000000" | FileCheck %s

// Sequences whose weights are rows of one buffer share a function, which gets the number
// of the row as an operand. All other transfers keep their static rows.

// CHECK-LABEL: func.func private @outlined(
// CHECK-SAME: %[[x:.*]]: tensor<16x16xf32>, %[[row:.*]]: tensor<i32>)
// CHECK: pop.remote_load @w[%[[row]]]
// CHECK-LABEL: func.func @main
// CHECK: pop.remote_load @w[0]
// CHECK: %[[one:.*]] = pop.constant dense<1> : tensor<i32>
// CHECK: call @outlined(%{{.*}}, %[[one]])
// CHECK: %[[two:.*]] = pop.constant dense<2> : tensor<i32>
// CHECK: call @outlined(%{{.*}}, %[[two]])
// CHECK: pop.remote_load @v[0]
// CHECK: %[[given:.*]] = pop.constant dense<0> : tensor<i32>
// CHECK: pop.remote_load @v[%[[given]]]
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.remote_buffer @w : 3 x tensor<16x16xf32>
  pop.remote_buffer @v : 1 x tensor<16x16xf32>
  pop.stream @x host_to_device : tensor<16x16xf32>
  pop.stream @y device_to_host : tensor<16x16xf32>
  func.func @main() {
    %x = pop.host_load @x : tensor<16x16xf32>
    %w0 = pop.remote_load @w[0] : tensor<16x16xf32>
    %a0 = pop.matmul %x, %w0 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %x0 = pop.tanh %a0 : tensor<16x16xf32>
    %w1 = pop.remote_load @w[1] : tensor<16x16xf32>
    %a1 = pop.matmul %x0, %w1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %x1 = pop.tanh %a1 : tensor<16x16xf32>
    %w2 = pop.remote_load @w[2] : tensor<16x16xf32>
    %a2 = pop.matmul %x1, %w2 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %x2 = pop.tanh %a2 : tensor<16x16xf32>
    %v = pop.remote_load @v[0] : tensor<16x16xf32>
    %zero = pop.constant dense<0> : tensor<i32>
    %u = pop.remote_load @v[%zero] : tensor<16x16xf32>
    %s = pop.add %x2, %v : tensor<16x16xf32>
    %y = pop.mul %s, %u : tensor<16x16xf32>
    pop.host_store %y, @y : tensor<16x16xf32>
    return
  }
}
