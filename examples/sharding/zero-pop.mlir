// The program of zero-stablehlo.mlir in pop.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/zero-pop.mlir
sdy.mesh @mesh = <["data"=4, "model"=2]>

func.func public @main(
    %x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>},
    %w1: tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}p2, {"model"}p1]>},
    %w2: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"data"}p2]>},
    %w3: tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}p2, {"model"}p1]>},
    %w4: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"data"}p2]>},
    %dy: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<128x32xf32>) {
  // A layer has two matrices with a rectifier between them, and a residual.
  %0 = pop.matmul %x, %w1 : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
  %hidden1 = pop.relu %0 : tensor<64x128xf32>
  %1 = pop.matmul %hidden1, %w2 : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  %y1 = pop.add %x, %1 : tensor<64x32xf32>
  %2 = pop.matmul %y1, %w3 : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
  %hidden2 = pop.relu %2 : tensor<64x128xf32>
  %3 = pop.matmul %hidden2, %w4 : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  %y2 = pop.add %y1, %3 : tensor<64x32xf32>

  // The gradient of the last matrix, from the gradient %dy of the output, and the update of the matrix.
  %4 = pop.transpose %hidden2 {permutation = array<i64: 1, 0>} : tensor<64x128xf32> -> tensor<128x64xf32>
  %dw4 = pop.matmul %4, %dy : (tensor<128x64xf32>, tensor<64x32xf32>) -> tensor<128x32xf32>
  %rate = pop.constant dense<0.01> : tensor<f32>
  %step = pop.mul %dw4, %rate : (tensor<128x32xf32>, tensor<f32>) -> tensor<128x32xf32>
  %new_w4 = pop.sub %w4, %step : tensor<128x32xf32>
  return %y2, %new_w4 : tensor<64x32xf32>, tensor<128x32xf32>
}
