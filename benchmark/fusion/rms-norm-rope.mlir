// RMS normalisation of rows with a gain, then the rotary embedding of 8 heads.
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#full = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(t, h, d) -> (t, h, d)>
#rot = affine_map<(t, h, d) -> (t, d)>

func.func @rms_norm_rope(%x: tensor<4096x1024xf32>, %gain: tensor<1024xf32>, %cos: tensor<4096x64xf32>, %sin: tensor<4096x64xf32>) -> tensor<4096x8x128xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 1024.0 : f32
  %epsilon = arith.constant 1.0e-6 : f32
  %rows = tensor.empty() : tensor<4096xf32>
  %full = tensor.empty() : tensor<4096x1024xf32>
  %half = tensor.empty() : tensor<4096x8x64xf32>
  %out = tensor.empty() : tensor<4096x8x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%rows : tensor<4096xf32>) -> tensor<4096xf32>
  %ss = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4096x1024xf32>) outs(%init : tensor<4096xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %square = arith.mulf %a, %a : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<4096xf32>
  %n = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %ss, %gain : tensor<4096x1024xf32>, tensor<4096xf32>, tensor<1024xf32>)
      outs(%full : tensor<4096x1024xf32>) {
  ^bb0(%a: f32, %s: f32, %g: f32, %o: f32):
    %mean = arith.divf %s, %count : f32
    %positive = arith.addf %mean, %epsilon : f32
    %root = math.sqrt %positive : f32
    %quotient = arith.divf %a, %root : f32
    %scaled = arith.mulf %quotient, %g : f32
    linalg.yield %scaled : f32
  } -> tensor<4096x1024xf32>
  %heads = tensor.expand_shape %n [[0], [1, 2]] output_shape [4096, 8, 128] : tensor<4096x1024xf32> into tensor<4096x8x128xf32>
  %lo = tensor.extract_slice %heads[0, 0, 0] [4096, 8, 64] [1, 1, 1] : tensor<4096x8x128xf32> to tensor<4096x8x64xf32>
  %hi = tensor.extract_slice %heads[0, 0, 64] [4096, 8, 64] [1, 1, 1] : tensor<4096x8x128xf32> to tensor<4096x8x64xf32>
  %rlo = linalg.generic {indexing_maps = [#id3, #id3, #rot, #rot, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%lo, %hi, %cos, %sin : tensor<4096x8x64xf32>, tensor<4096x8x64xf32>, tensor<4096x64xf32>, tensor<4096x64xf32>)
      outs(%half : tensor<4096x8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %s: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    %q = arith.mulf %b, %s : f32
    %r = arith.subf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<4096x8x64xf32>
  %rhi = linalg.generic {indexing_maps = [#id3, #id3, #rot, #rot, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%lo, %hi, %cos, %sin : tensor<4096x8x64xf32>, tensor<4096x8x64xf32>, tensor<4096x64xf32>, tensor<4096x64xf32>)
      outs(%half : tensor<4096x8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %s: f32, %o: f32):
    %p = arith.mulf %b, %c : f32
    %q = arith.mulf %a, %s : f32
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<4096x8x64xf32>
  %o1 = tensor.insert_slice %rlo into %out[0, 0, 0] [4096, 8, 64] [1, 1, 1] : tensor<4096x8x64xf32> into tensor<4096x8x128xf32>
  %o2 = tensor.insert_slice %rhi into %o1[0, 0, 64] [4096, 8, 64] [1, 1, 1] : tensor<4096x8x64xf32> into tensor<4096x8x128xf32>
  return %o2 : tensor<4096x8x128xf32>
}
