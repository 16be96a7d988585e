// What the planner gains over generic maps, for one program of each family. The
// table of docs/planner.md is made of the same numbers.

// RUN: %python %src_root/utils/planner-table --tool ipu-opt --check %s > %t.md
// RUN: FileCheck %s < %t.md
// CHECK: | family | generic | planned | ratio |
// CHECK: | matmul 1024 x 1024 x 1024 |
// CHECK: | elementwise chain with broadcasts |

// family: matmul 1024 x 1024 x 1024
func.func @main(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = pop.matmul %a, %b : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// -----
// family: matmul tall, 16384 x 256 x 64
func.func @main(%a: tensor<16384x256xf16>, %b: tensor<256x64xf16>) -> tensor<16384x64xf32> {
  %0 = pop.matmul %a, %b : (tensor<16384x256xf16>, tensor<256x64xf16>) -> tensor<16384x64xf32>
  return %0 : tensor<16384x64xf32>
}

// -----
// family: matmul of small k and large n, 64 x 32 x 32768
func.func @main(%a: tensor<64x32xf16>, %b: tensor<32x32768xf16>) -> tensor<64x32768xf32> {
  %0 = pop.matmul %a, %b : (tensor<64x32xf16>, tensor<32x32768xf16>) -> tensor<64x32768xf32>
  return %0 : tensor<64x32768xf32>
}

// -----
// family: matmul batched, 24 x 128 x 64 x 128
func.func @main(%a: tensor<24x128x64xf32>, %b: tensor<24x64x128xf32>) -> tensor<24x128x128xf32> {
  %0 = pop.matmul %a, %b : (tensor<24x128x64xf32>, tensor<24x64x128xf32>) -> tensor<24x128x128xf32>
  return %0 : tensor<24x128x128xf32>
}

// -----
// family: convolution 1x1
func.func @main(%x: tensor<1x256x28x28xf32>, %w: tensor<128x256x1x1xf32>) -> tensor<1x128x28x28xf32> {
  %0 = pop.conv %x, %w : (tensor<1x256x28x28xf32>, tensor<128x256x1x1xf32>) -> tensor<1x128x28x28xf32>
  return %0 : tensor<1x128x28x28xf32>
}

// -----
// family: convolution 3x3
func.func @main(%x: tensor<1x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32> {
  %0 = pop.conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}

// -----
// family: convolution 3x3, stride 2
func.func @main(%x: tensor<1x64x57x57xf32>, %w: tensor<128x64x3x3xf32>) -> tensor<1x128x28x28xf32> {
  %0 = pop.conv %x, %w {strides = array<i64: 2, 2>} : (tensor<1x64x57x57xf32>, tensor<128x64x3x3xf32>) -> tensor<1x128x28x28xf32>
  return %0 : tensor<1x128x28x28xf32>
}

// -----
// family: convolution 3x3, 8 groups
func.func @main(%x: tensor<1x128x30x30xf32>, %w: tensor<128x16x3x3xf32>) -> tensor<1x128x28x28xf32> {
  %0 = pop.conv %x, %w {groups = 8 : i64} : (tensor<1x128x30x30xf32>, tensor<128x16x3x3xf32>) -> tensor<1x128x28x28xf32>
  return %0 : tensor<1x128x28x28xf32>
}

// -----
// family: convolution 3x3, depthwise
func.func @main(%x: tensor<1x96x58x58xf32>, %w: tensor<96x1x3x3xf32>) -> tensor<1x96x56x56xf32> {
  %0 = pop.conv %x, %w {groups = 96 : i64} : (tensor<1x96x58x58xf32>, tensor<96x1x3x3xf32>) -> tensor<1x96x56x56xf32>
  return %0 : tensor<1x96x56x56xf32>
}

// -----
// family: max pool 3x3, stride 2
func.func @main(%x: tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32> {
  %0 = pop.max_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 0, 0>} : tensor<1x64x112x112xf32> -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}

// -----
// family: average pool 2x2, stride 2
func.func @main(%x: tensor<1x128x56x56xf32>) -> tensor<1x128x28x28xf32> {
  %0 = pop.avg_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x128x56x56xf32> -> tensor<1x128x28x28xf32>
  return %0 : tensor<1x128x28x28xf32>
}

// -----
// family: reduction of rows
func.func @main(%x: tensor<2048x512xf32>) -> tensor<2048xf32> {
  %0 = pop.reduce sum %x {axes = array<i64: 1>} : tensor<2048x512xf32> -> tensor<2048xf32>
  return %0 : tensor<2048xf32>
}

// -----
// family: reduction of columns
func.func @main(%x: tensor<512x1024xf32>) -> tensor<1024xf32> {
  %0 = pop.reduce sum %x {axes = array<i64: 0>} : tensor<512x1024xf32> -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}

// -----
// family: reduction of all
func.func @main(%x: tensor<1000x1000xf32>) -> tensor<f32> {
  %0 = pop.reduce sum %x {axes = array<i64: 0, 1>} : tensor<1000x1000xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----
// family: gather of 512 of 4096 rows
func.func @main(%table: tensor<4096x256xf32>, %i: tensor<512xi32>) -> tensor<512x256xf32> {
  %0 = pop.gather %table, %i : (tensor<4096x256xf32>, tensor<512xi32>) -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}

// -----
// family: transpose
func.func @main(%x: tensor<768x512xf32>, %y: tensor<512x768xf32>) -> tensor<512x768xf32> {
  %0 = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<768x512xf32> -> tensor<512x768xf32>
  %1 = pop.add %0, %y : tensor<512x768xf32>
  return %1 : tensor<512x768xf32>
}

// -----
// family: elementwise chain with broadcasts
func.func @main(%x: tensor<512x768xf32>, %scale: tensor<768xf32>, %rows: tensor<512x1xf32>) -> tensor<512x768xf32> {
  %0 = pop.mul %x, %scale : (tensor<512x768xf32>, tensor<768xf32>) -> tensor<512x768xf32>
  %1 = pop.tanh %0 : tensor<512x768xf32>
  %2 = pop.add %1, %rows : (tensor<512x768xf32>, tensor<512x1xf32>) -> tensor<512x768xf32>
  %3 = pop.mul %2, %x : tensor<512x768xf32>
  return %3 : tensor<512x768xf32>
}
