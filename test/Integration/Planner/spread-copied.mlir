// If a program does not fit, weights that calls pass to a function are spread evenly over
// the tiles, and not stored where the function reads them. No bit changes.

// RUN: ipu-run %s --no-memory-advice --emit ipu | FileCheck %s --check-prefix=FITS
// RUN: ipu-run %s --no-memory-advice --target tile_memory=32768 --emit ipu | FileCheck %s --check-prefix=EVEN
// RUN: rm -rf %t && mkdir %t
// RUN: ipu-run %s --no-memory-advice --input x=random:1 --output-dir %t
// RUN: ipu-run %s --no-memory-advice --target tile_memory=32768 --input x=random:1 --expect result0=%t/result0.npy --rtol 0 --atol 0 --check

// FITS: #[[$STORED:.*]] = #ipu.map<[1, 4, 16, 64], grid = [4, 2],
// FITS-COUNT-6: init(dense{{.*}}memref<64x64xf32, #[[$STORED]]>
// EVEN: #[[$STORED:.*]] = #ipu.map<[64, 64], grid = [11, 1],
// EVEN-COUNT-6: init(dense{{.*}}memref<64x64xf32, #[[$STORED]]>

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 11 : i64}>} {
  func.func private @layer(%x: tensor<32x64xf32>, %w: tensor<64x64xf32>) -> tensor<32x64xf32> attributes {no_inline} {
    %y = pop.matmul %x, %w : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    return %y : tensor<32x64xf32>
  }
  func.func @main(%x: tensor<32x64xf32> {pop.name = "x"}) -> tensor<32x64xf32> {
    %w0 = pop.constant dense<0.125> : tensor<64x64xf32>
    %w1 = pop.constant dense<0.250> : tensor<64x64xf32>
    %w2 = pop.constant dense<0.375> : tensor<64x64xf32>
    %w3 = pop.constant dense<0.500> : tensor<64x64xf32>
    %w4 = pop.constant dense<0.625> : tensor<64x64xf32>
    %w5 = pop.constant dense<0.750> : tensor<64x64xf32>
    %0 = call @layer(%x, %w0) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %2 = call @layer(%1, %w2) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %3 = call @layer(%2, %w3) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %4 = call @layer(%3, %w4) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %5 = call @layer(%4, %w5) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    return %5 : tensor<32x64xf32>
  }
}
