// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f})' | FileCheck %s

// Later iterations may write a variable that a loop reads in its body. So the loop keeps
// what each iteration reads, and the backward loop does not read the variable again.

// CHECK-LABEL: func.func private @f_backward(
// CHECK:         %[[KEPT:.+]]:3 = scf.for
// CHECK:           %[[W:.+]] = pop.read
// CHECK:           %[[ROW:.+]] = pop.reshape %[[W]] : tensor<4xf32> to tensor<1x4xf32>
// CHECK:           pop.dynamic_update %{{.+}}, %[[ROW]]
// CHECK:         scf.for
// CHECK-NOT:       pop.read
// CHECK:           pop.dynamic_slice %[[KEPT]]#1
pop.variable @w : tensor<4xf32> = dense<0.5> : tensor<4xf32>
func.func private @f(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<2x4xf32>) {
    %r = pop.get_variable @w : !pop.ref<4xf32>
    %w = pop.read %r : !pop.ref<4xf32>
    %1 = pop.mul %a, %w : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    scf.yield %1 : tensor<2x4xf32>
  }
  return %0 : tensor<2x4xf32>
}
