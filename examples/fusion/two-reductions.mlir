// Two reductions of one producer, and an op that reads both: one loop over rows.
//
// This is plain linalg, which needs no passes of this project. @main creates
// inputs, calls the function and prints its results.

func.func @two_reductions(%x: tensor<8x33xf32>) -> tensor<8xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %highest = arith.constant 0x7F800000 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %full = tensor.empty() : tensor<8x33xf32>
  %max_init = linalg.fill ins(%lowest : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %min_init = linalg.fill ins(%highest : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>

  %exp = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x33xf32>)
    outs(%full : tensor<8x33xf32>) -> tensor<8x33xf32>
  %max = linalg.reduce { arith.maximumf } ins(%exp : tensor<8x33xf32>)
    outs(%max_init : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
  %min = linalg.reduce { arith.minimumf } ins(%exp : tensor<8x33xf32>)
    outs(%min_init : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
  %y = linalg.add {fuse.name = "T4"} ins(%max, %min : tensor<8xf32>, tensor<8xf32>)
    outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Element (i, j) is ((23 i + 15 j) mod 64) / 16 - 2.
func.func private @input() -> tensor<8x33xf32> {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ci = arith.constant 23 : index
    %cj = arith.constant 15 : index
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
  } : tensor<8x33xf32>
  return %x : tensor<8x33xf32>
}

func.func @main() {
  %in0 = call @input() : () -> tensor<8x33xf32>
  %out = call @two_reductions(%in0) : (tensor<8x33xf32>) -> tensor<8xf32>
  %print0 = tensor.cast %out : tensor<8xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
