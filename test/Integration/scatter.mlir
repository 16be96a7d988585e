// Rows combined with updates, in the order of the updates.
//
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=interp})'
// RUN: ipu-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'
//
// Updates in three parts, one after the other.
// RUN: ipu-test-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(test-tile-splits{name=indices parts=3}),pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
//
// Lists of updates for blocks of rows.
// RUN: ipu-test-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(test-tile-splits{name=buckets parts=3}),pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit})'
// RUN: ipu-test-opt %s -o /dev/null --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(test-tile-splits{name=buckets parts=2}),pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" check})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 7 : i64}>} {
  func.func @main(%x: tensor<4x2xi32> {pop.name = "x"}, %i: tensor<2x3xi32> {pop.name = "i"}) {
    // Rows 0 to 5, of which there are 4: [[0, 1], [2, 3], [4, 5], [6, 7]].
    %u = pop.constant dense<[[[10, 20], [30, 40], [50, 60]], [[70, 80], [90, 100], [110, 120]]]> : tensor<2x3x2xi32>
    %0 = pop.scatter add %x, %i, %u : tensor<4x2xi32>, tensor<2x3xi32>, tensor<2x3x2xi32>
    pop.expect_eq %0, dense<[[10, 21], [32, 43], [54, 65], [76, 87]]> : tensor<4x2xi32>
    // Rows 3 to -2.
    %three = pop.constant dense<3> : tensor<i32>
    %down = pop.sub %three, %i : (tensor<i32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %1 = pop.scatter replace %x, %down, %u : tensor<4x2xi32>, tensor<2x3xi32>, tensor<2x3x2xi32>
    pop.expect_eq %1, dense<[[70, 80], [50, 60], [30, 40], [10, 20]]> : tensor<4x2xi32>
    // Of equal indices, the last one replaces.
    %same = pop.constant dense<[[2, 0, 2], [0, 0, 9]]> : tensor<2x3xui8>
    %2 = pop.scatter replace %x, %same, %u : tensor<4x2xi32>, tensor<2x3xui8>, tensor<2x3x2xi32>
    pop.expect_eq %2, dense<[[90, 100], [2, 3], [50, 60], [6, 7]]> : tensor<4x2xi32>
    %3 = pop.scatter max %x, %same, %u : tensor<4x2xi32>, tensor<2x3xui8>, tensor<2x3x2xi32>
    pop.expect_eq %3, dense<[[90, 100], [2, 3], [50, 60], [6, 7]]> : tensor<4x2xi32>
    %4 = pop.scatter mul %x, %same, %u : tensor<4x2xi32>, tensor<2x3xui8>, tensor<2x3x2xi32>
    pop.expect_eq %4, dense<[[0, 320000], [2, 3], [2000, 6000], [6, 7]]> : tensor<4x2xi32>
    return
  }
}

// -----

// Sums go on from the input's element in ascending order: 2^24 + 1 - 2^24 + 1
// is 1 in f32, whereas another order gives 0 or 2. In f16 all is added in f32,
// and rounded once. Indices that are not inside have no effect, also those that
// are inside modulo 2^8.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 7 : i64}>} {
  func.func @main() {
    %big = pop.constant dense<[[0.0], [16777216.0], [5.0]]> : tensor<3x1xf32>
    %i = pop.constant dense<[1, 1, 1, 0, 3, -1, 257]> : tensor<7xi64>
    %u = pop.constant dense<[[1.0], [-16777216.0], [1.0], [-0.0], [7.0], [7.0], [7.0]]> : tensor<7x1xf32>
    %0 = pop.scatter add %big, %i, %u : tensor<3x1xf32>, tensor<7xi64>, tensor<7x1xf32>
    pop.expect_eq %0, dense<[[0.0], [1.0], [5.0]]> : tensor<3x1xf32>
    %h = pop.constant dense<[2048.0, 1.0]> : tensor<2xf16>
    %j = pop.constant dense<[0, 0, 0, 1]> : tensor<4xi8>
    %v = pop.constant dense<[1.0, 1.0, 1.0, 0x7E00]> : tensor<4xf16>
    %1 = pop.scatter add %h, %j, %v : tensor<2xf16>, tensor<4xi8>, tensor<4xf16>
    // 2051 lies between 2050 and 2052; one addition at a time would give 2048.
    pop.expect_eq %1, dense<[2052.0, 0x7E00]> : tensor<2xf16>
    // Maxima are NaN where one is, and +0 is greater than -0.
    %z = pop.constant dense<[-0.0, 1.0]> : tensor<2xf16>
    %k = pop.constant dense<[0, 1]> : tensor<2xi8>
    %w = pop.constant dense<[0.0, 0x7E00]> : tensor<2xf16>
    %2 = pop.scatter max %z, %k, %w : tensor<2xf16>, tensor<2xi8>, tensor<2xf16>
    pop.expect_eq %2, dense<[0.0, 0x7E00]> : tensor<2xf16>
    return
  }
}

// -----

// In each of two batches; updates of a batch are for its rows.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 7 : i64}>} {
  func.func @main(%x: tensor<2x3x2xi32> {pop.name = "x"}) {
    %i = pop.constant dense<[[2, 0], [2, 2]]> : tensor<2x2xi32>
    %u = pop.constant dense<[[[100, 200], [300, 400]], [[500, 600], [700, 800]]]> : tensor<2x2x2xi32>
    %0 = pop.scatter add %x, %i, %u {batch_dims = 1 : i64} : tensor<2x3x2xi32>, tensor<2x2xi32>, tensor<2x2x2xi32>
    pop.expect_eq %0, dense<[[[300, 401], [2, 3], [104, 205]], [[6, 7], [8, 9], [1210, 1411]]]> : tensor<2x3x2xi32>
    return
  }
}

// -----

func.func @main(%x: tensor<4x2xi32> {pop.name = "x"}, %u: tensor<2x2xi32> {pop.name = "u"}) {
  %i = pop.constant dense<[1, 1]> : tensor<2xi32>
  %0 = pop.scatter add %x, %i, %u : tensor<4x2xi32>, tensor<2xi32>, tensor<2x2xi32>
  // expected-error @+1 {{first at [1, 1]: got 7, expected 8}}
  pop.expect_eq %0, dense<[[0, 1], [4, 8], [4, 5], [6, 7]]> : tensor<4x2xi32>
  return
}
