// The program of mlp-stablehlo.mlir in linalg.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/mlp-linalg.mlir
sdy.mesh @mesh = <["data"=2, "model"=4]>

func.func public @main(
    %x: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>},
    %w1: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}]>},
    %w2: tensor<256x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<32x256xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32x256xf32>) -> tensor<32x256xf32>
  %hidden = linalg.matmul ins(%x, %w1 : tensor<32x64xf32>, tensor<64x256xf32>) outs(%f1 : tensor<32x256xf32>) -> tensor<32x256xf32>
  %e2 = tensor.empty() : tensor<32x256xf32>
  %active = linalg.tanh ins(%hidden : tensor<32x256xf32>) outs(%e2 : tensor<32x256xf32>) -> tensor<32x256xf32>
  %e3 = tensor.empty() : tensor<32x64xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %y = linalg.matmul ins(%active, %w2 : tensor<32x256xf32>, tensor<256x64xf32>) outs(%f3 : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}
