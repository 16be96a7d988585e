// Partial sums of blocks, the last of which is shorter.
//
// RUN: ipu-opt %s --pop-to-ipu-pipeline='merge-steps=false' | FileCheck %s

// A tile has one block of 16 addends; the third tile has the last 8 addends.
// CHECK-DAG: #[[A:.+]] = #ipu.map<[1, 16, 40], grid = [3], blocks = [all, all, p0 * 16 : 16], layout =
// CHECK-DAG: #[[B:.+]] = #ipu.map<[1, 40, 16], grid = [3], blocks = [all, p0 * 16 : 16, all], layout =
// CHECK-DAG: #[[Y:.+]] = #ipu.map<[3, 1, 16, 16], grid = [3], blocks = [p0 * 1 : 1, all, all, all], layout =
// CHECK: ipu.vertices @matmul_f16_f32 ins(%{{.+}}, %{{.+}} : memref<16x40xf16, #[[A]]>, memref<40x16xf16, #[[B]]>) outs(%{{.+}} : memref<3x16x16xf32, #[[Y]]>)
// All products are counted once.
// CHECK-NEXT: flops = 20480,
//
// CHECK: ipu.codelet @matmul_f16_f32(%[[LHS:.+]]: memref<?x?x?xf16, {{.*}}>, %[[RHS:.+]]: memref<?x?x?xf16, {{.*}}>, %[[OUT:.+]]: memref<?x?x?x?xf32,
// CHECK-DAG: %[[ALL:.+]] = memref.dim %[[LHS]], %c2
// CHECK-DAG: %[[BLOCKS:.+]] = memref.dim %[[OUT]], %c0
// CHECK: scf.for %[[I:.+]] = %c0 to %[[BLOCKS]] step %c1
// CHECK-NEXT: %[[START:.+]] = arith.muli %[[I]], %c16
// CHECK-NEXT: %[[REST:.+]] = arith.subi %[[ALL]], %[[START]]
// CHECK-NEXT: %[[SIZE:.+]] = arith.minsi %[[REST]], %c16
// CHECK: %[[L:.+]] = memref.subview %[[LHS]][0, 0, %[[START]]] [%{{.+}}, %{{.+}}, %[[SIZE]]] [1, 1, 1]
// CHECK: %[[R:.+]] = memref.subview %[[RHS]][0, %[[START]], 0] [%{{.+}}, %[[SIZE]], %{{.+}}] [1, 1, 1]
// CHECK: %[[O:.+]] = memref.subview %[[OUT]][%[[I]], 0, 0, 0] [1, %{{.+}}, %{{.+}}, %{{.+}}] [1, 1, 1, 1]
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[O]]
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[L]], %[[R]] : {{.*}}) outs(%[[O]]

module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main(%a: tensor<16x40xf16>, %b: tensor<40x16xf16>) -> tensor<3x16x16xf32> {
    %0 = pop.matmul_partials %a, %b {block = 16 : i64} : (tensor<16x40xf16>, tensor<40x16xf16>) -> tensor<3x16x16xf32>
    return %0 : tensor<3x16x16xf32>
  }
}
