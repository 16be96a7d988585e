// Each op, call, iteration of a loop and replica draws other numbers. The seed of
// the host says which: equal seeds give equal numbers.
//
// RUN: mkdir -p %t.1 %t.2 %t.3
// RUN: ipu-opt %s --pop-random-setup --pop-to-ipu-pipeline --ipu-execute="inputs=random_seed=random:1 results=%t.1 check" -o /dev/null
// RUN: ipu-opt %s --pop-graph-pipeline --pop-to-ipu-pipeline --ipu-execute="inputs=random_seed=random:1 results=%t.2" -o /dev/null
// RUN: ipu-opt %s --pop-random-setup --pop-to-ipu-pipeline --ipu-execute="inputs=random_seed=random:2 results=%t.3" -o /dev/null
// RUN: %python %S/Inputs/random-seeds.py %t.1/y.npy %t.2/y.npy %t.3/y.npy
//
// RUN: not ipu-opt %s --pop-to-ipu-pipeline -o /dev/null 2>&1 | FileCheck %s
// CHECK: 'pop.next_seed' op has no lowering to ipu; run pop-random-setup

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>, pop.host_transfers = 11 : i64} {
  pop.stream @y device_to_host : tensor<32xf32>
  func.func private @draw() {
    %s = pop.next_seed
    %0 = pop.random_uniform %s {low = 0.0, high = 1.0} : tensor<2xui32> -> tensor<32xf32>
    pop.host_store %0, @y : tensor<32xf32>
    return
  }
  // Stores 11 tensors: 2 + 2 x (1 + 2 + 1) + 1.
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %s = pop.next_seed
    %0 = pop.random_uniform %s {low = 0.0, high = 1.0} : tensor<2xui32> -> tensor<32xf32>
    pop.host_store %0, @y : tensor<32xf32>
    call @draw() : () -> ()
    scf.for %i = %c0 to %c2 step %c1 {
      func.call @draw() : () -> ()
      scf.for %j = %c0 to %c2 step %c1 {
        %t = pop.next_seed
        %1 = pop.random_uniform %t {low = 0.0, high = 1.0} : tensor<2xui32> -> tensor<32xf32>
        pop.host_store %1, @y : tensor<32xf32>
      }
      %u = pop.next_seed
      %2 = pop.random_uniform %u {low = 0.0, high = 1.0} : tensor<2xui32> -> tensor<32xf32>
      pop.host_store %2, @y : tensor<32xf32>
    }
    call @draw() : () -> ()
    return
  }
}
