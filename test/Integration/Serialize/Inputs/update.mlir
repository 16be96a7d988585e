// The update of a weight by its gradient.
pop.variable @w : tensor<1024x2048xf32> = dense<0.5> : tensor<1024x2048xf32>
func.func @main(%x: tensor<1024x256xf32> {pop.name = "x"}, %g: tensor<256x2048xf32> {pop.name = "g"}) {
  %w = pop.get_variable @w : !pop.ref<1024x2048xf32>
  %dw = pop.matmul %x, %g : (tensor<1024x256xf32>, tensor<256x2048xf32>) -> tensor<1024x2048xf32>
  pop.scaled_add_ %w, %dw {b = -0.1} : !pop.ref<1024x2048xf32>, tensor<1024x2048xf32>
  return
}
