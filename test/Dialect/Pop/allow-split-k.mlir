// RUN: ipu-opt %s --pop-allow-split-k="parts=3 min-k=40" | FileCheck %s
// RUN: ipu-opt %s --pop-allow-split-k | FileCheck %s --check-prefix=DEFAULT
// RUN: not ipu-opt %s --pop-allow-split-k=parts=1 2>&1 | FileCheck %s --check-prefix=PARTS

// PARTS: error: expects 'parts' of at least 2 and 'min-k' of at least 1 but got 1 and 512

// A third of 100 is 34, up to 48. Products of 39 terms and of integers stay.
// CHECK-LABEL: func @matmul
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 48, lanes = 1>} : (tensor<2x100xf16>, tensor<100x5xf16>)
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} : (tensor<2x39xf32>, tensor<39x5xf32>)
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} : (tensor<2x100xi32>, tensor<100x5xi32>)
// DEFAULT-LABEL: func @matmul
// DEFAULT-NOT: blocked
// DEFAULT: return
func.func @matmul(%a: tensor<2x100xf16>, %b: tensor<100x5xf16>, %c: tensor<2x39xf32>, %d: tensor<39x5xf32>, %e: tensor<2x100xi32>, %f: tensor<100x5xi32>) {
  %0 = pop.matmul %a, %b : (tensor<2x100xf16>, tensor<100x5xf16>) -> tensor<2x5xf16>
  %1 = pop.matmul %c, %d : (tensor<2x39xf32>, tensor<39x5xf32>) -> tensor<2x5xf32>
  %2 = pop.matmul %e, %f : (tensor<2x100xi32>, tensor<100x5xi32>) -> tensor<2x5xi32>
  return
}

// What has an accumulator or another order stays as it is.
// CHECK-LABEL: func @others
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x64xf32>,
// CHECK-NEXT: pop.matmul %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 7, lanes = 1>}
func.func @others(%a: tensor<2x64xf32>, %b: tensor<64x5xf32>, %c: tensor<2x5xf32>) {
  %0 = pop.matmul %a, %b, %c : (tensor<2x64xf32>, tensor<64x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %1 = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 7, lanes = 1>} : (tensor<2x64xf32>, tensor<64x5xf32>) -> tensor<2x5xf32>
  return
}

// 9 positions of 64 channels are 576 terms, but 1 of 20 channels are 20.
// CHECK-LABEL: func @conv
// CHECK-NEXT: pop.conv %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 192, lanes = 1>, groups = 2 : i64}
// CHECK-NEXT: pop.conv %{{.*}}, %{{.*}} : (tensor<1x20x4xf32>, tensor<3x20x1xf32>)
// CHECK-NEXT: pop.conv %{{.*}}, %{{.*}} : (tensor<1x1x1026xf32>, tensor<1x1x1025xf32>)
// DEFAULT-LABEL: func @conv
// DEFAULT-NEXT: pop.conv %{{.*}}, %{{.*}} {accum = #pop.accum<blocked, block = 144, lanes = 1>, groups = 2 : i64}
// DEFAULT-NEXT: pop.conv %{{.*}}, %{{.*}} : (tensor<1x20x4xf32>, tensor<3x20x1xf32>)
func.func @conv(%x: tensor<1x128x5x5xf32>, %w: tensor<6x64x3x3xf32>, %y: tensor<1x20x4xf32>, %v: tensor<3x20x1xf32>, %z: tensor<1x1x1026xf32>, %u: tensor<1x1x1025xf32>) {
  %0 = pop.conv %x, %w {groups = 2 : i64} : (tensor<1x128x5x5xf32>, tensor<6x64x3x3xf32>) -> tensor<1x6x3x3xf32>
  %1 = pop.conv %y, %v : (tensor<1x20x4xf32>, tensor<3x20x1xf32>) -> tensor<1x3x4xf32>
  // More positions than a blocked order may have.
  %2 = pop.conv %z, %u : (tensor<1x1x1026xf32>, tensor<1x1x1025xf32>) -> tensor<1x1x2xf32>
  return
}
