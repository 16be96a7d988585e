// Two layers and a training step of the last matrix. Three kinds of shardings use the axes
// "data" and "model", with different user priorities:
//   p0 (the default)   the batch over "data",
//   p1                 hidden features over "model" (Megatron),
//   p2                 the remaining dimension of each matrix over "data" (ZeRO, FSDP).
// Propagation is complete for one priority before it begins for the next one. So all
// computations have "data" on the batch; the matrices are stored in parts and gathered before
// use. Without p1 and p2, the batch and the matrices would compete for "data", and the
// features of %dy would be sharded instead of the batch.
//
// The gradient %dw4 is a sum over the batch and is sharded like %w4: each device gets the
// sum for its part of %w4, and updates this part.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/zero-stablehlo.mlir
sdy.mesh @mesh = <["data"=4, "model"=2]>

func.func public @main(
    %x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>},
    %w1: tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}p2, {"model"}p1]>},
    %w2: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"data"}p2]>},
    %w3: tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}p2, {"model"}p1]>},
    %w4: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"data"}p2]>},
    %dy: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<128x32xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<64x128xf32>

  // A layer has two matrices with a rectifier between them, and a residual.
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
  %hidden1 = stablehlo.maximum %0, %zero : tensor<64x128xf32>
  %1 = stablehlo.dot_general %hidden1, %w2, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  %y1 = stablehlo.add %x, %1 : tensor<64x32xf32>
  %2 = stablehlo.dot_general %y1, %w3, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
  %hidden2 = stablehlo.maximum %2, %zero : tensor<64x128xf32>
  %3 = stablehlo.dot_general %hidden2, %w4, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  %y2 = stablehlo.add %y1, %3 : tensor<64x32xf32>

  // The gradient of the last matrix, from the gradient %dy of the output, and the update of the matrix.
  %dw4 = stablehlo.dot_general %hidden2, %dy, contracting_dims = [0] x [0] : (tensor<64x128xf32>, tensor<64x32xf32>) -> tensor<128x32xf32>
  %rate = stablehlo.constant dense<0.01> : tensor<128x32xf32>
  %step = stablehlo.multiply %dw4, %rate : tensor<128x32xf32>
  %new_w4 = stablehlo.subtract %w4, %step : tensor<128x32xf32>
  return %y2, %new_w4 : tensor<64x32xf32>, tensor<128x32xf32>
}
