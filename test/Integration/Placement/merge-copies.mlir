// A merged copy of values of three IPUs gives the bits of three copies.
//
// RUN: rm -rf %t && mkdir %t
// RUN: ipu-opt %s --pop-merge-copies -o %t/merged.mlir
// RUN: ipu-run %s --input '*=random:1' --output-dir %t/apart
// RUN: ipu-run %t/merged.mlir --input '*=random:1' --output-dir %t/merged --check
// RUN: cmp %t/apart/y.npy %t/merged/y.npy
// RUN: FileCheck %s < %t/merged.mlir
// CHECK-COUNT-2: pop.ipu_copy
// CHECK-NOT: pop.ipu_copy

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 4 : i64}>} {
  func.func @main(%a: tensor<8x8xf32> {pop.name = "a", pop.vgraph = 0 : i64},
                  %b: tensor<8x8xf16> {pop.name = "b", pop.vgraph = 1 : i64},
                  %c: tensor<8x8xf32> {pop.name = "c", pop.vgraph = 2 : i64}) -> (tensor<24x8xf32> {pop.name = "y"}) {
    %0 = pop.ipu_copy %a from 0 to 3 : tensor<8x8xf32>
    %1 = pop.exp %a {pop.vgraph = 0 : i64} : tensor<8x8xf32>
    %2 = pop.ipu_copy %1 from 0 to 1 : tensor<8x8xf32>
    %3 = pop.cast %b {pop.vgraph = 1 : i64} : tensor<8x8xf16> to tensor<8x8xf32>
    %4 = pop.add %2, %3 {pop.vgraph = 1 : i64} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = pop.ipu_copy %4 from 1 to 3 : tensor<8x8xf32>
    %6 = pop.sin %c {pop.vgraph = 2 : i64} : tensor<8x8xf32>
    %7 = pop.ipu_copy %6 from 2 to 3 : tensor<8x8xf32>
    %8 = pop.concat %0, %5, %7 {axis = 0 : i64, pop.vgraph = 3 : i64} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<24x8xf32>
    %9 = pop.neg %8 {pop.vgraph = 3 : i64} : tensor<24x8xf32>
    return %9 : tensor<24x8xf32>
  }
}
