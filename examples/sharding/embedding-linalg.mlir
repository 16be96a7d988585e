// The programs of embedding-stablehlo.mlir in linalg. Lookups are tensor.gather ops:
// a table that a tensor.extract in a generic op reads could not be sharded.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/embedding-linalg.mlir
sdy.mesh @mesh = <["data"=2, "model"=4]>

// Dimensions: batch b, position s, feature e, token v of the vocabulary.
#bse = affine_map<(b, s, v, e) -> (b, s, e)>
#ve = affine_map<(b, s, v, e) -> (v, e)>
#bsv = affine_map<(b, s, v, e) -> (b, s, v)>

func.func public @vocabulary(
    %table: tensor<1024x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {?}]>},
    %positions: tensor<16x64xf32>,
    %tokens: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>}) -> tensor<8x16x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.expand_shape %tokens [[0], [1, 2]] output_shape [8, 16, 1] : tensor<8x16xi32> into tensor<8x16x1xi32>
  %rows = tensor.gather %table[%0] gather_dims([0]) : (tensor<1024x64xf32>, tensor<8x16x1xi32>) -> tensor<8x16x64xf32>
  %1 = tensor.empty() : tensor<8x16x64xf32>
  %2 = linalg.broadcast ins(%positions : tensor<16x64xf32>) outs(%1 : tensor<8x16x64xf32>) dimensions = [0]
  %3 = tensor.empty() : tensor<8x16x64xf32>
  %embedded = linalg.add ins(%rows, %2 : tensor<8x16x64xf32>, tensor<8x16x64xf32>) outs(%3 : tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  %4 = tensor.empty() : tensor<8x16x64xf32>
  %hidden = linalg.tanh ins(%embedded : tensor<8x16x64xf32>) outs(%4 : tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  %5 = tensor.splat %zero : tensor<8x16x1024xf32>
  %logits = linalg.contract indexing_maps = [#bse, #ve, #bsv] ins(%hidden, %table : tensor<8x16x64xf32>, tensor<1024x64xf32>) outs(%5 : tensor<8x16x1024xf32>) -> tensor<8x16x1024xf32>
  return %logits : tensor<8x16x1024xf32>
}

func.func public @hidden(
    %table: tensor<1024x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}]>},
    %positions: tensor<16x64xf32>,
    %tokens: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>}) -> tensor<8x16x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.expand_shape %tokens [[0], [1, 2]] output_shape [8, 16, 1] : tensor<8x16xi32> into tensor<8x16x1xi32>
  %rows = tensor.gather %table[%0] gather_dims([0]) : (tensor<1024x64xf32>, tensor<8x16x1xi32>) -> tensor<8x16x64xf32>
  %1 = tensor.empty() : tensor<8x16x64xf32>
  %2 = linalg.broadcast ins(%positions : tensor<16x64xf32>) outs(%1 : tensor<8x16x64xf32>) dimensions = [0]
  %3 = tensor.empty() : tensor<8x16x64xf32>
  %embedded = linalg.add ins(%rows, %2 : tensor<8x16x64xf32>, tensor<8x16x64xf32>) outs(%3 : tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  %4 = tensor.empty() : tensor<8x16x64xf32>
  %hidden = linalg.tanh ins(%embedded : tensor<8x16x64xf32>) outs(%4 : tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
  %5 = tensor.splat %zero : tensor<8x16x1024xf32>
  %logits = linalg.contract indexing_maps = [#bse, #ve, #bsv] ins(%hidden, %table : tensor<8x16x64xf32>, tensor<1024x64xf32>) outs(%5 : tensor<8x16x1024xf32>) -> tensor<8x16x1024xf32>
  return %logits : tensor<8x16x1024xf32>
}
