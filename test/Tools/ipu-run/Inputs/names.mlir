// Names that options and files do not take as they are.
pop.stream @unused host_to_device : tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
func.func @main(%0: tensor<2xf32> {pop.name = "a=b"}, %1: tensor<2xf32> {pop.name = "a"})
    -> (tensor<2xf32> {pop.name = "y:0"}, tensor<2xf32> {pop.name = "y_0"},
        tensor<2xf32> {pop.name = "y=0"}) {
  %2 = pop.add %0, %1 : tensor<2xf32>
  return %2, %0, %1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
