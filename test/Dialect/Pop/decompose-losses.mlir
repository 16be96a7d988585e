// RUN: ipu-opt %s --pop-decompose | FileCheck %s

// Differences and sums of narrow floats are in f32; the mean is rounded once.
// CHECK-LABEL: func @l1
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3xf16>, %[[A1:.*]]: tensor<2x3xf16>)
// CHECK-NEXT: %[[V0:.*]] = pop.cast %[[A0]] : tensor<2x3xf16> to tensor<2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.cast %[[A1]] : tensor<2x3xf16> to tensor<2x3xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.sub %[[V0]], %[[V1]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.abs %[[V2]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V4:.*]] = pop.reshape %[[V3]] : tensor<2x3xf32> to tensor<1x6xf32>
// CHECK-NEXT: %[[V5:.*]] = pop.reduce sum %[[V4]] {accum = #pop.accum<blocked, block = 8, lanes = 1>, axes = array<i64: 1>} : tensor<1x6xf32> -> tensor<1xf32>
// CHECK-NEXT: %[[V6:.*]] = pop.reshape %[[V5]] : tensor<1xf32> to tensor<f32>
// CHECK-NEXT: %[[V7:.*]] = pop.constant dense<6.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V8:.*]] = pop.div %[[V6]], %[[V7]] : tensor<f32>
// CHECK-NEXT: %[[V9:.*]] = pop.cast %[[V8]] : tensor<f32> to tensor<f16>
// CHECK-NEXT: return %[[V9]] : tensor<f16>
func.func @l1(%x: tensor<2x3xf16>, %t: tensor<2x3xf16>) -> tensor<f16> {
  %0 = pop.l1_loss mean %x, %t {accum = #pop.accum<blocked, block = 8, lanes = 1>} : tensor<2x3xf16> -> tensor<f16>
  return %0 : tensor<f16>
}

// Without reduction there is no sum.
// CHECK-LABEL: func @l2
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3xf32>, %[[A1:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.sub %[[A0]], %[[A1]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.mul %[[V0]], %[[V0]] : tensor<2x3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3xf32>
func.func @l2(%x: tensor<2x3xf32>, %t: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = pop.l2_loss none %x, %t : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A result of f32 is not rounded.
// CHECK-LABEL: func @identity
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3xf16>)
// CHECK-NEXT: %[[V0:.*]] = pop.cast %[[A0]] : tensor<2x3xf16> to tensor<2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.reshape %[[V0]] : tensor<2x3xf32> to tensor<1x6xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.reduce sum %[[V1]] {accum = #pop.accum<blocked, block = 8, lanes = 1>, axes = array<i64: 1>} : tensor<1x6xf32> -> tensor<1xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.reshape %[[V2]] : tensor<1xf32> to tensor<f32>
// CHECK-NEXT: return %[[V3]] : tensor<f32>
func.func @identity(%x: tensor<2x3xf16>) -> tensor<f32> {
  %0 = pop.identity_loss sum %x {accum = #pop.accum<blocked, block = 8, lanes = 1>} : tensor<2x3xf16> -> tensor<f32>
  return %0 : tensor<f32>
}

// 0 * ln(0) is 0. Other logarithms of 0 are those of the least normal number.
// CHECK-LABEL: func @binary
// CHECK-SAME: (%[[A0:.*]]: tensor<3xf32>, %[[A1:.*]]: tensor<3xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V2:.*]] = pop.constant dense<1.17549435E-38> : tensor<f32>
// CHECK-NEXT: %[[V3:.*]] = pop.abs %[[A0]] : tensor<3xf32>
// CHECK-NEXT: %[[V4:.*]] = pop.less %[[V3]], %[[V2]] : (tensor<3xf32>, tensor<f32>) -> tensor<3xi1>
// CHECK-NEXT: %[[V5:.*]] = pop.select %[[V4]], %[[V2]], %[[A0]] : tensor<3xi1>, tensor<f32>, tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[V6:.*]] = pop.log %[[V5]] : tensor<3xf32>
// CHECK-NEXT: %[[V7:.*]] = pop.mul %[[A1]], %[[V6]] : tensor<3xf32>
// CHECK-NEXT: %[[V8:.*]] = pop.equal %[[A1]], %[[V1]] : (tensor<3xf32>, tensor<f32>) -> tensor<3xi1>
// CHECK-NEXT: %[[V9:.*]] = pop.select %[[V8]], %[[V1]], %[[V7]] : tensor<3xi1>, tensor<f32>, tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[V10:.*]] = pop.sub %[[V0]], %[[A1]] : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: %[[V11:.*]] = pop.sub %[[V0]], %[[A0]] : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: %[[V12:.*]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V13:.*]] = pop.constant dense<1.17549435E-38> : tensor<f32>
// CHECK-NEXT: %[[V14:.*]] = pop.abs %[[V11]] : tensor<3xf32>
// CHECK-NEXT: %[[V15:.*]] = pop.less %[[V14]], %[[V13]] : (tensor<3xf32>, tensor<f32>) -> tensor<3xi1>
// CHECK-NEXT: %[[V16:.*]] = pop.select %[[V15]], %[[V13]], %[[V11]] : tensor<3xi1>, tensor<f32>, tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[V17:.*]] = pop.log %[[V16]] : tensor<3xf32>
// CHECK-NEXT: %[[V18:.*]] = pop.mul %[[V10]], %[[V17]] : tensor<3xf32>
// CHECK-NEXT: %[[V19:.*]] = pop.equal %[[V10]], %[[V12]] : (tensor<3xf32>, tensor<f32>) -> tensor<3xi1>
// CHECK-NEXT: %[[V20:.*]] = pop.select %[[V19]], %[[V12]], %[[V18]] : tensor<3xi1>, tensor<f32>, tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[V21:.*]] = pop.add %[[V9]], %[[V20]] : tensor<3xf32>
// CHECK-NEXT: %[[V22:.*]] = pop.neg %[[V21]] : tensor<3xf32>
// CHECK-NEXT: return %[[V22]] : tensor<3xf32>
func.func @binary(%x: tensor<3xf32>, %t: tensor<3xf32>) -> tensor<3xf32> {
  %0 = pop.binary_cross_entropy_loss none %x, %t : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// ln(1 + e^-|x|) does not overflow.
// CHECK-LABEL: func @binary_of_logits
// CHECK-SAME: (%[[A0:.*]]: tensor<3xf32>, %[[A1:.*]]: tensor<3xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = pop.max %[[A0]], %[[V0]] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.mul %[[A0]], %[[A1]] : tensor<3xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.sub %[[V1]], %[[V2]] : tensor<3xf32>
// CHECK-NEXT: %[[V4:.*]] = pop.abs %[[A0]] : tensor<3xf32>
// CHECK-NEXT: %[[V5:.*]] = pop.neg %[[V4]] : tensor<3xf32>
// CHECK-NEXT: %[[V6:.*]] = pop.exp %[[V5]] : tensor<3xf32>
// CHECK-NEXT: %[[V7:.*]] = pop.log1p %[[V6]] : tensor<3xf32>
// CHECK-NEXT: %[[V8:.*]] = pop.add %[[V3]], %[[V7]] : tensor<3xf32>
// CHECK-NEXT: return %[[V8]] : tensor<3xf32>
func.func @binary_of_logits(%x: tensor<3xf32>, %t: tensor<3xf32>) -> tensor<3xf32> {
  %0 = pop.binary_cross_entropy_loss none %x, %t {of_logits} : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A position counts whose label is a class and not ignored; the others have neither
// loss nor weight.
// CHECK-LABEL: func @nll
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3x4xf16>, %[[A1:.*]]: tensor<2x4xi32>, %[[A2:.*]]: tensor<3xf16>)
// CHECK-NEXT: %[[V0:.*]] = pop.transpose %[[A0]] {permutation = array<i64: 0, 2, 1>} : tensor<2x3x4xf16> -> tensor<2x4x3xf16>
// CHECK-NEXT: %[[V1:.*]] = pop.gather %[[V0]], %[[A1]] {batch_dims = 2 : i64} : (tensor<2x4x3xf16>, tensor<2x4xi32>) -> tensor<2x4xf16>
// CHECK-NEXT: %[[V2:.*]] = pop.cast %[[V1]] : tensor<2x4xf16> to tensor<2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.neg %[[V2]] : tensor<2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = pop.constant dense<0> : tensor<i32>
// CHECK-NEXT: %[[V5:.*]] = pop.greater_equal %[[A1]], %[[V4]] : (tensor<2x4xi32>, tensor<i32>) -> tensor<2x4xi1>
// CHECK-NEXT: %[[V6:.*]] = pop.constant dense<3> : tensor<i32>
// CHECK-NEXT: %[[V7:.*]] = pop.less %[[A1]], %[[V6]] : (tensor<2x4xi32>, tensor<i32>) -> tensor<2x4xi1>
// CHECK-NEXT: %[[V8:.*]] = pop.and %[[V5]], %[[V7]] : tensor<2x4xi1>
// CHECK-NEXT: %[[V9:.*]] = pop.constant dense<2> : tensor<i32>
// CHECK-NEXT: %[[V10:.*]] = pop.not_equal %[[A1]], %[[V9]] : (tensor<2x4xi32>, tensor<i32>) -> tensor<2x4xi1>
// CHECK-NEXT: %[[V11:.*]] = pop.and %[[V8]], %[[V10]] : tensor<2x4xi1>
// CHECK-NEXT: %[[V12:.*]] = pop.gather %[[A2]], %[[A1]] : (tensor<3xf16>, tensor<2x4xi32>) -> tensor<2x4xf16>
// CHECK-NEXT: %[[V13:.*]] = pop.cast %[[V12]] : tensor<2x4xf16> to tensor<2x4xf32>
// CHECK-NEXT: %[[V14:.*]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V15:.*]] = pop.select %[[V11]], %[[V13]], %[[V14]] : tensor<2x4xi1>, tensor<2x4xf32>, tensor<f32> -> tensor<2x4xf32>
// CHECK-NEXT: %[[V16:.*]] = pop.mul %[[V3]], %[[V15]] : tensor<2x4xf32>
// CHECK-NEXT: %[[V17:.*]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V18:.*]] = pop.select %[[V11]], %[[V16]], %[[V17]] : tensor<2x4xi1>, tensor<2x4xf32>, tensor<f32> -> tensor<2x4xf32>
// CHECK-NEXT: %[[V19:.*]] = pop.reshape %[[V18]] : tensor<2x4xf32> to tensor<1x8xf32>
// CHECK-NEXT: %[[V20:.*]] = pop.reduce sum %[[V19]] {accum = #pop.accum<blocked, block = 8, lanes = 1>, axes = array<i64: 1>} : tensor<1x8xf32> -> tensor<1xf32>
// CHECK-NEXT: %[[V21:.*]] = pop.reshape %[[V20]] : tensor<1xf32> to tensor<f32>
// CHECK-NEXT: %[[V22:.*]] = pop.reshape %[[V15]] : tensor<2x4xf32> to tensor<1x8xf32>
// CHECK-NEXT: %[[V23:.*]] = pop.reduce sum %[[V22]] {accum = #pop.accum<blocked, block = 8, lanes = 1>, axes = array<i64: 1>} : tensor<1x8xf32> -> tensor<1xf32>
// CHECK-NEXT: %[[V24:.*]] = pop.reshape %[[V23]] : tensor<1xf32> to tensor<f32>
// CHECK-NEXT: %[[V25:.*]] = pop.div %[[V21]], %[[V24]] : tensor<f32>
// CHECK-NEXT: %[[V26:.*]] = pop.cast %[[V25]] : tensor<f32> to tensor<f16>
// CHECK-NEXT: return %[[V26]] : tensor<f16>
func.func @nll(%x: tensor<2x3x4xf16>, %l: tensor<2x4xi32>, %w: tensor<3xf16>) -> tensor<f16> {
  %0 = pop.nll_loss mean %x, %l, %w {accum = #pop.accum<blocked, block = 8, lanes = 1>, ignore_index = 2 : i64} : tensor<2x3x4xf16>, tensor<2x4xi32>, tensor<3xf16> -> tensor<f16>
  return %0 : tensor<f16>
}

// All labels are classes; the one that is ignored is none.
// CHECK-LABEL: func @nll_of_probabilities
// CHECK-SAME: (%[[A0:.*]]: tensor<2x300xf32>, %[[A1:.*]]: tensor<2xui8>)
// CHECK-NEXT: %[[V0:.*]] = pop.gather %[[A0]], %[[A1]] {batch_dims = 1 : i64} : (tensor<2x300xf32>, tensor<2xui8>) -> tensor<2xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.constant dense<1.17549435E-38> : tensor<f32>
// CHECK-NEXT: %[[V2:.*]] = pop.abs %[[V0]] : tensor<2xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.less %[[V2]], %[[V1]] : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
// CHECK-NEXT: %[[V4:.*]] = pop.select %[[V3]], %[[V1]], %[[V0]] : tensor<2xi1>, tensor<f32>, tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V5:.*]] = pop.log %[[V4]] : tensor<2xf32>
// CHECK-NEXT: %[[V6:.*]] = pop.neg %[[V5]] : tensor<2xf32>
// CHECK-NEXT: %[[V7:.*]] = pop.constant dense<true> : tensor<2xi1>
// CHECK-NEXT: %[[V8:.*]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V9:.*]] = pop.select %[[V7]], %[[V6]], %[[V8]] : tensor<2xi1>, tensor<2xf32>, tensor<f32> -> tensor<2xf32>
// CHECK-NEXT: return %[[V9]] : tensor<2xf32>
func.func @nll_of_probabilities(%x: tensor<2x300xf32>, %l: tensor<2xui8>) -> tensor<2xf32> {
  %0 = pop.nll_loss none %x, %l {ignore_index = -1 : i64, of_probabilities} : tensor<2x300xf32>, tensor<2xui8> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Logarithms are taken at the labels only. The sums have one order.
// CHECK-LABEL: func @cross_entropy
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3xf16>, %[[A1:.*]]: tensor<2xui32>)
// CHECK-NEXT: %[[V0:.*]] = pop.cast %[[A0]] : tensor<2x3xf16> to tensor<2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.reduce max %[[V0]] {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axes = array<i64: 1>} : tensor<2x3xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.reshape %[[V1]] : tensor<2xf32> to tensor<2x1xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.sub %[[V0]], %[[V2]] : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[V4:.*]] = pop.exp %[[V3]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V5:.*]] = pop.reduce sum %[[V4]] {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axes = array<i64: 1>} : tensor<2x3xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V6:.*]] = pop.gather %[[A0]], %[[A1]] {batch_dims = 1 : i64} : (tensor<2x3xf16>, tensor<2xui32>) -> tensor<2xf16>
// CHECK-NEXT: %[[V7:.*]] = pop.cast %[[V6]] : tensor<2xf16> to tensor<2xf32>
// CHECK-NEXT: %[[V8:.*]] = pop.sub %[[V7]], %[[V1]] : tensor<2xf32>
// CHECK-NEXT: %[[V9:.*]] = pop.log %[[V5]] : tensor<2xf32>
// CHECK-NEXT: %[[V10:.*]] = pop.sub %[[V9]], %[[V8]] : tensor<2xf32>
// CHECK-NEXT: %[[V11:.*]] = pop.constant dense<3> : tensor<ui32>
// CHECK-NEXT: %[[V12:.*]] = pop.less %[[A1]], %[[V11]] : (tensor<2xui32>, tensor<ui32>) -> tensor<2xi1>
// CHECK-NEXT: %[[V13:.*]] = pop.cast %[[V12]] : tensor<2xi1> to tensor<2xf32>
// CHECK-NEXT: %[[V14:.*]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V15:.*]] = pop.select %[[V12]], %[[V10]], %[[V14]] : tensor<2xi1>, tensor<2xf32>, tensor<f32> -> tensor<2xf32>
// CHECK-NEXT: %[[V16:.*]] = pop.reduce sum %[[V15]] {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axes = array<i64: 0>} : tensor<2xf32> -> tensor<f32>
// CHECK-NEXT: %[[V17:.*]] = pop.reduce sum %[[V13]] {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axes = array<i64: 0>} : tensor<2xf32> -> tensor<f32>
// CHECK-NEXT: %[[V18:.*]] = pop.div %[[V16]], %[[V17]] : tensor<f32>
// CHECK-NEXT: %[[V19:.*]] = pop.cast %[[V18]] : tensor<f32> to tensor<f16>
// CHECK-NEXT: return %[[V19]] : tensor<f16>
func.func @cross_entropy(%x: tensor<2x3xf16>, %l: tensor<2xui32>) -> tensor<f16> {
  %0 = pop.cross_entropy_loss mean %x, %l : tensor<2x3xf16>, tensor<2xui32> -> tensor<f16>
  return %0 : tensor<f16>
}
