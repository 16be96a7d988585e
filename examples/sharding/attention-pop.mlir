// The program of attention-stablehlo.mlir in pop. Elementwise ops of pop broadcast.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/attention-pop.mlir
sdy.mesh @mesh = <["data"=2, "model"=4]>

func.func public @main(
    %x: tensor<8x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}, {?}]>},
    %wq: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}]>},
    %wk: tensor<64x64xf32>,
    %wv: tensor<64x64xf32>,
    %wo: tensor<64x64xf32>) -> tensor<8x32x64xf32> {
  // Reshape queries, keys and values: [batch, position, feature] to [batch, head, position, feature].
  %0 = pop.matmul %x, %wq : (tensor<8x32x64xf32>, tensor<64x64xf32>) -> tensor<8x32x64xf32>
  %1 = pop.reshape %0 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
  %queries = pop.transpose %1 {permutation = array<i64: 0, 2, 1, 3>} : tensor<8x32x4x16xf32> -> tensor<8x4x32x16xf32>
  %2 = pop.matmul %x, %wk : (tensor<8x32x64xf32>, tensor<64x64xf32>) -> tensor<8x32x64xf32>
  %3 = pop.reshape %2 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
  %keys = pop.transpose %3 {permutation = array<i64: 0, 2, 1, 3>} : tensor<8x32x4x16xf32> -> tensor<8x4x32x16xf32>
  %4 = pop.matmul %x, %wv : (tensor<8x32x64xf32>, tensor<64x64xf32>) -> tensor<8x32x64xf32>
  %5 = pop.reshape %4 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
  %values = pop.transpose %5 {permutation = array<i64: 0, 2, 1, 3>} : tensor<8x32x4x16xf32> -> tensor<8x4x32x16xf32>

  // Softmax of the scores, over the keys.
  %6 = pop.transpose %keys {permutation = array<i64: 0, 1, 3, 2>} : tensor<8x4x32x16xf32> -> tensor<8x4x16x32xf32>
  %raw_scores = pop.matmul %queries, %6 : (tensor<8x4x32x16xf32>, tensor<8x4x16x32xf32>) -> tensor<8x4x32x32xf32>
  %scale = pop.constant dense<0.25> : tensor<f32>
  %scores = pop.mul %raw_scores, %scale : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32x32xf32>
  %max = pop.reduce max %scores {axes = array<i64: 3>} : tensor<8x4x32x32xf32> -> tensor<8x4x32xf32>
  %7 = pop.reshape %max : tensor<8x4x32xf32> to tensor<8x4x32x1xf32>
  %shifted = pop.sub %scores, %7 : (tensor<8x4x32x32xf32>, tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
  %exp = pop.exp %shifted : tensor<8x4x32x32xf32>
  %sum = pop.reduce sum %exp {axes = array<i64: 3>} : tensor<8x4x32x32xf32> -> tensor<8x4x32xf32>
  %8 = pop.reshape %sum : tensor<8x4x32xf32> to tensor<8x4x32x1xf32>
  %weights = pop.div %exp, %8 : (tensor<8x4x32x32xf32>, tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>

  // Concatenate the heads, then the projection and the residual.
  %mixed = pop.matmul %weights, %values : (tensor<8x4x32x32xf32>, tensor<8x4x32x16xf32>) -> tensor<8x4x32x16xf32>
  %9 = pop.transpose %mixed {permutation = array<i64: 0, 2, 1, 3>} : tensor<8x4x32x16xf32> -> tensor<8x32x4x16xf32>
  %joined = pop.reshape %9 : tensor<8x32x4x16xf32> to tensor<8x32x64xf32>
  %projected = pop.matmul %joined, %wo : (tensor<8x32x64xf32>, tensor<64x64xf32>) -> tensor<8x32x64xf32>
  %y = pop.add %x, %projected : tensor<8x32x64xf32>
  return %y : tensor<8x32x64xf32>
}
