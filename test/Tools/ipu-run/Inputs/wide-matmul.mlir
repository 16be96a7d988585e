func.func @main(%a: tensor<64x3072xf32>, %b: tensor<3072x16xf32>) -> tensor<64x16xf32> {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<64x3072xf32>, tensor<3072x16xf32>) -> tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
}
