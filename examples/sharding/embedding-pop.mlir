// The programs of embedding-stablehlo.mlir in pop. Elementwise ops of pop broadcast.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/embedding-pop.mlir
sdy.mesh @mesh = <["data"=2, "model"=4]>

func.func public @vocabulary(
    %table: tensor<1024x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {?}]>},
    %positions: tensor<16x64xf32>,
    %tokens: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>}) -> tensor<8x16x1024xf32> {
  %rows = pop.gather %table, %tokens : (tensor<1024x64xf32>, tensor<8x16xi32>) -> tensor<8x16x64xf32>
  %embedded = pop.add %rows, %positions : (tensor<8x16x64xf32>, tensor<16x64xf32>) -> tensor<8x16x64xf32>
  %hidden = pop.tanh %embedded : tensor<8x16x64xf32>
  %0 = pop.transpose %table {permutation = array<i64: 1, 0>} : tensor<1024x64xf32> -> tensor<64x1024xf32>
  %logits = pop.matmul %hidden, %0 : (tensor<8x16x64xf32>, tensor<64x1024xf32>) -> tensor<8x16x1024xf32>
  return %logits : tensor<8x16x1024xf32>
}

func.func public @hidden(
    %table: tensor<1024x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}]>},
    %positions: tensor<16x64xf32>,
    %tokens: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>}) -> tensor<8x16x1024xf32> {
  %rows = pop.gather %table, %tokens : (tensor<1024x64xf32>, tensor<8x16xi32>) -> tensor<8x16x64xf32>
  %embedded = pop.add %rows, %positions : (tensor<8x16x64xf32>, tensor<16x64xf32>) -> tensor<8x16x64xf32>
  %hidden = pop.tanh %embedded : tensor<8x16x64xf32>
  %0 = pop.transpose %table {permutation = array<i64: 1, 0>} : tensor<1024x64xf32> -> tensor<64x1024xf32>
  %logits = pop.matmul %hidden, %0 : (tensor<8x16x64xf32>, tensor<64x1024xf32>) -> tensor<8x16x1024xf32>
  return %logits : tensor<8x16x1024xf32>
}
