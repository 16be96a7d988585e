// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null 2>&1 | FileCheck %s

// A loop may not iterate more often than its buffers have rows.
//
// CHECK: autodiff-limit.mlir:[[#@LINE+6]]:{{.*}}: error: 'ipu.expect' op does not hold
func.func private @f(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i32>
  %count = arith.index_cast %e : i32 to index
  %y = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> tensor<f32> {
    %b = pop.mul %a, %a : tensor<f32>
    scf.yield %b : tensor<f32>
  } {pop.max_trip_count = 2 : i64}
  return %y : tensor<f32>
}
func.func private @f_backward(tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<f32>
func.func @main() {
  %dy = pop.constant dense<1.0> : tensor<f32>
  %x = pop.constant dense<3.0> : tensor<f32>
  %n = pop.constant dense<3> : tensor<i32>
  %dx = call @f_backward(%dy, %x, %n) : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<f32>
  return
}
