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

// -----
// family: LeNet
func.func @main(%x: tensor<8x1x28x28xf32>, %w1: tensor<6x1x5x5xf32>, %b1: tensor<6x1x1xf32>,
                %w2: tensor<16x6x5x5xf32>, %b2: tensor<16x1x1xf32>, %w3: tensor<400x120xf32>, %b3: tensor<120xf32>,
                %w4: tensor<120x84xf32>, %b4: tensor<84xf32>, %w5: tensor<84x10xf32>, %b5: tensor<10xf32>) -> tensor<8x10xf32> {
  %c1 = pop.conv %x, %w1 {pads = array<i64: 2, 2, 2, 2>} : (tensor<8x1x28x28xf32>, tensor<6x1x5x5xf32>) -> tensor<8x6x28x28xf32>
  %a1 = pop.add %c1, %b1 : (tensor<8x6x28x28xf32>, tensor<6x1x1xf32>) -> tensor<8x6x28x28xf32>
  %t1 = pop.tanh %a1 : tensor<8x6x28x28xf32>
  %p1 = pop.avg_pool %t1 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<8x6x28x28xf32> -> tensor<8x6x14x14xf32>
  %c2 = pop.conv %p1, %w2 : (tensor<8x6x14x14xf32>, tensor<16x6x5x5xf32>) -> tensor<8x16x10x10xf32>
  %a2 = pop.add %c2, %b2 : (tensor<8x16x10x10xf32>, tensor<16x1x1xf32>) -> tensor<8x16x10x10xf32>
  %t2 = pop.tanh %a2 : tensor<8x16x10x10xf32>
  %p2 = pop.avg_pool %t2 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<8x16x10x10xf32> -> tensor<8x16x5x5xf32>
  %f = pop.reshape %p2 : tensor<8x16x5x5xf32> to tensor<8x400xf32>
  %m3 = pop.matmul %f, %w3 : (tensor<8x400xf32>, tensor<400x120xf32>) -> tensor<8x120xf32>
  %a3 = pop.add %m3, %b3 : (tensor<8x120xf32>, tensor<120xf32>) -> tensor<8x120xf32>
  %t3 = pop.tanh %a3 : tensor<8x120xf32>
  %m4 = pop.matmul %t3, %w4 : (tensor<8x120xf32>, tensor<120x84xf32>) -> tensor<8x84xf32>
  %a4 = pop.add %m4, %b4 : (tensor<8x84xf32>, tensor<84xf32>) -> tensor<8x84xf32>
  %t4 = pop.tanh %a4 : tensor<8x84xf32>
  %m5 = pop.matmul %t4, %w5 : (tensor<8x84xf32>, tensor<84x10xf32>) -> tensor<8x10xf32>
  %a5 = pop.add %m5, %b5 : (tensor<8x10xf32>, tensor<10xf32>) -> tensor<8x10xf32>
  return %a5 : tensor<8x10xf32>
}

// -----
// family: residual block of ResNet-8
func.func @main(%x: tensor<1x16x32x32xf32>, %w1: tensor<32x16x3x3xf32>, %s1: tensor<32x1x1xf32>,
                %w2: tensor<32x32x3x3xf32>, %s2: tensor<32x1x1xf32>, %w3: tensor<32x16x1x1xf32>) -> tensor<1x32x16x16xf32> {
  %c1 = pop.conv %x, %w1 {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x16x32x32xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x16x16xf32>
  %m1 = pop.mul %c1, %s1 : (tensor<1x32x16x16xf32>, tensor<32x1x1xf32>) -> tensor<1x32x16x16xf32>
  %r1 = pop.relu %m1 : tensor<1x32x16x16xf32>
  %c2 = pop.conv %r1, %w2 {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x32x16x16xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x16x16xf32>
  %m2 = pop.mul %c2, %s2 : (tensor<1x32x16x16xf32>, tensor<32x1x1xf32>) -> tensor<1x32x16x16xf32>
  %c3 = pop.conv %x, %w3 {strides = array<i64: 2, 2>} : (tensor<1x16x32x32xf32>, tensor<32x16x1x1xf32>) -> tensor<1x32x16x16xf32>
  %sum = pop.add %m2, %c3 : tensor<1x32x16x16xf32>
  %r2 = pop.relu %sum : tensor<1x32x16x16xf32>
  return %r2 : tensor<1x32x16x16xf32>
}
