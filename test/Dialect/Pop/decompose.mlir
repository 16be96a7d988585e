// RUN: ipu-opt %s --pop-decompose | FileCheck %s

// Products of narrow floats are added in f32 and rounded once.
// CHECK-LABEL: func @matmul_narrow
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3xf16>, %[[A1:.*]]: tensor<3x4xf16>)
// CHECK-NEXT: %[[V0:.*]] = pop.matmul %[[A0]], %[[A1]] : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.cast %[[V0]] : tensor<2x4xf32> to tensor<2x4xf16>
// CHECK-NEXT: return %[[V1]] : tensor<2x4xf16>
func.func @matmul_narrow(%a: tensor<2x3xf16>, %b: tensor<3x4xf16>) -> tensor<2x4xf16> {
  %0 = pop.matmul %a, %b : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf16>
  return %0 : tensor<2x4xf16>
}

// A batch that broadcasts in part is expanded.
// CHECK-LABEL: func @matmul_partial
// CHECK-SAME: (%[[A0:.*]]: tensor<5x1x2x3xf32>, %[[A1:.*]]: tensor<7x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.expand %[[A0]] : tensor<5x1x2x3xf32> to tensor<5x7x2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.expand %[[A1]] : tensor<7x3x4xf32> to tensor<5x7x3x4xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.matmul %[[V0]], %[[V1]] : (tensor<5x7x2x3xf32>, tensor<5x7x3x4xf32>) -> tensor<5x7x2x4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<5x7x2x4xf32>
func.func @matmul_partial(%a: tensor<5x1x2x3xf32>, %b: tensor<7x3x4xf32>) -> tensor<5x7x2x4xf32> {
  %0 = pop.matmul %a, %b : (tensor<5x1x2x3xf32>, tensor<7x3x4xf32>) -> tensor<5x7x2x4xf32>
  return %0 : tensor<5x7x2x4xf32>
}

// Pads become a border of zeros.
// CHECK-LABEL: func @conv
// CHECK-SAME: (%[[A0:.*]]: tensor<1x4x8x8xf16>, %[[A1:.*]]: tensor<6x4x3x3xf16>)
// CHECK-NEXT: %[[V0:.*]] = pop.pad %[[A0]] {high = array<i64: 0, 0, 1, 0>, low = array<i64: 0, 0, 1, 1>, value = 0.000000e+00 : f16} : tensor<1x4x8x8xf16> -> tensor<1x4x10x9xf16>
// CHECK-NEXT: %[[V1:.*]] = pop.conv %[[V0]], %[[A1]] {strides = array<i64: 2, 2>} : (tensor<1x4x10x9xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.cast %[[V1]] : tensor<1x6x4x4xf32> to tensor<1x6x4x4xf16>
// CHECK-NEXT: return %[[V2]] : tensor<1x6x4x4xf16>
func.func @conv(%x: tensor<1x4x8x8xf16>, %w: tensor<6x4x3x3xf16>) -> tensor<1x6x4x4xf16> {
  %0 = pop.conv %x, %w {pads = array<i64: 1, 1, 1, 0>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x4x4xf16>
  return %0 : tensor<1x6x4x4xf16>
}

// The reduced axes become one, the last.
// CHECK-LABEL: func @reduce_axes
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.transpose %[[A0]] {permutation = array<i64: 1, 0, 2>} : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.reshape %[[V0]] : tensor<3x2x4xf32> to tensor<3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.reduce sum %[[V1]] {axes = array<i64: 1>} : tensor<3x8xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.reshape %[[V2]] : tensor<3xf32> to tensor<1x3x1xf32>
// CHECK-NEXT: return %[[V3]] : tensor<1x3x1xf32>
func.func @reduce_axes(%x: tensor<2x3x4xf32>) -> tensor<1x3x1xf32> {
  %0 = pop.reduce sum %x {axes = array<i64: 0, 2>, keep_dims} : tensor<2x3x4xf32> -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}

// Sums of narrow floats are rounded once; maxima are exact.
// CHECK-LABEL: func @reduce_narrow
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3xf16>, %[[A1:.*]]: tensor<2x3xf16>)
// CHECK-NEXT: %[[V0:.*]] = pop.reduce sum %[[A0]] {axes = array<i64: 1>} : tensor<2x3xf16> -> tensor<2xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.cast %[[V0]] : tensor<2xf32> to tensor<2xf16>
// CHECK-NEXT: %[[V2:.*]] = pop.reduce max %[[A0]] {axes = array<i64: 1>} : tensor<2x3xf16> -> tensor<2xf16>
// CHECK-NEXT: return %[[V1]], %[[V2]] : tensor<2xf16>, tensor<2xf16>
func.func @reduce_narrow(%x: tensor<2x3xf16>, %y: tensor<2x3xf16>) -> (tensor<2xf16>, tensor<2xf16>) {
  %0 = pop.reduce sum %x {axes = array<i64: 1>} : tensor<2x3xf16> -> tensor<2xf16>
  %1 = pop.reduce max %x {axes = array<i64: 1>} : tensor<2x3xf16> -> tensor<2xf16>
  return %0, %1 : tensor<2xf16>, tensor<2xf16>
}

// Blocks of 1024 positions; -0 changes no sum.
// CHECK-LABEL: func @reduce_long
// CHECK-SAME: (%[[A0:.*]]: tensor<3x2500xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.pad %[[A0]] {high = array<i64: 0, 572>, low = array<i64: 0, 0>, value = -0.000000e+00 : f32} : tensor<3x2500xf32> -> tensor<3x3072xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.reshape %[[V0]] : tensor<3x3072xf32> to tensor<3x3x1024xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.reduce sum %[[V1]] {axes = array<i64: 2>} : tensor<3x3x1024xf32> -> tensor<3x3xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.reduce sum %[[V2]] {axes = array<i64: 1>} : tensor<3x3xf32> -> tensor<3xf32>
// CHECK-NEXT: return %[[V3]] : tensor<3xf32>
func.func @reduce_long(%x: tensor<3x2500xf32>) -> tensor<3xf32> {
  %0 = pop.reduce sum %x {axes = array<i64: 1>} : tensor<3x2500xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Block results are combined in blocks again.
// CHECK-LABEL: func @reduce_very_long
// CHECK-SAME: (%[[A0:.*]]: tensor<2097152xi32>)
// CHECK-NEXT: %[[V0:.*]] = pop.reshape %[[A0]] : tensor<2097152xi32> to tensor<1x2097152xi32>
// CHECK-NEXT: %[[V1:.*]] = pop.reshape %[[V0]] : tensor<1x2097152xi32> to tensor<1x2048x1024xi32>
// CHECK-NEXT: %[[V2:.*]] = pop.reduce max %[[V1]] {axes = array<i64: 2>} : tensor<1x2048x1024xi32> -> tensor<1x2048xi32>
// CHECK-NEXT: %[[V3:.*]] = pop.reshape %[[V2]] : tensor<1x2048xi32> to tensor<1x2x1024xi32>
// CHECK-NEXT: %[[V4:.*]] = pop.reduce max %[[V3]] {axes = array<i64: 2>} : tensor<1x2x1024xi32> -> tensor<1x2xi32>
// CHECK-NEXT: %[[V5:.*]] = pop.reduce max %[[V4]] {axes = array<i64: 1>} : tensor<1x2xi32> -> tensor<1xi32>
// CHECK-NEXT: %[[V6:.*]] = pop.reshape %[[V5]] : tensor<1xi32> to tensor<i32>
// CHECK-NEXT: return %[[V6]] : tensor<i32>
func.func @reduce_very_long(%x: tensor<2097152xi32>) -> tensor<i32> {
  %0 = pop.reduce max %x {axes = array<i64: 0>} : tensor<2097152xi32> -> tensor<i32>
  return %0 : tensor<i32>
}

// Nothing combined is the identity, but +0 for a sum.
// CHECK-LABEL: func @reduce_empty
// CHECK-SAME: (%[[A0:.*]]: tensor<2x0xf32>, %[[A1:.*]]: tensor<0xui8>)
// CHECK-NEXT: %[[V0:.*]] = pop.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.constant dense<0x7F800000> : tensor<2xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.constant dense<0> : tensor<ui8>
// CHECK-NEXT: return %[[V0]], %[[V1]], %[[V2]], %[[A0]] : tensor<2xf32>, tensor<2xf32>, tensor<ui8>, tensor<2x0xf32>
func.func @reduce_empty(%x: tensor<2x0xf32>, %i: tensor<0xui8>) -> (tensor<2xf32>, tensor<2xf32>, tensor<ui8>, tensor<2x0xf32>) {
  %0 = pop.reduce sum %x {axes = array<i64: 1>} : tensor<2x0xf32> -> tensor<2xf32>
  %1 = pop.reduce min %x {axes = array<i64: 1>} : tensor<2x0xf32> -> tensor<2xf32>
  %2 = pop.reduce max %i {axes = array<i64: 0>} : tensor<0xui8> -> tensor<ui8>
  %3 = pop.reduce max %x {axes = array<i64>} : tensor<2x0xf32> -> tensor<2x0xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<ui8>, tensor<2x0xf32>
}

// Window sums of narrow floats are rounded once.
// CHECK-LABEL: func @reduce_window
// CHECK-SAME: (%[[A0:.*]]: tensor<1x2x8xbf16>)
// CHECK-NEXT: %[[V0:.*]] = pop.reduce_window sum %[[A0]] {kernel = array<i64: 2>} : tensor<1x2x8xbf16> -> tensor<1x2x7xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.cast %[[V0]] : tensor<1x2x7xf32> to tensor<1x2x7xbf16>
// CHECK-NEXT: return %[[V1]] : tensor<1x2x7xbf16>
func.func @reduce_window(%x: tensor<1x2x8xbf16>) -> tensor<1x2x7xbf16> {
  %0 = pop.reduce_window sum %x {kernel = array<i64: 2>} : tensor<1x2x8xbf16> -> tensor<1x2x7xbf16>
  return %0 : tensor<1x2x7xbf16>
}

// `ceil_mode` needs one more element of border than `pads` has.
// CHECK-LABEL: func @max_pool
// CHECK-SAME: (%[[A0:.*]]: tensor<1x2x8xi8>)
// CHECK-NEXT: %[[V0:.*]] = pop.pad %[[A0]] {high = array<i64: 0, 0, 1>, low = array<i64: 0, 0, 1>, value = -128 : i8} : tensor<1x2x8xi8> -> tensor<1x2x10xi8>
// CHECK-NEXT: %[[V1:.*]] = pop.reduce_window max %[[V0]] {kernel = array<i64: 2>, strides = array<i64: 2>} : tensor<1x2x10xi8> -> tensor<1x2x5xi8>
// CHECK-NEXT: return %[[V1]] : tensor<1x2x5xi8>
func.func @max_pool(%x: tensor<1x2x8xi8>) -> tensor<1x2x5xi8> {
  %0 = pop.max_pool %x {ceil_mode, kernel = array<i64: 2>, pads = array<i64: 1, 0>, strides = array<i64: 2>} : tensor<1x2x8xi8> -> tensor<1x2x5xi8>
  return %0 : tensor<1x2x5xi8>
}

// Pads that no window reaches are not made.
// CHECK-LABEL: func @max_pool_leftover
// CHECK-SAME: (%[[A0:.*]]: tensor<1x2x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.reduce_window max %[[A0]] {kernel = array<i64: 2>, strides = array<i64: 4>} : tensor<1x2x8xf32> -> tensor<1x2x2xf32>
// CHECK-NEXT: return %[[V0]] : tensor<1x2x2xf32>
func.func @max_pool_leftover(%x: tensor<1x2x8xf32>) -> tensor<1x2x2xf32> {
  %0 = pop.max_pool %x {kernel = array<i64: 2>, pads = array<i64: 0, 1>, strides = array<i64: 4>} : tensor<1x2x8xf32> -> tensor<1x2x2xf32>
  return %0 : tensor<1x2x2xf32>
}

// Each window divides by the positions that count.
// CHECK-LABEL: func @avg_pool
// CHECK-SAME: (%[[A0:.*]]: tensor<1x2x4xf16>)
// CHECK-NEXT: %[[V0:.*]] = pop.pad %[[A0]] {high = array<i64: 0, 0, 2>, low = array<i64: 0, 0, 1>, value = -0.000000e+00 : f16} : tensor<1x2x4xf16> -> tensor<1x2x7xf16>
// CHECK-NEXT: %[[V1:.*]] = pop.reduce_window sum %[[V0]] {kernel = array<i64: 3>, strides = array<i64: 2>} : tensor<1x2x7xf16> -> tensor<1x2x3xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.constant dense<{{\[\[\[}}2.000000e+00, 3.000000e+00, 1.000000e+00]]]> : tensor<1x1x3xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.div %[[V1]], %[[V2]] : (tensor<1x2x3xf32>, tensor<1x1x3xf32>) -> tensor<1x2x3xf32>
// CHECK-NEXT: %[[V4:.*]] = pop.cast %[[V3]] : tensor<1x2x3xf32> to tensor<1x2x3xf16>
// CHECK-NEXT: return %[[V4]] : tensor<1x2x3xf16>
func.func @avg_pool(%x: tensor<1x2x4xf16>) -> tensor<1x2x3xf16> {
  %0 = pop.avg_pool %x {kernel = array<i64: 3>, pads = array<i64: 1, 2>, strides = array<i64: 2>} : tensor<1x2x4xf16> -> tensor<1x2x3xf16>
  return %0 : tensor<1x2x3xf16>
}

// With pads that count all windows are alike.
// CHECK-LABEL: func @avg_pool_padded
// CHECK-SAME: (%[[A0:.*]]: tensor<1x2x4x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.pad %[[A0]] {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, value = 0.000000e+00 : f32} : tensor<1x2x4x4xf32> -> tensor<1x2x6x6xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.reduce_window sum %[[V0]] {kernel = array<i64: 3, 3>} : tensor<1x2x6x6xf32> -> tensor<1x2x4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.constant dense<9.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V3:.*]] = pop.div %[[V1]], %[[V2]] : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
// CHECK-NEXT: return %[[V3]] : tensor<1x2x4x4xf32>
func.func @avg_pool_padded(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %0 = pop.avg_pool %x {count_include_pad, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

// The example of the pass description.
// CHECK-LABEL: func @softmax
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.reduce max %[[A0]] {axes = array<i64: 1>, keep_dims} : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.sub %[[A0]], %[[V0]] : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.exp %[[V1]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.reduce sum %[[V2]] {axes = array<i64: 1>, keep_dims} : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %[[V4:.*]] = pop.div %[[V2]], %[[V3]] : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return %[[V4]] : tensor<2x3xf32>
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = pop.softmax %x {axis = 1 : i64} : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Computed in f32, rounded once.
// CHECK-LABEL: func @batch_norm
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3x4xf16>, %[[A1:.*]]: tensor<3xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = pop.add %[[A1]], %[[V0]] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.sqrt %[[V1]] : tensor<3xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.div %[[A1]], %[[V2]] : tensor<3xf32>
// CHECK-NEXT: %[[V4:.*]] = pop.reshape %[[A1]] : tensor<3xf32> to tensor<3x1xf32>
// CHECK-NEXT: %[[V5:.*]] = pop.reshape %[[A1]] : tensor<3xf32> to tensor<3x1xf32>
// CHECK-NEXT: %[[V6:.*]] = pop.cast %[[A0]] : tensor<2x3x4xf16> to tensor<2x3x4xf32>
// CHECK-NEXT: %[[V7:.*]] = pop.sub %[[V6]], %[[V4]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V8:.*]] = pop.reshape %[[V3]] : tensor<3xf32> to tensor<3x1xf32>
// CHECK-NEXT: %[[V9:.*]] = pop.mul %[[V7]], %[[V8]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V10:.*]] = pop.add %[[V9]], %[[V5]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V11:.*]] = pop.cast %[[V10]] : tensor<2x3x4xf32> to tensor<2x3x4xf16>
// CHECK-NEXT: return %[[V11]] : tensor<2x3x4xf16>
func.func @batch_norm(%x: tensor<2x3x4xf16>, %c: tensor<3xf32>) -> tensor<2x3x4xf16> {
  %0 = pop.batch_norm %x, %c, %c, %c, %c {epsilon = 2.0 : f32} : tensor<2x3x4xf16>, tensor<3xf32>
  return %0 : tensor<2x3x4xf16>
}

// The lowering to tiles reports what is too large to decompose.
// CHECK-LABEL: func @too_large
// CHECK-SAME: (%[[A0:.*]]: tensor<1x1x144115188075855xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.avg_pool %[[A0]] {kernel = array<i64: 2>} : tensor<1x1x144115188075855xf32> -> tensor<1x1x144115188075854xf32>
// CHECK-NEXT: return %[[V0]] : tensor<1x1x144115188075854xf32>
func.func @too_large(%x: tensor<1x1x144115188075855xf32>) -> tensor<1x1x144115188075854xf32> {
  %0 = pop.avg_pool %x {kernel = array<i64: 2>} : tensor<1x1x144115188075855xf32> -> tensor<1x1x144115188075854xf32>
  return %0 : tensor<1x1x144115188075854xf32>
}

// One product for each block, rounded when all are added. -0 times +0 leaves every
// sum as it is.
// CHECK-LABEL: func @matmul_blocks
// CHECK-SAME: (%[[A0:.+]]: tensor<2x3x40xf16>, %[[A1:.+]]: tensor<40x5xf16>)
// CHECK-NEXT: %[[V0:.+]] = pop.reshape %[[A0]] : tensor<2x3x40xf16> to tensor<6x40xf16>
// CHECK-NEXT: %[[V1:.+]] = pop.pad %[[V0]] {high = array<i64: 0, 8>, low = array<i64: 0, 0>, value = -0.000000e+00 : f16} : tensor<6x40xf16> -> tensor<6x48xf16>
// CHECK-NEXT: %[[V2:.+]] = pop.reshape %[[V1]] : tensor<6x48xf16> to tensor<6x3x16xf16>
// CHECK-NEXT: %[[V3:.+]] = pop.transpose %[[V2]] {permutation = array<i64: 1, 0, 2>} : tensor<6x3x16xf16> -> tensor<3x6x16xf16>
// CHECK-NEXT: %[[V4:.+]] = pop.pad %[[A1]] {high = array<i64: 8, 0>, low = array<i64: 0, 0>, value = 0.000000e+00 : f16} : tensor<40x5xf16> -> tensor<48x5xf16>
// CHECK-NEXT: %[[V5:.+]] = pop.reshape %[[V4]] : tensor<48x5xf16> to tensor<3x16x5xf16>
// CHECK-NEXT: %[[V6:.+]] = pop.matmul %[[V3]], %[[V5]] : (tensor<3x6x16xf16>, tensor<3x16x5xf16>) -> tensor<3x6x5xf32>
// CHECK-NEXT: %[[V7:.+]] = pop.transpose %[[V6]] {permutation = array<i64: 1, 2, 0>} : tensor<3x6x5xf32> -> tensor<6x5x3xf32>
// CHECK-NEXT: %[[V8:.+]] = pop.reshape %[[V7]] : tensor<6x5x3xf32> to tensor<30x3xf32>
// CHECK-NEXT: %[[V9:.+]] = pop.reduce sum %[[V8]] {accum = #pop.accum<blocked, block = 3, lanes = 1>, axes = array<i64: 1>} : tensor<30x3xf32> -> tensor<30xf32>
// CHECK-NEXT: %[[V10:.+]] = pop.reshape %[[V9]] : tensor<30xf32> to tensor<6x5xf32>
// CHECK-NEXT: %[[V11:.+]] = pop.reshape %[[V10]] : tensor<6x5xf32> to tensor<2x3x5xf32>
// CHECK-NEXT: %[[V12:.+]] = pop.cast %[[V11]] : tensor<2x3x5xf32> to tensor<2x3x5xf16>
// CHECK-NEXT: return %[[V12]] : tensor<2x3x5xf16>
func.func @matmul_blocks(%a: tensor<2x3x40xf16>, %b: tensor<40x5xf16>) -> tensor<2x3x5xf16> {
  %0 = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 16, lanes = 1>} : (tensor<2x3x40xf16>, tensor<40x5xf16>) -> tensor<2x3x5xf16>
  return %0 : tensor<2x3x5xf16>
}

// Batches come after blocks.
// CHECK-LABEL: func @matmul_blocks_batch
// CHECK-SAME: (%[[A0:.+]]: tensor<3x40xf32>, %[[A1:.+]]: tensor<2x40x5xf32>)
// CHECK-NEXT: %[[V0:.+]] = pop.reshape %[[A0]] : tensor<3x40xf32> to tensor<1x3x40xf32>
// CHECK-NEXT: %[[V1:.+]] = pop.reshape %[[V0]] : tensor<1x3x40xf32> to tensor<1x3x2x20xf32>
// CHECK-NEXT: %[[V2:.+]] = pop.transpose %[[V1]] {permutation = array<i64: 2, 0, 1, 3>} : tensor<1x3x2x20xf32> -> tensor<2x1x3x20xf32>
// CHECK-NEXT: %[[V3:.+]] = pop.reshape %[[A1]] : tensor<2x40x5xf32> to tensor<2x2x20x5xf32>
// CHECK-NEXT: %[[V4:.+]] = pop.transpose %[[V3]] {permutation = array<i64: 1, 0, 2, 3>} : tensor<2x2x20x5xf32> -> tensor<2x2x20x5xf32>
// CHECK-NEXT: %[[V5:.+]] = pop.expand %[[V2]] : tensor<2x1x3x20xf32> to tensor<2x2x3x20xf32>
// CHECK-NEXT: %[[V6:.+]] = pop.matmul %[[V5]], %[[V4]] : (tensor<2x2x3x20xf32>, tensor<2x2x20x5xf32>) -> tensor<2x2x3x5xf32>
// CHECK-NEXT: %[[V7:.+]] = pop.transpose %[[V6]] {permutation = array<i64: 1, 2, 3, 0>} : tensor<2x2x3x5xf32> -> tensor<2x3x5x2xf32>
// CHECK-NEXT: %[[V8:.+]] = pop.reshape %[[V7]] : tensor<2x3x5x2xf32> to tensor<30x2xf32>
// CHECK-NEXT: %[[V9:.+]] = pop.reduce sum %[[V8]] {accum = #pop.accum<blocked, block = 2, lanes = 1>, axes = array<i64: 1>} : tensor<30x2xf32> -> tensor<30xf32>
// CHECK-NEXT: %[[V10:.+]] = pop.reshape %[[V9]] : tensor<30xf32> to tensor<2x3x5xf32>
// CHECK-NEXT: return %[[V10]] : tensor<2x3x5xf32>
func.func @matmul_blocks_batch(%a: tensor<3x40xf32>, %b: tensor<2x40x5xf32>) -> tensor<2x3x5xf32> {
  %0 = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 20, lanes = 1>} : (tensor<3x40xf32>, tensor<2x40x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// One block is one chain.
// CHECK-LABEL: func @matmul_one_block
// CHECK-SAME: (%[[A0:.+]]: tensor<3x40xf32>, %[[A1:.+]]: tensor<40x5xf32>)
// CHECK-NEXT: %[[V0:.+]] = pop.matmul %[[A0]], %[[A1]] : (tensor<3x40xf32>, tensor<40x5xf32>) -> tensor<3x5xf32>
// CHECK-NEXT: return %[[V0]] : tensor<3x5xf32>
func.func @matmul_one_block(%a: tensor<3x40xf32>, %b: tensor<40x5xf32>) -> tensor<3x5xf32> {
  %0 = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 40, lanes = 1>} : (tensor<3x40xf32>, tensor<40x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// The terms become channels, each block of them a group. There is no -0 in this
// type.
// CHECK-LABEL: func @conv_blocks
// CHECK-SAME: (%[[A0:.+]]: tensor<1x4x5xf8E5M2FNUZ>, %[[A1:.+]]: tensor<4x2x3xf8E5M2FNUZ>)
// CHECK-NEXT: %[[V0:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 4, 2>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 2>} : tensor<1x4x5xf8E5M2FNUZ> -> tensor<1x4x2xf8E5M2FNUZ>
// CHECK-NEXT: %[[V1:.+]] = pop.reshape %[[V0]] : tensor<1x4x2xf8E5M2FNUZ> to tensor<1x2x2x2xf8E5M2FNUZ>
// CHECK-NEXT: %[[V2:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 4, 2>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, 2>} : tensor<1x4x5xf8E5M2FNUZ> -> tensor<1x4x2xf8E5M2FNUZ>
// CHECK-NEXT: %[[V3:.+]] = pop.reshape %[[V2]] : tensor<1x4x2xf8E5M2FNUZ> to tensor<1x2x2x2xf8E5M2FNUZ>
// CHECK-NEXT: %[[V4:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 4, 2>, starts = array<i64: 0, 0, 2>, steps = array<i64: 1, 1, 2>} : tensor<1x4x5xf8E5M2FNUZ> -> tensor<1x4x2xf8E5M2FNUZ>
// CHECK-NEXT: %[[V5:.+]] = pop.reshape %[[V4]] : tensor<1x4x2xf8E5M2FNUZ> to tensor<1x2x2x2xf8E5M2FNUZ>
// CHECK-NEXT: %[[V6:.+]] = pop.concat %[[V1]], %[[V3]], %[[V5]] {axis = 2 : i64} : (tensor<1x2x2x2xf8E5M2FNUZ>, tensor<1x2x2x2xf8E5M2FNUZ>, tensor<1x2x2x2xf8E5M2FNUZ>) -> tensor<1x2x6x2xf8E5M2FNUZ>
// CHECK-NEXT: %[[V7:.+]] = pop.pad %[[V6]] {high = array<i64: 0, 0, 2, 0>, low = array<i64: 0, 0, 0, 0>, value = 0.000000e+00 : f8E5M2FNUZ} : tensor<1x2x6x2xf8E5M2FNUZ> -> tensor<1x2x8x2xf8E5M2FNUZ>
// CHECK-NEXT: %[[V8:.+]] = pop.reshape %[[V7]] : tensor<1x2x8x2xf8E5M2FNUZ> to tensor<1x16x2xf8E5M2FNUZ>
// CHECK-NEXT: %[[V9:.+]] = pop.reshape %[[A1]] : tensor<4x2x3xf8E5M2FNUZ> to tensor<2x2x2x3xf8E5M2FNUZ>
// CHECK-NEXT: %[[V10:.+]] = pop.transpose %[[V9]] {permutation = array<i64: 0, 1, 3, 2>} : tensor<2x2x2x3xf8E5M2FNUZ> -> tensor<2x2x3x2xf8E5M2FNUZ>
// CHECK-NEXT: %[[V11:.+]] = pop.reshape %[[V10]] : tensor<2x2x3x2xf8E5M2FNUZ> to tensor<2x2x6xf8E5M2FNUZ>
// CHECK-NEXT: %[[V12:.+]] = pop.pad %[[V11]] {high = array<i64: 0, 0, 2>, low = array<i64: 0, 0, 0>, value = 0.000000e+00 : f8E5M2FNUZ} : tensor<2x2x6xf8E5M2FNUZ> -> tensor<2x2x8xf8E5M2FNUZ>
// CHECK-NEXT: %[[V13:.+]] = pop.reshape %[[V12]] : tensor<2x2x8xf8E5M2FNUZ> to tensor<2x2x2x4xf8E5M2FNUZ>
// CHECK-NEXT: %[[V14:.+]] = pop.transpose %[[V13]] {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x2x2x4xf8E5M2FNUZ> -> tensor<2x2x2x4xf8E5M2FNUZ>
// CHECK-NEXT: %[[V15:.+]] = pop.reshape %[[V14]] : tensor<2x2x2x4xf8E5M2FNUZ> to tensor<8x4x1xf8E5M2FNUZ>
// CHECK-NEXT: %[[V16:.+]] = pop.conv %[[V8]], %[[V15]] {groups = 4 : i64} : (tensor<1x16x2xf8E5M2FNUZ>, tensor<8x4x1xf8E5M2FNUZ>) -> tensor<1x8x2xf32>
// CHECK-NEXT: %[[V17:.+]] = pop.reshape %[[V16]] : tensor<1x8x2xf32> to tensor<1x2x2x2x2xf32>
// CHECK-NEXT: %[[V18:.+]] = pop.transpose %[[V17]] {permutation = array<i64: 0, 1, 3, 4, 2>} : tensor<1x2x2x2x2xf32> -> tensor<1x2x2x2x2xf32>
// CHECK-NEXT: %[[V19:.+]] = pop.reshape %[[V18]] : tensor<1x2x2x2x2xf32> to tensor<8x2xf32>
// CHECK-NEXT: %[[V20:.+]] = pop.reduce sum %[[V19]] {accum = #pop.accum<blocked, block = 2, lanes = 1>, axes = array<i64: 1>} : tensor<8x2xf32> -> tensor<8xf32>
// CHECK-NEXT: %[[V21:.+]] = pop.reshape %[[V20]] : tensor<8xf32> to tensor<1x2x2x2xf32>
// CHECK-NEXT: %[[V22:.+]] = pop.reshape %[[V21]] : tensor<1x2x2x2xf32> to tensor<1x4x2xf32>
// CHECK-NEXT: return %[[V22]] : tensor<1x4x2xf32>
func.func @conv_blocks(%x: tensor<1x4x5xf8E5M2FNUZ>, %w: tensor<4x2x3xf8E5M2FNUZ>) -> tensor<1x4x2xf32> {
  %0 = pop.conv %x, %w {groups = 2 : i64, strides = array<i64: 2>, accum = #pop.accum<blocked, block = 4, lanes = 1>} : (tensor<1x4x5xf8E5M2FNUZ>, tensor<4x2x3xf8E5M2FNUZ>) -> tensor<1x4x2xf32>
  return %0 : tensor<1x4x2xf32>
}

// CHECK-LABEL: func @conv_acc
// CHECK-SAME: (%[[A0:.+]]: tensor<1x2x3xf16>, %[[A1:.+]]: tensor<4x2x3xf16>, %[[A2:.+]]: tensor<1x4x2xf32>)
// CHECK-NEXT: %[[V0:.+]] = pop.pad %[[A0]] {high = array<i64: 0, 0, 0>, low = array<i64: 0, 0, 1>, value = 0.000000e+00 : f16} : tensor<1x2x3xf16> -> tensor<1x2x4xf16>
// CHECK-NEXT: %[[V1:.+]] = pop.conv %[[V0]], %[[A1]], %[[A2]] : (tensor<1x2x4xf16>, tensor<4x2x3xf16>, tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
// CHECK-NEXT: return %[[V1]] : tensor<1x4x2xf32>
func.func @conv_acc(%x: tensor<1x2x3xf16>, %w: tensor<4x2x3xf16>, %a: tensor<1x4x2xf32>) -> tensor<1x4x2xf32> {
  %0 = pop.conv %x, %w, %a {pads = array<i64: 1, 0>} : (tensor<1x2x3xf16>, tensor<4x2x3xf16>, tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
  return %0 : tensor<1x4x2xf32>
}

// Windows 4 apart that see every second element leave out the others.
// CHECK-LABEL: func @window_steps
// CHECK-SAME: (%[[A0:.+]]: tensor<1x2x16x9xf32>)
// CHECK-NEXT: %[[V0:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 2, 7, 9>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 1>} : tensor<1x2x16x9xf32> -> tensor<1x2x7x9xf32>
// CHECK-NEXT: %[[V1:.+]] = pop.reduce_window max %[[V0]] {dilations = array<i64: 1, 2>, kernel = array<i64: 3, 3>, strides = array<i64: 2, 3>} : tensor<1x2x7x9xf32> -> tensor<1x2x3x2xf32>
// CHECK-NEXT: return %[[V1]] : tensor<1x2x3x2xf32>
func.func @window_steps(%x: tensor<1x2x16x9xf32>) -> tensor<1x2x3x2xf32> {
  %0 = pop.reduce_window max %x {kernel = array<i64: 3, 3>, strides = array<i64: 4, 3>, dilations = array<i64: 2, 2>} : tensor<1x2x16x9xf32> -> tensor<1x2x3x2xf32>
  return %0 : tensor<1x2x3x2xf32>
}
