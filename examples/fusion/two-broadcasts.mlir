// Two broadcasts of one producer, and an op that reads both: one loop over rows.
//
// This is plain linalg, which needs no passes of this project. @main creates
// inputs, calls the function and prints its results.

func.func @two_broadcasts(%x: tensor<8xf32>, %z: tensor<8x33xf32>) -> tensor<8x33xf32> {
  %rows = tensor.empty() : tensor<8xf32>
  %full = tensor.empty() : tensor<8x33xf32>
  %exp = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8xf32>)
    outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %left = linalg.broadcast ins(%exp : tensor<8xf32>)
    outs(%full : tensor<8x33xf32>) dimensions = [1] {fuse.name = "T2"}
  %right = linalg.broadcast ins(%exp : tensor<8xf32>)
    outs(%full : tensor<8x33xf32>) dimensions = [1] {fuse.name = "T3"}
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                       affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%left, %right, %z : tensor<8x33xf32>, tensor<8x33xf32>, tensor<8x33xf32>)
      outs(%full : tensor<8x33xf32>) attrs = {fuse.name = "T4"} {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %ab = arith.addf %a, %b : f32
    %abc = arith.addf %ab, %c : f32
    linalg.yield %abc : f32
  } -> tensor<8x33xf32>
  return %y : tensor<8x33xf32>
}

// Element i is ((23 i) mod 64) / 16 - 2.
func.func private @input() -> tensor<8xf32> {
  %x = tensor.generate {
  ^bb0(%i: index):
    %ci = arith.constant 23 : index
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
  } : tensor<8xf32>
  return %x : tensor<8xf32>
}

// Element (i, j) is ((19 i + 3 j) mod 64) / 16 - 2.
func.func private @other() -> tensor<8x33xf32> {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ci = arith.constant 19 : index
    %cj = arith.constant 3 : index
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
  %in0 = call @input() : () -> tensor<8xf32>
  %in1 = call @other() : () -> tensor<8x33xf32>
  %out = call @two_broadcasts(%in0, %in1) : (tensor<8xf32>, tensor<8x33xf32>) -> tensor<8x33xf32>
  %print0 = tensor.cast %out : tensor<8x33xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
