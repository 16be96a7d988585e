// Each way to cut an op.
//
// RUN: ipu-test-opt %s --pass-pipeline='builtin.module(func.func(test-tile-splits{name=n parts=2}))' | FileCheck %s --check-prefix=N
// RUN: ipu-test-opt %s --pass-pipeline='builtin.module(func.func(test-tile-splits{name=k parts=2}))' | FileCheck %s --check-prefix=K
// RUN: ipu-test-opt %s --pass-pipeline='builtin.module(func.func(test-tile-splits{name=m parts=2}))' | FileCheck %s --check-prefix=M
// RUN: ipu-test-opt %s --pass-pipeline='builtin.module(func.func(test-tile-splits{name=batch parts=2}))' | FileCheck %s --check-prefix=BATCH
// RUN: ipu-test-opt %s --pass-pipeline='builtin.module(func.func(test-tile-splits{name=groups parts=2}))' | FileCheck %s --check-prefix=GROUPS
// RUN: ipu-test-opt %s --pass-pipeline='builtin.module(func.func(test-tile-splits{name=kernel parts=2}))' | FileCheck %s --check-prefix=KERNEL
// RUN: ipu-test-opt %s --pass-pipeline='builtin.module(func.func(test-tile-splits{name=rows parts=2}))' | FileCheck %s --check-prefix=ROWS
// RUN: ipu-test-opt %s --pass-pipeline='builtin.module(func.func(test-tile-splits{name=indices parts=2}))' | FileCheck %s --check-prefix=INDICES
// RUN: ipu-test-opt %s --pass-pipeline='builtin.module(func.func(test-tile-splits{name=columns parts=2}))' | FileCheck %s --check-prefix=COLUMNS
// RUN: ipu-test-opt %s --pass-pipeline='builtin.module(func.func(test-tile-splits{name=buckets parts=3}))' | FileCheck %s --check-prefix=BUCKETS
//
// As many parts as there can be.
// RUN: ipu-test-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(test-tile-splits{name=k parts=999},test-tile-splits{name=n parts=999},test-tile-splits{name=m parts=999},test-tile-splits{name=batch parts=999}))'
// RUN: ipu-test-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(test-tile-splits{name=groups parts=999},test-tile-splits{name=kernel parts=999},test-tile-splits{name=rows parts=999},test-tile-splits{name=columns parts=999},test-tile-splits{name=indices parts=999},test-tile-splits{name=buckets parts=999}))'

// Terms and columns are cut at multiples of 16.
//
// N: func.func @matmul(%[[A0:.+]]: tensor<2x3x40xf16>, %[[A1:.+]]: tensor<40x48xf16>) -> tensor<2x3x48xf32> {
// N-NEXT: %[[V0:.+]] = pop.slice %[[A1]] {sizes = array<i64: 40, 32>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<40x48xf16> -> tensor<40x32xf16>
// N-NEXT: %[[V1:.+]] = pop.matmul %[[A0]], %[[V0]] {accum = #pop.accum<chain>} : (tensor<2x3x40xf16>, tensor<40x32xf16>) -> tensor<2x3x32xf32>
// N-NEXT: %[[V2:.+]] = pop.slice %[[A1]] {sizes = array<i64: 40, 16>, starts = array<i64: 0, 32>, steps = array<i64: 1, 1>} : tensor<40x48xf16> -> tensor<40x16xf16>
// N-NEXT: %[[V3:.+]] = pop.matmul %[[A0]], %[[V2]] {accum = #pop.accum<chain>} : (tensor<2x3x40xf16>, tensor<40x16xf16>) -> tensor<2x3x16xf32>
// N-NEXT: %[[V4:.+]] = pop.concat %[[V1]], %[[V3]] {axis = 2 : i64} : (tensor<2x3x32xf32>, tensor<2x3x16xf32>) -> tensor<2x3x48xf32>
// N-NEXT: return %[[V4]] : tensor<2x3x48xf32>
//
// K: func.func @matmul(%[[A0:.+]]: tensor<2x3x40xf16>, %[[A1:.+]]: tensor<40x48xf16>) -> tensor<2x3x48xf32> {
// K-NEXT: %[[V0:.+]] = pop.slice %[[A0]] {sizes = array<i64: 2, 3, 32>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<2x3x40xf16> -> tensor<2x3x32xf16>
// K-NEXT: %[[V1:.+]] = pop.slice %[[A1]] {sizes = array<i64: 32, 48>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<40x48xf16> -> tensor<32x48xf16>
// K-NEXT: %[[V2:.+]] = pop.matmul %[[V0]], %[[V1]] {accum = #pop.accum<chain>} : (tensor<2x3x32xf16>, tensor<32x48xf16>) -> tensor<2x3x48xf32>
// K-NEXT: %[[V3:.+]] = pop.slice %[[A0]] {sizes = array<i64: 2, 3, 8>, starts = array<i64: 0, 0, 32>, steps = array<i64: 1, 1, 1>} : tensor<2x3x40xf16> -> tensor<2x3x8xf16>
// K-NEXT: %[[V4:.+]] = pop.slice %[[A1]] {sizes = array<i64: 8, 48>, starts = array<i64: 32, 0>, steps = array<i64: 1, 1>} : tensor<40x48xf16> -> tensor<8x48xf16>
// K-NEXT: %[[V5:.+]] = pop.matmul %[[V3]], %[[V4]], %[[V2]] {accum = #pop.accum<chain>} : (tensor<2x3x8xf16>, tensor<8x48xf16>, tensor<2x3x48xf32>) -> tensor<2x3x48xf32>
// K-NEXT: return %[[V5]] : tensor<2x3x48xf32>
//
// M: func.func @matmul(%[[A0:.+]]: tensor<2x3x40xf16>, %[[A1:.+]]: tensor<40x48xf16>) -> tensor<2x3x48xf32> {
// M-NEXT: %[[V0:.+]] = pop.slice %[[A0]] {sizes = array<i64: 2, 2, 40>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<2x3x40xf16> -> tensor<2x2x40xf16>
// M-NEXT: %[[V1:.+]] = pop.matmul %[[V0]], %[[A1]] {accum = #pop.accum<chain>} : (tensor<2x2x40xf16>, tensor<40x48xf16>) -> tensor<2x2x48xf32>
// M-NEXT: %[[V2:.+]] = pop.slice %[[A0]] {sizes = array<i64: 2, 1, 40>, starts = array<i64: 0, 2, 0>, steps = array<i64: 1, 1, 1>} : tensor<2x3x40xf16> -> tensor<2x1x40xf16>
// M-NEXT: %[[V3:.+]] = pop.matmul %[[V2]], %[[A1]] {accum = #pop.accum<chain>} : (tensor<2x1x40xf16>, tensor<40x48xf16>) -> tensor<2x1x48xf32>
// M-NEXT: %[[V4:.+]] = pop.concat %[[V1]], %[[V3]] {axis = 1 : i64} : (tensor<2x2x48xf32>, tensor<2x1x48xf32>) -> tensor<2x3x48xf32>
// M-NEXT: return %[[V4]] : tensor<2x3x48xf32>
//
// BATCH: func.func @matmul(%[[A0:.+]]: tensor<2x3x40xf16>, %[[A1:.+]]: tensor<40x48xf16>) -> tensor<2x3x48xf32> {
// BATCH-NEXT: %[[V0:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 3, 40>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<2x3x40xf16> -> tensor<1x3x40xf16>
// BATCH-NEXT: %[[V1:.+]] = pop.matmul %[[V0]], %[[A1]] {accum = #pop.accum<chain>} : (tensor<1x3x40xf16>, tensor<40x48xf16>) -> tensor<1x3x48xf32>
// BATCH-NEXT: %[[V2:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 3, 40>, starts = array<i64: 1, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<2x3x40xf16> -> tensor<1x3x40xf16>
// BATCH-NEXT: %[[V3:.+]] = pop.matmul %[[V2]], %[[A1]] {accum = #pop.accum<chain>} : (tensor<1x3x40xf16>, tensor<40x48xf16>) -> tensor<1x3x48xf32>
// BATCH-NEXT: %[[V4:.+]] = pop.concat %[[V1]], %[[V3]] {axis = 0 : i64} : (tensor<1x3x48xf32>, tensor<1x3x48xf32>) -> tensor<2x3x48xf32>
// BATCH-NEXT: return %[[V4]] : tensor<2x3x48xf32>
func.func @matmul(%a: tensor<2x3x40xf16>, %b: tensor<40x48xf16>) -> tensor<2x3x48xf32> {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<2x3x40xf16>, tensor<40x48xf16>) -> tensor<2x3x48xf32>
  return %0 : tensor<2x3x48xf32>
}

// Each part starts from its part of the accumulator.
//
// M: func.func @matmul_acc(%[[A0:.+]]: tensor<3x8xf32>, %[[A1:.+]]: tensor<8x4xf32>, %[[A2:.+]]: tensor<3x4xf32>) -> tensor<3x4xf32> {
// M-NEXT: %[[V0:.+]] = pop.slice %[[A0]] {sizes = array<i64: 2, 8>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<3x8xf32> -> tensor<2x8xf32>
// M-NEXT: %[[V1:.+]] = pop.slice %[[A2]] {sizes = array<i64: 2, 4>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<3x4xf32> -> tensor<2x4xf32>
// M-NEXT: %[[V2:.+]] = pop.matmul %[[V0]], %[[A1]], %[[V1]] {accum = #pop.accum<chain>} : (tensor<2x8xf32>, tensor<8x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// M-NEXT: %[[V3:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 8>, starts = array<i64: 2, 0>, steps = array<i64: 1, 1>} : tensor<3x8xf32> -> tensor<1x8xf32>
// M-NEXT: %[[V4:.+]] = pop.slice %[[A2]] {sizes = array<i64: 1, 4>, starts = array<i64: 2, 0>, steps = array<i64: 1, 1>} : tensor<3x4xf32> -> tensor<1x4xf32>
// M-NEXT: %[[V5:.+]] = pop.matmul %[[V3]], %[[A1]], %[[V4]] {accum = #pop.accum<chain>} : (tensor<1x8xf32>, tensor<8x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// M-NEXT: %[[V6:.+]] = pop.concat %[[V2]], %[[V5]] {axis = 0 : i64} : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
// M-NEXT: return %[[V6]] : tensor<3x4xf32>
func.func @matmul_acc(%a: tensor<3x8xf32>, %b: tensor<8x4xf32>, %c: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = pop.matmul %a, %b, %c {accum = #pop.accum<chain>} : (tensor<3x8xf32>, tensor<8x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// Kernel positions come before channels: the outermost dimension that has some
// is cut.
//
// M: func.func @conv(%[[A0:.+]]: tensor<1x4x5x9xf32>, %[[A1:.+]]: tensor<6x2x1x3xf32>) -> tensor<1x6x5x3xf32> {
// M-NEXT: %[[V0:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 4, 3, 9>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<1x4x5x9xf32> -> tensor<1x4x3x9xf32>
// M-NEXT: %[[V1:.+]] = pop.conv %[[V0]], %[[A1]] {accum = #pop.accum<chain>, groups = 2 : i64, strides = array<i64: 1, 3>} : (tensor<1x4x3x9xf32>, tensor<6x2x1x3xf32>) -> tensor<1x6x3x3xf32>
// M-NEXT: %[[V2:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 4, 2, 9>, starts = array<i64: 0, 0, 3, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<1x4x5x9xf32> -> tensor<1x4x2x9xf32>
// M-NEXT: %[[V3:.+]] = pop.conv %[[V2]], %[[A1]] {accum = #pop.accum<chain>, groups = 2 : i64, strides = array<i64: 1, 3>} : (tensor<1x4x2x9xf32>, tensor<6x2x1x3xf32>) -> tensor<1x6x2x3xf32>
// M-NEXT: %[[V4:.+]] = pop.concat %[[V1]], %[[V3]] {axis = 2 : i64} : (tensor<1x6x3x3xf32>, tensor<1x6x2x3xf32>) -> tensor<1x6x5x3xf32>
// M-NEXT: return %[[V4]] : tensor<1x6x5x3xf32>
//
// GROUPS: func.func @conv(%[[A0:.+]]: tensor<1x4x5x9xf32>, %[[A1:.+]]: tensor<6x2x1x3xf32>) -> tensor<1x6x5x3xf32> {
// GROUPS-NEXT: %[[V0:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 2, 5, 9>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<1x4x5x9xf32> -> tensor<1x2x5x9xf32>
// GROUPS-NEXT: %[[V1:.+]] = pop.slice %[[A1]] {sizes = array<i64: 3, 2, 1, 3>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<6x2x1x3xf32> -> tensor<3x2x1x3xf32>
// GROUPS-NEXT: %[[V2:.+]] = pop.conv %[[V0]], %[[V1]] {accum = #pop.accum<chain>, strides = array<i64: 1, 3>} : (tensor<1x2x5x9xf32>, tensor<3x2x1x3xf32>) -> tensor<1x3x5x3xf32>
// GROUPS-NEXT: %[[V3:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 2, 5, 9>, starts = array<i64: 0, 2, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<1x4x5x9xf32> -> tensor<1x2x5x9xf32>
// GROUPS-NEXT: %[[V4:.+]] = pop.slice %[[A1]] {sizes = array<i64: 3, 2, 1, 3>, starts = array<i64: 3, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<6x2x1x3xf32> -> tensor<3x2x1x3xf32>
// GROUPS-NEXT: %[[V5:.+]] = pop.conv %[[V3]], %[[V4]] {accum = #pop.accum<chain>, strides = array<i64: 1, 3>} : (tensor<1x2x5x9xf32>, tensor<3x2x1x3xf32>) -> tensor<1x3x5x3xf32>
// GROUPS-NEXT: %[[V6:.+]] = pop.concat %[[V2]], %[[V5]] {axis = 1 : i64} : (tensor<1x3x5x3xf32>, tensor<1x3x5x3xf32>) -> tensor<1x6x5x3xf32>
// GROUPS-NEXT: return %[[V6]] : tensor<1x6x5x3xf32>
//
// KERNEL: func.func @conv(%[[A0:.+]]: tensor<1x4x5x9xf32>, %[[A1:.+]]: tensor<6x2x1x3xf32>) -> tensor<1x6x5x3xf32> {
// KERNEL-NEXT: %[[V0:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 4, 5, 8>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<1x4x5x9xf32> -> tensor<1x4x5x8xf32>
// KERNEL-NEXT: %[[V1:.+]] = pop.slice %[[A1]] {sizes = array<i64: 6, 2, 1, 2>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<6x2x1x3xf32> -> tensor<6x2x1x2xf32>
// KERNEL-NEXT: %[[V2:.+]] = pop.conv %[[V0]], %[[V1]] {accum = #pop.accum<chain>, groups = 2 : i64, strides = array<i64: 1, 3>} : (tensor<1x4x5x8xf32>, tensor<6x2x1x2xf32>) -> tensor<1x6x5x3xf32>
// KERNEL-NEXT: %[[V3:.+]] = pop.slice %[[A0]] {sizes = array<i64: 1, 4, 5, 7>, starts = array<i64: 0, 0, 0, 2>, steps = array<i64: 1, 1, 1, 1>} : tensor<1x4x5x9xf32> -> tensor<1x4x5x7xf32>
// KERNEL-NEXT: %[[V4:.+]] = pop.slice %[[A1]] {sizes = array<i64: 6, 2, 1, 1>, starts = array<i64: 0, 0, 0, 2>, steps = array<i64: 1, 1, 1, 1>} : tensor<6x2x1x3xf32> -> tensor<6x2x1x1xf32>
// KERNEL-NEXT: %[[V5:.+]] = pop.conv %[[V3]], %[[V4]], %[[V2]] {accum = #pop.accum<chain>, groups = 2 : i64, strides = array<i64: 1, 3>} : (tensor<1x4x5x7xf32>, tensor<6x2x1x1xf32>, tensor<1x6x5x3xf32>) -> tensor<1x6x5x3xf32>
// KERNEL-NEXT: return %[[V5]] : tensor<1x6x5x3xf32>
func.func @conv(%x: tensor<1x4x5x9xf32>, %w: tensor<6x2x1x3xf32>) -> tensor<1x6x5x3xf32> {
  %0 = pop.conv %x, %w {accum = #pop.accum<chain>, groups = 2 : i64, strides = array<i64: 1, 3>} : (tensor<1x4x5x9xf32>, tensor<6x2x1x3xf32>) -> tensor<1x6x5x3xf32>
  return %0 : tensor<1x6x5x3xf32>
}

// Channels of each group.
//
// N: func.func @conv_1x1(%[[A0:.+]]: tensor<2x40x3xf32>, %[[A1:.+]]: tensor<40x20x1xf32>) -> tensor<2x40x3xf32> {
// N-NEXT: %[[V0:.+]] = pop.reshape %[[A1]] : tensor<40x20x1xf32> to tensor<2x20x20x1xf32>
// N-NEXT: %[[V1:.+]] = pop.slice %[[V0]] {sizes = array<i64: 2, 16, 20, 1>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x20x20x1xf32> -> tensor<2x16x20x1xf32>
// N-NEXT: %[[V2:.+]] = pop.reshape %[[V1]] : tensor<2x16x20x1xf32> to tensor<32x20x1xf32>
// N-NEXT: %[[V3:.+]] = pop.conv %[[A0]], %[[V2]] {accum = #pop.accum<chain>, groups = 2 : i64} : (tensor<2x40x3xf32>, tensor<32x20x1xf32>) -> tensor<2x32x3xf32>
// N-NEXT: %[[V4:.+]] = pop.reshape %[[V3]] : tensor<2x32x3xf32> to tensor<2x2x16x3xf32>
// N-NEXT: %[[V5:.+]] = pop.reshape %[[A1]] : tensor<40x20x1xf32> to tensor<2x20x20x1xf32>
// N-NEXT: %[[V6:.+]] = pop.slice %[[V5]] {sizes = array<i64: 2, 4, 20, 1>, starts = array<i64: 0, 16, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x20x20x1xf32> -> tensor<2x4x20x1xf32>
// N-NEXT: %[[V7:.+]] = pop.reshape %[[V6]] : tensor<2x4x20x1xf32> to tensor<8x20x1xf32>
// N-NEXT: %[[V8:.+]] = pop.conv %[[A0]], %[[V7]] {accum = #pop.accum<chain>, groups = 2 : i64} : (tensor<2x40x3xf32>, tensor<8x20x1xf32>) -> tensor<2x8x3xf32>
// N-NEXT: %[[V9:.+]] = pop.reshape %[[V8]] : tensor<2x8x3xf32> to tensor<2x2x4x3xf32>
// N-NEXT: %[[V10:.+]] = pop.concat %[[V4]], %[[V9]] {axis = 2 : i64} : (tensor<2x2x16x3xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x20x3xf32>
// N-NEXT: %[[V11:.+]] = pop.reshape %[[V10]] : tensor<2x2x20x3xf32> to tensor<2x40x3xf32>
// N-NEXT: return %[[V11]] : tensor<2x40x3xf32>
//
// K: func.func @conv_1x1(%[[A0:.+]]: tensor<2x40x3xf32>, %[[A1:.+]]: tensor<40x20x1xf32>) -> tensor<2x40x3xf32> {
// K-NEXT: %[[V0:.+]] = pop.reshape %[[A0]] : tensor<2x40x3xf32> to tensor<2x2x20x3xf32>
// K-NEXT: %[[V1:.+]] = pop.slice %[[V0]] {sizes = array<i64: 2, 2, 16, 3>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x2x20x3xf32> -> tensor<2x2x16x3xf32>
// K-NEXT: %[[V2:.+]] = pop.reshape %[[V1]] : tensor<2x2x16x3xf32> to tensor<2x32x3xf32>
// K-NEXT: %[[V3:.+]] = pop.slice %[[A1]] {sizes = array<i64: 40, 16, 1>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<40x20x1xf32> -> tensor<40x16x1xf32>
// K-NEXT: %[[V4:.+]] = pop.conv %[[V2]], %[[V3]] {accum = #pop.accum<chain>, groups = 2 : i64} : (tensor<2x32x3xf32>, tensor<40x16x1xf32>) -> tensor<2x40x3xf32>
// K-NEXT: %[[V5:.+]] = pop.reshape %[[A0]] : tensor<2x40x3xf32> to tensor<2x2x20x3xf32>
// K-NEXT: %[[V6:.+]] = pop.slice %[[V5]] {sizes = array<i64: 2, 2, 4, 3>, starts = array<i64: 0, 0, 16, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x2x20x3xf32> -> tensor<2x2x4x3xf32>
// K-NEXT: %[[V7:.+]] = pop.reshape %[[V6]] : tensor<2x2x4x3xf32> to tensor<2x8x3xf32>
// K-NEXT: %[[V8:.+]] = pop.slice %[[A1]] {sizes = array<i64: 40, 4, 1>, starts = array<i64: 0, 16, 0>, steps = array<i64: 1, 1, 1>} : tensor<40x20x1xf32> -> tensor<40x4x1xf32>
// K-NEXT: %[[V9:.+]] = pop.conv %[[V7]], %[[V8]], %[[V4]] {accum = #pop.accum<chain>, groups = 2 : i64} : (tensor<2x8x3xf32>, tensor<40x4x1xf32>, tensor<2x40x3xf32>) -> tensor<2x40x3xf32>
// K-NEXT: return %[[V9]] : tensor<2x40x3xf32>
func.func @conv_1x1(%x: tensor<2x40x3xf32>, %w: tensor<40x20x1xf32>) -> tensor<2x40x3xf32> {
  %0 = pop.conv %x, %w {accum = #pop.accum<chain>, groups = 2 : i64} : (tensor<2x40x3xf32>, tensor<40x20x1xf32>) -> tensor<2x40x3xf32>
  return %0 : tensor<2x40x3xf32>
}

// Parts of the channels are whole blocks of each group.
//
// K: func.func @conv_partials(%[[A0:.+]]: tensor<2x8x5x4xf16>, %[[A1:.+]]: tensor<6x4x1x2xf16>) -> tensor<1x1x2x2x6x3x2xf32> {
// K-NEXT: %[[V0:.+]] = pop.reshape %[[A0]] : tensor<2x8x5x4xf16> to tensor<2x2x4x5x4xf16>
// K-NEXT: %[[V1:.+]] = pop.slice %[[V0]] {sizes = array<i64: 2, 2, 2, 5, 4>, starts = array<i64: 0, 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1>} : tensor<2x2x4x5x4xf16> -> tensor<2x2x2x5x4xf16>
// K-NEXT: %[[V2:.+]] = pop.reshape %[[V1]] : tensor<2x2x2x5x4xf16> to tensor<2x4x5x4xf16>
// K-NEXT: %[[V3:.+]] = pop.slice %[[A1]] {sizes = array<i64: 6, 2, 1, 2>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<6x4x1x2xf16> -> tensor<6x2x1x2xf16>
// K-NEXT: %[[V4:.+]] = pop.conv_partials %[[V2]], %[[V3]] {channels = 2 : i64, dilations = array<i64: 1, 2>, groups = 2 : i64, kernel = array<i64: 1, 2>, strides = array<i64: 2, 1>} : (tensor<2x4x5x4xf16>, tensor<6x2x1x2xf16>) -> tensor<1x1x1x2x6x3x2xf32>
// K-NEXT: %[[V5:.+]] = pop.reshape %[[A0]] : tensor<2x8x5x4xf16> to tensor<2x2x4x5x4xf16>
// K-NEXT: %[[V6:.+]] = pop.slice %[[V5]] {sizes = array<i64: 2, 2, 2, 5, 4>, starts = array<i64: 0, 0, 2, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1>} : tensor<2x2x4x5x4xf16> -> tensor<2x2x2x5x4xf16>
// K-NEXT: %[[V7:.+]] = pop.reshape %[[V6]] : tensor<2x2x2x5x4xf16> to tensor<2x4x5x4xf16>
// K-NEXT: %[[V8:.+]] = pop.slice %[[A1]] {sizes = array<i64: 6, 2, 1, 2>, starts = array<i64: 0, 2, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<6x4x1x2xf16> -> tensor<6x2x1x2xf16>
// K-NEXT: %[[V9:.+]] = pop.conv_partials %[[V7]], %[[V8]] {channels = 2 : i64, dilations = array<i64: 1, 2>, groups = 2 : i64, kernel = array<i64: 1, 2>, strides = array<i64: 2, 1>} : (tensor<2x4x5x4xf16>, tensor<6x2x1x2xf16>) -> tensor<1x1x1x2x6x3x2xf32>
// K-NEXT: %[[V10:.+]] = pop.concat %[[V4]], %[[V9]] {axis = 2 : i64} : (tensor<1x1x1x2x6x3x2xf32>, tensor<1x1x1x2x6x3x2xf32>) -> tensor<1x1x2x2x6x3x2xf32>
// K-NEXT: return %[[V10]] : tensor<1x1x2x2x6x3x2xf32>
//
// M: func.func @conv_partials(%[[A0:.+]]: tensor<2x8x5x4xf16>, %[[A1:.+]]: tensor<6x4x1x2xf16>) -> tensor<1x1x2x2x6x3x2xf32> {
// M-NEXT: %[[V0:.+]] = pop.slice %[[A0]] {sizes = array<i64: 2, 8, 3, 4>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x8x5x4xf16> -> tensor<2x8x3x4xf16>
// M-NEXT: %[[V1:.+]] = pop.conv_partials %[[V0]], %[[A1]] {channels = 2 : i64, dilations = array<i64: 1, 2>, groups = 2 : i64, kernel = array<i64: 1, 2>, strides = array<i64: 2, 1>} : (tensor<2x8x3x4xf16>, tensor<6x4x1x2xf16>) -> tensor<1x1x2x2x6x2x2xf32>
// M-NEXT: %[[V2:.+]] = pop.slice %[[A0]] {sizes = array<i64: 2, 8, 1, 4>, starts = array<i64: 0, 0, 4, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x8x5x4xf16> -> tensor<2x8x1x4xf16>
// M-NEXT: %[[V3:.+]] = pop.conv_partials %[[V2]], %[[A1]] {channels = 2 : i64, dilations = array<i64: 1, 2>, groups = 2 : i64, kernel = array<i64: 1, 2>, strides = array<i64: 2, 1>} : (tensor<2x8x1x4xf16>, tensor<6x4x1x2xf16>) -> tensor<1x1x2x2x6x1x2xf32>
// M-NEXT: %[[V4:.+]] = pop.concat %[[V1]], %[[V3]] {axis = 5 : i64} : (tensor<1x1x2x2x6x2x2xf32>, tensor<1x1x2x2x6x1x2xf32>) -> tensor<1x1x2x2x6x3x2xf32>
// M-NEXT: return %[[V4]] : tensor<1x1x2x2x6x3x2xf32>
//
// GROUPS: func.func @conv_partials(%[[A0:.+]]: tensor<2x8x5x4xf16>, %[[A1:.+]]: tensor<6x4x1x2xf16>) -> tensor<1x1x2x2x6x3x2xf32> {
// GROUPS-NEXT: %[[V0:.+]] = pop.slice %[[A0]] {sizes = array<i64: 2, 4, 5, 4>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x8x5x4xf16> -> tensor<2x4x5x4xf16>
// GROUPS-NEXT: %[[V1:.+]] = pop.slice %[[A1]] {sizes = array<i64: 3, 4, 1, 2>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<6x4x1x2xf16> -> tensor<3x4x1x2xf16>
// GROUPS-NEXT: %[[V2:.+]] = pop.conv_partials %[[V0]], %[[V1]] {channels = 2 : i64, dilations = array<i64: 1, 2>, kernel = array<i64: 1, 2>, strides = array<i64: 2, 1>} : (tensor<2x4x5x4xf16>, tensor<3x4x1x2xf16>) -> tensor<1x1x2x2x3x3x2xf32>
// GROUPS-NEXT: %[[V3:.+]] = pop.slice %[[A0]] {sizes = array<i64: 2, 4, 5, 4>, starts = array<i64: 0, 4, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x8x5x4xf16> -> tensor<2x4x5x4xf16>
// GROUPS-NEXT: %[[V4:.+]] = pop.slice %[[A1]] {sizes = array<i64: 3, 4, 1, 2>, starts = array<i64: 3, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<6x4x1x2xf16> -> tensor<3x4x1x2xf16>
// GROUPS-NEXT: %[[V5:.+]] = pop.conv_partials %[[V3]], %[[V4]] {channels = 2 : i64, dilations = array<i64: 1, 2>, kernel = array<i64: 1, 2>, strides = array<i64: 2, 1>} : (tensor<2x4x5x4xf16>, tensor<3x4x1x2xf16>) -> tensor<1x1x2x2x3x3x2xf32>
// GROUPS-NEXT: %[[V6:.+]] = pop.concat %[[V2]], %[[V5]] {axis = 4 : i64} : (tensor<1x1x2x2x3x3x2xf32>, tensor<1x1x2x2x3x3x2xf32>) -> tensor<1x1x2x2x6x3x2xf32>
// GROUPS-NEXT: return %[[V6]] : tensor<1x1x2x2x6x3x2xf32>
func.func @conv_partials(%x: tensor<2x8x5x4xf16>, %w: tensor<6x4x1x2xf16>) -> tensor<1x1x2x2x6x3x2xf32> {
  %0 = pop.conv_partials %x, %w {channels = 2 : i64, kernel = array<i64: 1, 2>, strides = array<i64: 2, 1>, dilations = array<i64: 1, 2>, groups = 2 : i64} : (tensor<2x8x5x4xf16>, tensor<6x4x1x2xf16>) -> tensor<1x1x2x2x6x3x2xf32>
  return %0 : tensor<1x1x2x2x6x3x2xf32>
}

// Blocks of rows give zeros for the rows of others.
//
// ROWS: func.func @gather(%[[A0:.+]]: tensor<10x3xf16>, %[[A1:.+]]: tensor<2x4xi8>) -> tensor<2x4x3xf16> {
// ROWS-NEXT: %[[V0:.+]] = pop.reshape %[[A0]] : tensor<10x3xf16> to tensor<1x10x3xf16>
// ROWS-NEXT: %[[V1:.+]] = pop.reshape %[[A1]] : tensor<2x4xi8> to tensor<1x8xi8>
// ROWS-NEXT: %[[V2:.+]] = pop.gather_partials %[[V0]], %[[V1]] {block = 8 : i64} : (tensor<1x10x3xf16>, tensor<1x8xi8>) -> tensor<1x8x2x3xf16>
// ROWS-NEXT: %[[V4:.+]] = pop.cast %[[V1]] : tensor<1x8xi8> to tensor<1x8xi32>
// ROWS-NEXT: %[[V5:.+]] = pop.constant dense<3> : tensor<i32>
// ROWS-NEXT: %[[V6:.+]] = pop.shift_right_arithmetic %[[V4]], %[[V5]] : (tensor<1x8xi32>, tensor<i32>) -> tensor<1x8xi32>
// ROWS-NEXT: %[[V7:.+]] = pop.gather %[[V2]], %[[V6]] {batch_dims = 2 : i64} : (tensor<1x8x2x3xf16>, tensor<1x8xi32>) -> tensor<1x8x3xf16>
// ROWS-NEXT: %[[V8:.+]] = pop.reshape %[[V7]] : tensor<1x8x3xf16> to tensor<2x4x3xf16>
// ROWS-NEXT: return %[[V8]] : tensor<2x4x3xf16>
//
// INDICES: func.func @gather(%[[A0:.+]]: tensor<10x3xf16>, %[[A1:.+]]: tensor<2x4xi8>) -> tensor<2x4x3xf16> {
// INDICES-NEXT: %[[V0:.+]] = pop.reshape %[[A0]] : tensor<10x3xf16> to tensor<1x10x3xf16>
// INDICES-NEXT: %[[V1:.+]] = pop.reshape %[[A1]] : tensor<2x4xi8> to tensor<1x8xi8>
// INDICES-NEXT: %[[V2:.+]] = pop.slice %[[V1]] {sizes = array<i64: 1, 4>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<1x8xi8> -> tensor<1x4xi8>
// INDICES-NEXT: %[[V3:.+]] = pop.gather %[[V0]], %[[V2]] {batch_dims = 1 : i64} : (tensor<1x10x3xf16>, tensor<1x4xi8>) -> tensor<1x4x3xf16>
// INDICES-NEXT: %[[V4:.+]] = pop.slice %[[V1]] {sizes = array<i64: 1, 4>, starts = array<i64: 0, 4>, steps = array<i64: 1, 1>} : tensor<1x8xi8> -> tensor<1x4xi8>
// INDICES-NEXT: %[[V5:.+]] = pop.gather %[[V0]], %[[V4]] {batch_dims = 1 : i64} : (tensor<1x10x3xf16>, tensor<1x4xi8>) -> tensor<1x4x3xf16>
// INDICES-NEXT: %[[V6:.+]] = pop.concat %[[V3]], %[[V5]] {axis = 1 : i64} : (tensor<1x4x3xf16>, tensor<1x4x3xf16>) -> tensor<1x8x3xf16>
// INDICES-NEXT: %[[V7:.+]] = pop.reshape %[[V6]] : tensor<1x8x3xf16> to tensor<2x4x3xf16>
// INDICES-NEXT: return %[[V7]] : tensor<2x4x3xf16>
//
// COLUMNS: func.func @gather(%[[A0:.+]]: tensor<10x3xf16>, %[[A1:.+]]: tensor<2x4xi8>) -> tensor<2x4x3xf16> {
// COLUMNS-NEXT: %[[V0:.+]] = pop.reshape %[[A0]] : tensor<10x3xf16> to tensor<1x10x3xf16>
// COLUMNS-NEXT: %[[V1:.+]] = pop.reshape %[[A1]] : tensor<2x4xi8> to tensor<1x8xi8>
// COLUMNS-NEXT: %[[V2:.+]] = pop.slice %[[V0]] {sizes = array<i64: 1, 10, 2>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<1x10x3xf16> -> tensor<1x10x2xf16>
// COLUMNS-NEXT: %[[V3:.+]] = pop.gather %[[V2]], %[[V1]] {batch_dims = 1 : i64} : (tensor<1x10x2xf16>, tensor<1x8xi8>) -> tensor<1x8x2xf16>
// COLUMNS-NEXT: %[[V4:.+]] = pop.slice %[[V0]] {sizes = array<i64: 1, 10, 1>, starts = array<i64: 0, 0, 2>, steps = array<i64: 1, 1, 1>} : tensor<1x10x3xf16> -> tensor<1x10x1xf16>
// COLUMNS-NEXT: %[[V5:.+]] = pop.gather %[[V4]], %[[V1]] {batch_dims = 1 : i64} : (tensor<1x10x1xf16>, tensor<1x8xi8>) -> tensor<1x8x1xf16>
// COLUMNS-NEXT: %[[V6:.+]] = pop.concat %[[V3]], %[[V5]] {axis = 2 : i64} : (tensor<1x8x2xf16>, tensor<1x8x1xf16>) -> tensor<1x8x3xf16>
// COLUMNS-NEXT: %[[V7:.+]] = pop.reshape %[[V6]] : tensor<1x8x3xf16> to tensor<2x4x3xf16>
// COLUMNS-NEXT: return %[[V7]] : tensor<2x4x3xf16>
func.func @gather(%t: tensor<10x3xf16>, %i: tensor<2x4xi8>) -> tensor<2x4x3xf16> {
  %0 = pop.gather %t, %i : (tensor<10x3xf16>, tensor<2x4xi8>) -> tensor<2x4x3xf16>
  return %0 : tensor<2x4x3xf16>
}

// A part with the last block has fewer addends.
//
// K: func.func @short_blocks(%[[A0:.+]]: tensor<3x40xf16>, %[[A1:.+]]: tensor<40x4xf16>, %[[A2:.+]]: tensor<1x5x3xf32>, %[[A3:.+]]: tensor<2x5x1xf32>)
// K-NEXT: %[[V0:.+]] = pop.slice %[[A0]] {sizes = array<i64: 3, 32>, starts = array<i64: 0, 0>,
// K-NEXT: %[[V1:.+]] = pop.slice %[[A1]] {sizes = array<i64: 32, 4>, starts = array<i64: 0, 0>,
// K-NEXT: %[[V2:.+]] = pop.matmul_partials %[[V0]], %[[V1]] {block = 16 : i64} : (tensor<3x32xf16>, tensor<32x4xf16>) -> tensor<2x3x4xf32>
// K-NEXT: %[[V3:.+]] = pop.slice %[[A0]] {sizes = array<i64: 3, 8>, starts = array<i64: 0, 32>,
// K-NEXT: %[[V4:.+]] = pop.slice %[[A1]] {sizes = array<i64: 8, 4>, starts = array<i64: 32, 0>,
// K-NEXT: %[[V5:.+]] = pop.matmul_partials %[[V3]], %[[V4]] {block = 16 : i64} : (tensor<3x8xf16>, tensor<8x4xf16>) -> tensor<1x3x4xf32>
// K-NEXT: %[[V6:.+]] = pop.concat %[[V2]], %[[V5]] {axis = 0 : i64}
// K: pop.conv_partials %{{.+}}, %{{.+}} {channels = 2 : i64, kernel = array<i64: 1>} : (tensor<1x4x3xf32>, tensor<2x4x1xf32>) -> tensor<1x2x1x2x3xf32>
// K: pop.conv_partials %{{.+}}, %{{.+}} {channels = 2 : i64, kernel = array<i64: 1>} : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x1x1x2x3xf32>
// K-NEXT: %[[V7:.+]] = pop.concat %{{.+}}, %{{.+}} {axis = 1 : i64}
// K-NEXT: return %[[V6]], %[[V7]]
func.func @short_blocks(%a: tensor<3x40xf16>, %b: tensor<40x4xf16>, %x: tensor<1x5x3xf32>, %w: tensor<2x5x1xf32>) -> (tensor<3x3x4xf32>, tensor<1x3x1x2x3xf32>) {
  %0 = pop.matmul_partials %a, %b {block = 16 : i64} : (tensor<3x40xf16>, tensor<40x4xf16>) -> tensor<3x3x4xf32>
  %1 = pop.conv_partials %x, %w {channels = 2 : i64, kernel = array<i64: 1>} : (tensor<1x5x3xf32>, tensor<2x5x1xf32>) -> tensor<1x3x1x2x3xf32>
  return %0, %1 : tensor<3x3x4xf32>, tensor<1x3x1x2x3xf32>
}

// A row block is a power of two, so that three parts of ten rows have four rows.
//
// BUCKETS: func.func @scatter(%[[A0:.+]]: tensor<10x3xf32>, %[[A1:.+]]: tensor<2x4xi8>, %[[A2:.+]]: tensor<2x4x3xf32>)
// BUCKETS-NEXT: %[[V0:.+]] = pop.reshape %[[A0]] : tensor<10x3xf32> to tensor<1x10x3xf32>
// BUCKETS-NEXT: %[[V1:.+]] = pop.reshape %[[A1]] : tensor<2x4xi8> to tensor<1x8xi8>
// BUCKETS-NEXT: %[[V2:.+]] = pop.reshape %[[A2]] : tensor<2x4x3xf32> to tensor<1x8x3xf32>
// BUCKETS-NEXT: %[[V3:.+]] = pop.bucket_indices %[[V1]] {block = 4 : i64, chunk = 64 : i64, rows = 10 : i64} : tensor<1x8xi8> -> tensor<1x1x3x64xi32>
// BUCKETS-NEXT: %[[V4:.+]] = pop.scatter_buckets add %[[V0]], %[[V3]], %[[V2]] {block = 4 : i64} : tensor<1x10x3xf32>, tensor<1x1x3x64xi32>, tensor<1x8x3xf32>
// BUCKETS-NEXT: %[[V5:.+]] = pop.reshape %[[V4]] : tensor<1x10x3xf32> to tensor<10x3xf32>
// BUCKETS-NEXT: return %[[V5]]
func.func @scatter(%x: tensor<10x3xf32>, %i: tensor<2x4xi8>, %u: tensor<2x4x3xf32>) -> tensor<10x3xf32> {
  %0 = pop.scatter add %x, %i, %u : tensor<10x3xf32>, tensor<2x4xi8>, tensor<2x4x3xf32>
  return %0 : tensor<10x3xf32>
}
