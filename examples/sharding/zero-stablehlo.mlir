// Two layers and a step of training of the last matrix, sharded in three ways that all
// use the axes "data" or "model". Priorities separate them:
//   p0 (none written)  the batch over "data",
//   p1                 hidden features over "model" (Megatron),
//   p2                 the remaining dimension of each matrix over "data" (ZeRO, FSDP).
// Propagation is complete for one priority before the next one begins. So "data" belongs
// to the batch in all computations; the matrices are stored in parts and gathered where
// they are used. Without p1 and p2 the two would compete for "data", and the features of
// %dy would be sharded instead of the batch.
//
// The gradient %dw4 is a sum over the batch and is sharded like %w4: each device gets the
// sum for the part that it stores, and updates this part.
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

  // Each layer: two matrices, a rectifier between them, a residual.
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
  %hidden1 = stablehlo.maximum %0, %zero : tensor<64x128xf32>
  %1 = stablehlo.dot_general %hidden1, %w2, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  %y1 = stablehlo.add %x, %1 : tensor<64x32xf32>
  %2 = stablehlo.dot_general %y1, %w3, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
  %hidden2 = stablehlo.maximum %2, %zero : tensor<64x128xf32>
  %3 = stablehlo.dot_general %hidden2, %w4, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  %y2 = stablehlo.add %y1, %3 : tensor<64x32xf32>

  // With the gradient %dy of the output, that of the last matrix, and its update.
  %dw4 = stablehlo.dot_general %hidden2, %dy, contracting_dims = [0] x [0] : (tensor<64x128xf32>, tensor<64x32xf32>) -> tensor<128x32xf32>
  %rate = stablehlo.constant dense<0.01> : tensor<128x32xf32>
  %step = stablehlo.multiply %dw4, %rate : tensor<128x32xf32>
  %new_w4 = stablehlo.subtract %w4, %step : tensor<128x32xf32>
  return %y2, %new_w4 : tensor<64x32xf32>, tensor<128x32xf32>
}
