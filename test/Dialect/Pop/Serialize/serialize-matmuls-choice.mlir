// RUN: ipu-opt %s --pop-serialize-matmuls='factor=4 min-bytes=1000' | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pop-serialize-matmuls='factor=4 min-bytes=1000' --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: ipu-opt %s --pop-serialize-matmuls='factor=4 mode=reducing-dim min-bytes=1000' | FileCheck %s --check-prefix=MODE

// The greatest operand is divided.
//
// CHECK-LABEL: func.func @columns(
// CHECK-COUNT-4: pop.matmul {{.*}} -> tensor<4x16xf32>
// CHECK:         pop.concat {{.*}} {axis = 1 : i64}
// MODE-LABEL:  func.func @columns(
// MODE-COUNT-4:  pop.matmul {{.*}} -> tensor<4x64xf32>
// MODE-NOT:      pop.concat
//
// REMARK: :[[#@LINE+2]]:{{.*}}Passed{{.*}}SerializeMatMuls{{.*}}bytes-after=2304, bytes-before=5376, mode=output_channels, parts=4
func.func @columns(%x: tensor<4x16xf32>, %w: tensor<16x64xf32>) -> tensor<4x64xf32> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<4x16xf32>, tensor<16x64xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// CHECK-LABEL: func.func @rows(
// MODE-LABEL:  func.func @rows(
// CHECK-COUNT-4: pop.matmul {{.*}} -> tensor<16x4xf32>
// CHECK:         pop.concat {{.*}} {axis = 0 : i64}
//
// REMARK: :[[#@LINE+2]]:{{.*}}Passed{{.*}}SerializeMatMuls{{.*}}mode=input_channels, parts=4
func.func @rows(%x: tensor<64x16xf32>, %w: tensor<16x4xf32>) -> tensor<64x4xf32> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<64x16xf32>, tensor<16x4xf32>) -> tensor<64x4xf32>
  return %0 : tensor<64x4xf32>
}

// A sum of 6 blocks has at most 3 parts.
//
// CHECK-LABEL: func.func @sum(
// CHECK-COUNT-3: pop.matmul {{.*}} -> tensor<4x4xf32>
// CHECK-NOT:     pop.concat
//
// REMARK: :[[#@LINE+2]]:{{.*}}Passed{{.*}}SerializeMatMuls{{.*}}mode=reducing_dim, parts=3
func.func @sum(%x: tensor<4x96xf32>, %w: tensor<96x4xf32>) -> tensor<4x4xf32> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<blocked, block = 16, lanes = 1>} : (tensor<4x96xf32>, tensor<96x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A result that is used in parts counts once.
//
// CHECK-LABEL: func.func @update(
// CHECK-COUNT-4: pop.sub_ {{.*}} : !pop.ref<8x32xf32>
// CHECK-NOT:     pop.concat
//
// REMARK: :[[#@LINE+2]]:{{.*}}Passed{{.*}}SerializeMatMuls{{.*}}bytes-after=2304, bytes-before=6144, mode=input_channels, parts=4
func.func @update(%x: tensor<32x8xf32>, %g: tensor<8x32xf32>, %w: !pop.ref<32x32xf32>) {
  %0 = pop.matmul %x, %g {accum = #pop.accum<blocked, block = 8, lanes = 1>} : (tensor<32x8xf32>, tensor<8x32xf32>) -> tensor<32x32xf32>
  pop.sub_ %w, %0 : !pop.ref<32x32xf32>, tensor<32x32xf32>
  return
}

// No dimension can be divided into at most 4 parts.
//
// CHECK-LABEL: func.func @prime(
// CHECK-COUNT-1: pop.matmul
// CHECK-NOT:     pop.matmul
//
// REMARK: :[[#@LINE+2]]:{{.*}}Missed{{.*}}SerializeMatMuls{{.*}}no division into at most 4 parts needs fewer bytes
func.func @prime(%x: tensor<13x17xf32>, %w: tensor<17x19xf32>) -> tensor<13x19xf32> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<13x17xf32>, tensor<17x19xf32>) -> tensor<13x19xf32>
  return %0 : tensor<13x19xf32>
}

// The matmul is too small. A mark counts in any case, and a limit allows fewer
// parts.
//
// CHECK-LABEL: func.func @small(
// CHECK:         pop.matmul {{.*}} -> tensor<4x8xf32>
// CHECK-COUNT-2: pop.matmul {{.*}} -> tensor<2x8xf32>
// CHECK:         pop.matmul {{.*}} -> tensor<4x8xf32>
// CHECK-NOT:     pop.matmul
//
// REMARK-NOT: :[[#@LINE+4]]:
// REMARK: :[[#@LINE+4]]:{{.*}}Passed{{.*}}SerializeMatMuls{{.*}}mode=input_channels, parts=2
// REMARK: :[[#@LINE+4]]:{{.*}}Missed{{.*}}SerializeMatMuls{{.*}}no number of parts of at most 3 is possible for mode 'reducing_dim'
func.func @small(%x: tensor<4x5xf32>, %w: tensor<5x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<4x5xf32>, tensor<5x8xf32>) -> tensor<4x8xf32>
  %1 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.serialize = {factor = 3 : i64, limit, mode = "input_channels"}} : (tensor<4x5xf32>, tensor<5x8xf32>) -> tensor<4x8xf32>
  %2 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.serialize = {factor = 3 : i64, limit, mode = "reducing_dim"}} : (tensor<4x5xf32>, tensor<5x8xf32>) -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
