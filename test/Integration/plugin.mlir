// The whole way, executor included, in Debian's own mlir-opt: the same IR and
// the same output as in ipu-opt.

// UNSUPPORTED: asan
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="x=ramp" engine=jit threads=2 profile=%t.ours.json})' > %t.ours
// RUN: %mlir_opt %s --load-dialect-plugin=%ipu_plugin --load-pass-plugin=%ipu_plugin \
// RUN:   --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="x=ramp" engine=jit threads=2 profile=%t.theirs.json})' > %t.theirs
// RUN: cmp %t.ours %t.theirs
// RUN: cmp %t.ours.json %t.theirs.json
// RUN: FileCheck %s < %t.theirs

// CHECK: y : tensor<4x8xf32> = dense<
// CHECK: ipu.compute_set "pop.matmul"
module attributes {ipu.target = #ipu.target<"bow", {tiles = 16 : i64}>} {
  func.func @main(%x: tensor<4x16xf32> {pop.name = "x"}) -> (tensor<4x8xf32> {pop.name = "y"}) {
    %w = pop.constant dense<0.25> : tensor<16x8xf32>
    %0 = pop.matmul %x, %w : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    %1 = pop.tanh %0 : tensor<4x8xf32>
    %2 = pop.softmax %1 {axis = 1 : i64} : tensor<4x8xf32>
    return %2 : tensor<4x8xf32>
  }
}
