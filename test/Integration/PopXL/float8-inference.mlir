// float8_inference: a convolution of fp8 tensors, scaled by a power of two, in a
// graph of its own, and gelu, beside the same in f16. What PopXL calls float8_143 is
// f8E4M3FNUZ. Numbers were computed with numpy: of the convolution of fp8 all bits,
// since its products and their sums are exact in f32; of the activations what f16 gives,
// to which fp8 comes as near as its three bits of mantissa do.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp engine=jit})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp engine=interp})' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp check})' | FileCheck %s

// Printed are the shortest numbers that are read as -128, -128, -120, -120, -112, ...
// CHECK{LITERAL}: x8 : tensor<1x2x4x8xf8E4M3FNUZ> = dense<[[[[-130.0, -130.0, -120.0, -110.0, -110.0,
module attributes {ipu.target = #ipu.target<"c600", {tiles = 8 : i64}>} {
  pop.stream @x host_to_device : tensor<1x2x4x8xf16>
  pop.stream @x8 device_to_host : tensor<1x2x4x8xf8E4M3FNUZ>
  pop.variable @W : tensor<3x2x3x3xf16> = dense<[
    [[[-0.43359375, 0.0703125, -0.08203125], [-0.14453125, 0.2890625, 0.01953125], [-0.08203125, 0.5390625, -0.1484375]], [[-0.37890625, -0.4140625, -0.15625], [0.19921875, 0.25390625, 0.33984375], [0.5546875, 0.515625, 0.19921875]]],
    [[[0.40625, 0.20703125, -0.16015625], [0.26171875, 0.03125, -0.046875], [0.6171875, 0.25, -0.12890625]], [[-0.0078125, 0.72265625, -0.05859375], [0.23828125, 0.203125, 0.171875], [0.1953125, -0.12890625, -0.125]]],
    [[[-0.03125, -0.09375, 0.26171875], [0.484375, -0.25390625, 0.18359375], [-0.28125, -0.1953125, -0.0546875]], [[0.05078125, -0.1171875, -0.77734375], [0.4375, -0.06640625, -0.17578125], [0.22265625, -0.1640625, -0.41796875]]]]> : tensor<3x2x3x3xf16>
  // 2^8 times W.
  pop.variable @W8 : tensor<3x2x3x3xf8E4M3FNUZ> = dense<[
    [[[-112.0, 18.0, -20.0], [-36.0, 72.0, 5.0], [-20.0, 144.0, -40.0]], [[-96.0, -104.0, -40.0], [52.0, 64.0, 88.0], [144.0, 128.0, 52.0]]],
    [[[104.0, 52.0, -40.0], [64.0, 8.0, -12.0], [160.0, 64.0, -32.0]], [[-2.0, 192.0, -15.0], [60.0, 52.0, 44.0], [48.0, -32.0, -32.0]]],
    [[[-8.0, -24.0, 64.0], [128.0, -64.0, 48.0], [-72.0, -48.0, -14.0]], [[13.0, -30.0, -192.0], [112.0, -16.0, -44.0], [56.0, -40.0, -104.0]]]]> : tensor<3x2x3x3xf8E4M3FNUZ>
  func.func private @pow2scale(%x: tensor<1x3x2x6xf32>, %log2_scale: tensor<i32>) -> tensor<1x3x2x6xf16> {
    %two = pop.constant dense<2.0> : tensor<f32>
    %0 = pop.cast %log2_scale : tensor<i32> to tensor<f32>
    %1 = pop.pow %two, %0 : tensor<f32>
    %2 = pop.mul %x, %1 : (tensor<1x3x2x6xf32>, tensor<f32>) -> tensor<1x3x2x6xf32>
    %3 = pop.cast %2 : tensor<1x3x2x6xf32> to tensor<1x3x2x6xf16>
    return %3 : tensor<1x3x2x6xf16>
  }
  func.func private @pow2scale_then_cast(%x: tensor<1x2x4x8xf16>, %log2_scale: tensor<i32>) -> tensor<1x2x4x8xf8E4M3FNUZ> {
    %two = pop.constant dense<2.0> : tensor<f32>
    %0 = pop.cast %log2_scale : tensor<i32> to tensor<f32>
    %1 = pop.pow %two, %0 : tensor<f32>
    %2 = pop.cast %x : tensor<1x2x4x8xf16> to tensor<1x2x4x8xf32>
    %3 = pop.mul %2, %1 : (tensor<1x2x4x8xf32>, tensor<f32>) -> tensor<1x2x4x8xf32>
    %4 = pop.cast %3 : tensor<1x2x4x8xf32> to tensor<1x2x4x8xf8E4M3FNUZ>
    return %4 : tensor<1x2x4x8xf8E4M3FNUZ>
  }
  func.func private @conv_pow2scaled(%x: tensor<1x2x4x8xf8E4M3FNUZ>, %rW: !pop.ref<3x2x3x3xf8E4M3FNUZ>, %log2_scale: tensor<i32>) -> tensor<1x3x2x6xf16> {
    %W = pop.read %rW : !pop.ref<3x2x3x3xf8E4M3FNUZ>
    %0 = pop.conv %x, %W : (tensor<1x2x4x8xf8E4M3FNUZ>, tensor<3x2x3x3xf8E4M3FNUZ>) -> tensor<1x3x2x6xf32>
    %1 = func.call @pow2scale(%0, %log2_scale) : (tensor<1x3x2x6xf32>, tensor<i32>) -> tensor<1x3x2x6xf16>
    return %1 : tensor<1x3x2x6xf16>
  }
  func.func private @gelu(%x: tensor<1x3x2x6xf16>) -> tensor<1x3x2x6xf16> {
    %half = pop.constant dense<0.5> : tensor<f16>
    %one = pop.constant dense<1.0> : tensor<f16>
    %r = pop.constant dense<0.70703125> : tensor<f16>
    %0 = pop.mul %x, %r : (tensor<1x3x2x6xf16>, tensor<f16>) -> tensor<1x3x2x6xf16>
    %1 = pop.erf %0 : tensor<1x3x2x6xf16>
    %2 = pop.add %1, %one : (tensor<1x3x2x6xf16>, tensor<f16>) -> tensor<1x3x2x6xf16>
    %3 = pop.mul %x, %half : (tensor<1x3x2x6xf16>, tensor<f16>) -> tensor<1x3x2x6xf16>
    %4 = pop.mul %3, %2 : tensor<1x3x2x6xf16>
    return %4 : tensor<1x3x2x6xf16>
  }
  func.func @main() {
    %half = pop.constant dense<0.5> : tensor<f16>
    %t = pop.host_load @x : tensor<1x2x4x8xf16>
    // A ramp from -0.5 to just below 0.5.
    %x = pop.sub %t, %half : (tensor<1x2x4x8xf16>, tensor<f16>) -> tensor<1x2x4x8xf16>
    %log2_scale = pop.constant dense<8> : tensor<i32>
    %x8 = func.call @pow2scale_then_cast(%x, %log2_scale) : (tensor<1x2x4x8xf16>, tensor<i32>) -> tensor<1x2x4x8xf8E4M3FNUZ>
    pop.expect_eq %x8, dense<[[
      [[-128.0, -128.0, -120.0, -112.0, -112.0, -112.0, -104.0, -96.0], [-96.0, -96.0, -88.0, -80.0, -80.0, -80.0, -72.0, -64.0], [-64.0, -60.0, -56.0, -52.0, -48.0, -44.0, -40.0, -36.0], [-32.0, -28.0, -24.0, -20.0, -16.0, -12.0, -8.0, -4.0]],
      [[0.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 28.0], [32.0, 36.0, 40.0, 44.0, 48.0, 52.0, 56.0, 60.0], [64.0, 64.0, 72.0, 80.0, 80.0, 80.0, 88.0, 96.0], [96.0, 96.0, 104.0, 112.0, 112.0, 112.0, 120.0, 128.0]]]]> : tensor<1x2x4x8xf8E4M3FNUZ>
    pop.host_store %x8, @x8 : tensor<1x2x4x8xf8E4M3FNUZ>
    %rW8 = pop.get_variable @W8 : !pop.ref<3x2x3x3xf8E4M3FNUZ>
    // Takes back the scales of both operands.
    %log2_result = pop.constant dense<-16> : tensor<i32>
    %c8 = func.call @conv_pow2scaled(%x8, %rW8, %log2_result) : (tensor<1x2x4x8xf8E4M3FNUZ>, !pop.ref<3x2x3x3xf8E4M3FNUZ>, tensor<i32>) -> tensor<1x3x2x6xf16>
    pop.expect_eq %c8, dense<[[
      [[0.50830078125, 0.54248046875, 0.5712890625, 0.57421875, 0.58154296875, 0.615234375], [0.65478515625, 0.68798828125, 0.716796875, 0.72021484375, 0.72802734375, 0.76123046875]],
      [[-0.43310546875, -0.408203125, -0.346435546875, -0.2880859375, -0.2666015625, -0.241455078125], [-0.1024169921875, -0.07098388671875, -0.01025390625, 0.04168701171875, 0.0643310546875, 0.09576416015625]],
      [[-0.1915283203125, -0.223876953125, -0.23583984375, -0.232177734375, -0.2489013671875, -0.28125], [-0.30908203125, -0.34326171875, -0.34765625, -0.34228515625, -0.36669921875, -0.400634765625]]]]> : tensor<1x3x2x6xf16>
    %y8 = func.call @gelu(%c8) : (tensor<1x3x2x6xf16>) -> tensor<1x3x2x6xf16>
    %rW = pop.get_variable @W : !pop.ref<3x2x3x3xf16>
    %W = pop.read %rW : !pop.ref<3x2x3x3xf16>
    %c = pop.conv %x, %W : (tensor<1x2x4x8xf16>, tensor<3x2x3x3xf16>) -> tensor<1x3x2x6xf16>
    %y = func.call @gelu(%c) : (tensor<1x3x2x6xf16>) -> tensor<1x3x2x6xf16>
    pop.expect_close %y, dense<[[
      [[0.36801, 0.38384, 0.39986, 0.41606, 0.43243, 0.44899], [0.49965, 0.51686, 0.53422, 0.55173, 0.56938, 0.58718]],
      [[-0.14383, -0.13599, -0.12698, -0.11676, -0.10530, -0.09256], [-0.04649, -0.02845, -0.00905, 0.01172, 0.03385, 0.05734]],
      [[-0.08442, -0.08961, -0.09462, -0.09945, -0.10409, -0.10857], [-0.12093, -0.12470, -0.12831, -0.13175, -0.13503, -0.13814]]]]> : tensor<1x3x2x6xf16> {rtol = 5.0e-3 : f64, atol = 1.0e-3 : f64}
    pop.expect_close %y8, dense<[[
      [[0.36801, 0.38384, 0.39986, 0.41606, 0.43243, 0.44899], [0.49965, 0.51686, 0.53422, 0.55173, 0.56938, 0.58718]],
      [[-0.14383, -0.13599, -0.12698, -0.11676, -0.10530, -0.09256], [-0.04649, -0.02845, -0.00905, 0.01172, 0.03385, 0.05734]],
      [[-0.08442, -0.08961, -0.09462, -0.09945, -0.10409, -0.10857], [-0.12093, -0.12470, -0.12831, -0.13175, -0.13503, -0.13814]]]]> : tensor<1x3x2x6xf16> {atol = 2.0e-2 : f64}
    return
  }
}
