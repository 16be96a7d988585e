// Matmuls of a group have the same bits as single ones: with orders in blocks,
// transposed forms, f16, and stochastic rounding.
//
// DEFINE: %{run} = ipu-run %s --target tiles=8 --input '*=random:1'
//
// RUN: rm -rf %t && mkdir %t
// RUN: %{run} --output-dir %t/single
// RUN: %{run} --output-dir %t/grouped --pass-pipeline 'pop-choose-accumulation,pop-number-draws,pop-group-matmuls,pop-to-ipu-pipeline' --remarks=pop-graph 2>&1 | FileCheck %s
// RUN: diff -r %t/single %t/grouped

// CHECK-COUNT-3: Passed{{.*}}GroupMatMuls

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<24x48xf32> {pop.name = "a"}, %b: tensor<48x8xf32> {pop.name = "b"}, %c: tensor<8x48xf32> {pop.name = "c"}, %d: tensor<48x24xf32> {pop.name = "d"},
                  %x: tensor<2x16x32xf16> {pop.name = "x"}, %y: tensor<2x32x16xf16> {pop.name = "y"}, %z: tensor<2x32x16xf16> {pop.name = "z"})
      -> (tensor<24x8xf32> {pop.name = "m"}, tensor<8x24xf32> {pop.name = "n"}, tensor<2x16x16xf16> {pop.name = "p"}, tensor<2x16x16xf16> {pop.name = "q"}) {
    // Products of transposed shapes.
    %m = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 7, lanes = 1, group = 2>} : (tensor<24x48xf32>, tensor<48x8xf32>) -> tensor<24x8xf32>
    %e = pop.tanh %c : tensor<8x48xf32>
    %n = pop.matmul %e, %d {accum = #pop.accum<blocked, block = 7, lanes = 1, group = 2>} : (tensor<8x48xf32>, tensor<48x24xf32>) -> tensor<8x24xf32>
    // Two groups, of which one depends on the other one.
    %0 = pop.matmul %x, %y : (tensor<2x16x32xf16>, tensor<2x32x16xf16>) -> tensor<2x16x16xf16>
    %1 = pop.matmul %x, %z : (tensor<2x16x32xf16>, tensor<2x32x16xf16>) -> tensor<2x16x16xf16>
    %p = pop.matmul %0, %1 : (tensor<2x16x16xf16>, tensor<2x16x16xf16>) -> tensor<2x16x16xf16>
    %q = pop.matmul %1, %0 : (tensor<2x16x16xf16>, tensor<2x16x16xf16>) -> tensor<2x16x16xf16>
    return %m, %n, %p, %q : tensor<24x8xf32>, tensor<8x24xf32>, tensor<2x16x16xf16>, tensor<2x16x16xf16>
  }
}
