// A small residual network of convolutions. The batch is dimension 0 of %x and %t; the
// result is a loss for each image.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  pop.variable @w0 : tensor<8x4x3x3xf32> = dense<0.03> : tensor<8x4x3x3xf32>
  pop.variable @w1 : tensor<8x8x3x3xf32> = dense<-0.02> : tensor<8x8x3x3xf32>
  pop.variable @w2 : tensor<8x5xf32> = dense<0.1> : tensor<8x5xf32>
  func.func @main(%x: tensor<16x4x16x16xf32> {pop.name = "x"}, %t: tensor<16xi32> {pop.name = "t"}) -> (tensor<16xf32> {pop.name = "loss"}, tensor<16x5xf32> {pop.name = "y"}) {
    %r0 = pop.get_variable @w0 : !pop.ref<8x4x3x3xf32>
    %r1 = pop.get_variable @w1 : !pop.ref<8x8x3x3xf32>
    %r2 = pop.get_variable @w2 : !pop.ref<8x5xf32>
    %w0 = pop.read %r0 : !pop.ref<8x4x3x3xf32>
    %w1 = pop.read %r1 : !pop.ref<8x8x3x3xf32>
    %w2 = pop.read %r2 : !pop.ref<8x5xf32>
    %0 = pop.conv %x, %w0 {pads = array<i64: 1, 1, 1, 1>} : (tensor<16x4x16x16xf32>, tensor<8x4x3x3xf32>) -> tensor<16x8x16x16xf32>
    %1 = pop.relu %0 : tensor<16x8x16x16xf32>
    %2 = pop.conv %1, %w1 {pads = array<i64: 1, 1, 1, 1>} : (tensor<16x8x16x16xf32>, tensor<8x8x3x3xf32>) -> tensor<16x8x16x16xf32>
    %3 = pop.add %2, %1 : tensor<16x8x16x16xf32>
    %4 = pop.relu %3 : tensor<16x8x16x16xf32>
    %5 = pop.max_pool %4 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<16x8x16x16xf32> -> tensor<16x8x8x8xf32>
    %6 = pop.reduce mean %5 {axes = array<i64: 2, 3>} : tensor<16x8x8x8xf32> -> tensor<16x8xf32>
    %7 = pop.matmul %6, %w2 : (tensor<16x8xf32>, tensor<8x5xf32>) -> tensor<16x5xf32>
    %8 = pop.cross_entropy_loss none %7, %t : tensor<16x5xf32>, tensor<16xi32> -> tensor<16xf32>
    return %8, %7 : tensor<16xf32>, tensor<16x5xf32>
  }
}
