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

// Pads become a border of zeros, without the row at the end that no window reads.
// CHECK-LABEL: func @conv
// CHECK-SAME: (%[[A0:.*]]: tensor<1x4x8x8xf16>, %[[A1:.*]]: tensor<6x4x3x3xf16>)
// CHECK-NEXT: %[[V0:.*]] = pop.pad %[[A0]] {high = array<i64: 0, 0, 0, 0>, low = array<i64: 0, 0, 1, 1>, value = 0.000000e+00 : f16} : tensor<1x4x8x8xf16> -> tensor<1x4x9x9xf16>
// CHECK-NEXT: %[[V1:.*]] = pop.conv %[[V0]], %[[A1]] {strides = array<i64: 2, 2>} : (tensor<1x4x9x9xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.cast %[[V1]] : tensor<1x6x4x4xf32> to tensor<1x6x4x4xf16>
// CHECK-NEXT: return %[[V2]] : tensor<1x6x4x4xf16>
func.func @conv(%x: tensor<1x4x8x8xf16>, %w: tensor<6x4x3x3xf16>) -> tensor<1x6x4x4xf16> {
  %0 = pop.conv %x, %w {pads = array<i64: 1, 1, 1, 0>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf16>, tensor<6x4x3x3xf16>) -> tensor<1x6x4x4xf16>
  return %0 : tensor<1x6x4x4xf16>
}

// Zeros are put between elements before those of the pads.
// CHECK-LABEL: func @conv_zeros
// CHECK-SAME: (%[[A0:.*]]: tensor<1x4x5x8xf32>, %[[A1:.*]]: tensor<6x4x3x3xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.reshape %[[A0]] : tensor<1x4x5x8xf32> to tensor<1x4x5x1x8x1xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.pad %[[V0]] {high = array<i64: 0, 0, 0, 1, 0, 0>, low = array<i64: 0, 0, 0, 0, 0, 0>, value = 0.000000e+00 : f32} : tensor<1x4x5x1x8x1xf32> -> tensor<1x4x5x2x8x1xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.reshape %[[V1]] : tensor<1x4x5x2x8x1xf32> to tensor<1x4x10x8xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.slice %[[V2]] {sizes = array<i64: 1, 4, 9, 8>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<1x4x10x8xf32> -> tensor<1x4x9x8xf32>
// CHECK-NEXT: %[[V4:.*]] = pop.pad %[[V3]] {high = array<i64: 0, 0, 1, 3>, low = array<i64: 0, 0, 1, 1>, value = 0.000000e+00 : f32} : tensor<1x4x9x8xf32> -> tensor<1x4x11x12xf32>
// CHECK-NEXT: %[[V5:.*]] = pop.conv %[[V4]], %[[A1]] : (tensor<1x4x11x12xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x9x10xf32>
// CHECK-NEXT: return %[[V5]]
func.func @conv_zeros(%x: tensor<1x4x5x8xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<1x6x9x10xf32> {
  %0 = pop.conv %x, %w {input_dilations = array<i64: 2, 1>, pads = array<i64: 1, 1, 1, 3>} : (tensor<1x4x5x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x9x10xf32>
  return %0 : tensor<1x6x9x10xf32>
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

// Blocks of 1024 positions; the last block is shorter.
// CHECK-LABEL: func @reduce_long
// CHECK-SAME: (%[[A0:.*]]: tensor<3x2500xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.reduce_blocks sum %[[A0]] {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axis = 1 : i64} : tensor<3x2500xf32> -> tensor<3x3xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.reduce sum %[[V0]] {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axes = array<i64: 1>} : tensor<3x3xf32> -> tensor<3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<3xf32>
func.func @reduce_long(%x: tensor<3x2500xf32>) -> tensor<3xf32> {
  %0 = pop.reduce sum %x {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axes = array<i64: 1>} : tensor<3x2500xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Block results are combined in blocks again.
// CHECK-LABEL: func @reduce_very_long
// CHECK-SAME: (%[[A0:.*]]: tensor<2097152xi32>)
// CHECK-NEXT: %[[V0:.*]] = pop.reshape %[[A0]] : tensor<2097152xi32> to tensor<1x2097152xi32>
// CHECK-NEXT: %[[V1:.*]] = pop.reduce_blocks max %[[V0]] {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axis = 1 : i64} : tensor<1x2097152xi32> -> tensor<1x2048xi32>
// CHECK-NEXT: %[[V2:.*]] = pop.reduce_blocks max %[[V1]] {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axis = 1 : i64} : tensor<1x2048xi32> -> tensor<1x2xi32>
// CHECK-NEXT: %[[V3:.*]] = pop.reduce max %[[V2]] {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axes = array<i64: 1>} : tensor<1x2xi32> -> tensor<1xi32>
// CHECK-NEXT: %[[V4:.*]] = pop.reshape %[[V3]] : tensor<1xi32> to tensor<i32>
// CHECK-NEXT: return %[[V4]] : tensor<i32>
func.func @reduce_very_long(%x: tensor<2097152xi32>) -> tensor<i32> {
  %0 = pop.reduce max %x {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axes = array<i64: 0>} : tensor<2097152xi32> -> tensor<i32>
  return %0 : tensor<i32>
}

// Lanes of an outer axis stay where they are.
// CHECK-LABEL: func @reduce_rows
// CHECK-SAME: (%[[A0:.*]]: tensor<300x2x5xf16>)
// CHECK-NEXT: %[[V0:.*]] = pop.reshape %[[A0]] : tensor<300x2x5xf16> to tensor<1x300x10xf16>
// CHECK-NEXT: %[[V1:.*]] = pop.reduce_blocks sum %[[V0]] {accum = #pop.accum<blocked, block = 128, lanes = 16>, axis = 1 : i64} : tensor<1x300x10xf16> -> tensor<1x3x10xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.reduce_blocks sum %[[V1]] {accum = #pop.accum<blocked, block = 128, lanes = 16>, axis = 1 : i64} : tensor<1x3x10xf32> -> tensor<1x1x10xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.reshape %[[V2]] : tensor<1x1x10xf32> to tensor<1x10xf32>
// CHECK-NEXT: %[[V4:.*]] = pop.reshape %[[V3]] : tensor<1x10xf32> to tensor<2x5xf32>
// CHECK-NEXT: return %[[V4]] : tensor<2x5xf32>
func.func @reduce_rows(%x: tensor<300x2x5xf16>) -> tensor<2x5xf32> {
  %0 = pop.reduce sum %x {accum = #pop.accum<blocked, block = 128, lanes = 16>, axes = array<i64: 0>} : tensor<300x2x5xf16> -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// Blocks of 10 of 35 adjacent positions, then two levels of chains, and then the
// outer dimension. A dimension of size 1 does not separate axes.
// CHECK-LABEL: func @reduce_tree
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3x5x1x7xf16>)
// CHECK-NEXT: %[[V0:.*]] = pop.reshape %[[A0]] : tensor<2x3x5x1x7xf16> to tensor<2x3x35xf16>
// CHECK-NEXT: %[[V1:.*]] = pop.reduce_blocks sum %[[V0]] {accum = #pop.accum<blocked, block = 10, lanes = 1>, axis = 2 : i64} : tensor<2x3x35xf16> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.reduce_blocks sum %[[V1]] {accum = #pop.accum<blocked, block = 3, lanes = 1>, axis = 2 : i64} : tensor<2x3x4xf32> -> tensor<2x3x2xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.reduce sum %[[V2]] {accum = #pop.accum<blocked, block = 3, lanes = 1>, axes = array<i64: 2>} : tensor<2x3x2xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V4:.*]] = pop.reduce sum %[[V3]] {accum = #pop.accum<blocked, block = 2, lanes = 1>, axes = array<i64: 0>} : tensor<2x3xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[V5:.*]] = pop.reshape %[[V4]] : tensor<3xf32> to tensor<1x3x1x1x1xf32>
// CHECK-NEXT: return %[[V5]] : tensor<1x3x1x1x1xf32>
func.func @reduce_tree(%x: tensor<2x3x5x1x7xf16>) -> tensor<1x3x1x1x1xf32> {
  %0 = pop.reduce sum %x {keep_dims, accum = #pop.accum<blocked, block = 3, lanes = 1, box = [2, 10]>, axes = array<i64: 0, 2, 4>} : tensor<2x3x5x1x7xf16> -> tensor<1x3x1x1x1xf32>
  return %0 : tensor<1x3x1x1x1xf32>
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
// CHECK-NEXT: %[[V1:.*]] = pop.reduce_window max %[[V0]] {accum = #pop.accum<chain>, kernel = array<i64: 2>, strides = array<i64: 2>} : tensor<1x2x10xi8> -> tensor<1x2x5xi8>
// CHECK-NEXT: return %[[V1]] : tensor<1x2x5xi8>
func.func @max_pool(%x: tensor<1x2x8xi8>) -> tensor<1x2x5xi8> {
  %0 = pop.max_pool %x {ceil_mode, kernel = array<i64: 2>, pads = array<i64: 1, 0>, strides = array<i64: 2>} : tensor<1x2x8xi8> -> tensor<1x2x5xi8>
  return %0 : tensor<1x2x5xi8>
}

// Pads that no window reaches are not made.
// CHECK-LABEL: func @max_pool_leftover
// CHECK-SAME: (%[[A0:.*]]: tensor<1x2x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.reduce_window max %[[A0]] {accum = #pop.accum<chain>, kernel = array<i64: 2>, strides = array<i64: 4>} : tensor<1x2x8xf32> -> tensor<1x2x2xf32>
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
// CHECK-NEXT: %[[V0:.*]] = pop.cast %[[A0]] : tensor<2x3x4xf16> to tensor<2x3x4xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.reshape %[[A1]] : tensor<3xf32> to tensor<3x1xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.sub %[[V0]], %[[V1]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V4:.*]] = pop.add %[[A1]], %[[V3]] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK-NEXT: %[[V5:.*]] = pop.sqrt %[[V4]] : tensor<3xf32>
// CHECK-NEXT: %[[V6:.*]] = pop.div %[[A1]], %[[V5]] : tensor<3xf32>
// CHECK-NEXT: %[[V7:.*]] = pop.reshape %[[V6]] : tensor<3xf32> to tensor<3x1xf32>
// CHECK-NEXT: %[[V8:.*]] = pop.mul %[[V2]], %[[V7]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V9:.*]] = pop.reshape %[[A1]] : tensor<3xf32> to tensor<3x1xf32>
// CHECK-NEXT: %[[V10:.*]] = pop.add %[[V8]], %[[V9]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V11:.*]] = pop.cast %[[V10]] : tensor<2x3x4xf32> to tensor<2x3x4xf16>
// CHECK-NEXT: return %[[V11]] : tensor<2x3x4xf16>
func.func @batch_norm(%x: tensor<2x3x4xf16>, %c: tensor<3xf32>) -> tensor<2x3x4xf16> {
  %0 = pop.batch_norm %x, %c, %c, %c, %c {epsilon = 2.0 : f32} : tensor<2x3x4xf16>, tensor<3xf32>
  return %0 : tensor<2x3x4xf16>
}

// The mean and the variance, of differences from the mean, are rounded where they
// are results alone.
// CHECK-LABEL: func @batch_norm_training
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3x4xf16>, %[[A1:.*]]: tensor<3xf16>)
// CHECK-NEXT: %[[X:.*]] = pop.cast %[[A0]] : tensor<2x3x4xf16> to tensor<2x3x4xf32>
// CHECK-NEXT: %[[V0:.*]] = pop.transpose %[[A0]]
// CHECK-NEXT: %[[V1:.*]] = pop.reshape %[[V0]] : tensor<3x2x4xf16> to tensor<3x8xf16>
// CHECK-NEXT: %[[V2:.*]] = pop.reduce sum %[[V1]] {accum = #pop.accum<blocked, block = 8, lanes = 4>, axes = array<i64: 1>} : tensor<3x8xf16> -> tensor<3xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.constant dense<8.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[M:.*]] = pop.div %[[V2]], %[[V3]]
// CHECK-NEXT: %[[V4:.*]] = pop.reshape %[[M]] : tensor<3xf32> to tensor<3x1xf32>
// CHECK-NEXT: %[[C:.*]] = pop.sub %[[X]], %[[V4]]
// CHECK-NEXT: %[[V5:.*]] = pop.mul %[[C]], %[[C]] : tensor<2x3x4xf32>
// CHECK-NEXT: %[[V6:.*]] = pop.transpose %[[V5]]
// CHECK-NEXT: %[[V7:.*]] = pop.reshape %[[V6]] : tensor<3x2x4xf32> to tensor<3x8xf32>
// CHECK-NEXT: %[[V8:.*]] = pop.reduce sum %[[V7]] {accum = #pop.accum<blocked, block = 8, lanes = 4>, axes = array<i64: 1>} : tensor<3x8xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[V9:.*]] = pop.constant dense<8.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V:.*]] = pop.div %[[V8]], %[[V9]]
// CHECK-NEXT: %[[E:.*]] = pop.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V10:.*]] = pop.add %[[V]], %[[E]]
// CHECK-NEXT: %[[V11:.*]] = pop.sqrt %[[V10]]
// CHECK-NEXT: %[[V12:.*]] = pop.cast %[[A1]]
// CHECK-NEXT: %[[V13:.*]] = pop.div %[[V12]], %[[V11]]
// CHECK-NEXT: %[[V14:.*]] = pop.reshape %[[V13]]
// CHECK-NEXT: %[[V15:.*]] = pop.mul %[[C]], %[[V14]]
// CHECK: %[[V16:.*]] = pop.add %[[V15]], %{{.*}}
// CHECK-NEXT: %[[Y:.*]] = pop.cast %[[V16]] : tensor<2x3x4xf32> to tensor<2x3x4xf16>
// CHECK-NEXT: %[[MEAN:.*]] = pop.cast %[[M]] : tensor<3xf32> to tensor<3xf16>
// CHECK-NEXT: %[[VARIANCE:.*]] = pop.cast %[[V]] : tensor<3xf32> to tensor<3xf16>
// CHECK-NEXT: return %[[Y]], %[[MEAN]], %[[VARIANCE]]
func.func @batch_norm_training(%x: tensor<2x3x4xf16>, %c: tensor<3xf16>) -> (tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>) {
  %0:3 = pop.batch_norm_training %x, %c, %c {accum = #pop.accum<blocked, block = 8, lanes = 4>, epsilon = 2.0 : f32} : tensor<2x3x4xf16>, tensor<3xf16>
  return %0#0, %0#1, %0#2 : tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>
}

// Sums by index are computed in f32; maxima are exact.
// CHECK-LABEL: func @scatter
// CHECK-SAME: (%[[A0:.*]]: tensor<4x3xf16>, %[[A1:.*]]: tensor<2xi32>, %[[A2:.*]]: tensor<2x3xf16>)
// CHECK-NEXT: %[[V0:.*]] = pop.cast %[[A0]] : tensor<4x3xf16> to tensor<4x3xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.cast %[[A2]] : tensor<2x3xf16> to tensor<2x3xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.scatter add %[[V0]], %[[A1]], %[[V1]] : tensor<4x3xf32>, tensor<2xi32>, tensor<2x3xf32>
// CHECK-NEXT: %[[V3:.*]] = pop.cast %[[V2]] : tensor<4x3xf32> to tensor<4x3xf16>
// CHECK-NEXT: %[[V4:.*]] = pop.scatter max %[[A0]], %[[A1]], %[[A2]] : tensor<4x3xf16>, tensor<2xi32>, tensor<2x3xf16>
// CHECK-NEXT: return %[[V3]], %[[V4]]
func.func @scatter(%x: tensor<4x3xf16>, %i: tensor<2xi32>, %u: tensor<2x3xf16>) -> (tensor<4x3xf16>, tensor<4x3xf16>) {
  %0 = pop.scatter add %x, %i, %u : tensor<4x3xf16>, tensor<2xi32>, tensor<2x3xf16>
  %1 = pop.scatter max %x, %i, %u : tensor<4x3xf16>, tensor<2xi32>, tensor<2x3xf16>
  return %0, %1 : tensor<4x3xf16>, tensor<4x3xf16>
}

// CHECK-LABEL: func @select_and_scatter
// CHECK-SAME: (%[[A0:.*]]: tensor<1x2x8xf16>, %[[A1:.*]]: tensor<1x2x4xf16>, %[[A2:.*]]: tensor<1x2x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = pop.cast %[[A1]] : tensor<1x2x4xf16> to tensor<1x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = pop.select_and_scatter max %[[A0]], %[[V0]] {kernel = array<i64: 2>, strides = array<i64: 2>} : tensor<1x2x8xf16>, tensor<1x2x4xf32> -> tensor<1x2x8xf32>
// CHECK-NEXT: %[[V2:.*]] = pop.cast %[[V1]] : tensor<1x2x8xf32> to tensor<1x2x8xf16>
// CHECK-NEXT: %[[V3:.*]] = pop.select_and_scatter min %[[A0]], %[[A2]]
// CHECK-NEXT: return %[[V2]], %[[V3]]
func.func @select_and_scatter(%x: tensor<1x2x8xf16>, %s: tensor<1x2x4xf16>, %w: tensor<1x2x4xf32>) -> (tensor<1x2x8xf16>, tensor<1x2x8xf32>) {
  %0 = pop.select_and_scatter max %x, %s {kernel = array<i64: 2>, strides = array<i64: 2>} : tensor<1x2x8xf16>, tensor<1x2x4xf16> -> tensor<1x2x8xf16>
  %1 = pop.select_and_scatter min %x, %w {kernel = array<i64: 2>, strides = array<i64: 2>} : tensor<1x2x8xf16>, tensor<1x2x4xf32> -> tensor<1x2x8xf32>
  return %0, %1 : tensor<1x2x8xf16>, tensor<1x2x8xf32>
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

// The last block has 8 addends; the sum is rounded.
// CHECK-LABEL: func @matmul_blocks
// CHECK-SAME: (%[[A:.+]]: tensor<2x3x40xf16>, %[[B:.+]]: tensor<40x5xf16>)
// CHECK-NEXT: %[[P:.+]] = pop.matmul_partials %[[A]], %[[B]] {block = 16 : i64} : (tensor<2x3x40xf16>, tensor<40x5xf16>) -> tensor<3x2x3x5xf32>
// CHECK-NEXT: %[[S:.+]] = pop.reduce sum %[[P]] {accum = #pop.accum<blocked, block = 3, lanes = 1>, axes = array<i64: 0>} : tensor<3x2x3x5xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[Y:.+]] = pop.cast %[[S]] : tensor<2x3x5xf32> to tensor<2x3x5xf16>
// CHECK-NEXT: return %[[Y]] : tensor<2x3x5xf16>
func.func @matmul_blocks(%a: tensor<2x3x40xf16>, %b: tensor<40x5xf16>) -> tensor<2x3x5xf16> {
  %0 = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 16, lanes = 1>} : (tensor<2x3x40xf16>, tensor<40x5xf16>) -> tensor<2x3x5xf16>
  return %0 : tensor<2x3x5xf16>
}

// An accumulator is the first of what is added. Batches come after blocks.
// CHECK-LABEL: func @matmul_blocks_acc
// CHECK-SAME: (%[[A:.+]]: tensor<3x40xf16>, %[[B:.+]]: tensor<2x40x5xf16>, %[[C:.+]]: tensor<2x3x5xf32>)
// CHECK-NEXT: %[[P:.+]] = pop.matmul_partials %[[A]], %[[B]] {block = 20 : i64} : (tensor<3x40xf16>, tensor<2x40x5xf16>) -> tensor<2x2x3x5xf32>
// CHECK-NEXT: %[[N:.+]] = pop.cast %[[P]] : tensor<2x2x3x5xf32> to tensor<2x2x3x5xf16>
// CHECK-NEXT: %[[W:.+]] = pop.cast %[[N]] : tensor<2x2x3x5xf16> to tensor<2x2x3x5xf32>
// CHECK-NEXT: %[[R:.+]] = pop.reshape %[[C]] : tensor<2x3x5xf32> to tensor<1x2x3x5xf32>
// CHECK-NEXT: %[[ALL:.+]] = pop.concat %[[R]], %[[W]] {axis = 0 : i64}
// CHECK-NEXT: %[[S:.+]] = pop.reduce sum %[[ALL]] {accum = #pop.accum<blocked, block = 3, lanes = 1>, axes = array<i64: 0>} : tensor<3x2x3x5xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: return %[[S]]
func.func @matmul_blocks_acc(%a: tensor<3x40xf16>, %b: tensor<2x40x5xf16>, %c: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = pop.matmul %a, %b, %c {accum = #pop.accum<blocked, block = 20, lanes = 1, partials = f16>} : (tensor<3x40xf16>, tensor<2x40x5xf16>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// One block is one chain, unless it is added to something.
// CHECK-LABEL: func @matmul_one_block
// CHECK-SAME: (%[[A0:.+]]: tensor<3x40xf32>, %[[A1:.+]]: tensor<40x5xf32>, %[[A2:.+]]: tensor<3x5xf32>)
// CHECK-NEXT: %[[V0:.+]] = pop.matmul %[[A0]], %[[A1]] {accum = #pop.accum<chain>} : (tensor<3x40xf32>, tensor<40x5xf32>) -> tensor<3x5xf32>
// CHECK-NEXT: %[[P:.+]] = pop.matmul_partials %[[A0]], %[[A1]] {block = 40 : i64}
// CHECK: %[[V1:.+]] = pop.reduce sum
// CHECK-NEXT: return %[[V0]], %[[V1]]
func.func @matmul_one_block(%a: tensor<3x40xf32>, %b: tensor<40x5xf32>, %c: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 40, lanes = 1>} : (tensor<3x40xf32>, tensor<40x5xf32>) -> tensor<3x5xf32>
  %1 = pop.matmul %a, %b, %c {accum = #pop.accum<blocked, block = 40, lanes = 1>} : (tensor<3x40xf32>, tensor<40x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xf32>
}

// Boxes of two channels at one row of the kernel; the third channel of each group
// is in blocks of its own.
// CHECK-LABEL: func @conv_blocks
// CHECK-SAME: (%[[A:.+]]: tensor<1x6x5x4xf32>, %[[W:.+]]: tensor<4x3x2x3xf32>)
// CHECK-NEXT: %[[P:.+]] = pop.conv_partials %[[A]], %[[W]] {channels = 2 : i64, groups = 2 : i64, kernel = array<i64: 1, 3>} : (tensor<1x6x5x4xf32>, tensor<4x3x2x3xf32>) -> tensor<2x1x2x1x4x4x2xf32>
// CHECK-NEXT: %[[R:.+]] = pop.reshape %[[P]] : tensor<2x1x2x1x4x4x2xf32> to tensor<4x1x4x4x2xf32>
// CHECK-NEXT: %[[S:.+]] = pop.reduce sum %[[R]] {accum = #pop.accum<blocked, block = 4, lanes = 1>, axes = array<i64: 0>}
// CHECK-NEXT: return %[[S]]
func.func @conv_blocks(%x: tensor<1x6x5x4xf32>, %w: tensor<4x3x2x3xf32>) -> tensor<1x4x4x2xf32> {
  %0 = pop.conv %x, %w {groups = 2 : i64, accum = #pop.accum<blocked, block = 2, lanes = 1, kernel = [1, 3]>} : (tensor<1x6x5x4xf32>, tensor<4x3x2x3xf32>) -> tensor<1x4x4x2xf32>
  return %0 : tensor<1x4x4x2xf32>
}

// A block of all channels of each group is no slice.
// CHECK-LABEL: func @conv_whole_groups
// CHECK-SAME: (%[[A:.+]]: tensor<1x6x5xf32>, %[[W:.+]]: tensor<6x2x2xf32>)
// CHECK-NEXT: pop.conv_partials %[[A]], %[[W]] {channels = 2 : i64, groups = 3 : i64, kernel = array<i64: 1>} : (tensor<1x6x5xf32>, tensor<6x2x2xf32>) -> tensor<2x1x1x6x4xf32>
func.func @conv_whole_groups(%x: tensor<1x6x5xf32>, %w: tensor<6x2x2xf32>) -> tensor<1x6x4xf32> {
  %0 = pop.conv %x, %w {groups = 3 : i64, accum = #pop.accum<blocked, block = 2, lanes = 1, kernel = [1]>} : (tensor<1x6x5xf32>, tensor<6x2x2xf32>) -> tensor<1x6x4xf32>
  return %0 : tensor<1x6x4xf32>
}

// Windows of one position: the rows and columns of an image become one dimension, also
// of a slice of channels. A slice of columns would need a copy.
// CHECK-LABEL: func @conv_channels
// CHECK: pop.conv %{{.*}}, %{{.*}} : (tensor<1x2x20xf32>, tensor<3x2x1xf32>) -> tensor<1x3x20xf32>
func.func @conv_channels(%x: tensor<1x4x5x4xf32>, %w: tensor<3x2x1x1xf32>) -> tensor<1x3x5x4xf32> {
  %0 = pop.slice %x {starts = array<i64: 0, 2, 0, 0>, sizes = array<i64: 1, 2, 5, 4>, steps = array<i64: 1, 1, 1, 1>} : tensor<1x4x5x4xf32> -> tensor<1x2x5x4xf32>
  %1 = pop.conv %0, %w {accum = #pop.accum<chain>} : (tensor<1x2x5x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x5x4xf32>
  return %1 : tensor<1x3x5x4xf32>
}
// CHECK-LABEL: func @conv_columns
// CHECK: pop.conv %{{.*}}, %{{.*}} : (tensor<1x2x5x3xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x5x3xf32>
func.func @conv_columns(%x: tensor<1x2x5x4xf32>, %w: tensor<3x2x1x1xf32>) -> tensor<1x3x5x3xf32> {
  %0 = pop.slice %x {starts = array<i64: 0, 0, 0, 1>, sizes = array<i64: 1, 2, 5, 3>, steps = array<i64: 1, 1, 1, 1>} : tensor<1x2x5x4xf32> -> tensor<1x2x5x3xf32>
  %1 = pop.conv %0, %w {accum = #pop.accum<chain>} : (tensor<1x2x5x3xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x5x3xf32>
  return %1 : tensor<1x3x5x3xf32>
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

// A mean is the sum in its order, divided by the number of positions, and
// rounded once; one of nothing is no number.
// CHECK-LABEL: func @means
// CHECK-SAME: (%[[A0:.*]]: tensor<2x3x4xf16>, %[[A1:.*]]: tensor<2x0xf64>)
// CHECK-DAG: %[[SUM:.*]] = pop.reduce sum %{{.*}} {accum = #pop.accum<blocked, block = 16, lanes = 4>, axes = array<i64: 1>} : tensor<3x8xf16> -> tensor<3xf32>
// CHECK-DAG: %[[SHAPED:.*]] = pop.reshape %[[SUM]] : tensor<3xf32> to tensor<1x3x1xf32>
// CHECK-DAG: %[[COUNT:.*]] = pop.constant dense<8.000000e+00> : tensor<f32>
// CHECK-DAG: %[[MEAN:.*]] = pop.div %[[SHAPED]], %[[COUNT]]
// CHECK-DAG: %[[V0:.*]] = pop.cast %[[MEAN]] : tensor<1x3x1xf32> to tensor<1x3x1xf16>
// CHECK-DAG: %[[V1:.*]] = pop.constant dense<0x7FF8000000000000> : tensor<2xf64>
// CHECK-DAG: %[[WINDOWS:.*]] = pop.reduce_window sum %[[A0]] {kernel = array<i64: 3>} : tensor<2x3x4xf16> -> tensor<2x3x2xf32>
// CHECK-DAG: %[[THREE:.*]] = pop.constant dense<3.000000e+00> : tensor<f32>
// CHECK-DAG: %[[V2:.*]] = pop.div %[[WINDOWS]], %[[THREE]]
// CHECK: return %[[V0]], %[[V1]], %[[V2]]
func.func @means(%x: tensor<2x3x4xf16>, %e: tensor<2x0xf64>) -> (tensor<1x3x1xf16>, tensor<2xf64>, tensor<2x3x2xf32>) {
  %0 = pop.reduce mean %x {accum = #pop.accum<blocked, block = 16, lanes = 4>, axes = array<i64: 0, 2>, keep_dims} : tensor<2x3x4xf16> -> tensor<1x3x1xf16>
  %1 = pop.reduce mean %e {axes = array<i64: 1>} : tensor<2x0xf64> -> tensor<2xf64>
  %2 = pop.reduce_window mean %x {kernel = array<i64: 3>} : tensor<2x3x4xf16> -> tensor<2x3x2xf32>
  return %0, %1, %2 : tensor<1x3x1xf16>, tensor<2xf64>, tensor<2x3x2xf32>
}

// One axis is sliced after the other, and the axis that leaves the smallest
// fraction is the first. An axis with all positions needs no slice.
// CHECK-LABEL: func @dynamic_slice
// CHECK-SAME: (%[[X:.*]]: tensor<8x100x3xf32>, %[[S:.*]]: tensor<3xi8>)
// CHECK: %[[S2:.*]] = pop.slice %[[S]] {sizes = array<i64: 1>, starts = array<i64: 2>, steps = array<i64: 1>}
// CHECK: %[[ROWS:.*]] = pop.dynamic_slice %[[X]][%[[S2]]] {axes = array<i64: 1>, sizes = array<i64: 2>} : tensor<8x100x3xf32>, tensor<1xi8> -> tensor<8x2x3xf32>
// CHECK: %[[S0:.*]] = pop.slice %[[S]] {sizes = array<i64: 1>, starts = array<i64: 0>, steps = array<i64: 1>}
// CHECK: %[[V0:.*]] = pop.dynamic_slice %[[ROWS]][%[[S0]]] {axes = array<i64: 0>, sizes = array<i64: 4>} : tensor<8x2x3xf32>, tensor<1xi8> -> tensor<4x2x3xf32>
// CHECK-NOT: pop.dynamic_slice
// CHECK: return %[[V0]]
func.func @dynamic_slice(%x: tensor<8x100x3xf32>, %s: tensor<3xi8>) -> tensor<4x2x3xf32> {
  %0 = pop.dynamic_slice %x[%s] {axes = array<i64: 0, 2, 1>, sizes = array<i64: 4, 3, 2>} : tensor<8x100x3xf32>, tensor<3xi8> -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// Tiles compute slices and updates along one axis.
// CHECK-LABEL: func @dynamic_update
// CHECK-NEXT: pop.dynamic_update
// CHECK-NEXT: return
func.func @dynamic_update(%x: tensor<4x8xf32>, %u: tensor<4x2xf32>, %s: tensor<1xui64>) -> tensor<4x8xf32> {
  %0 = pop.dynamic_update %x, %u[%s] {axes = array<i64: 1>} : tensor<4x8xf32>, tensor<4x2xf32>, tensor<1xui64>
  return %0 : tensor<4x8xf32>
}

// Along several axes, the slice with the smallest fraction of an axis is updated
// and put back.
// CHECK-LABEL: func @dynamic_update_of_axes
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>, %[[U:.*]]: tensor<2x1xf32>, %[[S:.*]]: tensor<2xi32>)
// CHECK: %[[S0:.*]] = pop.slice %[[S]] {sizes = array<i64: 1>, starts = array<i64: 0>, steps = array<i64: 1>}
// CHECK: %[[S1:.*]] = pop.slice %[[S]] {sizes = array<i64: 1>, starts = array<i64: 1>, steps = array<i64: 1>}
// CHECK: %[[ROWS:.*]] = pop.dynamic_slice %[[X]][%[[S0]]] {axes = array<i64: 0>, sizes = array<i64: 2>}
// CHECK: %[[NEW:.*]] = pop.dynamic_update %[[ROWS]], %[[U]][%[[S1]]] {axes = array<i64: 1>} : tensor<2x4xf32>, tensor<2x1xf32>, tensor<1xi32>
// CHECK: %[[V0:.*]] = pop.dynamic_update %[[X]], %[[NEW]][%[[S0]]] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<2x4xf32>, tensor<1xi32>
// CHECK: return %[[V0]]
func.func @dynamic_update_of_axes(%x: tensor<8x4xf32>, %u: tensor<2x1xf32>, %s: tensor<2xi32>) -> tensor<8x4xf32> {
  %0 = pop.dynamic_update %x, %u[%s] {axes = array<i64: 0, 1>} : tensor<8x4xf32>, tensor<2x1xf32>, tensor<2xi32>
  return %0 : tensor<8x4xf32>
}

// The positions of equal keys are a further key. Equal integers need none.
// CHECK-LABEL: func @sort
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[V:.*]]: tensor<2x3xi8>)
// CHECK: %[[IOTA:.*]] = pop.constant dense<{{\[\[}}0, 1, 2]]> : tensor<1x3xi32>
// CHECK: %[[POSITIONS:.*]] = pop.expand %[[IOTA]] : tensor<1x3xi32> to tensor<2x3xi32>
// CHECK: %[[SORT:.*]]:3 = pop.sort %[[X]], %[[POSITIONS]], %[[V]] by [descending, ascending] {axis = 1 : i64, indexed} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xi8>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xi8>)
// CHECK: %[[INTEGERS:.*]] = pop.sort %[[V]] by [ascending] {axis = 0 : i64} : (tensor<2x3xi8>) -> tensor<2x3xi8>
// CHECK: return %[[SORT]]#0, %[[SORT]]#2, %[[INTEGERS]]
func.func @sort(%x: tensor<2x3xf32>, %v: tensor<2x3xi8>) -> (tensor<2x3xf32>, tensor<2x3xi8>, tensor<2x3xi8>) {
  %0:2 = pop.sort %x, %v by [descending] {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xi8>) -> (tensor<2x3xf32>, tensor<2x3xi8>)
  %1 = pop.sort %v by [ascending] {axis = 0 : i64} : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return %0#0, %0#1, %1 : tensor<2x3xf32>, tensor<2x3xi8>, tensor<2x3xi8>
}

// The positions of a long row are computed from short constants.
// CHECK-LABEL: func @sort_long
// CHECK-SAME: (%[[X:.*]]: tensor<2147483648x1xf32>)
// CHECK: %[[HIGH:.*]] = pop.constant dense<{{.*}}> : tensor<32768x1xi64>
// CHECK: %[[LOW:.*]] = pop.constant dense<{{.*}}> : tensor<1x65536xi64>
// CHECK: %[[BASE:.*]] = pop.constant dense<65536> : tensor<i64>
// CHECK: %[[MULTIPLES:.*]] = pop.mul %[[HIGH]], %[[BASE]]
// CHECK: %[[NUMBERS:.*]] = pop.add %[[MULTIPLES]], %[[LOW]]
// CHECK: %[[ROW:.*]] = pop.reshape %[[NUMBERS]] : tensor<32768x65536xi64> to tensor<2147483648xi64>
// CHECK: %[[POSITIONS:.*]] = pop.reshape %[[ROW]] : tensor<2147483648xi64> to tensor<2147483648x1xi64>
// CHECK: pop.sort %[[X]], %[[POSITIONS]] by [ascending, ascending] {axis = 0 : i64, indexed}
func.func @sort_long(%x: tensor<2147483648x1xf32>) -> tensor<2147483648x1xf32> {
  %0 = pop.sort %x by [ascending] {axis = 0 : i64} : (tensor<2147483648x1xf32>) -> tensor<2147483648x1xf32>
  return %0 : tensor<2147483648x1xf32>
}

// One axis is reduced after the other, beginning with the last one.
// CHECK-LABEL: func @arg_reduce
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[I:.*]]: tensor<2x3xi32>)
// CHECK: %[[VALUES:.*]], %[[INDICES:.*]] = pop.arg_reduce min %[[X]], %[[I]] {axes = array<i64: 1>, highest_index, keep_dims} : tensor<2x3xf32>, tensor<2x3xi32> -> tensor<2x1xf32>, tensor<2x1xi32>
// CHECK: %[[VALUE:.*]], %{{.*}} = pop.arg_reduce min %[[VALUES]], %[[INDICES]] {axes = array<i64: 0>, highest_index, keep_dims} : tensor<2x1xf32>, tensor<2x1xi32> -> tensor<1x1xf32>, tensor<1x1xi32>
// CHECK: pop.reshape %[[VALUE]] : tensor<1x1xf32> to tensor<f32>
func.func @arg_reduce(%x: tensor<2x3xf32>, %i: tensor<2x3xi32>) -> (tensor<f32>, tensor<i32>) {
  %0:2 = pop.arg_reduce min %x, %i {axes = array<i64: 0, 1>, highest_index} : tensor<2x3xf32>, tensor<2x3xi32> -> tensor<f32>, tensor<i32>
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}
