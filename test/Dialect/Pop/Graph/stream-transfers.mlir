// RUN: ipu-opt %s --pop-random-setup --pop-host-load-setup --pop-host-store-setup --pop-graph-pipeline --canonicalize --cse --symbol-dce | FileCheck %s

// Passes that make streams, and those that merge and move what uses them, keep how
// many tensors a stream moves. The streams that they make have no such number.

// CHECK: module attributes {pop.host_transfers = 6 : i64}
module attributes {pop.host_transfers = 6 : i64} {
  // CHECK: pop.stream @x host_to_device : tensor<2xf32> {transfers = 2 : i64}{{$}}
  pop.stream @x host_to_device : tensor<2xf32> {transfers = 2 : i64}
  // CHECK: pop.stream @y device_to_host : tensor<2xf32> {transfers = 1 : i64}{{$}}
  pop.stream @y device_to_host : tensor<2xf32> {transfers = 1 : i64}
  // CHECK-DAG: pop.stream @random_seed host_to_device broadcast : tensor<2xui32> {seed}{{$}}
  // CHECK-DAG: pop.stream @w host_to_device broadcast : tensor<2xf32>{{$}}
  // CHECK-DAG: pop.stream @z device_to_host : tensor<2xf32>{{$}}
  func.func @main(%w: tensor<2xf32> {pop.name = "w"}) -> (tensor<2xf32> {pop.name = "z"}) {
    %a = pop.host_load @x : tensor<2xf32>
    %b = pop.host_load @x : tensor<2xf32>
    %seed = pop.next_seed
    %n = pop.random_normal %seed : tensor<2xui32> -> tensor<2xf32>
    %0 = pop.add %a, %b : tensor<2xf32>
    %1 = pop.add %0, %n : tensor<2xf32>
    pop.host_store %1, @y : tensor<2xf32>
    %2 = pop.mul %1, %w : tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}
