// Rows of odd length move as fast as rows of even length, and sums over images
// stay where a convolution computes its results.
//
// RUN: %python %S/Inputs/compare-costs.py ipu-opt %s

// The unit multiplies one more block for the last element of a row of 65.
// expect: product_64 < product_65 < 1.15 * product_64

// Mean and variance take less time than the convolution. If their sums moved all
// elements, the program would take more than 2.6 times as long.
// expect: moments < 1.65 * convolution

// program: product_64
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%x: tensor<1024x64xf16>, %w: tensor<64x1024xf16>) -> tensor<1024x1024xf16> {
    %0 = pop.matmul %x, %w : (tensor<1024x64xf16>, tensor<64x1024xf16>) -> tensor<1024x1024xf16>
    return %0 : tensor<1024x1024xf16>
  }
}

// -----
// program: product_65
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%x: tensor<1024x65xf16>, %w: tensor<65x1024xf16>) -> tensor<1024x1024xf16> {
    %0 = pop.matmul %x, %w : (tensor<1024x65xf16>, tensor<65x1024xf16>) -> tensor<1024x1024xf16>
    return %0 : tensor<1024x1024xf16>
  }
}

// -----
// program: convolution
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%x: tensor<20x256x56x56xf16>) -> tensor<20x256x56x56xf16> {
    %w = pop.constant dense<0.0009765625> : tensor<256x256x1x1xf16>
    %0 = pop.conv %x, %w {pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<20x256x56x56xf16>, tensor<256x256x1x1xf16>) -> tensor<20x256x56x56xf16>
    return %0 : tensor<20x256x56x56xf16>
  }
}

// -----
// program: moments
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%x: tensor<20x256x56x56xf16>) -> (tensor<20x256x56x56xf16>, tensor<1x256x1x1xf16>, tensor<256xf16>) {
    %w = pop.constant dense<0.0009765625> : tensor<256x256x1x1xf16>
    %0 = pop.conv %x, %w {pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<20x256x56x56xf16>, tensor<256x256x1x1xf16>) -> tensor<20x256x56x56xf16>
    %m = pop.reduce mean %0 {axes = array<i64: 0, 2, 3>, keep_dims} : tensor<20x256x56x56xf16> -> tensor<1x256x1x1xf16>
    %d = pop.sub %0, %m : (tensor<20x256x56x56xf16>, tensor<1x256x1x1xf16>) -> tensor<20x256x56x56xf16>
    %s = pop.mul %d, %d : (tensor<20x256x56x56xf16>, tensor<20x256x56x56xf16>) -> tensor<20x256x56x56xf16>
    %v = pop.reduce mean %s {axes = array<i64: 0, 2, 3>} : tensor<20x256x56x56xf16> -> tensor<256xf16>
    return %0, %m, %v : tensor<20x256x56x56xf16>, tensor<1x256x1x1xf16>, tensor<256xf16>
  }
}
