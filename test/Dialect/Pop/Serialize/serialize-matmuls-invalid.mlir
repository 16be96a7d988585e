// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-serialize-matmuls
// RUN: not ipu-opt %S/serialize-matmuls.mlir --pop-serialize-matmuls=factor=0 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not ipu-opt %S/serialize-matmuls.mlir --pop-serialize-matmuls=factor=1025 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not ipu-opt %S/serialize-matmuls.mlir --pop-serialize-matmuls=min-bytes=-1 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not ipu-opt %S/serialize-matmuls.mlir --pop-serialize-matmuls=mode=reducing-dim 2>&1 | FileCheck %s --check-prefix=MODE

// FACTOR: error: 'pop-serialize-matmuls' expects option 'factor' to be from 1 to 1024 but got 0
// LARGE: error: 'pop-serialize-matmuls' expects option 'factor' to be from 1 to 1024 but got 1025
// BYTES: error: 'pop-serialize-matmuls' expects option 'min-bytes' to be at least 0 but got -1
// MODE: error: 'pop-serialize-matmuls' expects option 'factor' together with option 'mode' but got 'factor' 1

func.func @rows(%x: tensor<12x16xf32>, %w: tensor<16x32xf32>) -> tensor<12x32xf32> {
  // expected-error @below {{'pop.matmul' op expects 'factor' of 'pop.serialize' to be one of [2, 3, 4, 6, 12] for mode 'input_channels' and the order #pop.accum<chain> but got 5}}
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.serialize = {factor = 5 : i64, mode = "input_channels"}} : (tensor<12x16xf32>, tensor<16x32xf32>) -> tensor<12x32xf32>
  return %0 : tensor<12x32xf32>
}

// -----

// 16 is a multiple of 2, but there are 3 blocks.
func.func @blocks(%x: tensor<12x16xf32>, %w: tensor<16x32xf32>) -> tensor<12x32xf32> {
  // expected-error @below {{'pop.matmul' op expects 'factor' of 'pop.serialize' to be one of [3] for mode 'reducing_dim' and the order #pop.accum<blocked, block = 6, lanes = 1> but got 2}}
  %0 = pop.matmul %x, %w {accum = #pop.accum<blocked, block = 6, lanes = 1>, pop.serialize = {factor = 2 : i64, mode = "reducing_dim"}} : (tensor<12x16xf32>, tensor<16x32xf32>) -> tensor<12x32xf32>
  return %0 : tensor<12x32xf32>
}

// -----

func.func @empty(%x: tensor<12x0xf32>, %w: tensor<0x32xf32>) -> tensor<12x32xf32> {
  // expected-error @below {{'pop.matmul' op expects 'factor' of 'pop.serialize' to be one of [] for mode 'reducing_dim' and the order #pop.accum<chain> but got 2}}
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "reducing_dim"}} : (tensor<12x0xf32>, tensor<0x32xf32>) -> tensor<12x32xf32>
  return %0 : tensor<12x32xf32>
}

// -----

func.func @many(%x: tensor<12x16xf32>, %w: tensor<16x2053xf32>) -> tensor<12x2053xf32> {
  // expected-error @below {{'pop.matmul' op expects 'factor' of 'pop.serialize' to be one of [] for mode 'output_channels' and the order #pop.accum<chain> but got 2053}}
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.serialize = {factor = 2053 : i64, mode = "output_channels"}} : (tensor<12x16xf32>, tensor<16x2053xf32>) -> tensor<12x2053xf32>
  return %0 : tensor<12x2053xf32>
}

// -----

// Rounded results of blocks have random bits, which depend on their positions.
func.func @partials(%x: tensor<12x16xf16>, %w: tensor<16x32xf16>) -> tensor<12x32xf16> {
  // expected-error @below {{'pop.matmul' op has attribute 'pop.serialize', which contradicts the order #pop.accum<blocked, block = 4, lanes = 1, partials = f16>: expects 'partials' f32 if results of blocks are rounded stochastically}}
  %0 = pop.matmul %x, %w {accum = #pop.accum<blocked, block = 4, lanes = 1, partials = f16>, pop.draw = #pop.draw<0>, pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<12x16xf16>, tensor<16x32xf16>) -> tensor<12x32xf16>
  return %0 : tensor<12x32xf16>
}

// -----

func.func @mode(%x: tensor<12x16xf32>, %w: tensor<16x32xf32>) -> tensor<12x32xf32> {
  // expected-error @below {{'pop.matmul' op expects attribute 'pop.serialize' to be a dictionary with a 'mode' ('input_channels', 'reducing_dim' or 'output_channels'), a positive i64 'factor', and at most the unit attribute 'limit' in addition but got {factor = 2 : i64, mode = "rows"}}}
  %0 = pop.matmul %x, %w {pop.serialize = {factor = 2 : i64, mode = "rows"}} : (tensor<12x16xf32>, tensor<16x32xf32>) -> tensor<12x32xf32>
  return %0 : tensor<12x32xf32>
}

// -----

func.func @no_factor(%x: tensor<12x16xf32>, %w: tensor<16x32xf32>) -> tensor<12x32xf32> {
  // expected-error @below {{'pop.matmul' op expects attribute 'pop.serialize' to be a dictionary with a 'mode' ('input_channels', 'reducing_dim' or 'output_channels'), a positive i64 'factor', and at most the unit attribute 'limit' in addition but got {mode = "reducing_dim"}}}
  %0 = pop.matmul %x, %w {pop.serialize = {mode = "reducing_dim"}} : (tensor<12x16xf32>, tensor<16x32xf32>) -> tensor<12x32xf32>
  return %0 : tensor<12x32xf32>
}

// -----

func.func @zero_factor(%x: tensor<12x16xf32>, %w: tensor<16x32xf32>) -> tensor<12x32xf32> {
  // expected-error @below {{a positive i64 'factor', and at most the unit attribute 'limit' in addition but got {factor = 0 : i64, mode = "reducing_dim"}}}
  %0 = pop.matmul %x, %w {pop.serialize = {factor = 0 : i64, mode = "reducing_dim"}} : (tensor<12x16xf32>, tensor<16x32xf32>) -> tensor<12x32xf32>
  return %0 : tensor<12x32xf32>
}

// -----

// Two divisions of one matmul.
func.func @two(%x: tensor<12x16xf32>, %w: tensor<16x32xf32>) -> tensor<12x32xf32> {
  // expected-error @below {{a positive i64 'factor', and at most the unit attribute 'limit' in addition but got {factor = 2 : i64, mode = "reducing_dim", mode2 = "input_channels"}}}
  %0 = pop.matmul %x, %w {pop.serialize = {factor = 2 : i64, mode = "reducing_dim", mode2 = "input_channels"}} : (tensor<12x16xf32>, tensor<16x32xf32>) -> tensor<12x32xf32>
  return %0 : tensor<12x32xf32>
}

// -----

func.func @other_op(%x: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-error @below {{'pop.relu' op expects attribute 'pop.serialize' only on a 'pop.matmul'}}
  %0 = pop.relu %x {pop.serialize = {factor = 2 : i64, mode = "reducing_dim"}} : tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
