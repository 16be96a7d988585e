// Layer normalisation of rows, with a gain and an offset for each column.
//
// This is plain linalg, which needs no passes of this project. @main creates
// inputs, calls the function and prints its results.

#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#full = affine_map<(i, j) -> (i, j)>

func.func @layer_norm(%x: tensor<9x50xf32>, %gain: tensor<50xf32>, %offset: tensor<50xf32>)
    -> tensor<9x50xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 50.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %rows = tensor.empty() : tensor<9xf32>
  %full = tensor.empty() : tensor<9x50xf32>
  %init = linalg.fill ins(%zero : f32) outs(%rows : tensor<9xf32>) -> tensor<9xf32>

  %sum = linalg.reduce { arith.addf } ins(%x : tensor<9x50xf32>)
    outs(%init : tensor<9xf32>) dimensions = [1]
  %centered = linalg.generic {
      indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<9x50xf32>, tensor<9xf32>) outs(%full : tensor<9x50xf32>) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %a, %mean : f32
    linalg.yield %d : f32
  } -> tensor<9x50xf32>
  %squares = linalg.square ins(%centered : tensor<9x50xf32>)
    outs(%full : tensor<9x50xf32>) -> tensor<9x50xf32>
  %square_sum = linalg.reduce { arith.addf } ins(%squares : tensor<9x50xf32>)
    outs(%init : tensor<9xf32>) dimensions = [1]
  %scale = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%square_sum : tensor<9xf32>) outs(%rows : tensor<9xf32>) {
  ^bb0(%s: f32, %out: f32):
    %variance = arith.divf %s, %count : f32
    %positive = arith.addf %variance, %epsilon : f32
    %root = math.sqrt %positive : f32
    %one = arith.constant 1.0 : f32
    %inverse = arith.divf %one, %root : f32
    linalg.yield %inverse : f32
  } -> tensor<9xf32>
  %y = linalg.generic {
      indexing_maps = [#full, #row, #column, #column, #full],
      iterator_types = ["parallel", "parallel"]}
      ins(%centered, %scale, %gain, %offset
        : tensor<9x50xf32>, tensor<9xf32>, tensor<50xf32>, tensor<50xf32>)
      outs(%full : tensor<9x50xf32>) {
  ^bb0(%d: f32, %s: f32, %g: f32, %o: f32, %out: f32):
    %normal = arith.mulf %d, %s : f32
    %scaled = arith.mulf %normal, %g : f32
    %moved = arith.addf %scaled, %o : f32
    linalg.yield %moved : f32
  } -> tensor<9x50xf32>
  return %y : tensor<9x50xf32>
}

// Element (i, j) is ((29 i + 13 j) mod 64) / 16 - 2.
func.func private @input() -> tensor<9x50xf32> {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ci = arith.constant 29 : index
    %cj = arith.constant 13 : index
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
  } : tensor<9x50xf32>
  return %x : tensor<9x50xf32>
}

// Element i is ((7 i) mod 64) / 16 - 2.
func.func private @gain() -> tensor<50xf32> {
  %x = tensor.generate {
  ^bb0(%i: index):
    %ci = arith.constant 7 : index
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
  } : tensor<50xf32>
  return %x : tensor<50xf32>
}

// Element i is ((5 i) mod 64) / 16 - 2.
func.func private @offset() -> tensor<50xf32> {
  %x = tensor.generate {
  ^bb0(%i: index):
    %ci = arith.constant 5 : index
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
  } : tensor<50xf32>
  return %x : tensor<50xf32>
}

func.func @main() {
  %in0 = call @input() : () -> tensor<9x50xf32>
  %in1 = call @gain() : () -> tensor<50xf32>
  %in2 = call @offset() : () -> tensor<50xf32>
  %out = call @layer_norm(%in0, %in1, %in2) : (tensor<9x50xf32>, tensor<50xf32>, tensor<50xf32>) -> tensor<9x50xf32>
  %print0 = tensor.cast %out : tensor<9x50xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
