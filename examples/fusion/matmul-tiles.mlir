// A matrix product of copied operands. The schedule matmul-tiles.schedule.mlir
// splits the copies into tiles that stay in the cache.
//
// This is plain linalg, which needs no passes of this project. @main creates
// inputs, calls the function and prints its results.

func.func @matmul(%a: tensor<48x40xf32>, %b: tensor<40x72xf32>) -> tensor<48x72xf32> {
  %zero = arith.constant 0.0 : f32
  %a_empty = tensor.empty() : tensor<48x40xf32>
  %b_empty = tensor.empty() : tensor<40x72xf32>
  %c_empty = tensor.empty() : tensor<48x72xf32>
  %a_tile = linalg.copy {fuse.name = "A"} ins(%a : tensor<48x40xf32>)
    outs(%a_empty : tensor<48x40xf32>) -> tensor<48x40xf32>
  %b_tile = linalg.copy {fuse.name = "B"} ins(%b : tensor<40x72xf32>)
    outs(%b_empty : tensor<40x72xf32>) -> tensor<40x72xf32>
  %init = linalg.fill ins(%zero : f32) outs(%c_empty : tensor<48x72xf32>) -> tensor<48x72xf32>
  %c = linalg.matmul {fuse.name = "C"}
    ins(%a_tile, %b_tile : tensor<48x40xf32>, tensor<40x72xf32>)
    outs(%init : tensor<48x72xf32>) -> tensor<48x72xf32>
  %d = linalg.negf {fuse.name = "D"} ins(%c : tensor<48x72xf32>)
    outs(%c_empty : tensor<48x72xf32>) -> tensor<48x72xf32>
  return %d : tensor<48x72xf32>
}

// Element (i, j) is ((31 i + 17 j) mod 64) / 16 - 2.
func.func private @left() -> tensor<48x40xf32> {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ci = arith.constant 31 : index
    %cj = arith.constant 17 : index
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
  } : tensor<48x40xf32>
  return %x : tensor<48x40xf32>
}

// Element (i, j) is ((13 i + 45 j) mod 64) / 16 - 2.
func.func private @right() -> tensor<40x72xf32> {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ci = arith.constant 13 : index
    %cj = arith.constant 45 : index
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
  } : tensor<40x72xf32>
  return %x : tensor<40x72xf32>
}

func.func @main() {
  %in0 = call @left() : () -> tensor<48x40xf32>
  %in1 = call @right() : () -> tensor<40x72xf32>
  %out = call @matmul(%in0, %in1) : (tensor<48x40xf32>, tensor<40x72xf32>) -> tensor<48x72xf32>
  %print0 = tensor.cast %out : tensor<48x72xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
