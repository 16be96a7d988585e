func.func @add_twice(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.add %a, %b : tensor<4xf32>
  %1 = pop.add %0, %b : tensor<4xf32>
  %2 = pop.exp %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
