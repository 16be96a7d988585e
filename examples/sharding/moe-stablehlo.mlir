// A mixture of 8 experts. Groups of tokens are sharded over all devices, but experts only
// over the axis "expert". So tokens have to move to the devices of their experts.
//
// %expert is the expert of each token. The expert has 6 slots for each group, and %slot is
// the slot of the token. %gate is the weight of the expert's result. %dispatch is 1 for the
// expert and slot of each token. Products with %dispatch distribute the tokens and collect
// results. The dimensions are group g, token s, expert e, slot c and feature m.
//
// No tensor can have "expert" on both g and e. Pairs of constraints mark the change from
// g to e, or from e to g. The first constraint of a pair is the sharding in which a value is
// computed, and the second the sharding in which it is used. Each pair becomes an all-to-all.
// Without constraints, propagation would prefer the larger of %w1 and %packed, here %w1. With
// twice the slots it would be %packed, and each device would have to gather all experts.
//
// %x and %w1 are annotated. %dispatch, %combine and the values from which they are computed
// get the sharding of %x. %w2 gets its sharding from the constraints.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/moe-stablehlo.mlir
sdy.mesh @mesh = <["data"=2, "expert"=4]>

func.func public @main(
    %x: tensor<16x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "expert"}, {?}, {?}]>},
    %expert: tensor<16x32xi32>,
    %slot: tensor<16x32xi32>,
    %gate: tensor<16x32xf32>,
    %w1: tensor<8x64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {?}, {?}]>},
    %w2: tensor<8x128x64xf32>) -> tensor<16x32x64xf32> {
  // Create one-hot tensors: [g, s, e] and [g, s, c] to [g, s, e, c].
  %0 = stablehlo.iota dim = 2 : tensor<16x32x8xi32>
  %1 = stablehlo.broadcast_in_dim %expert, dims = [0, 1] : (tensor<16x32xi32>) -> tensor<16x32x8xi32>
  %in_expert = stablehlo.compare EQ, %1, %0 : (tensor<16x32x8xi32>, tensor<16x32x8xi32>) -> tensor<16x32x8xi1>
  %2 = stablehlo.iota dim = 2 : tensor<16x32x6xi32>
  %3 = stablehlo.broadcast_in_dim %slot, dims = [0, 1] : (tensor<16x32xi32>) -> tensor<16x32x6xi32>
  %in_slot = stablehlo.compare EQ, %3, %2 : (tensor<16x32x6xi32>, tensor<16x32x6xi32>) -> tensor<16x32x6xi1>
  %4 = stablehlo.broadcast_in_dim %in_expert, dims = [0, 1, 2] : (tensor<16x32x8xi1>) -> tensor<16x32x8x6xi1>
  %5 = stablehlo.broadcast_in_dim %in_slot, dims = [0, 1, 3] : (tensor<16x32x6xi1>) -> tensor<16x32x8x6xi1>
  %6 = stablehlo.and %4, %5 : tensor<16x32x8x6xi1>
  %dispatch = stablehlo.convert %6 : (tensor<16x32x8x6xi1>) -> tensor<16x32x8x6xf32>
  %7 = stablehlo.broadcast_in_dim %gate, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x8x6xf32>
  %combine = stablehlo.multiply %dispatch, %7 : tensor<16x32x8x6xf32>

  // Distribute the tokens to the experts: gsec, gsm -> egcm.
  %8 = stablehlo.dot_general %dispatch, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<16x32x8x6xf32>, tensor<16x32x64xf32>) -> tensor<16x8x6x64xf32>
  %packed = stablehlo.transpose %8, dims = [1, 0, 2, 3] : (tensor<16x8x6x64xf32>) -> tensor<8x16x6x64xf32>
  %outgoing = sdy.sharding_constraint %packed <@mesh, [{}, {"data", "expert"}, {}, {}]> : tensor<8x16x6x64xf32>
  %received = sdy.sharding_constraint %outgoing <@mesh, [{"expert"}, {"data"}, {}, {}]> : tensor<8x16x6x64xf32>

  // Compute each expert: egcm, emh -> egch, then egch, ehm -> egcm.
  %9 = stablehlo.dot_general %received, %w1, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<8x16x6x64xf32>, tensor<8x64x128xf32>) -> tensor<8x16x6x128xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<8x16x6x128xf32>
  %hidden = stablehlo.maximum %9, %zero : tensor<8x16x6x128xf32>
  %out = stablehlo.dot_general %hidden, %w2, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<8x16x6x128xf32>, tensor<8x128x64xf32>) -> tensor<8x16x6x64xf32>

  // Collect the results of the tokens: gsec, egcm -> gsm.
  %answers = sdy.sharding_constraint %out <@mesh, [{"expert"}, {"data"}, {}, {}]> : tensor<8x16x6x64xf32>
  %returned = sdy.sharding_constraint %answers <@mesh, [{}, {"data", "expert"}, {}, {}]> : tensor<8x16x6x64xf32>
  %y = stablehlo.dot_general %combine, %returned, batching_dims = [0] x [1], contracting_dims = [2, 3] x [0, 2] : (tensor<16x32x8x6xf32>, tensor<8x16x6x64xf32>) -> tensor<16x32x64xf32>
  return %y : tensor<16x32x64xf32>
}
