// A network of f16 that draws random bits: for what it drops, and to round.
pop.variable @w0 : tensor<3x16xf16> = dense<0.1> : tensor<3x16xf16>
pop.variable @w1 : tensor<16x4xf16> = dense<[[0.1, 0.2, -0.1, 0.0], [0.3, -0.2, 0.1, 0.2], [-0.1, 0.1, 0.2, 0.3], [0.0, 0.2, 0.1, -0.3],
                                            [0.2, 0.2, -0.3, 0.1], [0.1, -0.2, 0.2, 0.2], [-0.1, 0.3, 0.2, 0.1], [0.1, 0.2, 0.1, -0.2],
                                            [0.1, 0.2, -0.1, 0.3], [0.2, -0.2, 0.1, 0.1], [-0.3, 0.1, 0.2, 0.2], [0.2, 0.2, 0.1, -0.1],
                                            [0.3, 0.2, -0.2, 0.2], [0.2, -0.1, 0.1, 0.3], [-0.2, 0.1, 0.3, 0.2], [0.1, 0.3, 0.1, -0.3]]> : tensor<16x4xf16>
func.func @main(%x: tensor<4x3xf16> {pop.name = "x"}) -> (tensor<4x4xf16> {pop.name = "y"}) {
  %r0 = pop.get_variable @w0 : !pop.ref<3x16xf16>
  %r1 = pop.get_variable @w1 : !pop.ref<16x4xf16>
  %w0 = pop.read %r0 : !pop.ref<3x16xf16>
  %w1 = pop.read %r1 : !pop.ref<16x4xf16>
  %0 = pop.matmul %x, %w0 : (tensor<4x3xf16>, tensor<3x16xf16>) -> tensor<4x16xf16>
  %seed = pop.next_seed
  %1 = pop.dropout %0, %seed, 0.25 : tensor<4x16xf16>, tensor<2xui32>
  %2 = pop.tanh %1 : tensor<4x16xf16>
  %3 = pop.matmul %2, %w1 : (tensor<4x16xf16>, tensor<16x4xf16>) -> tensor<4x4xf16>
  return %3 : tensor<4x4xf16>
}
