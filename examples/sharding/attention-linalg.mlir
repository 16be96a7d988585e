// The program of attention-stablehlo.mlir in linalg. The rule of each op follows from
// its indexing maps, also for linalg.contract and linalg.generic.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/attention-linalg.mlir
sdy.mesh @mesh = <["data"=2, "model"=4]>

// Dimensions: batch b, position s, feature e of the input, feature f of the output.
#bse = affine_map<(b, s, e, f) -> (b, s, e)>
#ef = affine_map<(b, s, e, f) -> (e, f)>
#bsf = affine_map<(b, s, e, f) -> (b, s, f)>
// Dimensions: batch b, head h, query s, key t, feature d.
#bhsd = affine_map<(b, h, s, t, d) -> (b, h, s, d)>
#bhtd = affine_map<(b, h, s, t, d) -> (b, h, t, d)>
#bhst = affine_map<(b, h, s, t, d) -> (b, h, s, t)>
// Maps of the scores: all scores, and one value for each query.
#score = affine_map<(b, h, s, t) -> (b, h, s, t)>
#query = affine_map<(b, h, s, t) -> (b, h, s)>

func.func public @main(
    %x: tensor<8x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}, {?}]>},
    %wq: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}]>},
    %wk: tensor<64x64xf32>,
    %wv: tensor<64x64xf32>,
    %wo: tensor<64x64xf32>) -> tensor<8x32x64xf32> {
  %zero = arith.constant 0.0 : f32

  // Reshape queries, keys and values: [batch, position, feature] to [batch, head, position, feature].
  %0 = tensor.splat %zero : tensor<8x32x64xf32>
  %1 = linalg.contract indexing_maps = [#bse, #ef, #bsf] ins(%x, %wq : tensor<8x32x64xf32>, tensor<64x64xf32>) outs(%0 : tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
  %2 = tensor.expand_shape %1 [[0], [1], [2, 3]] output_shape [8, 32, 4, 16] : tensor<8x32x64xf32> into tensor<8x32x4x16xf32>
  %3 = tensor.empty() : tensor<8x4x32x16xf32>
  %queries = linalg.transpose ins(%2 : tensor<8x32x4x16xf32>) outs(%3 : tensor<8x4x32x16xf32>) permutation = [0, 2, 1, 3]
  %4 = tensor.splat %zero : tensor<8x32x64xf32>
  %5 = linalg.contract indexing_maps = [#bse, #ef, #bsf] ins(%x, %wk : tensor<8x32x64xf32>, tensor<64x64xf32>) outs(%4 : tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
  %6 = tensor.expand_shape %5 [[0], [1], [2, 3]] output_shape [8, 32, 4, 16] : tensor<8x32x64xf32> into tensor<8x32x4x16xf32>
  %7 = tensor.empty() : tensor<8x4x32x16xf32>
  %keys = linalg.transpose ins(%6 : tensor<8x32x4x16xf32>) outs(%7 : tensor<8x4x32x16xf32>) permutation = [0, 2, 1, 3]
  %8 = tensor.splat %zero : tensor<8x32x64xf32>
  %9 = linalg.contract indexing_maps = [#bse, #ef, #bsf] ins(%x, %wv : tensor<8x32x64xf32>, tensor<64x64xf32>) outs(%8 : tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
  %10 = tensor.expand_shape %9 [[0], [1], [2, 3]] output_shape [8, 32, 4, 16] : tensor<8x32x64xf32> into tensor<8x32x4x16xf32>
  %11 = tensor.empty() : tensor<8x4x32x16xf32>
  %values = linalg.transpose ins(%10 : tensor<8x32x4x16xf32>) outs(%11 : tensor<8x4x32x16xf32>) permutation = [0, 2, 1, 3]

  // Softmax of the scores, over the keys.
  %12 = tensor.splat %zero : tensor<8x4x32x32xf32>
  %raw_scores = linalg.contract indexing_maps = [#bhsd, #bhtd, #bhst] ins(%queries, %keys : tensor<8x4x32x16xf32>, tensor<8x4x32x16xf32>) outs(%12 : tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
  %scale = arith.constant dense<0.25> : tensor<8x4x32x32xf32>
  %13 = tensor.empty() : tensor<8x4x32x32xf32>
  %scores = linalg.mul ins(%raw_scores, %scale : tensor<8x4x32x32xf32>, tensor<8x4x32x32xf32>) outs(%13 : tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %14 = tensor.splat %lowest : tensor<8x4x32xf32>
  %max = linalg.reduce {arith.maximumf} ins(%scores : tensor<8x4x32x32xf32>) outs(%14 : tensor<8x4x32xf32>) dimensions = [3]
  %15 = tensor.empty() : tensor<8x4x32x32xf32>
  %shifted = linalg.generic {indexing_maps = [#score, #query, #score], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%scores, %max : tensor<8x4x32x32xf32>, tensor<8x4x32xf32>) outs(%15 : tensor<8x4x32x32xf32>) {
  ^bb0(%score: f32, %of_query: f32, %out: f32):
    %difference = arith.subf %score, %of_query : f32
    linalg.yield %difference : f32
  } -> tensor<8x4x32x32xf32>
  %16 = tensor.empty() : tensor<8x4x32x32xf32>
  %exp = linalg.exp ins(%shifted : tensor<8x4x32x32xf32>) outs(%16 : tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
  %17 = tensor.splat %zero : tensor<8x4x32xf32>
  %sum = linalg.reduce {arith.addf} ins(%exp : tensor<8x4x32x32xf32>) outs(%17 : tensor<8x4x32xf32>) dimensions = [3]
  %18 = tensor.empty() : tensor<8x4x32x32xf32>
  %weights = linalg.generic {indexing_maps = [#score, #query, #score], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%exp, %sum : tensor<8x4x32x32xf32>, tensor<8x4x32xf32>) outs(%18 : tensor<8x4x32x32xf32>) {
  ^bb0(%score: f32, %of_query: f32, %out: f32):
    %quotient = arith.divf %score, %of_query : f32
    linalg.yield %quotient : f32
  } -> tensor<8x4x32x32xf32>

  // Concatenate the heads, then the projection and the residual.
  %19 = tensor.splat %zero : tensor<8x4x32x16xf32>
  %mixed = linalg.contract indexing_maps = [#bhst, #bhtd, #bhsd] ins(%weights, %values : tensor<8x4x32x32xf32>, tensor<8x4x32x16xf32>) outs(%19 : tensor<8x4x32x16xf32>) -> tensor<8x4x32x16xf32>
  %20 = tensor.empty() : tensor<8x32x4x16xf32>
  %21 = linalg.transpose ins(%mixed : tensor<8x4x32x16xf32>) outs(%20 : tensor<8x32x4x16xf32>) permutation = [0, 2, 1, 3]
  %joined = tensor.collapse_shape %21 [[0], [1], [2, 3]] : tensor<8x32x4x16xf32> into tensor<8x32x64xf32>
  %22 = tensor.splat %zero : tensor<8x32x64xf32>
  %projected = linalg.contract indexing_maps = [#bse, #ef, #bsf] ins(%joined, %wo : tensor<8x32x64xf32>, tensor<64x64xf32>) outs(%22 : tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
  %23 = tensor.empty() : tensor<8x32x64xf32>
  %y = linalg.add ins(%x, %projected : tensor<8x32x64xf32>, tensor<8x32x64xf32>) outs(%23 : tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
  return %y : tensor<8x32x64xf32>
}
