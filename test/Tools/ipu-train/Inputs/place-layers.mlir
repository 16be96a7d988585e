// Two layers with dropout, whose gradients are clipped by their norm together. The names of their ops place them.
pop.variable @w0 : tensor<3x6xf32> = dense<[[0.3, -0.2, 0.1, 0.5, -0.4, 0.2], [0.1, 0.4, -0.3, 0.2, 0.6, -0.1], [-0.5, 0.3, 0.2, -0.2, 0.1, 0.4]]> : tensor<3x6xf32>
pop.variable @w1 : tensor<6x4xf32> = dense<[[0.2, -0.3, 0.1, 0.0], [0.4, 0.1, -0.2, 0.3], [-0.1, 0.2, 0.3, -0.1], [0.3, -0.4, 0.2, 0.1], [0.1, 0.5, -0.3, 0.2], [-0.2, 0.1, 0.4, -0.5]]> : tensor<6x4xf32>
func.func @main(%x: tensor<4x3xf32> {pop.name = "x"}) -> (tensor<4x4xf32> {pop.name = "y"})
    attributes {pop.clip_norms = [#pop.clip_norm<0.5, ["w0", "w1"]>]} {
  %r0 = pop.get_variable @w0 : !pop.ref<3x6xf32>
  %w0 = pop.read %r0 : !pop.ref<3x6xf32>
  %0 = pop.matmul %x, %w0 : (tensor<4x3xf32>, tensor<3x6xf32>) -> tensor<4x6xf32> loc("first")
  %1 = pop.tanh %0 : tensor<4x6xf32> loc("first")
  %s0 = pop.next_seed
  %d0 = pop.dropout %1, %s0, 0.25 : tensor<4x6xf32>, tensor<2xui32> loc("first")
  %r1 = pop.get_variable @w1 : !pop.ref<6x4xf32>
  %w1 = pop.read %r1 : !pop.ref<6x4xf32>
  %2 = pop.matmul %d0, %w1 : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32> loc("second")
  %s1 = pop.next_seed
  %d1 = pop.dropout %2, %s1, 0.25 : tensor<4x4xf32>, tensor<2xui32> loc("second")
  return %d1 : tensor<4x4xf32>
}
