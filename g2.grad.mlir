module {
  func.func private @f(%arg0: tensor<16x64x56x56xf32>, %arg1: tensor<128x64x3x3xf32>) -> tensor<16x128x28x28xf32> {
    %0 = pop.conv %arg0, %arg1 {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<16x64x56x56xf32>, tensor<128x64x3x3xf32>) -> tensor<16x128x28x28xf32>
    return %0 : tensor<16x128x28x28xf32>
  }
  func.func private @f_backward(%arg0: tensor<16x128x28x28xf32> {pop.gradient_of = #pop.graph_value<result 0>}, %arg1: tensor<16x64x56x56xf32> {pop.forward_value = #pop.graph_value<argument 0>}) -> (tensor<128x64x3x3xf32> {pop.gradient_of = #pop.graph_value<argument 1>}) {
    %0 = pop.reshape %arg1 : tensor<16x64x56x56xf32> to tensor<16x1x64x56x56xf32>
    %1 = pop.transpose %0 {permutation = array<i64: 2, 1, 0, 3, 4>} : tensor<16x1x64x56x56xf32> -> tensor<64x1x16x56x56xf32>
    %2 = pop.reshape %1 : tensor<64x1x16x56x56xf32> to tensor<64x16x56x56xf32>
    %3 = pop.transpose %arg0 {permutation = array<i64: 1, 0, 2, 3>} : tensor<16x128x28x28xf32> -> tensor<128x16x28x28xf32>
    %4 = pop.conv %2, %3 {dilations = array<i64: 2, 2>, pads = array<i64: 1, 1, 0, 0>} : (tensor<64x16x56x56xf32>, tensor<128x16x28x28xf32>) -> tensor<64x128x3x3xf32>
    %5 = pop.transpose %4 {permutation = array<i64: 1, 0, 2, 3>} : tensor<64x128x3x3xf32> -> tensor<128x64x3x3xf32>
    return %5 : tensor<128x64x3x3xf32>
  }
  func.func @main(%arg0: tensor<16x128x28x28xf32>, %arg1: tensor<16x64x56x56xf32>) -> tensor<128x64x3x3xf32> {
    %0 = call @f_backward(%arg0, %arg1) : (tensor<16x128x28x28xf32>, tensor<16x64x56x56xf32>) -> tensor<128x64x3x3xf32>
    return %0 : tensor<128x64x3x3xf32>
  }
}

