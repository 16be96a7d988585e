// ipu-run lets `pop.next_seed` be replaced, and takes the seed as a stream by
// its name.
//
// RUN: ipu-run %s --input x=ones --input random_seed=random:3 > %t.first
// RUN: ipu-run %s --input x=ones --input random_seed=random:3 | diff %t.first -
// RUN: ipu-run %s --input x=ones --input random_seed=random:4 | not diff %t.first -
// RUN: ipu-run %s --pass-pipeline='pop-graph-pipeline,pop-to-ipu-pipeline' --input x=ones --input random_seed=random:3 | diff %t.first -
// RUN: FileCheck %s < %t.first
// RUN: not ipu-run %s --input x=ones --input seed=random:3 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: y : tensor<64xf32> = dense<[{{.*}}2.0, 0.0{{.*}}]>
// UNKNOWN: random_seed

func.func @main(%x: tensor<64xf32> {pop.name = "x"}) -> (tensor<64xf32> {pop.name = "y"}) {
  %s = pop.next_seed
  %0 = pop.dropout %x, %s, 0.5 : tensor<64xf32>, tensor<2xui32>
  return %0 : tensor<64xf32>
}
