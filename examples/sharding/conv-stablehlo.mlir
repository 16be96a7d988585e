// Two convolutions, [batch, feature, row, column]: the batch is sharded over "data", and
// the features between the two convolutions over "model".
//
// The batch and the output features of the first weights are annotated. Propagation shards
// the features of the bias and of all values up to the second convolution, and the input
// features of the second weights. The second convolution sums over the input features, so %y
// is sharded only along the batch, after a sum over "model".
// The pool is a maximum over dimensions of blocks of 2x2, which a reshape creates.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/conv-stablehlo.mlir
sdy.mesh @mesh = <["data"=4, "model"=2]>

func.func public @main(
    %x: tensor<8x3x28x28xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}, {?}, {?}]>},
    %w1: tensor<32x3x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {?}, {?}, {?}]>},
    %bias: tensor<32xf32>,
    %w2: tensor<16x32x3x3xf32>) -> tensor<8x16x14x14xf32> {
  %features = stablehlo.convolution(%x, %w1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x3x28x28xf32>, tensor<32x3x3x3xf32>) -> tensor<8x32x28x28xf32>
  %0 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<32xf32>) -> tensor<8x32x28x28xf32>
  %biased = stablehlo.add %features, %0 : tensor<8x32x28x28xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<8x32x28x28xf32>
  %active = stablehlo.maximum %biased, %zero : tensor<8x32x28x28xf32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reshape %active : (tensor<8x32x28x28xf32>) -> tensor<8x32x14x2x14x2xf32>
  %pooled = stablehlo.reduce(%1 init: %lowest) applies stablehlo.maximum across dimensions = [3, 5] : (tensor<8x32x14x2x14x2xf32>, tensor<f32>) -> tensor<8x32x14x14xf32>
  %y = stablehlo.convolution(%pooled, %w2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x14x14xf32>, tensor<16x32x3x3xf32>) -> tensor<8x16x14x14xf32>
  return %y : tensor<8x16x14x14xf32>
}
