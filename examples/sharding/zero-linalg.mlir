// The program of zero-stablehlo.mlir in linalg.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/zero-linalg.mlir
sdy.mesh @mesh = <["data"=4, "model"=2]>

func.func public @main(
    %x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>},
    %w1: tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}p2, {"model"}p1]>},
    %w2: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"data"}p2]>},
    %w3: tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}p2, {"model"}p1]>},
    %w4: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"data"}p2]>},
    %dy: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<128x32xf32>) {
  %zero = arith.constant 0.0 : f32

  // A layer has two matrices with a rectifier between them, and a residual.
  %0 = tensor.splat %zero : tensor<64x128xf32>
  %1 = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x128xf32>) outs(%0 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %2 = tensor.splat %zero : tensor<64x128xf32>
  %3 = tensor.empty() : tensor<64x128xf32>
  %hidden1 = linalg.max ins(%1, %2 : tensor<64x128xf32>, tensor<64x128xf32>) outs(%3 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %4 = tensor.splat %zero : tensor<64x32xf32>
  %5 = linalg.matmul ins(%hidden1, %w2 : tensor<64x128xf32>, tensor<128x32xf32>) outs(%4 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %6 = tensor.empty() : tensor<64x32xf32>
  %y1 = linalg.add ins(%x, %5 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%6 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %7 = tensor.splat %zero : tensor<64x128xf32>
  %8 = linalg.matmul ins(%y1, %w3 : tensor<64x32xf32>, tensor<32x128xf32>) outs(%7 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %9 = tensor.splat %zero : tensor<64x128xf32>
  %10 = tensor.empty() : tensor<64x128xf32>
  %hidden2 = linalg.max ins(%8, %9 : tensor<64x128xf32>, tensor<64x128xf32>) outs(%10 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %11 = tensor.splat %zero : tensor<64x32xf32>
  %12 = linalg.matmul ins(%hidden2, %w4 : tensor<64x128xf32>, tensor<128x32xf32>) outs(%11 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %13 = tensor.empty() : tensor<64x32xf32>
  %y2 = linalg.add ins(%y1, %12 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%13 : tensor<64x32xf32>) -> tensor<64x32xf32>

  // The gradient of the last matrix, from the gradient %dy of the output, and the update of the matrix.
  %14 = tensor.splat %zero : tensor<128x32xf32>
  %dw4 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%hidden2, %dy : tensor<64x128xf32>, tensor<64x32xf32>) outs(%14 : tensor<128x32xf32>) -> tensor<128x32xf32>
  %rate = arith.constant dense<0.01> : tensor<128x32xf32>
  %15 = tensor.empty() : tensor<128x32xf32>
  %step = linalg.mul ins(%dw4, %rate : tensor<128x32xf32>, tensor<128x32xf32>) outs(%15 : tensor<128x32xf32>) -> tensor<128x32xf32>
  %16 = tensor.empty() : tensor<128x32xf32>
  %new_w4 = linalg.sub ins(%w4, %step : tensor<128x32xf32>, tensor<128x32xf32>) outs(%16 : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %y2, %new_w4 : tensor<64x32xf32>, tensor<128x32xf32>
}
