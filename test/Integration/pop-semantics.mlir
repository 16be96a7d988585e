// What the device computes is what pop ops are defined to give. The pipeline is
// that of pop-to-ipu-pipeline without canonicalisation, which would fold all.
//
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-choose-accumulation,func.func(pop-decompose,cse),pop-map-tensors,convert-pop-to-ipu,ipu.codelet(ipu-expand-math),func.func(ipu-materialize-exchange,ipu-liveness,ipu-estimate-cost),ipu-execute)' -o /dev/null

func.func @main() {
  %a = pop.constant dense<[-128, 100, -7, 5]> : tensor<4xi8>
  %b = pop.constant dense<[-1, 100, 2, 0]> : tensor<4xi8>
  // Integer division does not trap.
  %2 = pop.div %a, %b : tensor<4xi8>
  pop.expect_eq %2, dense<[-128, 1, -3, -1]> : tensor<4xi8>
  %r = pop.rem %a, %b : tensor<4xi8>
  pop.expect_eq %r, dense<[0, 0, -1, 5]> : tensor<4xi8>
  %f = pop.constant dense<[0x7FC00000, 0x7F800000, -300.0, -1.5, 2.9, 70000.0]> : tensor<6xf32>
  // Conversions to integers saturate, NaN gives 0.
  %c0 = pop.cast %f : tensor<6xf32> to tensor<6xi8>
  pop.expect_eq %c0, dense<[0, 127, -128, -1, 2, 127]> : tensor<6xi8>
  %c1 = pop.cast %f : tensor<6xf32> to tensor<6xui8>
  pop.expect_eq %c1, dense<[0, 255, 0, 0, 2, 255]> : tensor<6xui8>
  %c2 = pop.cast %f : tensor<6xf32> to tensor<6xi64>
  pop.expect_eq %c2, dense<[0, 9223372036854775807, -300, -1, 2, 70000]> : tensor<6xi64>
  %i = pop.constant dense<[1077936129, -1077936129]> : tensor<2xi32>
  // Conversions to narrow floats round once: both lie just beyond a tie of bf16.
  %c3 = pop.cast %i : tensor<2xi32> to tensor<2xbf16>
  pop.expect_eq %c3, dense<[1.082130e+09, -1.082130e+09]> : tensor<2xbf16>
  %m = pop.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
  // Products of f16 are added in f32.
  %p = pop.matmul %m, %m : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
  pop.expect_eq %p, dense<[[7.0, 10.0], [15.0, 22.0]]> : tensor<2x2xf16>
  %s = pop.softmax %m {axis = 0 : i64} : tensor<2x2xf16>
  pop.expect_close %s, dense<[[0.1192, 0.1192], [0.8808, 0.8808]]> : tensor<2x2xf16> {rtol = 1.0e-3 : f64}
  %x = pop.constant dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  // Pads outside of a window do not count.
  %ap = pop.avg_pool %x {kernel = array<i64: 3>, pads = array<i64: 1, 2>, strides = array<i64: 2>} : tensor<1x1x4xf32> -> tensor<1x1x3xf32>
  pop.expect_eq %ap, dense<[[[1.5, 3.0, 4.0]]]> : tensor<1x1x3xf32>
  %mp = pop.max_pool %x {ceil_mode, kernel = array<i64: 2>, pads = array<i64: 1, 0>, strides = array<i64: 2>} : tensor<1x1x4xf32> -> tensor<1x1x3xf32>
  pop.expect_eq %mp, dense<[[[1.0, 3.0, 4.0]]]> : tensor<1x1x3xf32>
  %w = pop.constant dense<[[[1.0, 10.0, 100.0]]]> : tensor<1x1x3xf32>
  // A convolution does not flip its kernel.
  %cv = pop.conv %x, %w {pads = array<i64: 1, 1>} : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
  pop.expect_eq %cv, dense<[[[210.0, 321.0, 432.0, 43.0]]]> : tensor<1x1x4xf32>
  %n = pop.constant dense<-0.0> : tensor<2x2500xf32>
  // Pads to whole blocks leave a sum of -0 as it is; a sum of nothing is +0.
  %rs = pop.reduce sum %n {axes = array<i64: 1>} : tensor<2x2500xf32> -> tensor<2xf32>
  pop.expect_eq %rs, dense<-0.0> : tensor<2xf32>
  %e = pop.constant dense<> : tensor<2x0xf32>
  %re = pop.reduce sum %e {axes = array<i64: 1>} : tensor<2x0xf32> -> tensor<2xf32>
  pop.expect_eq %re, dense<0.0> : tensor<2xf32>
  return
}
