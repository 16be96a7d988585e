pop.variable @w : tensor<2xf32> = dense<[2.0, 3.0]> : tensor<2xf32>
func.func @main(%x: tensor<2xf32> {pop.name = "x"}) -> (tensor<2xf32> {pop.name = "y"}) {
  %r = pop.get_variable @w : !pop.ref<2xf32>
  %w = pop.read %r : !pop.ref<2xf32>
  %0 = pop.mul %x, %x : tensor<2xf32>
  %1 = pop.mul %0, %w : tensor<2xf32>
  return %1 : tensor<2xf32>
}
