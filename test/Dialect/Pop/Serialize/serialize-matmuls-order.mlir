// RUN: ipu-opt %s --pop-serialize-matmuls | FileCheck %s

// Sums are split between blocks, and each part continues the sums of the previous
// one. The last block, and so the last part, is shorter.
//
// CHECK-LABEL: func.func @blocks(
// CHECK:         pop.slice {{.*}} {sizes = array<i64: 8, 32>, starts = array<i64: 0, 0>
// CHECK:         pop.slice {{.*}} {sizes = array<i64: 32, 4>, starts = array<i64: 0, 0>
// CHECK:         %[[S0:.+]] = pop.matmul %{{.+}}, %{{.+}} {accum = #pop.accum<blocked, block = 16, lanes = 1>} : (tensor<8x32xf32>, tensor<32x4xf32>)
// CHECK:         pop.slice {{.*}} {sizes = array<i64: 8, 20>, starts = array<i64: 0, 32>
// CHECK:         pop.slice {{.*}} {sizes = array<i64: 20, 4>, starts = array<i64: 32, 0>
// CHECK:         %[[S1:.+]] = pop.matmul %{{.+}}, %{{.+}}, %[[S0]] {accum = #pop.accum<blocked, block = 16, lanes = 1>} : (tensor<8x20xf32>, tensor<20x4xf32>, tensor<8x4xf32>)
// CHECK:         return %[[S1]]
func.func @blocks(%x: tensor<8x52xf32>, %w: tensor<52x4xf32>) -> tensor<8x4xf32> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<blocked, block = 16, lanes = 1>, pop.serialize = {factor = 2 : i64, mode = "reducing_dim"}} : (tensor<8x52xf32>, tensor<52x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Blocks that are added in groups: sums are split between groups.
//
// CHECK-LABEL: func.func @groups(
// CHECK:         pop.matmul {{.*}} (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
// CHECK:         pop.matmul {{.*}} (tensor<8x16xf32>, tensor<16x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK:         pop.matmul {{.*}} (tensor<8x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @groups(%x: tensor<8x40xf32>, %w: tensor<40x4xf32>) -> tensor<8x4xf32> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<blocked, block = 4, lanes = 1, group = 4>, pop.serialize = {factor = 3 : i64, mode = "reducing_dim"}} : (tensor<8x40xf32>, tensor<40x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// A matmul without an order gets the order of the whole, which has other blocks
// than the order of a part would have.
//
// CHECK-LABEL: func.func @chosen(
// CHECK-COUNT-2: pop.matmul {{.*}} {accum = #pop.accum<blocked, block = 16, lanes = 1>}
// CHECK-NOT:     pop.matmul
func.func @chosen(%x: tensor<8x32xf32>, %w: tensor<32x4xf32>) -> tensor<8x4xf32> {
  %0 = pop.matmul %x, %w {pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<8x32xf32>, tensor<32x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Sums of f16 are f32 until the last part is rounded. Parts of the result are
// rounded one by one.
//
// CHECK-LABEL: func.func @narrow(
// CHECK:         pop.matmul {{.*}} -> tensor<8x4xf32>
// CHECK:         %[[SUM:.+]] = pop.matmul {{.*}} -> tensor<8x4xf32>
// CHECK:         pop.cast %[[SUM]] : tensor<8x4xf32> to tensor<8x4xf16>
// CHECK:         pop.matmul {{.*}} -> tensor<4x4xf16>
// CHECK:         pop.matmul {{.*}} -> tensor<4x4xf16>
func.func @narrow(%x: tensor<8x32xf16>, %w: tensor<32x4xf16>) -> (tensor<8x4xf16>, tensor<8x4xf16>) {
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "reducing_dim"}} : (tensor<8x32xf16>, tensor<32x4xf16>) -> tensor<8x4xf16>
  %1 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "input_channels"}} : (tensor<8x32xf16>, tensor<32x4xf16>) -> tensor<8x4xf16>
  return %0, %1 : tensor<8x4xf16>, tensor<8x4xf16>
}

// Random bits depend on the position in the whole result, so that the whole
// result is rounded, with the draw of the matmul.
//
// CHECK-LABEL: func.func @draws(
// CHECK:         pop.matmul {{.*}} -> tensor<4x4xf32>
// CHECK:         pop.matmul {{.*}} -> tensor<4x4xf32>
// CHECK:         %[[Y:.+]] = pop.concat {{.*}} -> tensor<8x4xf32>
// CHECK-NEXT:    pop.cast %[[Y]] {pop.draw = #pop.draw<7>} : tensor<8x4xf32> to tensor<8x4xf16>
func.func @draws(%x: tensor<8x32xf16>, %w: tensor<32x4xf16>) -> tensor<8x4xf16> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.draw = #pop.draw<7>, pop.serialize = {factor = 2 : i64, mode = "input_channels"}} : (tensor<8x32xf16>, tensor<32x4xf16>) -> tensor<8x4xf16>
  return %0 : tensor<8x4xf16>
}
