func.func @main(%x: tensor<16x1x1048576xf32>, %y: tensor<16x1048576x1xf32>) -> tensor<16x1x1xf32> {
  %0 = pop.matmul %x, %y {accum = #pop.accum<chain>} : (tensor<16x1x1048576xf32>, tensor<16x1048576x1xf32>) -> tensor<16x1x1xf32>
  return %0 : tensor<16x1x1xf32>
}
