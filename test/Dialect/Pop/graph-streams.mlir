// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK: module attributes {pop.host_transfers = 8 : i64} {
module attributes {pop.host_transfers = 8 : i64} {
// CHECK: pop.stream @x host_to_device : tensor<2x2xf32>{{$}}
pop.stream @x host_to_device : tensor<2x2xf32>
// CHECK: pop.stream @random_seed host_to_device broadcast : tensor<2xui32> {seed}
pop.stream @random_seed host_to_device broadcast : tensor<2xui32> {seed}
// CHECK: pop.stream @lr host_to_device broadcast : tensor<f32> {depth = 2 : i64}{{$}}
pop.stream @lr host_to_device broadcast : tensor<f32> {depth = 2 : i64}
// CHECK: pop.stream @y device_to_host : tensor<2x2xf32>{{$}}
pop.stream @y device_to_host : tensor<2x2xf32>
// CHECK: pop.stream @losses device_to_host : tensor<f32> {transfers = 2 : i64}{{$}}
pop.stream @losses device_to_host : tensor<f32> {transfers = 2 : i64}
// CHECK: pop.stream @z device_to_host : tensor<f32> {transfers = 1 : i64}{{$}}
pop.stream @z device_to_host : tensor<f32> {transfers = 1 : i64}
// CHECK-LABEL: func.func @main(
func.func @main() {
  // CHECK: pop.host_load @x : tensor<2x2xf32>{{$}}
  %x = pop.host_load @x : tensor<2x2xf32>
  // CHECK: pop.host_load @lr : tensor<f32>{{$}}
  %lr = pop.host_load @lr : tensor<f32>
  // CHECK: pop.host_store %{{.*}}, @y : tensor<2x2xf32>{{$}}
  pop.host_store %x, @y : tensor<2x2xf32>
  return
}
}
