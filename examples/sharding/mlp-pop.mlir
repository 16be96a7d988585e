// The program of mlp-stablehlo.mlir in pop.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/mlp-pop.mlir
sdy.mesh @mesh = <["data"=2, "model"=4]>

func.func public @main(
    %x: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>},
    %w1: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}]>},
    %w2: tensor<256x64xf32>) -> tensor<32x64xf32> {
  %hidden = pop.matmul %x, %w1 : (tensor<32x64xf32>, tensor<64x256xf32>) -> tensor<32x256xf32>
  %active = pop.tanh %hidden : tensor<32x256xf32>
  %y = pop.matmul %active, %w2 : (tensor<32x256xf32>, tensor<256x64xf32>) -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}
