// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-merge-var-updates{mode=tight threshold=0})" 2>&1 | FileCheck %s --check-prefix=THRESHOLD
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-merge-var-updates{func=absent})" 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-merge-var-updates{mode=none})" 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: ipu-opt %S/Inputs/empty.mlir --pass-pipeline="builtin.module(pop-merge-var-updates)" | FileCheck %s --check-prefix=EMPTY
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-merge-var-updates)" 2>&1 | FileCheck %s --check-prefix=ENTRY

// THRESHOLD: error: 'pop-merge-var-updates' expects option 'threshold' to be at least 1 but got 0
// ABSENT: error: 'pop-merge-var-updates' expects function 'absent' with a body of one block
// MODE: Cannot find option named 'none'
// EMPTY: func.func @main()
// ENTRY: error: 'pop-merge-var-updates' expects function 'main' with a body of one block

func.func @f(%w: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pop.optimizer_step <sgd0> %w, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @g() {
  return
}
