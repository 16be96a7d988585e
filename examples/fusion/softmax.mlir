// Softmax of rows, as a single op.
//
// This is plain linalg, which needs no passes of this project. @main creates
// inputs, calls the function and prints its results.

func.func @softmax(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %empty = tensor.empty() : tensor<7x37xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<7x37xf32>)
    outs(%empty : tensor<7x37xf32>) -> tensor<7x37xf32>
  return %y : tensor<7x37xf32>
}

// Element (i, j) is ((37 i + 11 j) mod 64) / 16 - 2.
func.func private @input() -> tensor<7x37xf32> {
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
  } : tensor<7x37xf32>
  return %x : tensor<7x37xf32>
}

func.func @main() {
  %in0 = call @input() : () -> tensor<7x37xf32>
  %out = call @softmax(%in0) : (tensor<7x37xf32>) -> tensor<7x37xf32>
  %print0 = tensor.cast %out : tensor<7x37xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
