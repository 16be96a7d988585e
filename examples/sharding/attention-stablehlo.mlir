// Self-attention with 4 heads: the batch is sharded over "data", the heads over "model".
//
// Two annotations suffice. The columns of %wq are ordered by heads, so a sharding of the
// columns shards the heads. Propagation passes this sharding through the reshape to the
// scores, then back to keys, values and their matrices, and forward to the rows of %wo. The
// softmax needs no communication, because it does not reduce a sharded dimension. %projected
// is a sum over the heads, and therefore over "model".
//   ipu-opt --sdy-propagation-pipeline examples/sharding/attention-stablehlo.mlir
sdy.mesh @mesh = <["data"=2, "model"=4]>

func.func public @main(
    %x: tensor<8x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}, {?}]>},
    %wq: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}]>},
    %wk: tensor<64x64xf32>,
    %wv: tensor<64x64xf32>,
    %wo: tensor<64x64xf32>) -> tensor<8x32x64xf32> {
  // Reshape queries, keys and values: [batch, position, feature] to [batch, head, position, feature].
  %0 = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<8x32x64xf32>, tensor<64x64xf32>) -> tensor<8x32x64xf32>
  %1 = stablehlo.reshape %0 : (tensor<8x32x64xf32>) -> tensor<8x32x4x16xf32>
  %queries = stablehlo.transpose %1, dims = [0, 2, 1, 3] : (tensor<8x32x4x16xf32>) -> tensor<8x4x32x16xf32>
  %2 = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0] : (tensor<8x32x64xf32>, tensor<64x64xf32>) -> tensor<8x32x64xf32>
  %3 = stablehlo.reshape %2 : (tensor<8x32x64xf32>) -> tensor<8x32x4x16xf32>
  %keys = stablehlo.transpose %3, dims = [0, 2, 1, 3] : (tensor<8x32x4x16xf32>) -> tensor<8x4x32x16xf32>
  %4 = stablehlo.dot_general %x, %wv, contracting_dims = [2] x [0] : (tensor<8x32x64xf32>, tensor<64x64xf32>) -> tensor<8x32x64xf32>
  %5 = stablehlo.reshape %4 : (tensor<8x32x64xf32>) -> tensor<8x32x4x16xf32>
  %values = stablehlo.transpose %5, dims = [0, 2, 1, 3] : (tensor<8x32x4x16xf32>) -> tensor<8x4x32x16xf32>

  // Softmax of the scores, over the keys.
  %raw_scores = stablehlo.dot_general %queries, %keys, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<8x4x32x16xf32>, tensor<8x4x32x16xf32>) -> tensor<8x4x32x32xf32>
  %scale = stablehlo.constant dense<0.25> : tensor<8x4x32x32xf32>
  %scores = stablehlo.multiply %raw_scores, %scale : tensor<8x4x32x32xf32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max = stablehlo.reduce(%scores init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
  %6 = stablehlo.broadcast_in_dim %max, dims = [0, 1, 2] : (tensor<8x4x32xf32>) -> tensor<8x4x32x32xf32>
  %shifted = stablehlo.subtract %scores, %6 : tensor<8x4x32x32xf32>
  %exp = stablehlo.exponential %shifted : tensor<8x4x32x32xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
  %7 = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2] : (tensor<8x4x32xf32>) -> tensor<8x4x32x32xf32>
  %weights = stablehlo.divide %exp, %7 : tensor<8x4x32x32xf32>

  // Concatenate the heads, then the projection and the residual.
  %mixed = stablehlo.dot_general %weights, %values, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<8x4x32x32xf32>, tensor<8x4x32x16xf32>) -> tensor<8x4x32x16xf32>
  %8 = stablehlo.transpose %mixed, dims = [0, 2, 1, 3] : (tensor<8x4x32x16xf32>) -> tensor<8x32x4x16xf32>
  %joined = stablehlo.reshape %8 : (tensor<8x32x4x16xf32>) -> tensor<8x32x64xf32>
  %projected = stablehlo.dot_general %joined, %wo, contracting_dims = [2] x [0] : (tensor<8x32x64xf32>, tensor<64x64xf32>) -> tensor<8x32x64xf32>
  %y = stablehlo.add %x, %projected : tensor<8x32x64xf32>
  return %y : tensor<8x32x64xf32>
}
