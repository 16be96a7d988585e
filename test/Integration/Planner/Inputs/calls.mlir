// Calls in a loop and after it, and of one function by another one. A loop of 5 rounds
// takes 30 cycles, which are no part of a plan.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  func.func private @inner(%x: tensor<32x48xf32>, %w: tensor<48x48xf32>) -> tensor<32x48xf32> attributes {no_inline} {
    %0 = pop.matmul %x, %w : (tensor<32x48xf32>, tensor<48x48xf32>) -> tensor<32x48xf32>
    return %0 : tensor<32x48xf32>
  }
  func.func private @outer(%x: tensor<32x48xf32>, %w: tensor<48x48xf32>) -> tensor<32x48xf32> attributes {no_inline} {
    %0 = call @inner(%x, %w) : (tensor<32x48xf32>, tensor<48x48xf32>) -> tensor<32x48xf32>
    %1 = pop.tanh %0 : tensor<32x48xf32>
    return %1 : tensor<32x48xf32>
  }
  func.func @main(%x: tensor<32x48xf32>, %w: tensor<48x48xf32>) -> tensor<32x48xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %v = pop.constant dense<0.5> : tensor<48x48xf32>
    %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> tensor<32x48xf32> {
      %1 = func.call @outer(%a, %w) : (tensor<32x48xf32>, tensor<48x48xf32>) -> tensor<32x48xf32>
      scf.yield %1 : tensor<32x48xf32>
    }
    %2 = call @outer(%0, %v) : (tensor<32x48xf32>, tensor<48x48xf32>) -> tensor<32x48xf32>
    %3 = call @inner(%2, %w) : (tensor<32x48xf32>, tensor<48x48xf32>) -> tensor<32x48xf32>
    return %3 : tensor<32x48xf32>
  }
}
