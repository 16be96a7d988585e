// Group normalisation of images with 256 channels in 32 groups.
#full = affine_map<(n, g, c, p) -> (n, g, c, p)>
#group = affine_map<(n, g, c, p) -> (n, g)>
#channel = affine_map<(n, c, p) -> (c)>
#image = affine_map<(n, c, p) -> (n, c, p)>

func.func @group_norm(%x: tensor<16x256x1024xf32>, %gain: tensor<256xf32>, %bias: tensor<256xf32>) -> tensor<16x256x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 8192.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %groups = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [16, 32, 8, 1024] : tensor<16x256x1024xf32> into tensor<16x32x8x1024xf32>
  %sums = tensor.empty() : tensor<16x32xf32>
  %full = tensor.empty() : tensor<16x32x8x1024xf32>
  %image = tensor.empty() : tensor<16x256x1024xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<16x32xf32>) -> tensor<16x32xf32>
  %sum = linalg.generic {indexing_maps = [#full, #group], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%groups : tensor<16x32x8x1024xf32>) outs(%sum0 : tensor<16x32xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %centred = linalg.generic {indexing_maps = [#full, #group, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%groups, %sum : tensor<16x32x8x1024xf32>, tensor<16x32xf32>) outs(%full : tensor<16x32x8x1024xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %m = arith.divf %s, %count : f32
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  } -> tensor<16x32x8x1024xf32>
  %square = linalg.generic {indexing_maps = [#full, #group], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%centred : tensor<16x32x8x1024xf32>) outs(%sum0 : tensor<16x32xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %normal = linalg.generic {indexing_maps = [#full, #group, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%centred, %square : tensor<16x32x8x1024xf32>, tensor<16x32xf32>) outs(%full : tensor<16x32x8x1024xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %v = arith.divf %s, %count : f32
    %e = arith.addf %v, %epsilon : f32
    %r = math.rsqrt %e : f32
    %n = arith.mulf %a, %r : f32
    linalg.yield %n : f32
  } -> tensor<16x32x8x1024xf32>
  %channels = tensor.collapse_shape %normal [[0], [1, 2], [3]] : tensor<16x32x8x1024xf32> into tensor<16x256x1024xf32>
  %y = linalg.generic {indexing_maps = [#image, #channel, #channel, #image], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%channels, %gain, %bias : tensor<16x256x1024xf32>, tensor<256xf32>, tensor<256xf32>) outs(%image : tensor<16x256x1024xf32>) {
  ^bb0(%a: f32, %g: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %g : f32
    %s = arith.addf %p, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x256x1024xf32>
  return %y : tensor<16x256x1024xf32>
}
