// Elementwise sets that are merged may do what another op of the program does by
// itself: both run the same kernel.

// RUN: split-file %s %t
// RUN: ipu-run %t/sum.mlir --input '*=random:3' --output-dir %t/out --compare-engines --threads 1
// RUN: ipu-run %t/exp.mlir --input '*=random:3' --output-dir %t/out --compare-engines --threads 1
// RUN: ipu-run %t/cast.mlir --input '*=random:3' --output-dir %t/out --compare-engines --threads 1
// RUN: ipu-run %t/cast.mlir --input '*=random:3' --output-dir %t/out --compare-engines --threads 3 --target gc200,tiles=16

//--- sum.mlir
// Two additions, and a sum of three.
func.func @main(%x: tensor<70000xf32>, %y: tensor<70000xf32>, %z: tensor<70000xf32>, %u: tensor<70000xf32>)
    -> (tensor<70000xf32>, tensor<70000xf32>) {
  %0 = pop.add %x, %y : tensor<70000xf32>
  %1 = pop.add %0, %z : tensor<70000xf32>
  %2 = pop.sum %x, %y, %u : (tensor<70000xf32>, tensor<70000xf32>, tensor<70000xf32>) -> tensor<70000xf32>
  return %1, %2 : tensor<70000xf32>, tensor<70000xf32>
}

//--- exp.mlir
// An op of f32 between casts, and the same op of f16.
func.func @main(%x: tensor<70000xf16>, %y: tensor<70000xf16>) -> (tensor<70000xf16>, tensor<70000xf16>) {
  %0 = pop.cast %x : tensor<70000xf16> to tensor<70000xf32>
  %1 = pop.exp %0 : tensor<70000xf32>
  %2 = pop.cast %1 : tensor<70000xf32> to tensor<70000xf16>
  %3 = pop.exp %y : tensor<70000xf16>
  return %2, %3 : tensor<70000xf16>, tensor<70000xf16>
}

//--- cast.mlir
// A cast before an op that changes nothing, and a cast alone.
func.func @main(%x: tensor<70000xi32>) -> (tensor<70000xui8>, tensor<70000xui8>) {
  %0 = pop.cast %x : tensor<70000xi32> to tensor<70000xui8>
  %1 = pop.relu %0 : tensor<70000xui8>
  %2 = pop.slice %x {starts = array<i64: 69999>, sizes = array<i64: 70000>, steps = array<i64: -1>}
      : tensor<70000xi32> -> tensor<70000xi32>
  %3 = pop.cast %2 : tensor<70000xi32> to tensor<70000xui8>
  return %1, %3 : tensor<70000xui8>, tensor<70000xui8>
}
