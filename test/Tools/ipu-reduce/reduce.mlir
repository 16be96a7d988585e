// UNSUPPORTED: asan
// RUN: ipu-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/has-exp.sh' | FileCheck %s

// Functions without a pop.exp go.

// CHECK-NOT: @without
// CHECK-LABEL: func.func @with(
// CHECK: pop.exp
func.func @without(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = pop.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @with(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = pop.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
