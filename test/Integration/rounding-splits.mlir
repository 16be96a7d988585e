// A matrix product, a convolution and a gather that memory forces to be done in
// parts are rounded with the bits that they are rounded with as a whole.
// RUN: rm -rf %t && mkdir %t
// RUN: ipu-run %s --input '*=random:1' --output-dir %t/whole --remarks=ipu-split 2>&1 | FileCheck %s --check-prefix=WHOLE --allow-empty
// WHOLE-NOT: remark
// RUN: ipu-run %s --input '*=random:1' --output-dir %t/parts --available-memory-proportion 0.02 --remarks=ipu-split 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS-DAG: [[#@LINE+17]]:{{.*}}remark: {{.*}} parts=
// PARTS-DAG: [[#@LINE+17]]:{{.*}}remark: {{.*}} parts=
// RUN: cmp %t/whole/m.npy %t/parts/m.npy
// RUN: cmp %t/whole/c.npy %t/parts/c.npy
// RUN: cmp %t/whole/g.npy %t/parts/g.npy

// What is rounded to nearest is something else.
// RUN: sed 's/, pop.stochastic_rounding = #pop.stochastic_rounding<counter>//' %s > %t/nearest.mlir
// RUN: ipu-run %t/nearest.mlir --input '*=random:1' --output-dir %t/nearest
// RUN: not cmp %t/whole/m.npy %t/nearest/m.npy
// RUN: not cmp %t/whole/c.npy %t/nearest/c.npy

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>, pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<96x128xf16> {pop.name = "a"}, %b: tensor<128x160xf16> {pop.name = "b"},
                  %x: tensor<2x16x20x20xf16> {pop.name = "x"}, %w: tensor<32x16x3x3xf16> {pop.name = "w"})
      -> (tensor<96x160xf16> {pop.name = "m"}, tensor<2x32x18x18xf16> {pop.name = "c"}, tensor<64x160xf16> {pop.name = "g"}) {
    %i = pop.constant dense<5> : tensor<64xi32>
    %m = pop.matmul %a, %b : (tensor<96x128xf16>, tensor<128x160xf16>) -> tensor<96x160xf16>
    %c = pop.conv %x, %w : (tensor<2x16x20x20xf16>, tensor<32x16x3x3xf16>) -> tensor<2x32x18x18xf16>
    %s = pop.add %b, %b : tensor<128x160xf16>
    %g = pop.gather %s, %i : (tensor<128x160xf16>, tensor<64xi32>) -> tensor<64x160xf16>
    return %m, %c, %g : tensor<96x160xf16>, tensor<2x32x18x18xf16>, tensor<64x160xf16>
  }
}
