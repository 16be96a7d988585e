// Elementwise ops on values worked out by hand.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  // Inputs count 0, 1, 2, ...: what is computed from them is not folded.
  func.func @main(%x_n: tensor<2x3xi32> {pop.name = "x"}, %h_n: tensor<4xi32> {pop.name = "h"}, %i: tensor<4xi8> {pop.name = "i"}) {
    %x = pop.cast %x_n : tensor<2x3xi32> to tensor<2x3xf32>
    %h = pop.cast %h_n : tensor<4xi32> to tensor<4xf16>
    %two = pop.constant dense<2.0> : tensor<f32>
    %row = pop.constant dense<[1.0, -0.5, 4.0]> : tensor<3xf32>
    %sum = pop.add %x, %row : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    pop.expect_eq %sum, dense<[[1.0, 0.5, 6.0], [4.0, 3.5, 9.0]]> : tensor<2x3xf32>
    %quotient = pop.div %row, %x : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    // 1 / 0 is infinite; 1 / 3 is rounded.
    pop.expect_eq %quotient, dense<[[0x7F800000, -0.5, 2.0], [0x3EAAAAAB, -0.125, 0.8]]> : tensor<2x3xf32>
    %half = pop.div %x, %two : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    // Ties go to the even number.
    %round = pop.round %half : tensor<2x3xf32>
    pop.expect_eq %round, dense<[[0.0, 0.0, 1.0], [2.0, 2.0, 2.0]]> : tensor<2x3xf32>
    %column = pop.constant dense<[[2.5], [0.0]]> : tensor<2x1xf32>
    %less = pop.less %x, %column : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xi1>
    pop.expect_eq %less, dense<[[true, true, true], [false, false, false]]> : tensor<2x3xi1>
    %choice = pop.select %less, %x, %two : tensor<2x3xi1>, tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
    pop.expect_eq %choice, dense<[[0.0, 1.0, 2.0], [2.0, 2.0, 2.0]]> : tensor<2x3xf32>

    // Half precision: 1 + 2^-11 is a tie, 3 + 2^-11 is below one.
    %tiny = pop.constant dense<4.8828125e-4> : tensor<f16>
    %near = pop.add %h, %tiny : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
    pop.expect_eq %near, dense<[4.8828125e-4, 1.0, 2.0, 3.0]> : tensor<4xf16>

    // A sum is rounded once: 2048 + 1 + 1 is 2050, but 2048 + 1 is 2048.
    %large = pop.constant dense<2048.0> : tensor<f16>
    %one = pop.constant dense<1.0> : tensor<f16>
    %h1 = pop.min %h, %one : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
    %once = pop.sum %large, %h1, %h1 : (tensor<f16>, tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    pop.expect_eq %once, dense<[2048.0, 2050.0, 2050.0, 2050.0]> : tensor<4xf16>
    %first = pop.add %large, %h1 : (tensor<f16>, tensor<4xf16>) -> tensor<4xf16>
    %twice = pop.add %first, %h1 : tensor<4xf16>
    pop.expect_eq %twice, dense<2048.0> : tensor<4xf16>
    // Operands are added in their order: (2^24 + x) + 1, or (1 + x) + 2^24.
    %whole = pop.constant dense<16777216.0> : tensor<f32>
    %unit = pop.constant dense<1.0> : tensor<f32>
    %x1 = pop.min %x, %unit : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %down = pop.sum %whole, %x1, %unit : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    pop.expect_eq %down, dense<16777216.0> : tensor<2x3xf32>
    %up = pop.sum %unit, %x1, %whole : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    pop.expect_eq %up, dense<[[16777216.0, 16777218.0, 16777218.0], [16777218.0, 16777218.0, 16777218.0]]> : tensor<2x3xf32>
    %all = pop.sum %x, %row, %two, %x : (tensor<2x3xf32>, tensor<3xf32>, tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    pop.expect_eq %all, dense<[[3.0, 3.5, 10.0], [9.0, 9.5, 16.0]]> : tensor<2x3xf32>

    // Integers wrap: 3 * 100 = 300 = 44 + 256; a quotient by zero is -1.
    %hundred = pop.constant dense<100> : tensor<i8>
    %product = pop.mul %i, %hundred : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
    pop.expect_eq %product, dense<[0, 100, -56, 44]> : tensor<4xi8>
    %by = pop.div %hundred, %i : (tensor<i8>, tensor<4xi8>) -> tensor<4xi8>
    pop.expect_eq %by, dense<[-1, 100, 50, 33]> : tensor<4xi8>
    return
  }
}

// -----

// Functions, to what f32 holds and at the ends of their ranges.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x_n: tensor<8xi32> {pop.name = "x"}) {
    %x = pop.cast %x_n : tensor<8xi32> to tensor<8xf32>
    // -100, -90, -1, 0, 1, 50, 100, NaN
    %table = pop.constant dense<[-100.0, -91.0, -3.0, -3.0, -3.0, 45.0, 94.0, 0x7FC00000]> : tensor<8xf32>
    %y = pop.add %x, %table : tensor<8xf32>
    %exp = pop.exp %y : tensor<8xf32>
    // The first two are denormal.
    pop.expect_close %exp, dense<[3.78e-44, 8.194e-40, 0.36787944, 1.0, 2.7182818, 5.1847055e+21, 0x7F800000, 0x7FC00000]> : tensor<8xf32> {atol = 1.0e-43 : f64, rtol = 1.0e-7 : f64}
    %log = pop.log %y : tensor<8xf32>
    pop.expect_close %log, dense<[0x7FC00000, 0x7FC00000, 0x7FC00000, 0xFF800000, 0.0, 3.9120230, 4.6051702, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %tanh = pop.tanh %y : tensor<8xf32>
    pop.expect_close %tanh, dense<[-1.0, -1.0, -0.76159416, 0.0, 0.76159416, 1.0, 1.0, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %sigmoid = pop.sigmoid %y : tensor<8xf32>
    pop.expect_close %sigmoid, dense<[3.78e-44, 8.194e-40, 0.26894142, 0.5, 0.73105858, 1.0, 1.0, 0x7FC00000]> : tensor<8xf32> {atol = 1.0e-43 : f64, rtol = 2.0e-7 : f64}
    %erf = pop.erf %y : tensor<8xf32>
    pop.expect_close %erf, dense<[-1.0, -1.0, -0.84270079, 0.0, 0.84270079, 1.0, 1.0, 0x7FC00000]> : tensor<8xf32> {rtol = 5.0e-7 : f64}
    %sin = pop.sin %y : tensor<8xf32>
    pop.expect_close %sin, dense<[0.50636564, -0.89399666, -0.84147098, 0.0, 0.84147098, -0.26237485, -0.50636564, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %cos = pop.cos %y : tensor<8xf32>
    pop.expect_close %cos, dense<[0.86231887, -0.44807362, 0.54030231, 1.0, 0.54030231, 0.96496603, 0.86231887, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %expm1 = pop.expm1 %y : tensor<8xf32>
    pop.expect_close %expm1, dense<[-1.0, -1.0, -0.632120559, 0.0, 1.71828183, 5.18470553e+21, 0x7F800000, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %log1p = pop.log1p %y : tensor<8xf32>
    pop.expect_close %log1p, dense<[0x7FC00000, 0x7FC00000, 0xFF800000, 0.0, 0.693147181, 3.93182563, 4.61512052, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %gaussian = pop.gaussian %y : tensor<8xf32>
    pop.expect_close %gaussian, dense<[0.0, 0.0, 0.367879441, 1.0, 0.367879441, 0.0, 0.0, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %sinh = pop.sinh %y : tensor<8xf32>
    pop.expect_close %sinh, dense<[0xFF800000, 0xFF800000, -1.17520119, 0.0, 1.17520119, 2.59235276e+21, 0x7F800000, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %cosh = pop.cosh %y : tensor<8xf32>
    pop.expect_close %cosh, dense<[0x7F800000, 0x7F800000, 1.54308063, 1.0, 1.54308063, 2.59235276e+21, 0x7F800000, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %asinh = pop.asinh %y : tensor<8xf32>
    pop.expect_close %asinh, dense<[-5.29834237, -5.19298771, -0.881373587, 0.0, 0.881373587, 4.60527017, 5.29834237, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %acosh = pop.acosh %y : tensor<8xf32>
    pop.expect_close %acosh, dense<[0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0.0, 4.60507017, 5.29829237, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %atanh = pop.atanh %y : tensor<8xf32>
    pop.expect_close %atanh, dense<[0x7FC00000, 0x7FC00000, 0xFF800000, 0.0, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %asin = pop.asin %y : tensor<8xf32>
    pop.expect_close %asin, dense<[0x7FC00000, 0x7FC00000, -1.57079633, 0.0, 1.57079633, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %acos = pop.acos %y : tensor<8xf32>
    pop.expect_close %acos, dense<[0x7FC00000, 0x7FC00000, 3.14159265, 1.57079633, 0.0, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %atan = pop.atan %y : tensor<8xf32>
    pop.expect_close %atan, dense<[-1.56079666, -1.55968567, -0.785398163, 0.0, 0.785398163, 1.55079899, 1.56079666, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %gelu = pop.gelu %y : tensor<8xf32>
    pop.expect_close %gelu, dense<[-0.0, -0.0, -0.158655254, 0.0, 0.841344746, 50.0, 100.0, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %gelu_slope = pop.gelu_slope %y : tensor<8xf32>
    pop.expect_close %gelu_slope, dense<[-0.0, -0.0, -0.0833154706, 0.5, 1.08331547, 1.0, 1.0, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %tanh_gelu = pop.gelu %y {approximate} : tensor<8xf32>
    pop.expect_close %tanh_gelu, dense<[-0.0, -0.0, -0.158808009, 0.0, 0.841191991, 50.0, 100.0, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    %tanh_gelu_slope = pop.gelu_slope %y {approximate} : tensor<8xf32>
    pop.expect_close %tanh_gelu_slope, dense<[-0.0, -0.0, -0.0829640838, 0.5, 1.08296408, 1.0, 1.0, 0x7FC00000]> : tensor<8xf32> {rtol = 1.0e-7 : f64}
    return
  }
}

// -----

// The angle of a point is in the quadrant of the point. Zeros have signs.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main() {
    %y = pop.constant dense<[0.0, -0.0, 0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, -3.0, 0x7FC00000]> : tensor<9xf32>
    %x = pop.constant dense<[1.0, -1.0, -0.0, 0.0, -1.0, 0x7F800000, 0xFF800000, 4.0, 1.0]> : tensor<9xf32>
    %angle = pop.atan2 %y, %x : tensor<9xf32>
    pop.expect_close %angle, dense<[0.0, -3.14159265, 3.14159265, 1.57079633, -2.35619449, 0.785398163, -2.35619449, -0.643501109, 0x7FC00000]> : tensor<9xf32> {rtol = 1.0e-7 : f64}
    return
  }
}

// -----

// Counts outside of the width leave zeros, or copies of the highest bit.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main() {
    %a = pop.constant dense<[1, -128, -1, 127, -2, 3]> : tensor<6xi8>
    %count = pop.constant dense<[7, 1, 8, -1, 0, 2]> : tensor<6xi8>
    %left = pop.shift_left %a, %count : tensor<6xi8>
    pop.expect_eq %left, dense<[-128, 0, 0, 0, -2, 12]> : tensor<6xi8>
    %logical = pop.shift_right_logical %a, %count : tensor<6xi8>
    pop.expect_eq %logical, dense<[0, 64, 0, 0, -2, 0]> : tensor<6xi8>
    %arithmetic = pop.shift_right_arithmetic %a, %count : tensor<6xi8>
    pop.expect_eq %arithmetic, dense<[0, -64, -1, 0, -2, 0]> : tensor<6xi8>
    %u = pop.constant dense<[1, 128, 255, 127, 254, 3]> : tensor<6xui8>
    %unsigned = pop.constant dense<[7, 1, 8, 255, 0, 2]> : tensor<6xui8>
    %highest = pop.shift_right_arithmetic %u, %unsigned : tensor<6xui8>
    pop.expect_eq %highest, dense<[0, 192, 255, 0, 254, 0]> : tensor<6xui8>
    %zeros = pop.shift_right_logical %u, %unsigned : tensor<6xui8>
    pop.expect_eq %zeros, dense<[0, 64, 0, 0, 254, 0]> : tensor<6xui8>
    return
  }
}

// -----

// A power of a negative number has the sign of its integer exponent.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x_n: tensor<8xi32> {pop.name = "x"}) {
    %x = pop.cast %x_n : tensor<8xi32> to tensor<8xf32>
    // -2, -2, -2, 0, 0, 2, NaN, 1
    %base = pop.constant dense<[-2.0, -3.0, -4.0, -3.0, -4.0, -3.0, 0x7FC00000, -6.0]> : tensor<8xf32>
    %a = pop.add %x, %base : tensor<8xf32>
    %b = pop.constant dense<[3.0, 2.0, 0.5, 0.0, -1.0, -149.0, 0.0, 0x7FC00000]> : tensor<8xf32>
    %y = pop.pow %a, %b : tensor<8xf32>
    // 2^-149 is the least number.
    pop.expect_eq %y, dense<[-8.0, 4.0, 0x7FC00000, 1.0, 0x7F800000, 0x00000001, 1.0, 1.0]> : tensor<8xf32>
    return
  }
}

// -----

func.func @main(%x_n: tensor<2x3xi32> {pop.name = "x"}) {
  %x = pop.cast %x_n : tensor<2x3xi32> to tensor<2x3xf32>
  %y = pop.neg %x : tensor<2x3xf32>
  // expected-error @+1 {{first at [1, 0]: got -3.0, expected 3.0}}
  pop.expect_eq %y, dense<[[-0.0, -1.0, -2.0], [3.0, 4.0, -5.0]]> : tensor<2x3xf32>
  return
}
