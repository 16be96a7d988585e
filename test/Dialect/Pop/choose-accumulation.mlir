// RUN: ipu-opt %s --pop-choose-accumulation | FileCheck %s
// RUN: ipu-opt %s --pop-choose-accumulation=accumulation=chain | FileCheck %s --check-prefix=CHAIN
// RUN: ipu-opt %s --pop-choose-accumulation --pop-choose-accumulation=accumulation=chain | FileCheck %s
// RUN: ipu-opt %s --pop-choose-accumulation=partials=f16 | FileCheck %s --check-prefix=PARTIALS

// What another value of the option would choose is kept, with a warning on request.
// RUN: ipu-opt %s --pop-choose-accumulation --pop-choose-accumulation="accumulation=chain warn-kept" -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: ipu-opt %s --pop-choose-accumulation=accumulation=chain --pop-choose-accumulation=warn-kept -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHAINED
// KEPT: warning: 'accumulation=chain' has no effect on {{[0-9]+}} sums, for which an earlier pass chose the orders of 'blocked'; expects the option on the pass or pipeline that chooses first
// RUN: ipu-opt %s --pop-choose-accumulation --pop-choose-accumulation="partials=f16 warn-kept" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PARTIALSKEPT
// PARTIALSKEPT: warning: 'partials=f16' has no effect on {{[0-9]+}} sums, for which an earlier pass chose the orders of 'f32'; expects the option on the pass or pipeline that chooses first
// CHAINED: warning: 'accumulation=blocked' has no effect on {{[0-9]+}} sums, for which an earlier pass chose the orders of 'chain'; expects the option on the pass or pipeline that chooses first

// Blocks are equal shares of the addends or multiples of 16, of which those with the
// lowest cost are chosen. i32 counts as f32.
// CHECK-LABEL: func @matmul
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 32, lanes = 1>} : (tensor<2x1024xf16>,
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 20, lanes = 1>} : (tensor<2x100xf32>,
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 112, lanes = 1>} : (tensor<512x1000xf32>,
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 200, lanes = 1>} : (tensor<2048x1000xf32>,
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 32, lanes = 1>} : (tensor<2x1024xi32>,
// Only blocks of f16 have results of f16.
// PARTIALS-LABEL: func @matmul
// PARTIALS-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 32, lanes = 1, partials = f16>} : (tensor<2x1024xf16>,
// PARTIALS-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 20, lanes = 1>} : (tensor<2x100xf32>,
// CHAIN-LABEL: func @matmul
// CHAIN-COUNT-5: accum = #pop.accum<chain>
func.func @matmul(%a: tensor<2x1024xf16>, %b: tensor<1024x5xf16>, %c: tensor<2x100xf32>, %d: tensor<100x5xf32>,
                  %e: tensor<512x1000xf32>, %f: tensor<1000x512xf32>, %g: tensor<2048x1000xf32>, %h: tensor<1000x1024xf32>,
                  %i: tensor<2x1024xi32>, %j: tensor<1024x5xi32>) {
  %0 = pop.matmul %a, %b : (tensor<2x1024xf16>, tensor<1024x5xf16>) -> tensor<2x5xf16>
  %1 = pop.matmul %c, %d : (tensor<2x100xf32>, tensor<100x5xf32>) -> tensor<2x5xf32>
  %2 = pop.matmul %e, %f : (tensor<512x1000xf32>, tensor<1000x512xf32>) -> tensor<512x512xf32>
  %3 = pop.matmul %g, %h : (tensor<2048x1000xf32>, tensor<1000x1024xf32>) -> tensor<2048x1024xf32>
  %4 = pop.matmul %i, %j : (tensor<2x1024xi32>, tensor<1024x5xi32>) -> tensor<2x5xi32>
  return
}

// The last of six blocks has 31 addends, and the last of four has 127.
// CHECK-LABEL: func @last_block
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 32, lanes = 1>} : (tensor<2x191xf32>,
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 128, lanes = 1>} : (tensor<1024x511xf32>,
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 128, lanes = 1>} : (tensor<1024x512xf32>,
func.func @last_block(%a: tensor<2x191xf32>, %b: tensor<191x5xf32>, %c: tensor<1024x511xf32>, %d: tensor<511x1024xf32>,
                      %e: tensor<1024x512xf32>, %f: tensor<512x1024xf32>) {
  %0 = pop.matmul %a, %b : (tensor<2x191xf32>, tensor<191x5xf32>) -> tensor<2x5xf32>
  %1 = pop.matmul %c, %d : (tensor<1024x511xf32>, tensor<511x1024xf32>) -> tensor<1024x1024xf32>
  %2 = pop.matmul %e, %f : (tensor<1024x512xf32>, tensor<512x1024xf32>) -> tensor<1024x1024xf32>
  return
}

// An order that is there stays, and an accumulator is no reason for a chain.
// CHECK-LABEL: func @kept
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<chain>}
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 7, lanes = 1>}
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 16, lanes = 1>}
// CHECK-NEXT: pop.reduce sum %{{.*}} {accum = #pop.accum<blocked, block = 8, lanes = 4>
func.func @kept(%a: tensor<2x192xf32>, %b: tensor<192x5xf32>, %c: tensor<2x5xf32>) {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<2x192xf32>, tensor<192x5xf32>) -> tensor<2x5xf32>
  %1 = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 7, lanes = 1>} : (tensor<2x192xf32>, tensor<192x5xf32>) -> tensor<2x5xf32>
  %2 = pop.matmul %a, %b, %c : (tensor<2x192xf32>, tensor<192x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %3 = pop.reduce sum %a {axes = array<i64: 1>, accum = #pop.accum<blocked, block = 8, lanes = 4>} : tensor<2x192xf32> -> tensor<2xf32>
  return
}

// Of a kernel that is not larger than the number of windows, only channels are cut.
// A gradient of weights, with 56 x 56 positions and 3 x 3 windows, has blocks of 7 x 4
// of them. 20 terms are too few for two blocks.
// CHECK-LABEL: func @conv
// CHECK-NEXT: pop.conv %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 16, lanes = 1>, groups = 2 : i64}
// CHECK-NEXT: pop.conv %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 16, lanes = 1, group = 14, kernel = [7, 4]>, pads
// CHECK-NEXT: pop.conv %{{.*}}, %{{.*}} {accum = #pop.accum<chain>} : (tensor<1x20x4xf32>, tensor<3x20x1xf32>)
func.func @conv(%x: tensor<1x128x5x5xf32>, %w: tensor<6x64x3x3xf32>, %a: tensor<64x16x56x56xf16>, %g: tensor<64x16x56x56xf16>,
                %y: tensor<1x20x4xf32>, %v: tensor<3x20x1xf32>) {
  %0 = pop.conv %x, %w {groups = 2 : i64} : (tensor<1x128x5x5xf32>, tensor<6x64x3x3xf32>) -> tensor<1x6x3x3xf32>
  %1 = pop.conv %a, %g {pads = array<i64: 1, 1, 1, 1>} : (tensor<64x16x56x56xf16>, tensor<64x16x56x56xf16>) -> tensor<64x64x3x3xf16>
  %2 = pop.conv %y, %v : (tensor<1x20x4xf32>, tensor<3x20x1xf32>) -> tensor<1x3x4xf32>
  return
}

// A reduction over several dimensions is a tree. Adjacent axes are one dimension.
// Blocks divide it if possible, and chains have the length of a square root.
// CHECK-LABEL: func @trees
// CHECK-NEXT: pop.reduce sum %{{.*}} {accum = #pop.accum<blocked, block = 14, lanes = 1, box = [20, 28]>, axes = array<i64: 0, 2, 3>}
// CHECK-NEXT: pop.reduce mean %{{.*}} {accum = #pop.accum<blocked, block = 16, lanes = 1, box = [128, 49]>, axes = array<i64: 0, 2, 3>}
// CHECK-NEXT: pop.reduce sum %{{.*}} {accum = #pop.accum<blocked, block = 16, lanes = 1, box = [3, 32]>, axes = array<i64: 0, 2>}
// CHECK-NEXT: pop.reduce sum %{{.*}} {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axes = array<i64: 0, 2>}
func.func @trees(%a: tensor<20x6x56x56xf16>, %b: tensor<256x8x7x7xf32>, %c: tensor<3x5x197xf16>, %d: tensor<9x5x1xf32>) {
  %0 = pop.reduce sum %a {axes = array<i64: 0, 2, 3>} : tensor<20x6x56x56xf16> -> tensor<6xf16>
  %1 = pop.reduce mean %b {axes = array<i64: 0, 2, 3>} : tensor<256x8x7x7xf32> -> tensor<8xf32>
  %2 = pop.reduce sum %c {axes = array<i64: 0, 2>} : tensor<3x5x197xf16> -> tensor<5xf16>
  %3 = pop.reduce sum %d {axes = array<i64: 0, 2>} : tensor<9x5x1xf32> -> tensor<5xf32>
  return
}

// CHECK-LABEL: func @reductions
// CHECK-NEXT: pop.reduce sum %{{.*}} {accum = #pop.accum<blocked, block = 64, lanes = 16>, axes = array<i64: 0, 1>} : tensor<64x1024xf32>
// CHECK-NEXT: pop.reduce max %{{.*}} {accum = #pop.accum<blocked, block = 64, lanes = 16>, axes = array<i64: 1>} : tensor<64x1024xf32>
// CHECK-NEXT: pop.reduce sum %{{.*}} {accum = #pop.accum<blocked, block = 1024, lanes = 16>, axes = array<i64>} : tensor<64x1024xf32>
// CHECK-NEXT: pop.softmax %{{.*}} {accum = #pop.accum<blocked, block = 64, lanes = 16>, axis = 1 : i64}
// CHECK-NEXT: pop.batch_norm_training %{{.*}}, %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 8, lanes = 1, box = [8, 32]>} :
// CHECK-NEXT: pop.avg_pool %{{.*}} {accum = #pop.accum<chain>, kernel
// CHECK-NEXT: pop.reduce_window sum %{{.*}} {accum = #pop.accum<chain>, kernel
// CHAIN-LABEL: func @reductions
// CHAIN-COUNT-5: accum = #pop.accum<blocked, block = 1024, lanes = 16>
// CHAIN-COUNT-2: accum = #pop.accum<chain>
func.func @reductions(%x: tensor<64x1024xf32>, %y: tensor<1x4x8xf32>, %b: tensor<8x16x32x32xf32>, %c: tensor<16xf32>) {
  %0 = pop.reduce sum %x {axes = array<i64: 0, 1>} : tensor<64x1024xf32> -> tensor<f32>
  %1 = pop.reduce max %x {axes = array<i64: 1>} : tensor<64x1024xf32> -> tensor<64xf32>
  %2 = pop.reduce sum %x {axes = array<i64>} : tensor<64x1024xf32> -> tensor<64x1024xf32>
  %3 = pop.softmax %x {axis = 1 : i64} : tensor<64x1024xf32>
  %norm:3 = pop.batch_norm_training %b, %c, %c : tensor<8x16x32x32xf32>, tensor<16xf32>
  %4 = pop.avg_pool %y {kernel = array<i64: 2>} : tensor<1x4x8xf32> -> tensor<1x4x7xf32>
  %5 = pop.reduce_window sum %y {kernel = array<i64: 2>} : tensor<1x4x8xf32> -> tensor<1x4x7xf32>
  return
}

// Of all positions; of the classes of a cross entropy.
// CHECK-LABEL: func @losses
// CHECK-NEXT: pop.l2_loss sum %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 64, lanes = 16>}
// CHECK-NEXT: pop.nll_loss mean %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 1024, lanes = 16>}
// CHECK-NEXT: pop.cross_entropy_loss mean %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 64, lanes = 16>}
// CHAIN-LABEL: func @losses
// CHAIN-COUNT-3: accum = #pop.accum<blocked, block = 1024, lanes = 16>
func.func @losses(%x: tensor<64x1024xf32>, %l: tensor<64xi32>) {
  %0 = pop.l2_loss sum %x, %x : tensor<64x1024xf32> -> tensor<f32>
  %1 = pop.nll_loss mean %x, %l : tensor<64x1024xf32>, tensor<64xi32> -> tensor<f32>
  %2 = pop.cross_entropy_loss mean %x, %l : tensor<64x1024xf32>, tensor<64xi32> -> tensor<f32>
  return
}

// Sums of nothing, and of no outputs.
// CHECK-LABEL: func @empty
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<chain>}
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<chain>}
// CHECK-NEXT: pop.conv %{{.*}}, %{{.*}} {accum = #pop.accum<chain>}
// CHECK-NEXT: pop.softmax %{{.*}} {accum = #pop.accum<blocked, block = 1024, lanes = 16>
// CHECK-NEXT: pop.batch_norm_training %{{.*}}, %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 1024, lanes = 16>}
func.func @empty(%a: tensor<2x0xf32>, %b: tensor<0x4xf32>, %c: tensor<0x1024xf32>, %d: tensor<1024x4xf32>, %x: tensor<1x0x8xf32>, %w: tensor<6x0x3xf32>, %s: tensor<2x0xf32>, %n: tensor<2x0xf32>, %z: tensor<0xf32>) {
  %0 = pop.matmul %a, %b : (tensor<2x0xf32>, tensor<0x4xf32>) -> tensor<2x4xf32>
  %1 = pop.matmul %c, %d : (tensor<0x1024xf32>, tensor<1024x4xf32>) -> tensor<0x4xf32>
  %2 = pop.conv %x, %w : (tensor<1x0x8xf32>, tensor<6x0x3xf32>) -> tensor<1x6x6xf32>
  %3 = pop.softmax %s {axis = 1 : i64} : tensor<2x0xf32>
  %4:3 = pop.batch_norm_training %n, %z, %z : tensor<2x0xf32>, tensor<0xf32>
  return
}

// A dimension of the kernel is cut into divisors of its size: 1021 and 59 have no
// others than 1 and themselves.
// CHECK-LABEL: func @prime_kernel
// CHECK-NEXT: pop.conv %{{.*}}, %{{.*}} {accum = #pop.accum<chain>} : (tensor<64x1x1038xf16>,
// CHECK-NEXT: pop.conv %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 1, lanes = 1, kernel = [59, 1]>} :
func.func @prime_kernel(%x: tensor<64x1x1038xf16>, %w: tensor<1000x1x1021xf16>, %a: tensor<90x1x60x60xf16>, %g: tensor<200x1x59x59xf16>) {
  %0 = pop.conv %x, %w : (tensor<64x1x1038xf16>, tensor<1000x1x1021xf16>) -> tensor<64x1000x18xf16>
  %1 = pop.conv %a, %g : (tensor<90x1x60x60xf16>, tensor<200x1x59x59xf16>) -> tensor<90x200x2x2xf16>
  return
}

// No more blocks than an order may have.
// CHECK-LABEL: func @most_blocks
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 5712, lanes = 1, group = 64>}
func.func @most_blocks(%a: tensor<1x8388608xf16>, %b: tensor<8388608x1xf16>) {
  %0 = pop.matmul %a, %b : (tensor<1x8388608xf16>, tensor<8388608x1xf16>) -> tensor<1x1xf16>
  return
}

// Sizes that no search may go through one by one.
// CHECK-LABEL: func @great_sizes
// CHECK-NEXT: pop.conv %{{.*}}, %{{.*}} {accum = #pop.accum<chain>}
// CHECK-NEXT: pop.conv %{{.*}}, %{{.*}} {accum = #pop.accum<chain>}
func.func @great_sizes(%x: tensor<1x1x35184372088831xf32>, %w: tensor<1x1x35184372088829xf32>, %y: tensor<1x1x1099511627776xf32>, %v: tensor<64x1x3xf32>) {
  %0 = pop.conv %x, %w : (tensor<1x1x35184372088831xf32>, tensor<1x1x35184372088829xf32>) -> tensor<1x1x3xf32>
  %1 = pop.conv %y, %v : (tensor<1x1x1099511627776xf32>, tensor<64x1x3xf32>) -> tensor<1x64x1099511627774xf32>
  return
}
