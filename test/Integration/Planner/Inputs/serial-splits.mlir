module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  func.func private @conv(%x: tensor<4x32x12x12xf16>, %w: tensor<64x32x3x3xf16>) -> tensor<4x64x12x12xf16> {
    %0 = pop.conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<4x32x12x12xf16>, tensor<64x32x3x3xf16>) -> tensor<4x64x12x12xf16>
    return %0 : tensor<4x64x12x12xf16>
  }
  // Made by pop-autodiff.
  func.func private @conv_backward(tensor<4x64x12x12xf16>, tensor<4x32x12x12xf16>, tensor<64x32x3x3xf16>) -> (tensor<4x32x12x12xf16>, tensor<64x32x3x3xf16>)

  func.func @main(%a: tensor<96x256xf16> {pop.name = "a"}, %b: tensor<256x160xf16> {pop.name = "b"},
                  %c: tensor<3x41x70xf32> {pop.name = "c"}, %d: tensor<3x70x48xf32> {pop.name = "d"},
                  %x: tensor<4x32x12x12xf16> {pop.name = "x"}, %w: tensor<64x32x3x3xf16> {pop.name = "w"},
                  %dy: tensor<4x64x12x12xf16> {pop.name = "dy"})
      -> (tensor<96x160xf16> {pop.name = "matmul"}, tensor<3x41x48xf32> {pop.name = "batched"},
          tensor<4x64x12x12xf16> {pop.name = "y"}, tensor<4x32x12x12xf16> {pop.name = "dx"},
          tensor<64x32x3x3xf16> {pop.name = "dw"}, tensor<96xf32> {pop.name = "sum"}, tensor<96x160xf16> {pop.name = "looped"}) {
    %0 = pop.matmul %a, %b : (tensor<96x256xf16>, tensor<256x160xf16>) -> tensor<96x160xf16>
    %1 = pop.matmul %c, %d : (tensor<3x41x70xf32>, tensor<3x70x48xf32>) -> tensor<3x41x48xf32>
    %2 = call @conv(%x, %w) : (tensor<4x32x12x12xf16>, tensor<64x32x3x3xf16>) -> tensor<4x64x12x12xf16>
    %3:2 = call @conv_backward(%dy, %x, %w) : (tensor<4x64x12x12xf16>, tensor<4x32x12x12xf16>, tensor<64x32x3x3xf16>) -> (tensor<4x32x12x12xf16>, tensor<64x32x3x3xf16>)
    // The rows of what the parts of the first matmul give.
    %4 = pop.matmul %a, %b : (tensor<96x256xf16>, tensor<256x160xf16>) -> tensor<96x160xf32>
    %5 = pop.reduce sum %4 {axes = array<i64: 1>} : tensor<96x160xf32> -> tensor<96xf32>
    // In a loop whose body reads what it wrote.
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %bt = pop.transpose %b {permutation = array<i64: 1, 0>} : tensor<256x160xf16> -> tensor<160x256xf16>
    %6 = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %0) -> tensor<96x160xf16> {
      %7 = pop.matmul %y, %bt : (tensor<96x160xf16>, tensor<160x256xf16>) -> tensor<96x256xf16>
      %8 = pop.tanh %7 : tensor<96x256xf16>
      %9 = pop.matmul %8, %b : (tensor<96x256xf16>, tensor<256x160xf16>) -> tensor<96x160xf16>
      scf.yield %9 : tensor<96x160xf16>
    }
    return %0, %1, %2, %3#0, %3#1, %5, %6 : tensor<96x160xf16>, tensor<3x41x48xf32>, tensor<4x64x12x12xf16>,
        tensor<4x32x12x12xf16>, tensor<64x32x3x3xf16>, tensor<96xf32>, tensor<96x160xf16>
  }
}
