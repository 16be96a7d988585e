// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=none})" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=two})" 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=two output=c})" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=two output=b loss=l1})" 2>&1 | FileCheck %s --check-prefix=INTEGERS
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=two output=a})" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=two output=a loss=l1 target=x})" 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=two output=a loss=l1 factor=n})" 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=two output=a loss=l1 factor=f target=f})" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=two output=a loss=l1 factor=f each-loss})" 2>&1 | FileCheck %s --check-prefix=EACH
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=two output=a loss=l1 ignore-index=3})" 2>&1 | FileCheck %s --check-prefix=IGNORE
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=two output=a loss=l1 class-weights=1,2})" 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=classes class-weights=1,2})" 2>&1 | FileCheck %s --check-prefix=CLASSES

// FUNCTION: error: 'pop-add-loss' expects function 'none' with a body of one block
// SEVERAL: error: 'func.func' op has 2 results; 'pop-add-loss' expects option 'output' to name the result whose loss is computed
// UNKNOWN: error: 'func.func' op expects option 'output' to name a result but got 'c'
// INTEGERS: error: 'func.func' op expects result #1, whose loss is computed, to be a tensor of floats but got 'tensor<4xi32>'
// RANK: error: 'func.func' op expects result #0, whose loss is computed, to have dimensions for the batch and for classes but got 'tensor<4xf32>'
// TAKEN: error: 'func.func' op expects no argument 'x', because the targets get this name
// FACTOR: error: 'func.func' op expects no argument 'n', because the factor gets this name
// TWICE: error: 'func.func' op expects options 'target' and 'factor' to be different names but got 'f' twice
// EACH: error: 'func.func' op expects no option 'factor' with 'each-loss', because losses of positions have no sum
// IGNORE: error: 'func.func' op expects no option 'ignore-index', because the targets of the loss are not labels
// WEIGHTS: error: 'func.func' op expects no option 'class-weights', because the targets of the loss are not labels
// CLASSES: error: 'func.func' op expects option 'class-weights' to have a weight for each of 3 classes but got 2
func.func private @two(%x: tensor<4xf32> {pop.name = "x"}, %n: tensor<4xi32> {pop.name = "n"})
    -> (tensor<4xf32> {pop.name = "a"}, tensor<4xi32> {pop.name = "b"}) {
  return %x, %n : tensor<4xf32>, tensor<4xi32>
}
func.func private @classes(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  return %x : tensor<4x3xf32>
}
