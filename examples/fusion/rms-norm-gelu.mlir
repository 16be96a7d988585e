// RMS normalisation of rows with a gain, then GELU in its tanh form.
//
// This is plain linalg, which needs no passes of this project. @main creates
// inputs, calls the function and prints its results.

#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#full = affine_map<(i, j) -> (i, j)>

func.func @rms_norm_gelu(%x: tensor<6x48xf32>, %gain: tensor<48xf32>) -> tensor<6x48xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %count = arith.constant 48.0 : f32
  %epsilon = arith.constant 1.0e-6 : f32
  %cubic = arith.constant 4.471500e-02 : f32
  %slope = arith.constant 0.797884583 : f32
  %rows = tensor.empty() : tensor<6xf32>
  %full = tensor.empty() : tensor<6x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%rows : tensor<6xf32>) -> tensor<6xf32>

  %square_sum = linalg.generic {
      indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x48xf32>) outs(%init : tensor<6xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %square = arith.mulf %a, %a : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<6xf32>
  %normal = linalg.generic {
      indexing_maps = [#full, #row, #column, #full],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %square_sum, %gain : tensor<6x48xf32>, tensor<6xf32>, tensor<48xf32>)
      outs(%full : tensor<6x48xf32>) {
  ^bb0(%a: f32, %s: f32, %g: f32, %out: f32):
    %mean = arith.divf %s, %count : f32
    %positive = arith.addf %mean, %epsilon : f32
    %root = math.sqrt %positive : f32
    %quotient = arith.divf %a, %root : f32
    %scaled = arith.mulf %quotient, %g : f32
    linalg.yield %scaled : f32
  } -> tensor<6x48xf32>
  %inner = linalg.generic {
      indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%normal : tensor<6x48xf32>) outs(%full : tensor<6x48xf32>) {
  ^bb0(%a: f32, %out: f32):
    %a2 = arith.mulf %a, %a : f32
    %a3 = arith.mulf %a2, %a : f32
    %c = arith.mulf %a3, %cubic : f32
    %sum = arith.addf %a, %c : f32
    %scaled = arith.mulf %sum, %slope : f32
    linalg.yield %scaled : f32
  } -> tensor<6x48xf32>
  %tanh = linalg.tanh ins(%inner : tensor<6x48xf32>)
    outs(%full : tensor<6x48xf32>) -> tensor<6x48xf32>
  %y = linalg.generic {
      indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%normal, %tanh : tensor<6x48xf32>, tensor<6x48xf32>)
      outs(%full : tensor<6x48xf32>) {
  ^bb0(%a: f32, %t: f32, %out: f32):
    %up = arith.addf %t, %one : f32
    %halved = arith.mulf %up, %half : f32
    %gelu = arith.mulf %a, %halved : f32
    linalg.yield %gelu : f32
  } -> tensor<6x48xf32>
  return %y : tensor<6x48xf32>
}

// Element (i, j) is ((21 i + 25 j) mod 64) / 16 - 2.
func.func private @input() -> tensor<6x48xf32> {
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
  } : tensor<6x48xf32>
  return %x : tensor<6x48xf32>
}

// Element i is ((9 i) mod 64) / 16 - 2.
func.func private @gain() -> tensor<48xf32> {
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
  } : tensor<48xf32>
  return %x : tensor<48xf32>
}

func.func @main() {
  %in0 = call @input() : () -> tensor<6x48xf32>
  %in1 = call @gain() : () -> tensor<48xf32>
  %out = call @rms_norm_gelu(%in0, %in1) : (tensor<6x48xf32>, tensor<48xf32>) -> tensor<6x48xf32>
  %print0 = tensor.cast %out : tensor<6x48xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
