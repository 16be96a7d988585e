// The program of moe-stablehlo.mlir in pop. Elementwise ops of pop broadcast.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/moe-pop.mlir
sdy.mesh @mesh = <["data"=2, "expert"=4]>

func.func public @main(
    %x: tensor<16x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "expert"}, {?}, {?}]>},
    %expert: tensor<16x32xi32>,
    %slot: tensor<16x32xi32>,
    %gate: tensor<16x32xf32>,
    %w1: tensor<8x64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {?}, {?}]>},
    %w2: tensor<8x128x64xf32>) -> tensor<16x32x64xf32> {
  // Create one-hot tensors: [g, s, e] and [g, s, c] to [g, s, e, c].
  %0 = pop.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
  %1 = pop.reshape %expert : tensor<16x32xi32> to tensor<16x32x1xi32>
  %in_expert = pop.equal %1, %0 : (tensor<16x32x1xi32>, tensor<8xi32>) -> tensor<16x32x8xi1>
  %2 = pop.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi32>
  %3 = pop.reshape %slot : tensor<16x32xi32> to tensor<16x32x1xi32>
  %in_slot = pop.equal %3, %2 : (tensor<16x32x1xi32>, tensor<6xi32>) -> tensor<16x32x6xi1>
  %4 = pop.reshape %in_expert : tensor<16x32x8xi1> to tensor<16x32x8x1xi1>
  %5 = pop.reshape %in_slot : tensor<16x32x6xi1> to tensor<16x32x1x6xi1>
  %6 = pop.and %4, %5 : (tensor<16x32x8x1xi1>, tensor<16x32x1x6xi1>) -> tensor<16x32x8x6xi1>
  %dispatch = pop.cast %6 : tensor<16x32x8x6xi1> to tensor<16x32x8x6xf32>
  %7 = pop.reshape %gate : tensor<16x32xf32> to tensor<16x32x1x1xf32>
  %combine = pop.mul %dispatch, %7 : (tensor<16x32x8x6xf32>, tensor<16x32x1x1xf32>) -> tensor<16x32x8x6xf32>

  // Distribute the tokens to the experts: egcs, gsm -> egcm.
  %8 = pop.transpose %dispatch {permutation = array<i64: 2, 0, 3, 1>} : tensor<16x32x8x6xf32> -> tensor<8x16x6x32xf32>
  %packed = pop.matmul %8, %x : (tensor<8x16x6x32xf32>, tensor<16x32x64xf32>) -> tensor<8x16x6x64xf32>
  %outgoing = sdy.sharding_constraint %packed <@mesh, [{}, {"data", "expert"}, {}, {}]> : tensor<8x16x6x64xf32>
  %received = sdy.sharding_constraint %outgoing <@mesh, [{"expert"}, {"data"}, {}, {}]> : tensor<8x16x6x64xf32>

  // Compute each expert: egcm, emh -> egch, then egch, ehm -> egcm.
  %9 = pop.reshape %w1 : tensor<8x64x128xf32> to tensor<8x1x64x128xf32>
  %10 = pop.matmul %received, %9 : (tensor<8x16x6x64xf32>, tensor<8x1x64x128xf32>) -> tensor<8x16x6x128xf32>
  %hidden = pop.relu %10 : tensor<8x16x6x128xf32>
  %11 = pop.reshape %w2 : tensor<8x128x64xf32> to tensor<8x1x128x64xf32>
  %out = pop.matmul %hidden, %11 : (tensor<8x16x6x128xf32>, tensor<8x1x128x64xf32>) -> tensor<8x16x6x64xf32>

  // Collect the results of the tokens, with e and c as one dimension k: gsk, gkm -> gsm.
  %answers = sdy.sharding_constraint %out <@mesh, [{"expert"}, {"data"}, {}, {}]> : tensor<8x16x6x64xf32>
  %returned = sdy.sharding_constraint %answers <@mesh, [{}, {"data", "expert"}, {}, {}]> : tensor<8x16x6x64xf32>
  %12 = pop.reshape %combine : tensor<16x32x8x6xf32> to tensor<16x32x48xf32>
  %13 = pop.transpose %returned {permutation = array<i64: 1, 0, 2, 3>} : tensor<8x16x6x64xf32> -> tensor<16x8x6x64xf32>
  %14 = pop.reshape %13 : tensor<16x8x6x64xf32> to tensor<16x48x64xf32>
  %y = pop.matmul %12, %14 : (tensor<16x32x48xf32>, tensor<16x48x64xf32>) -> tensor<16x32x64xf32>
  return %y : tensor<16x32x64xf32>
}
