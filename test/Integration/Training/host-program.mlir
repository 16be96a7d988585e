// The program of the host runs after each run of the device, also if both are
// lowered already. The weight and the velocity are those of updates on the
// device.
//
// DEFINE: %{run} = ipu-run --target tiles=4 --replicas 2 --runs 3 --input x=random:1
// RUN: rm -rf %t && mkdir %t
// RUN: ipu-opt %s --pop-host-reduce > %t/host.mlir
// RUN: %{run} %s --save-weights %t/device.npz --output-dir %t/out
// RUN: %{run} %t/host.mlir --save-weights %t/host.npz --expect y=%t/out/y.npy
// RUN: cmp %t/device.npz %t/host.npz
// RUN: ipu-run %t/host.mlir --target tiles=4 --replicas 2 --emit ipu > %t/lowered.mlir
// RUN: %{run} %t/lowered.mlir --save-weights %t/lowered.npz
// RUN: cmp %t/device.npz %t/lowered.npz

// Saved weights continue the training.
//
// RUN: ipu-run %t/host.mlir --target tiles=4 --replicas 2 --input x=random:1 --save-weights %t/first.npz
// RUN: ipu-run %t/host.mlir --target tiles=4 --replicas 2 --runs 2 --input x=random:1 --load-weights %t/first.npz --save-weights %t/last.npz
// RUN: cmp %t/device.npz %t/last.npz

// What the device and the host exchange are no inputs and outputs of a run.
//
// RUN: not ipu-run %t/host.mlir --input w=random:1 --input x=random:1 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: 'w' is a variable: --load-weights gives it a value
// RUN: not ipu-run %t/host.mlir --input x=random:1 --expect Gradient___w=%t/out/y.npy 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: unknown output 'Gradient___w'; the program's outputs are 'y'

pop.variable @w : tensor<4xf32> = dense<[1.0, 2.0, -3.0, 0.1]> : tensor<4xf32>
pop.variable @v : tensor<4xf32> = dense<0.0> : tensor<4xf32>
pop.stream @x host_to_device : tensor<4xf32>
pop.stream @lr host_to_device broadcast : tensor<f32> {default_value = dense<0.1> : tensor<f32>}
pop.stream @y device_to_host : tensor<4xf32>
func.func @main() {
  %rw = pop.get_variable @w : !pop.ref<4xf32>
  %rv = pop.get_variable @v : !pop.ref<4xf32>
  %x = pop.host_load @x : tensor<4xf32>
  %lr = pop.host_load @lr : tensor<f32>
  %w = pop.read %rw : !pop.ref<4xf32>
  %g = pop.mul %w, %x : tensor<4xf32>
  pop.host_store %g, @y : tensor<4xf32>
  %s = pop.all_reduce mean %g : tensor<4xf32>
  %v = pop.read %rv : !pop.ref<4xf32>
  %0, %1 = pop.optimizer_step <sgd2, lr = operand, momentum = 0.9> %w, %s state(%v) settings(%lr) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
  pop.copy_ %rv, %1 : !pop.ref<4xf32>, tensor<4xf32>
  return
}
