// RUN: ipu-opt %s --mlir-print-local-scope --pop-to-ipu-pipeline | FileCheck %s

// A returned value that is not a whole variable is copied to a variable with the tile
// mapping of the result, which may have copies. The tile mapping of a result that needs
// no copy is not used.

// CHECK-LABEL: func.func @main()
// CHECK: %[[X:.+]] = ipu.var "x" : memref<3x4xf32, #ipu.map<[12], grid = [2], blocks = [p0 * 8 : 8]>>
// CHECK-DAG: %[[VIEW:.+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [4, 3], strides: [1, 4]
// CHECK-DAG: %[[COPY:.+]] = ipu.var "copied" : memref<4x3xf32, #ipu.map<[12], grid = [3], blocks = [p0 * 4 : 4]>>
// CHECK: ipu.move %[[VIEW]] to %[[COPY]]
// CHECK: ipu.host_store %[[COPY]] to @copied
// CHECK: ipu.host_store %[[X]] to @whole
// CHECK: ipu.host_store %{{.*}} to @copies : memref<4x3xf32, #ipu.map<[12], grid = [2], blocks = [all]>>
func.func @main(%x: tensor<3x4xf32> {pop.name = "x", ipu.map = #ipu.map<[12], grid = [2], blocks = [p0 * 8 : 8]>})
    -> (tensor<4x3xf32> {pop.name = "copied", ipu.map = #ipu.map<[12], grid = [3], blocks = [p0 * 4 : 4]>},
        tensor<3x4xf32> {pop.name = "whole", ipu.map = #ipu.map<[12], grid = [3], blocks = [p0 * 4 : 4]>},
        tensor<4x3xf32> {pop.name = "copies", ipu.map = #ipu.map<[12], grid = [2], blocks = [all]>}) {
  %0 = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<3x4xf32> -> tensor<4x3xf32>
  return %0, %x, %0 : tensor<4x3xf32>, tensor<3x4xf32>, tensor<4x3xf32>
}
