// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK-LABEL: func @matmul
func.func @matmul(%a: tensor<8x16x32xf32>, %b: tensor<32x64xf32>,
                  %c: tensor<16x0xf16>, %d: tensor<0x4xf16>) {
  // CHECK: pop.matmul %{{.*}}, %{{.*}} : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
  %0 = pop.matmul %a, %b : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
  // CHECK: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<chain>} : (tensor<16x0xf16>, tensor<0x4xf16>) -> tensor<16x4xf16>
  %1 = pop.matmul %c, %d {accum = #pop.accum<chain>} : (tensor<16x0xf16>, tensor<0x4xf16>) -> tensor<16x4xf16>
  // CHECK: pop.matmul %{{.*}}, %{{.*}} : (tensor<16x0xf16>, tensor<0x4xf16>) -> tensor<16x4xf32>
  %2 = pop.matmul %c, %d : (tensor<16x0xf16>, tensor<0x4xf16>) -> tensor<16x4xf32>
  return
}

// CHECK-LABEL: func @conv
func.func @conv(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>,
                %y: tensor<2x6x9xbf16>, %v: tensor<4x3x2xbf16>) {
  // CHECK: pop.conv %{{.*}}, %{{.*}} {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x4x4xf32>
  %0 = pop.conv %x, %w {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x4x4xf32>
  // CHECK: pop.conv %{{.*}}, %{{.*}} {input_dilations = array<i64: 2, 3>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x7x10xf32>
  %spread = pop.conv %x, %w {input_dilations = array<i64: 2, 3>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x7x10xf32>
  // CHECK: pop.conv %{{.*}}, %{{.*}} {dilations = array<i64: 3>, groups = 2 : i64} : (tensor<2x6x9xbf16>, tensor<4x3x2xbf16>) -> tensor<2x4x6xf32>
  %1 = pop.conv %y, %v {groups = 2 : i64, dilations = array<i64: 3>} : (tensor<2x6x9xbf16>, tensor<4x3x2xbf16>) -> tensor<2x4x6xf32>
  return
}

// CHECK-LABEL: func @accumulators
func.func @accumulators(%a: tensor<2x3xf16>, %b: tensor<3x4xf16>, %c: tensor<2x4xf32>,
                        %x: tensor<1x2x5xi8>, %w: tensor<3x2x2xi8>, %y: tensor<1x3x4xi8>) {
  // CHECK: pop.matmul %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3xf16>, tensor<3x4xf16>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = pop.matmul %a, %b, %c : (tensor<2x3xf16>, tensor<3x4xf16>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: pop.conv %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x2x5xi8>, tensor<3x2x2xi8>, tensor<1x3x4xi8>) -> tensor<1x3x4xi8>
  %1 = pop.conv %x, %w, %y : (tensor<1x2x5xi8>, tensor<3x2x2xi8>, tensor<1x3x4xi8>) -> tensor<1x3x4xi8>
  return
}

// CHECK-LABEL: func @blocks
func.func @blocks(%a: tensor<2x3xf16>, %b: tensor<3x4xf16>, %x: tensor<1x2x5xf32>, %w: tensor<3x2x2xf32>) {
  // CHECK: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 2, lanes = 1>} : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf16>
  %0 = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 2, lanes = 1>} : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf16>
  // CHECK: pop.conv %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 3, lanes = 1>} : (tensor<1x2x5xf32>, tensor<3x2x2xf32>) -> tensor<1x3x4xf32>
  %1 = pop.conv %x, %w {accum = #pop.accum<blocked, block = 3, lanes = 1>} : (tensor<1x2x5xf32>, tensor<3x2x2xf32>) -> tensor<1x3x4xf32>
  // CHECK: pop.conv %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 2, lanes = 1, kernel = [1]>} : (tensor<1x2x5xf32>, tensor<3x2x2xf32>) -> tensor<1x3x4xf32>
  %2 = pop.conv %x, %w {accum = #pop.accum<blocked, block = 2, lanes = 1, kernel = [1]>} : (tensor<1x2x5xf32>, tensor<3x2x2xf32>) -> tensor<1x3x4xf32>
  // CHECK: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 2, lanes = 1, partials = f16>} : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf16>
  %3 = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 2, lanes = 1, partials = f16>} : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf16>
  return
}

// CHECK-LABEL: func @partials
func.func @partials(%a: tensor<5x2x4xf16>, %b: tensor<4x3xf16>, %x: tensor<1x4x5x9xf32>, %w: tensor<6x2x2x3xf32>) {
  // CHECK: pop.matmul_partials %{{.*}}, %{{.*}} {block = 2 : i64} : (tensor<5x2x4xf16>, tensor<4x3xf16>) -> tensor<2x5x2x3xf32>
  %0 = pop.matmul_partials %a, %b {block = 2 : i64} : (tensor<5x2x4xf16>, tensor<4x3xf16>) -> tensor<2x5x2x3xf32>
  // CHECK: pop.conv_partials %{{.*}}, %{{.*}} {channels = 1 : i64, groups = 2 : i64, kernel = array<i64: 1, 3>} : (tensor<1x4x5x9xf32>, tensor<6x2x2x3xf32>) -> tensor<2x1x2x1x6x4x7xf32>
  %1 = pop.conv_partials %x, %w {channels = 1 : i64, kernel = array<i64: 1, 3>, groups = 2 : i64} : (tensor<1x4x5x9xf32>, tensor<6x2x2x3xf32>) -> tensor<2x1x2x1x6x4x7xf32>
  // The last block has one addend, and a block may have all addends.
  // CHECK: pop.matmul_partials %{{.*}}, %{{.*}} {block = 3 : i64} : (tensor<5x2x4xf16>, tensor<4x3xf16>) -> tensor<2x5x2x3xf32>
  %2 = pop.matmul_partials %a, %b {block = 3 : i64} : (tensor<5x2x4xf16>, tensor<4x3xf16>) -> tensor<2x5x2x3xf32>
  // CHECK: pop.conv_partials %{{.*}}, %{{.*}} {channels = 3 : i64, groups = 2 : i64, kernel = array<i64: 1, 3>} : (tensor<1x4x5x9xf32>, tensor<6x2x2x3xf32>) -> tensor<2x1x1x1x6x4x7xf32>
  %3 = pop.conv_partials %x, %w {channels = 3 : i64, kernel = array<i64: 1, 3>, groups = 2 : i64} : (tensor<1x4x5x9xf32>, tensor<6x2x2x3xf32>) -> tensor<2x1x1x1x6x4x7xf32>
  return
}
