// A weight that ops read through a transposition is stored in the order of these
// ops. The transposition then takes no time and no memory.
//
// RUN: %python %S/Inputs/compare-costs.py ipu-opt %s

// expect: transposed_argument <= argument
// expect: transposed_variable <= variable
// expect: transposed_elementwise < 1.05 * elementwise

// program: argument
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%x: tensor<1x8192xf16>, %w: tensor<8192x4096xf16>) -> tensor<1x4096xf16> {
    %0 = pop.matmul %x, %w : (tensor<1x8192xf16>, tensor<8192x4096xf16>) -> tensor<1x4096xf16>
    return %0 : tensor<1x4096xf16>
  }
}

// -----
// program: transposed_argument
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%x: tensor<1x8192xf16>, %w: tensor<4096x8192xf16>) -> tensor<1x4096xf16> {
    %t = pop.transpose %w {permutation = array<i64: 1, 0>} : tensor<4096x8192xf16> -> tensor<8192x4096xf16>
    %0 = pop.matmul %x, %t : (tensor<1x8192xf16>, tensor<8192x4096xf16>) -> tensor<1x4096xf16>
    return %0 : tensor<1x4096xf16>
  }
}

// -----
// program: variable
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @v : tensor<1024x1000xf32> = dense<0.5> : tensor<1024x1000xf32>
  func.func @main(%x: tensor<16x1024xf32>) -> tensor<16x1000xf32> {
    %r = pop.get_variable @v : !pop.ref<1024x1000xf32>
    %w = pop.read %r : !pop.ref<1024x1000xf32>
    %0 = pop.matmul %x, %w : (tensor<16x1024xf32>, tensor<1024x1000xf32>) -> tensor<16x1000xf32>
    return %0 : tensor<16x1000xf32>
  }
}

// -----
// program: transposed_variable
module attributes {ipu.target = #ipu.target<"c600">} {
  pop.variable @v : tensor<1000x1024xf32> = dense<0.5> : tensor<1000x1024xf32>
  func.func @main(%x: tensor<16x1024xf32>) -> tensor<16x1000xf32> {
    %r = pop.get_variable @v : !pop.ref<1000x1024xf32>
    %w = pop.read %r : !pop.ref<1000x1024xf32>
    %t = pop.transpose %w {permutation = array<i64: 1, 0>} : tensor<1000x1024xf32> -> tensor<1024x1000xf32>
    %0 = pop.matmul %x, %t : (tensor<16x1024xf32>, tensor<1024x1000xf32>) -> tensor<16x1000xf32>
    return %0 : tensor<16x1000xf32>
  }
}

// -----
// program: elementwise
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%x: tensor<1000x1024xf32>, %w: tensor<1000x1024xf32>) -> tensor<1000x1024xf32> {
    %0 = pop.mul %x, %w : tensor<1000x1024xf32>
    return %0 : tensor<1000x1024xf32>
  }
}

// -----
// program: transposed_elementwise
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%x: tensor<1000x1024xf32>, %w: tensor<1024x1000xf32>) -> tensor<1000x1024xf32> {
    %t = pop.transpose %w {permutation = array<i64: 1, 0>} : tensor<1024x1000xf32> -> tensor<1000x1024xf32>
    %0 = pop.mul %x, %t : tensor<1000x1024xf32>
    return %0 : tensor<1000x1024xf32>
  }
}
