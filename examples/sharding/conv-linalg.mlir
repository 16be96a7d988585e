// The program of conv-stablehlo.mlir in linalg. If two loops index a dimension
// together, as image and kernel positions do, it has no factor and is not sharded.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/conv-linalg.mlir
sdy.mesh @mesh = <["data"=4, "model"=2]>

func.func public @main(
    %x: tensor<8x3x28x28xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}, {?}, {?}]>},
    %w1: tensor<32x3x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {?}, {?}, {?}]>},
    %bias: tensor<32xf32>,
    %w2: tensor<16x32x3x3xf32>) -> tensor<8x16x14x14xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %f: index, %r: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<8x3x28x28xf32> to tensor<8x3x30x30xf32>
  %1 = tensor.splat %zero : tensor<8x32x28x28xf32>
  %features = linalg.conv_2d_nchw_fchw ins(%0, %w1 : tensor<8x3x30x30xf32>, tensor<32x3x3x3xf32>) outs(%1 : tensor<8x32x28x28xf32>) -> tensor<8x32x28x28xf32>
  %2 = tensor.empty() : tensor<8x32x28x28xf32>
  %3 = linalg.broadcast ins(%bias : tensor<32xf32>) outs(%2 : tensor<8x32x28x28xf32>) dimensions = [0, 2, 3]
  %4 = tensor.empty() : tensor<8x32x28x28xf32>
  %biased = linalg.add ins(%features, %3 : tensor<8x32x28x28xf32>, tensor<8x32x28x28xf32>) outs(%4 : tensor<8x32x28x28xf32>) -> tensor<8x32x28x28xf32>
  %5 = tensor.splat %zero : tensor<8x32x28x28xf32>
  %6 = tensor.empty() : tensor<8x32x28x28xf32>
  %active = linalg.max ins(%biased, %5 : tensor<8x32x28x28xf32>, tensor<8x32x28x28xf32>) outs(%6 : tensor<8x32x28x28xf32>) -> tensor<8x32x28x28xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %7 = tensor.splat %lowest : tensor<8x32x14x14xf32>
  %pooled = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%active, %window : tensor<8x32x28x28xf32>, tensor<2x2xf32>) outs(%7 : tensor<8x32x14x14xf32>) -> tensor<8x32x14x14xf32>
  %8 = tensor.pad %pooled low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %f: index, %r: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<8x32x14x14xf32> to tensor<8x32x16x16xf32>
  %9 = tensor.splat %zero : tensor<8x16x14x14xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%8, %w2 : tensor<8x32x16x16xf32>, tensor<16x32x3x3xf32>) outs(%9 : tensor<8x16x14x14xf32>) -> tensor<8x16x14x14xf32>
  return %y : tensor<8x16x14x14xf32>
}
