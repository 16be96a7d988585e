// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-automatic-loss-scale{track=marked})" --verify-diagnostics -o /dev/null

// Marked tensors whose gradients are not counted, or have none, are warned of. That
// of @y has one.
func.func @main(%w: tensor<2xf16>, %x: tensor<2xf16>, %n: index) -> tensor<2xf16> {
  %one = pop.constant dense<1.0> : tensor<f16>
  // expected-warning @below {{automatic loss scaling does not track this tensor: no gradient with respect to this tensor is computed}}
  %none = pop.auto_loss_scale_proxy %x : tensor<2xf16>
  %y = pop.auto_loss_scale_proxy %w : tensor<2xf16> loc("y")
  %0 = pop.loss_scale %one : tensor<f16>
  %1 = pop.mul %y, %0 : (tensor<2xf16>, tensor<f16>) -> tensor<2xf16>
  %2 = pop.auto_loss_scale_proxy %1 {gradient} : tensor<2xf16> loc("y")
  %3 = pop.cast %2 : tensor<2xf16> to tensor<2xf32>
  // expected-warning @below {{automatic loss scaling does not track this tensor: its gradient is of type 'tensor<2xf32>'; expects elements of type f16}}
  %4 = pop.auto_loss_scale_proxy %3 {gradient} : tensor<2xf32>
  %5 = pop.cast %4 : tensor<2xf32> to tensor<2xf16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %6 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %5) -> tensor<2xf16> {
    // expected-warning @below {{automatic loss scaling does not track this tensor: its gradient is in a loop or a branch; expects a gradient in the body of the function}}
    %7 = pop.auto_loss_scale_proxy %a {gradient} : tensor<2xf16>
    scf.yield %7 : tensor<2xf16>
  }
  %8 = pop.optimizer_step <sgd0> %w, %6 : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %8 : tensor<2xf16>
}
