// The program of conv-stablehlo.mlir in pop, with a pool as one op.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/conv-pop.mlir
sdy.mesh @mesh = <["data"=4, "model"=2]>

func.func public @main(
    %x: tensor<8x3x28x28xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}, {?}, {?}]>},
    %w1: tensor<32x3x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {?}, {?}, {?}]>},
    %bias: tensor<32xf32>,
    %w2: tensor<16x32x3x3xf32>) -> tensor<8x16x14x14xf32> {
  %features = pop.conv %x, %w1 {pads = array<i64: 1, 1, 1, 1>} : (tensor<8x3x28x28xf32>, tensor<32x3x3x3xf32>) -> tensor<8x32x28x28xf32>
  %0 = pop.reshape %bias : tensor<32xf32> to tensor<32x1x1xf32>
  %biased = pop.add %features, %0 : (tensor<8x32x28x28xf32>, tensor<32x1x1xf32>) -> tensor<8x32x28x28xf32>
  %active = pop.relu %biased : tensor<8x32x28x28xf32>
  %pooled = pop.max_pool %active {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<8x32x28x28xf32> -> tensor<8x32x14x14xf32>
  %y = pop.conv %pooled, %w2 {pads = array<i64: 1, 1, 1, 1>} : (tensor<8x32x14x14xf32>, tensor<16x32x3x3xf32>) -> tensor<8x16x14x14xf32>
  return %y : tensor<8x16x14x14xf32>
}
