// RUN: ipu-opt %s --pop-serialize-matmuls | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pop-serialize-matmuls --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// The example of the pass.
//
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:.+]]: tensor<8x16xf32>, %[[W:.+]]: tensor<16x32xf32>
// CHECK-NEXT:    %[[W0:.+]] = pop.slice %[[W]] {sizes = array<i64: 16, 16>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>}
// CHECK-NEXT:    %[[Y0:.+]] = pop.matmul %[[X]], %[[W0]] {accum = #pop.accum<chain>}
// CHECK-NEXT:    %[[W1:.+]] = pop.slice %[[W]] {sizes = array<i64: 16, 16>, starts = array<i64: 0, 16>, steps = array<i64: 1, 1>}
// CHECK-NEXT:    %[[Y1:.+]] = pop.matmul %[[X]], %[[W1]] {accum = #pop.accum<chain>}
// CHECK-NEXT:    %[[Y:.+]] = pop.concat %[[Y0]], %[[Y1]] {axis = 1 : i64}
// CHECK-NEXT:    return %[[Y]]
//
// REMARK: :[[#@LINE+2]]:{{.*}}Passed{{.*}}SerializeMatMuls{{.*}}bytes-after=2560, bytes-before=3584, mode=output_channels, parts=2
func.func @f(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// Rows of a batch, which start from parts of `acc`.
//
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.+]]: tensor<3x8x16xf32>, %[[W:.+]]: tensor<16x4xf32>, %[[ACC:.+]]: tensor<3x8x4xf32>
// CHECK:         %[[X0:.+]] = pop.slice %[[X]] {sizes = array<i64: 3, 2, 16>, starts = array<i64: 0, 0, 0>
// CHECK:         %[[A0:.+]] = pop.slice %[[ACC]] {sizes = array<i64: 3, 2, 4>, starts = array<i64: 0, 0, 0>
// CHECK:         pop.matmul %[[X0]], %[[W]], %[[A0]]
// CHECK-COUNT-3: pop.matmul
// CHECK:         pop.concat {{.*}} {axis = 1 : i64}
func.func @rows(%x: tensor<3x8x16xf32>, %w: tensor<16x4xf32>, %acc: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> {
  %0 = pop.matmul %x, %w, %acc {accum = #pop.accum<chain>, pop.serialize = {factor = 4 : i64, mode = "input_channels"}} : (tensor<3x8x16xf32>, tensor<16x4xf32>, tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  return %0 : tensor<3x8x4xf32>
}

// New ops have the placement of the matmul. A matmul without a mark stays whole.
//
// CHECK-LABEL: func.func @placement(
// CHECK:         pop.slice {{.*}}pop.stage = 1 : i64, pop.vgraph = 2 : i64
// CHECK:         pop.slice {{.*}}pop.stage = 1 : i64, pop.vgraph = 2 : i64
// CHECK:         pop.matmul {{.*}} {accum = #pop.accum<chain>, pop.stage = 1 : i64, pop.vgraph = 2 : i64}
// CHECK:         pop.matmul {{.*}} {accum = #pop.accum<chain>, pop.stage = 1 : i64, pop.vgraph = 2 : i64}
// CHECK-NEXT:    pop.matmul
// CHECK-NEXT:    return
func.func @placement(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "reducing_dim"}, pop.vgraph = 2 : i64, pop.stage = 1 : i64} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.vgraph = 2 : i64, pop.stage = 1 : i64} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// One part is no division.
//
// CHECK-LABEL: func.func @one(
// CHECK-NEXT:    pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<chain>} :
// CHECK-NEXT:    return
func.func @one(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.serialize = {factor = 1 : i64, mode = "reducing_dim"}} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}
