// Control characters in names do not reach the terminal: diagnostics of passes have their numbers.

// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f required=#0,#1})' 2>&1 | FileCheck %s
// CHECK: error: 'func.func' op has no differentiable path from argument 'x{{\\}}1B[2J', whose gradient is required

func.func private @f(%x: tensor<4xf32> {pop.name = "x\1B[2J"}, %y: tensor<4xf32> {pop.name = "y"}) -> tensor<4xf32> {
  %0 = pop.floor %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
