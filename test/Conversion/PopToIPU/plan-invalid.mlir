// RUN: not ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-map-tensors{available-memory-proportion=1.5})' 2>&1 | FileCheck %s --check-prefix=SHARE
// RUN: not ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-split-ops{available-memory-proportion=-1})' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-map-tensors{planner=best})' 2>&1 | FileCheck %s --check-prefix=PLANNER
// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-split-ops,pop-map-tensors)'

// SHARE: error: expects an available memory proportion from 0 to 1 but got 1.5
// NEGATIVE: error: expects an available memory proportion from 0 to 1 but got -1
// PLANNER: for the --planner option: Cannot find option named 'best'!

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

func.func @share(%x: tensor<8xf32>) {
  // expected-error @+1 {{attribute 'ipu.available_memory_proportion' expects an f64 from 0 to 1 but got 2.000000e+00 : f64}}
  pop.relu %x {ipu.available_memory_proportion = 2.0 : f64} : tensor<8xf32>
  return
}

// -----

func.func @share_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{attribute 'ipu.available_memory_proportion' expects an f64 from 0 to 1 but got 1 : i64}}
  pop.relu %x {ipu.available_memory_proportion = 1 : i64} : tensor<8xf32>
  return
}

// -----

// Not even one row, one column and one element fit in a tenth of 1000 bytes.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, tile_memory = 1000 : i64}>} {
  func.func @large(%a: tensor<2x16xf32>, %b: tensor<16x2xf32>) -> tensor<2x2xf32> {
    // expected-warning @+1 {{needs 36 bytes more on a tile than its share of 100 bytes, because no split of the op needs less memory}}
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>, ipu.available_memory_proportion = 0.1 : f64} : (tensor<2x16xf32>, tensor<16x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}

// -----

// Parts are cut again only so often, and one of them is warned of: one that is as
// small as can be, or one that could be cut again.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 7 : i64}>} {
  func.func @no_share(%a: tensor<400x400xf32>, %b: tensor<400x400xf32>) -> tensor<400x400xf32> {
    // expected-warning @+1 {{bytes more on a tile than its share of 0 bytes, because no split of the op needs less memory}}
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>, ipu.available_memory_proportion = 0.0 : f64} : (tensor<400x400xf32>, tensor<400x400xf32>) -> tensor<400x400xf32>
    // expected-warning @+1 {{bytes more on a tile than its share of 638 bytes, because the limit on splits per op is reached}}
    %1 = pop.matmul %a, %0 {accum = #pop.accum<chain>, ipu.available_memory_proportion = 0.001 : f64} : (tensor<400x400xf32>, tensor<400x400xf32>) -> tensor<400x400xf32>
    return %1 : tensor<400x400xf32>
  }
}

// -----

// An operand is larger than all tiles together: no split makes that fit.
func.func @too_large(%a: tensor<268435456x268435456xf32>, %b: tensor<268435456x1xf32>) {
  // expected-warning @+1 {{bytes more on a tile than its share of 383385 bytes, because the op uses a tensor that is larger than the memory of all tiles}}
  pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<268435456x268435456xf32>, tensor<268435456x1xf32>) -> tensor<268435456x1xf32>
  return
}

// -----

func.func @not_ready(%x: tensor<2x8xf16>, %w: tensor<8x2xf16>) {
  // expected-error @+1 {{has a form that tiles cannot compute; run pop-choose-accumulation and pop-decompose}}
  pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<2x8xf16>, tensor<8x2xf16>) -> tensor<2x2xf16>
  return
}
