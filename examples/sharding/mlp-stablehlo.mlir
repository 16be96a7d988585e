// Two layers: the batch is sharded over "data". The hidden features, the columns of the
// first matrix and the rows of the second are sharded over "model". A sum over "model" follows.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/mlp-stablehlo.mlir
sdy.mesh @mesh = <["data"=2, "model"=4]>

func.func public @main(
    %x: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>},
    %w1: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}]>},
    %w2: tensor<256x64xf32>) -> tensor<32x64xf32> {
  %hidden = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x256xf32>) -> tensor<32x256xf32>
  %active = stablehlo.tanh %hidden : tensor<32x256xf32>
  %y = stablehlo.dot_general %active, %w2, contracting_dims = [1] x [0] : (tensor<32x256xf32>, tensor<256x64xf32>) -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}
