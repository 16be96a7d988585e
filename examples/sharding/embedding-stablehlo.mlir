// An embedding, and the scores of all tokens by the same table. Two functions shard either
// the rows of the table (the vocabulary) or its columns (the hidden features) over "model".
// Both functions shard the batch over "data".
//
// @vocabulary: each device has the rows of some tokens. A lookup adds the rows that the
// devices find, over "model", so %embedded is sharded only along the batch. The logits are
// also sharded along the vocabulary.
// @hidden: each device has a part of each row. A lookup needs no communication, and the
// features of %embedded are sharded. The logits are a sum over "model".
//   ipu-opt --sdy-propagation-pipeline examples/sharding/embedding-stablehlo.mlir
sdy.mesh @mesh = <["data"=2, "model"=4]>

func.func public @vocabulary(
    %table: tensor<1024x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {?}]>},
    %positions: tensor<16x64xf32>,
    %tokens: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>}) -> tensor<8x16x1024xf32> {
  %rows = "stablehlo.gather"(%table, %tokens) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 64>}> : (tensor<1024x64xf32>, tensor<8x16xi32>) -> tensor<8x16x64xf32>
  %0 = stablehlo.broadcast_in_dim %positions, dims = [1, 2] : (tensor<16x64xf32>) -> tensor<8x16x64xf32>
  %embedded = stablehlo.add %rows, %0 : tensor<8x16x64xf32>
  %hidden = stablehlo.tanh %embedded : tensor<8x16x64xf32>
  %logits = stablehlo.dot_general %hidden, %table, contracting_dims = [2] x [1] : (tensor<8x16x64xf32>, tensor<1024x64xf32>) -> tensor<8x16x1024xf32>
  return %logits : tensor<8x16x1024xf32>
}

func.func public @hidden(
    %table: tensor<1024x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}]>},
    %positions: tensor<16x64xf32>,
    %tokens: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>}) -> tensor<8x16x1024xf32> {
  %rows = "stablehlo.gather"(%table, %tokens) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 64>}> : (tensor<1024x64xf32>, tensor<8x16xi32>) -> tensor<8x16x64xf32>
  %0 = stablehlo.broadcast_in_dim %positions, dims = [1, 2] : (tensor<16x64xf32>) -> tensor<8x16x64xf32>
  %embedded = stablehlo.add %rows, %0 : tensor<8x16x64xf32>
  %hidden = stablehlo.tanh %embedded : tensor<8x16x64xf32>
  %logits = stablehlo.dot_general %hidden, %table, contracting_dims = [2] x [1] : (tensor<8x16x64xf32>, tensor<1024x64xf32>) -> tensor<8x16x1024xf32>
  return %logits : tensor<8x16x1024xf32>
}
