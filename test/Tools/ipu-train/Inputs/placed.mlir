// Three layers with dropout on two IPUs, in two stages. Both layers of IPU 1 are calls of one function.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 2 : i64}>} {
  pop.variable @w0 : tensor<3x6xf32> = dense<[[0.3, -0.2, 0.1, 0.5, -0.4, 0.2], [0.1, 0.4, -0.3, 0.2, 0.6, -0.1], [-0.5, 0.3, 0.2, -0.2, 0.1, 0.4]]> : tensor<3x6xf32> {pop.vgraph = 0 : i64}
  pop.variable @w1 : tensor<6x6xf32> = dense<0.25> : tensor<6x6xf32> {pop.vgraph = 1 : i64}
  pop.variable @w2 : tensor<6x4xf32> = dense<[[0.2, -0.3, 0.1, 0.0], [0.4, 0.1, -0.2, 0.3], [-0.1, 0.2, 0.3, -0.1], [0.3, -0.4, 0.2, 0.1], [0.1, 0.5, -0.3, 0.2], [-0.2, 0.1, 0.4, -0.5]]> : tensor<6x4xf32> {pop.vgraph = 0 : i64}
  func.func private @layer(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %r = pop.get_variable @w1 : !pop.ref<6x6xf32>
    %w = pop.read %r : !pop.ref<6x6xf32>
    %0 = pop.matmul %x, %w : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
    %1 = pop.tanh %0 : tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
  func.func @main(%x: tensor<4x3xf32> {pop.name = "x", pop.vgraph = 0 : i64}) -> (tensor<4x4xf32> {pop.name = "y"}) {
    %r0 = pop.get_variable @w0 : !pop.ref<3x6xf32>
    %w0 = pop.read %r0 {pop.vgraph = 0 : i64, pop.stage = 0 : i64} : !pop.ref<3x6xf32>
    %0 = pop.matmul %x, %w0 {pop.vgraph = 0 : i64, pop.stage = 0 : i64} : (tensor<4x3xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
    %1 = pop.tanh %0 {pop.vgraph = 0 : i64, pop.stage = 0 : i64} : tensor<4x6xf32>
    %2 = pop.ipu_copy %1 from 0 to 1 {pop.stage = 0 : i64} : tensor<4x6xf32>
    %3 = func.call @layer(%2) {pop.vgraph = 1 : i64, pop.stage = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %seed = pop.next_seed {pop.vgraph = 1 : i64, pop.stage = 1 : i64}
    %4 = pop.dropout %3, %seed, 0.25 {pop.vgraph = 1 : i64, pop.stage = 1 : i64} : tensor<4x6xf32>, tensor<2xui32>
    %5 = func.call @layer(%4) {pop.vgraph = 1 : i64, pop.stage = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %6 = pop.ipu_copy %5 from 1 to 0 {pop.stage = 1 : i64} : tensor<4x6xf32>
    %7 = pop.add %6, %1 {pop.vgraph = 0 : i64, pop.stage = 2 : i64} : tensor<4x6xf32>
    %seed2 = pop.next_seed {pop.vgraph = 0 : i64, pop.stage = 2 : i64}
    %8 = pop.dropout %7, %seed2, 0.25 {pop.vgraph = 0 : i64, pop.stage = 2 : i64} : tensor<4x6xf32>, tensor<2xui32>
    %r2 = pop.get_variable @w2 : !pop.ref<6x4xf32>
    %w2 = pop.read %r2 {pop.vgraph = 0 : i64, pop.stage = 2 : i64} : !pop.ref<6x4xf32>
    %9 = pop.matmul %8, %w2 {pop.vgraph = 0 : i64, pop.stage = 2 : i64} : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
    return %9 : tensor<4x4xf32>
  }
}
