// RUN: ipu-opt %s --pass-pipeline='builtin.module(convert-pop-to-ipu)' --split-input-file --mlir-print-local-scope | FileCheck %s

// Vertices that have sums round them as they write them: where nothing else
// reads the sums and they stay where they are, rounding takes nothing.

// CHECK: ipu.vertices @cast_f32_f16
// CHECK: ipu.codelet @cast_f32_f16({{.*}} cost <vector, supervisor = 0, worker = 0
func.func @main(%x: tensor<4x16xf16> {ipu.map = #ipu.map<[4, 16], grid = [4], blocks = [p0 * 1 : 1, all]>},
                %w: tensor<16x16xf16> {ipu.map = #ipu.map<[16, 16], grid = [4], blocks = [p0 * 4 : 4, all]>}) -> tensor<4x16xf16> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>, ipu.map = #ipu.map<[1, 4, 16], grid = [4], blocks = [all, p0 * 1 : 1, all]>} : (tensor<4x16xf16>, tensor<16x16xf16>) -> tensor<4x16xf32>
  %1 = pop.cast %0 {ipu.map = #ipu.map<[4, 16], grid = [4], blocks = [p0 * 1 : 1, all]>} : tensor<4x16xf32> to tensor<4x16xf16>
  return %1 : tensor<4x16xf16>
}

// -----

// Through a reshape; sums of partial values.
// CHECK: ipu.codelet @cast_f32_f16({{.*}} cost <vector, supervisor = 0, worker = 0
func.func @main(%x: tensor<3x64xf32> {ipu.map = #ipu.map<[3, 64], grid = [4], blocks = [all, p0 * 16 : 16]>}) -> tensor<4x16xf16> {
  %0 = pop.reduce sum %x {accum = #pop.accum<blocked, block = 3, lanes = 1>, axes = array<i64: 0>, ipu.map = #ipu.map<[64], grid = [4], blocks = [p0 * 16 : 16]>} : tensor<3x64xf32> -> tensor<64xf32>
  %1 = pop.reshape %0 : tensor<64xf32> to tensor<4x16xf32>
  %2 = pop.cast %1 {ipu.map = #ipu.map<[64], grid = [4], blocks = [p0 * 16 : 16]>} : tensor<4x16xf32> to tensor<4x16xf16>
  return %2 : tensor<4x16xf16>
}

// -----

// The sums are read elsewhere.
// CHECK: ipu.codelet @cast_f32_f16({{.*}} cost <vector, supervisor = 12, worker = 42
func.func @main(%x: tensor<3x64xf32> {ipu.map = #ipu.map<[3, 64], grid = [4], blocks = [all, p0 * 16 : 16]>}) -> tensor<64xf16> {
  %0 = pop.reduce sum %x {accum = #pop.accum<blocked, block = 3, lanes = 1>, axes = array<i64: 0>, ipu.map = #ipu.map<[64], grid = [4], blocks = [p0 * 16 : 16]>} : tensor<3x64xf32> -> tensor<64xf32>
  %1 = pop.cast %0 {ipu.map = #ipu.map<[64], grid = [2], blocks = [p0 * 32 : 32]>} : tensor<64xf32> to tensor<64xf16>
  return %1 : tensor<64xf16>
}

// -----

// Another op reads the sums.
// CHECK: ipu.codelet @cast_f32_f16({{.*}} cost <vector, supervisor = 12, worker = 42
func.func @main(%x: tensor<3x64xf32> {ipu.map = #ipu.map<[3, 64], grid = [4], blocks = [all, p0 * 16 : 16]>}) -> (tensor<64xf16>, tensor<64xf32>) {
  %0 = pop.reduce sum %x {accum = #pop.accum<blocked, block = 3, lanes = 1>, axes = array<i64: 0>, ipu.map = #ipu.map<[64], grid = [4], blocks = [p0 * 16 : 16]>} : tensor<3x64xf32> -> tensor<64xf32>
  %1 = pop.cast %0 {ipu.map = #ipu.map<[64], grid = [4], blocks = [p0 * 16 : 16]>} : tensor<64xf32> to tensor<64xf16>
  return %1, %0 : tensor<64xf16>, tensor<64xf32>
}

// -----

// What is computed otherwise is no sum, and rounding to a wider type is none.
// CHECK: ipu.codelet @cast_f32_f16({{.*}} cost <vector, supervisor = 12, worker = 42
// CHECK: ipu.codelet @cast_f32_f64({{.*}} cost <vector, supervisor = 12, worker = 42
func.func @main(%x: tensor<3x64xf32> {ipu.map = #ipu.map<[3, 64], grid = [4], blocks = [all, p0 * 16 : 16]>}) -> (tensor<3x64xf16>, tensor<64xf64>) {
  %0 = pop.tanh %x {ipu.map = #ipu.map<[3, 64], grid = [4], blocks = [all, p0 * 16 : 16]>} : tensor<3x64xf32>
  %1 = pop.cast %0 {ipu.map = #ipu.map<[3, 64], grid = [4], blocks = [all, p0 * 16 : 16]>} : tensor<3x64xf32> to tensor<3x64xf16>
  %2 = pop.reduce sum %x {accum = #pop.accum<blocked, block = 3, lanes = 1>, axes = array<i64: 0>, ipu.map = #ipu.map<[64], grid = [4], blocks = [p0 * 16 : 16]>} : tensor<3x64xf32> -> tensor<64xf32>
  %3 = pop.cast %2 {ipu.map = #ipu.map<[64], grid = [4], blocks = [p0 * 16 : 16]>} : tensor<64xf32> to tensor<64xf64>
  return %1, %3 : tensor<3x64xf16>, tensor<64xf64>
}
