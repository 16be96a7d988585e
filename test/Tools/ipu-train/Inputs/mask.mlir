// A mask that is infinite, and has no effect on the loss.
pop.variable @w : tensor<3xf32> = dense<0.5> : tensor<3xf32>
pop.variable @mask : tensor<3xf32> = dense<0xFF800000> : tensor<3xf32>
func.func @main(%x: tensor<4x3xf32> {pop.name = "x"}) -> (tensor<4x3xf32> {pop.name = "y"}) {
  %r0 = pop.get_variable @mask : !pop.ref<3xf32>
  %mask = pop.read %r0 : !pop.ref<3xf32> loc("mask")
  %r1 = pop.get_variable @w : !pop.ref<3xf32>
  %w = pop.read %r1 : !pop.ref<3xf32> loc("w")
  %0 = pop.max %x, %mask : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = pop.mul %0, %w : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
