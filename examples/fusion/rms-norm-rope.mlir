// RMS normalisation of rows with a gain, then a rotary embedding that rotates the
// halves of each head by angles. Arguments are the cosines and sines of the angles.
//
// This is plain linalg, which needs no passes of this project. @main creates
// inputs, calls the function and prints its results.

#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#full = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(t, h, d) -> (t, h, d)>
#rot = affine_map<(t, h, d) -> (t, d)>

func.func @rms_norm_rope(%x: tensor<12x96xf32>, %gain: tensor<96xf32>, %cos: tensor<12x12xf32>, %sin: tensor<12x12xf32>) -> tensor<12x4x24xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 96.0 : f32
  %epsilon = arith.constant 1.0e-6 : f32
  %rows = tensor.empty() : tensor<12xf32>
  %full = tensor.empty() : tensor<12x96xf32>
  %half = tensor.empty() : tensor<12x4x12xf32>
  %out = tensor.empty() : tensor<12x4x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%rows : tensor<12xf32>) -> tensor<12xf32>
  %ss = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<12x96xf32>) outs(%init : tensor<12xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %square = arith.mulf %a, %a : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<12xf32>
  %n = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %ss, %gain : tensor<12x96xf32>, tensor<12xf32>, tensor<96xf32>)
      outs(%full : tensor<12x96xf32>) {
  ^bb0(%a: f32, %s: f32, %g: f32, %o: f32):
    %mean = arith.divf %s, %count : f32
    %positive = arith.addf %mean, %epsilon : f32
    %root = math.sqrt %positive : f32
    %quotient = arith.divf %a, %root : f32
    %scaled = arith.mulf %quotient, %g : f32
    linalg.yield %scaled : f32
  } -> tensor<12x96xf32>
  %heads = tensor.expand_shape %n [[0], [1, 2]] output_shape [12, 4, 24] : tensor<12x96xf32> into tensor<12x4x24xf32>
  %lo = tensor.extract_slice %heads[0, 0, 0] [12, 4, 12] [1, 1, 1] : tensor<12x4x24xf32> to tensor<12x4x12xf32>
  %hi = tensor.extract_slice %heads[0, 0, 12] [12, 4, 12] [1, 1, 1] : tensor<12x4x24xf32> to tensor<12x4x12xf32>
  %rlo = linalg.generic {indexing_maps = [#id3, #id3, #rot, #rot, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%lo, %hi, %cos, %sin : tensor<12x4x12xf32>, tensor<12x4x12xf32>, tensor<12x12xf32>, tensor<12x12xf32>)
      outs(%half : tensor<12x4x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %s: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    %q = arith.mulf %b, %s : f32
    %r = arith.subf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<12x4x12xf32>
  %rhi = linalg.generic {indexing_maps = [#id3, #id3, #rot, #rot, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%lo, %hi, %cos, %sin : tensor<12x4x12xf32>, tensor<12x4x12xf32>, tensor<12x12xf32>, tensor<12x12xf32>)
      outs(%half : tensor<12x4x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %s: f32, %o: f32):
    %p = arith.mulf %b, %c : f32
    %q = arith.mulf %a, %s : f32
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<12x4x12xf32>
  %o1 = tensor.insert_slice %rlo into %out[0, 0, 0] [12, 4, 12] [1, 1, 1] : tensor<12x4x12xf32> into tensor<12x4x24xf32>
  %o2 = tensor.insert_slice %rhi into %o1[0, 0, 12] [12, 4, 12] [1, 1, 1] : tensor<12x4x12xf32> into tensor<12x4x24xf32>
  return %o2 : tensor<12x4x24xf32>
}

// Element (i, j) is ((21 i + 25 j) mod 64) / 16 - 2.
func.func private @input() -> tensor<12x96xf32> {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ci = arith.constant 21 : index
    %cj = arith.constant 25 : index
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
  } : tensor<12x96xf32>
  return %x : tensor<12x96xf32>
}

// Element i is ((9 i) mod 64) / 16 - 2.
func.func private @gain() -> tensor<96xf32> {
  %x = tensor.generate {
  ^bb0(%i: index):
    %ci = arith.constant 9 : index
    %c64 = arith.constant 64 : index
    %scale = arith.constant 0.0625 : f32
    %two = arith.constant 2.0 : f32
    %a = arith.muli %i, %ci : index
    %mod = arith.remui %a, %c64 : index
    %int = arith.index_cast %mod : index to i32
    %float = arith.uitofp %int : i32 to f32
    %scaled = arith.mulf %float, %scale : f32
    %element = arith.subf %scaled, %two : f32
    tensor.yield %element : f32
  } : tensor<96xf32>
  return %x : tensor<96xf32>
}

// Element (i, j) is ((13 i + 5 j) mod 64) / 16 - 2.
func.func private @cosine() -> tensor<12x12xf32> {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ci = arith.constant 13 : index
    %cj = arith.constant 5 : index
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
  } : tensor<12x12xf32>
  return %x : tensor<12x12xf32>
}

// Element (i, j) is ((7 i + 11 j) mod 64) / 16 - 2.
func.func private @sine() -> tensor<12x12xf32> {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ci = arith.constant 7 : index
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
  } : tensor<12x12xf32>
  return %x : tensor<12x12xf32>
}

func.func @main() {
  %in0 = call @input() : () -> tensor<12x96xf32>
  %in1 = call @gain() : () -> tensor<96xf32>
  %in2 = call @cosine() : () -> tensor<12x12xf32>
  %in3 = call @sine() : () -> tensor<12x12xf32>
  %out = call @rms_norm_rope(%in0, %in1, %in2, %in3) : (tensor<12x96xf32>, tensor<96xf32>, tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x4x24xf32>
  %print0 = tensor.cast %out : tensor<12x4x24xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
