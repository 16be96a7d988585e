// The loss is of ln(y) with y = e^(x w), which gets infinite, then its gradient NaN.
pop.variable @w : tensor<3x1xf32> = dense<1.0> : tensor<3x1xf32>
func.func @main(%x: tensor<4x3xf32> {pop.name = "x"}) -> (tensor<4x1xf32> {pop.name = "y"}) {
  %r = pop.get_variable @w : !pop.ref<3x1xf32>
  %w = pop.read %r : !pop.ref<3x1xf32> loc("w")
  %0 = pop.matmul %x, %w : (tensor<4x3xf32>, tensor<3x1xf32>) -> tensor<4x1xf32> loc("xw")
  %1 = pop.exp %0 : tensor<4x1xf32> loc("exp")
  %2 = pop.sub %1, %1 : tensor<4x1xf32> loc("difference")
  %3 = pop.add %2, %1 : tensor<4x1xf32> loc("sum")
  return %3 : tensor<4x1xf32>
}
