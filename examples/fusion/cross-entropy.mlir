// Mean cross-entropy of rows of logits with labels: the logarithm of the sum of
// exponentials, minus the logit that the label selects.
//
// This is plain linalg, which needs no passes of this project. @main creates
// inputs, calls the function and prints its results.

#row = affine_map<(i, j) -> (i)>
#full = affine_map<(i, j) -> (i, j)>

func.func @cross_entropy(%logits: tensor<12x21xf32>, %labels: tensor<12xi32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %count = arith.constant 12.0 : f32
  %rows = tensor.empty() : tensor<12xf32>
  %full = tensor.empty() : tensor<12x21xf32>
  %scalar = tensor.empty() : tensor<f32>
  %sum_init = linalg.fill ins(%zero : f32) outs(%rows : tensor<12xf32>) -> tensor<12xf32>
  %max_init = linalg.fill ins(%lowest : f32) outs(%rows : tensor<12xf32>) -> tensor<12xf32>

  %max = linalg.reduce { arith.maximumf } ins(%logits : tensor<12x21xf32>)
    outs(%max_init : tensor<12xf32>) dimensions = [1]
  %shifted = linalg.generic {
      indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%logits, %max : tensor<12x21xf32>, tensor<12xf32>) outs(%full : tensor<12x21xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  } -> tensor<12x21xf32>
  %exp = linalg.exp ins(%shifted : tensor<12x21xf32>)
    outs(%full : tensor<12x21xf32>) -> tensor<12x21xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<12x21xf32>)
    outs(%sum_init : tensor<12xf32>) dimensions = [1]
  %picked = linalg.generic {
      indexing_maps = [#full, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%shifted, %labels : tensor<12x21xf32>, tensor<12xi32>) outs(%sum_init : tensor<12xf32>) {
  ^bb0(%a: f32, %label: i32, %acc: f32):
    %j = linalg.index 1 : index
    %j32 = arith.index_cast %j : index to i32
    %is = arith.cmpi eq, %j32, %label : i32
    %term = arith.select %is, %a, %zero : f32
    %next = arith.addf %acc, %term : f32
    linalg.yield %next : f32
  } -> tensor<12xf32>
  %log = linalg.log ins(%sum : tensor<12xf32>) outs(%rows : tensor<12xf32>) -> tensor<12xf32>
  %losses = linalg.sub ins(%log, %picked : tensor<12xf32>, tensor<12xf32>)
    outs(%rows : tensor<12xf32>) -> tensor<12xf32>
  %total_init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %total = linalg.reduce { arith.addf } ins(%losses : tensor<12xf32>)
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

// Element (i, j) is ((37 i + 11 j) mod 64) / 16 - 2.
func.func private @input() -> tensor<12x21xf32> {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ci = arith.constant 37 : index
    %cj = arith.constant 11 : index
    %c64 = arith.constant 64 : index
    %scale = arith.constant 0.0625 : f32
    %two = arith.constant 2.0 : f32
    %a = arith.muli %i, %ci : index
    %b = arith.muli %j, %cj : index
    %sum = arith.addi %a, %b : index
    %mod = arith.remui %sum, %c64 : index
    %int = arith.index_cast %mod : index to i32
    %float = arith.uitofp %int : i32 to f32
    %scaled = arith.mulf %float, %scale : f32
    %element = arith.subf %scaled, %two : f32
    tensor.yield %element : f32
  } : tensor<12x21xf32>
  return %x : tensor<12x21xf32>
}

// Element i is 5 i mod 21.
func.func private @labels() -> tensor<12xi32> {
  %x = tensor.generate {
  ^bb0(%i: index):
    %ci = arith.constant 5 : index
    %c21 = arith.constant 21 : index
    %a = arith.muli %i, %ci : index
    %mod = arith.remui %a, %c21 : index
    %element = arith.index_cast %mod : index to i32
    tensor.yield %element : i32
  } : tensor<12xi32>
  return %x : tensor<12xi32>
}

func.func @main() {
  %in0 = call @input() : () -> tensor<12x21xf32>
  %in1 = call @labels() : () -> tensor<12xi32>
  %out = call @cross_entropy(%in0, %in1) : (tensor<12x21xf32>, tensor<12xi32>) -> tensor<f32>
  %print0 = tensor.cast %out : tensor<f32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
