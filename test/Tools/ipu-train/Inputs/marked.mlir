// A network of f32 that drops values, with matrix products that are to be divided.
pop.variable @w0 : tensor<3x16xf32> = dense<0.1> : tensor<3x16xf32>
pop.variable @w1 : tensor<16x4xf32> = dense<[[0.1, 0.2, -0.1, 0.0], [0.3, -0.2, 0.1, 0.2], [-0.1, 0.1, 0.2, 0.3], [0.0, 0.2, 0.1, -0.3],
                                            [0.2, 0.2, -0.3, 0.1], [0.1, -0.2, 0.2, 0.2], [-0.1, 0.3, 0.2, 0.1], [0.1, 0.2, 0.1, -0.2],
                                            [0.1, 0.2, -0.1, 0.3], [0.2, -0.2, 0.1, 0.1], [-0.3, 0.1, 0.2, 0.2], [0.2, 0.2, 0.1, -0.1],
                                            [0.3, 0.2, -0.2, 0.2], [0.2, -0.1, 0.1, 0.3], [-0.2, 0.1, 0.3, 0.2], [0.1, 0.3, 0.1, -0.3]]> : tensor<16x4xf32>
func.func @main(%x: tensor<4x3xf32> {pop.name = "x"}) -> (tensor<4x4xf32> {pop.name = "y"}) {
  %r0 = pop.get_variable @w0 : !pop.ref<3x16xf32>
  %r1 = pop.get_variable @w1 : !pop.ref<16x4xf32>
  %w0 = pop.read %r0 : !pop.ref<3x16xf32>
  %w1 = pop.read %r1 : !pop.ref<16x4xf32>
  %0 = pop.matmul %x, %w0 {pop.serialize = {factor = 4 : i64, mode = "output_channels"}} : (tensor<4x3xf32>, tensor<3x16xf32>) -> tensor<4x16xf32>
  %seed = pop.next_seed
  %1 = pop.dropout %0, %seed, 0.25 : tensor<4x16xf32>, tensor<2xui32>
  %2 = pop.tanh %1 : tensor<4x16xf32>
  %3 = pop.matmul %2, %w1 {pop.serialize = {factor = 4 : i64, mode = "reducing_dim"}} : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}
