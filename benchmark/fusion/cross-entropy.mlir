// Mean cross-entropy of rows of logits with labels: the logarithm of the sum of
// exponentials, minus the logit that the label selects.
#row = affine_map<(i, j) -> (i)>
#full = affine_map<(i, j) -> (i, j)>

func.func @cross_entropy(%logits: tensor<2048x8192xf32>, %labels: tensor<2048xi32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %count = arith.constant 2048.0 : f32
  %rows = tensor.empty() : tensor<2048xf32>
  %full = tensor.empty() : tensor<2048x8192xf32>
  %scalar = tensor.empty() : tensor<f32>
  %sum_init = linalg.fill ins(%zero : f32) outs(%rows : tensor<2048xf32>) -> tensor<2048xf32>
  %max_init = linalg.fill ins(%lowest : f32) outs(%rows : tensor<2048xf32>) -> tensor<2048xf32>

  %max = linalg.reduce { arith.maximumf } ins(%logits : tensor<2048x8192xf32>)
    outs(%max_init : tensor<2048xf32>) dimensions = [1]
  %shifted = linalg.generic {
      indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%logits, %max : tensor<2048x8192xf32>, tensor<2048xf32>) outs(%full : tensor<2048x8192xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  } -> tensor<2048x8192xf32>
  %exp = linalg.exp ins(%shifted : tensor<2048x8192xf32>)
    outs(%full : tensor<2048x8192xf32>) -> tensor<2048x8192xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<2048x8192xf32>)
    outs(%sum_init : tensor<2048xf32>) dimensions = [1]
  %picked = linalg.generic {
      indexing_maps = [#full, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%shifted, %labels : tensor<2048x8192xf32>, tensor<2048xi32>) outs(%sum_init : tensor<2048xf32>) {
  ^bb0(%a: f32, %label: i32, %acc: f32):
    %j = linalg.index 1 : index
    %j32 = arith.index_cast %j : index to i32
    %is = arith.cmpi eq, %j32, %label : i32
    %term = arith.select %is, %a, %zero : f32
    %next = arith.addf %acc, %term : f32
    linalg.yield %next : f32
  } -> tensor<2048xf32>
  %log = linalg.log ins(%sum : tensor<2048xf32>) outs(%rows : tensor<2048xf32>) -> tensor<2048xf32>
  %losses = linalg.sub ins(%log, %picked : tensor<2048xf32>, tensor<2048xf32>)
    outs(%rows : tensor<2048xf32>) -> tensor<2048xf32>
  %total_init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %total = linalg.reduce { arith.addf } ins(%losses : tensor<2048xf32>)
    outs(%total_init : tensor<f32>) dimensions = [0]
  %mean = linalg.generic {
      indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%total : tensor<f32>) outs(%scalar : tensor<f32>) {
  ^bb0(%t: f32, %out: f32):
    %m = arith.divf %t, %count : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  return %mean : tensor<f32>
}

