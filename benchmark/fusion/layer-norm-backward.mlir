// The backward pass of layer normalisation: gradients of input, gain and bias.
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @layer_norm_backward(%dy: tensor<4096x1024xf32>, %x: tensor<4096x1024xf32>, %mean: tensor<4096xf32>, %rstd: tensor<4096xf32>, %gain: tensor<1024xf32>) -> (tensor<4096x1024xf32>, tensor<1024xf32>, tensor<1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 1024.0 : f32
  %full = tensor.empty() : tensor<4096x1024xf32>
  %rows = tensor.empty() : tensor<4096xf32>
  %columns = tensor.empty() : tensor<1024xf32>
  %row0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<4096xf32>) -> tensor<4096xf32>
  %column0 = linalg.fill ins(%zero : f32) outs(%columns : tensor<1024xf32>) -> tensor<1024xf32>
  %normal = linalg.generic {indexing_maps = [#full, #row, #row, #full], iterator_types = ["parallel", "parallel"]}
    ins(%x, %mean, %rstd : tensor<4096x1024xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%full : tensor<4096x1024xf32>) {
  ^bb0(%a: f32, %m: f32, %r: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %n = arith.mulf %d, %r : f32
    linalg.yield %n : f32
  } -> tensor<4096x1024xf32>
  %dbias = linalg.generic {indexing_maps = [#full, #column], iterator_types = ["reduction", "parallel"]}
    ins(%dy : tensor<4096x1024xf32>) outs(%column0 : tensor<1024xf32>) {
  ^bb0(%g: f32, %acc: f32):
    %s = arith.addf %acc, %g : f32
    linalg.yield %s : f32
  } -> tensor<1024xf32>
  %dgain = linalg.generic {indexing_maps = [#full, #full, #column], iterator_types = ["reduction", "parallel"]}
    ins(%dy, %normal : tensor<4096x1024xf32>, tensor<4096x1024xf32>) outs(%column0 : tensor<1024xf32>) {
  ^bb0(%g: f32, %n: f32, %acc: f32):
    %p = arith.mulf %g, %n : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<1024xf32>
  %scaled = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]}
    ins(%dy, %gain : tensor<4096x1024xf32>, tensor<1024xf32>) outs(%full : tensor<4096x1024xf32>) {
  ^bb0(%g: f32, %w: f32, %o: f32):
    %p = arith.mulf %g, %w : f32
    linalg.yield %p : f32
  } -> tensor<4096x1024xf32>
  %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
    ins(%scaled : tensor<4096x1024xf32>) outs(%row0 : tensor<4096xf32>) {
  ^bb0(%g: f32, %acc: f32):
    %s = arith.addf %acc, %g : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %dot = linalg.generic {indexing_maps = [#full, #full, #row], iterator_types = ["parallel", "reduction"]}
    ins(%scaled, %normal : tensor<4096x1024xf32>, tensor<4096x1024xf32>) outs(%row0 : tensor<4096xf32>) {
  ^bb0(%g: f32, %n: f32, %acc: f32):
    %p = arith.mulf %g, %n : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %dx = linalg.generic {indexing_maps = [#full, #full, #row, #row, #row, #full], iterator_types = ["parallel", "parallel"]}
    ins(%scaled, %normal, %sum, %dot, %rstd : tensor<4096x1024xf32>, tensor<4096x1024xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%full : tensor<4096x1024xf32>) {
  ^bb0(%g: f32, %n: f32, %s: f32, %d: f32, %r: f32, %o: f32):
    %ms = arith.divf %s, %count : f32
    %md = arith.divf %d, %count : f32
    %a = arith.mulf %n, %md : f32
    %b = arith.addf %ms, %a : f32
    %c = arith.subf %g, %b : f32
    %e = arith.mulf %c, %r : f32
    linalg.yield %e : f32
  } -> tensor<4096x1024xf32>
  return %dx, %dgain, %dbias : tensor<4096x1024xf32>, tensor<1024xf32>, tensor<1024xf32>
}
