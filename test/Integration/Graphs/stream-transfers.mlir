// Streams that move different numbers of tensors in a run: an input and an output of
// the inner loop, six, a setting of the outer one, two, and a result, one. The
// variable counts the runs.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; x = np.arange(24, dtype=np.float32); np.save('%t/x1.npy', x[:12].reshape(6, 2)); np.save('%t/x2.npy', x.reshape(6, 2, 2)); np.save('%t/lr.npy', np.float32([1, 10]))"
// RUN: ipu-run %s --target tiles=4 --input x=%t/x1.npy --input lr=%t/lr.npy --runs 2 --compare-engines 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: ipu-run %s --target tiles=4 --input x=%t/x1.npy --input lr=%t/lr.npy --runs 2 --check 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: ipu-run %s --target tiles=4 --replicas 2 --input x=%t/x2.npy --input lr=%t/lr.npy --runs 2 --compare-engines 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: ipu-run %s --target tiles=4 --replicas 2 --input x=%t/x2.npy --input lr=%t/lr.npy --runs 2 --check 2>&1 | FileCheck %s --check-prefix=TWO
//
// The module's number is only that of streams that have none.
//
// RUN: sed 's/pop.host_transfers = 6/pop.host_transfers = 5/' %s > %t/five.mlir
// RUN: ipu-run %t/five.mlir --target tiles=4 --input x=%t/x1.npy --input lr=%t/lr.npy --runs 2 --compare-engines 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: sed 's/attributes {pop.host_transfers = 6 : i64}//' %s > %t/none.mlir
// RUN: ipu-run %t/none.mlir --target tiles=4 --replicas 2 --input x=%t/x2.npy --input lr=%t/lr.npy --runs 2 --compare-engines 2>&1 | FileCheck %s --check-prefix=TWO

// ONE-NOT: warning
// ONE{LITERAL}: y : tensor<6x2xf32> = dense<[[2.0, 3.0], [4.0, 6.0], [8.0, 11.0], [68.0, 81.0], [148.0, 171.0], [248.0, 281.0]]>
// ONE: z : tensor<2xf32> = dense<[248.0, 281.0]>

// TWO-NOT: warning
// TWO{LITERAL}: y : tensor<6x2x2xf32> = dense<[[[2.0, 3.0], [4.0, 5.0]], [[6.0, 8.0], [10.0, 12.0]], [[14.0, 17.0], [20.0, 23.0]], [[134.0, 147.0], [160.0, 173.0]], [[294.0, 317.0], [340.0, 363.0]], [[494.0, 527.0], [560.0, 593.0]]]>
// TWO{LITERAL}: z : tensor<2x2xf32> = dense<[[494.0, 527.0], [560.0, 593.0]]>

module attributes {pop.host_transfers = 6 : i64} {
  pop.stream @x host_to_device : tensor<2xf32> {transfers = 6 : i64}
  pop.stream @lr host_to_device broadcast : tensor<f32> {transfers = 2 : i64}
  pop.stream @y device_to_host : tensor<2xf32> {transfers = 6 : i64}
  pop.stream @z device_to_host : tensor<2xf32> {transfers = 1 : i64}
  pop.variable @runs : tensor<f32> = dense<0.0> : tensor<f32>
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %one = pop.constant dense<1.0> : tensor<f32>
    %zeros = pop.constant dense<0.0> : tensor<2xf32>
    %runs = pop.get_variable @runs : !pop.ref<f32>
    pop.add_ %runs, %one : !pop.ref<f32>, tensor<f32>
    %run = pop.read %runs : !pop.ref<f32>
    %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%outer = %zeros) -> (tensor<2xf32>) {
      %lr = pop.host_load @lr : tensor<f32>
      %0 = scf.for %j = %c0 to %c3 step %c1 iter_args(%inner = %outer) -> (tensor<2xf32>) {
        %x = pop.host_load @x : tensor<2xf32>
        %1 = pop.mul %x, %lr : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
        %2 = pop.add %inner, %1 : tensor<2xf32>
        %y = pop.add %2, %run : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
        pop.host_store %y, @y : tensor<2xf32>
        scf.yield %2 : tensor<2xf32>
      }
      scf.yield %0 : tensor<2xf32>
    }
    %z = pop.add %sum, %run : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    pop.host_store %z, @z : tensor<2xf32>
    return
  }
}
