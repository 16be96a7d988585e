//===- InferencePasses.td - Passes on inference ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_INFERENCEPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_INFERENCEPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def FoldBatchNormPass : Pass<"pop-fold-batch-norm">, Contract {
  let summary = "Fold batch normalizations into convolutions";
  let preserves = AllConditions;
  let bitEffect = Reassociates<"results of the normalizations, whose factors are "
                               "applied to the weights instead of the sums">;
  let drawEffect = ChangesDraws<"the draws of the ops that are folded">;
  let tests = [
    "Dialect/Pop/fold-batch-norm.mlir",
    "Integration/fold-batch-norm.test",
  ];
  let description = [{
    Replaces a `pop.batch_norm` of a convolution by a convolution with other weights and
    an addition: with f = scale / sqrt(variance + epsilon), the weights of output channel
    c are multiplied by f[c], and `bias[c] - mean[c] * f[c]` is added. A constant bias
    between the two ops becomes a part of this sum. The new constants are computed in f64
    and rounded once to their element types. They replace the old constants if nothing
    else uses these.

    The statistics, the scale, the bias and the weights must be constants, and only the
    normalization may use the convolution. So the pass does not change programs whose
    weights are variables or arguments, and does not change training.

    The exact results of both programs are equal. In f32, a result may differ by about
    2^-23 times the sum of the magnitudes of its addends and of the mean, as for another
    order of the sum, and a convolution that overflows may no longer overflow. If the
    weights are narrower than f32, rounding the new weights adds a relative error of at
    most half a unit in the last place to each of them.

    Before:
    ```mlir
    func.func @f(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
      %w = pop.constant dense<3.0> : tensor<1x1x1x1xf32>
      %s = pop.constant dense<2.0> : tensor<1xf32>
      %b = pop.constant dense<1.0> : tensor<1xf32>
      %v = pop.constant dense<4.0> : tensor<1xf32>
      %0 = pop.conv %x, %w : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
      %1 = pop.batch_norm %0, %s, %b, %s, %v {epsilon = 0.0 : f32} : tensor<1x1x2x2xf32>, tensor<1xf32>
      return %1 : tensor<1x1x2x2xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
      %w = pop.constant dense<3.0> : tensor<1x1x1x1xf32>
      %0 = pop.conv %x, %w : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
      %b = pop.constant dense<-1.0> : tensor<1x1x1xf32>
      %1 = pop.add %0, %b : (tensor<1x1x2x2xf32>, tensor<1x1x1xf32>) -> tensor<1x1x2x2xf32>
      return %1 : tensor<1x1x2x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_INFERENCEPASSES
