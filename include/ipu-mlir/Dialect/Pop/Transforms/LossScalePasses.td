//===- LossScalePasses.td - Scales of losses ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that choose and change the loss scale, by which a loss and its
// gradients are multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_LOSSSCALEPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_LOSSSCALEPASSES

include "ipu-mlir/Dialect/Pop/Transforms/TrainingPasses.td"

class LossScalePass<string argument> : Pass<argument, "::mlir::ModuleOp">,
                                      Contract {
  let drawEffect = ChangesDraws<"the draws of ops without a number, because there are "
                                "more ops">;
  let dependentDialects = ["::mlir::pop::PopDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PreAutomaticLossScalePass
    : LossScalePass<"pop-pre-automatic-loss-scale"> {
  let summary = "Mark tensors whose gradients are tracked for loss scaling";
  let preserves = AllConditions;
  let bitEffect = Exact;
  let differs = "The pass finds tensors by the host's names of arguments and by the "
                "locations of ops. PopART has no separate transform for this step.";
  let tests = [
    "Dialect/Pop/Training/pre-automatic-loss-scale.mlir",
    "Integration/Training/measures.test",
  ];
  let description = [{
    Inserts a `pop.auto_loss_scale_proxy` after each tensor that `tensors` names, and
    replaces uses of the tensor by the proxy. A name refers to the argument with this
    `pop.name`, or to the first result of an op whose location has this name.
    `pop-autodiff` then inserts another proxy for the gradient of the tensor.
    `pop-automatic-loss-scale{track=marked}` finds gradients by these proxies. It is an
    error if `tensors` is empty or contains a name that no tensor has.

    Before:
    ```mlir
    %y = pop.matmul %x, %w : (tensor<2x4xf16>, tensor<4x4xf16>) -> tensor<2x4xf16> loc("y")
    %z = pop.relu %y : tensor<2x4xf16>
    ```
    After `pop-pre-automatic-loss-scale{tensors=y}`:
    ```mlir
    %y = pop.matmul %x, %w : (tensor<2x4xf16>, tensor<4x4xf16>) -> tensor<2x4xf16> loc("y")
    %0 = pop.auto_loss_scale_proxy %y : tensor<2x4xf16>
    %z = pop.relu %0 : tensor<2x4xf16>
    ```
  }];
  let options = [
    TrainedFunctionOption,
    ListOption<"tensors", "tensors", "std::string",
               "names of the tensors whose gradients are tracked">,
  ];
}

def AutomaticLossScalePass : LossScalePass<"pop-automatic-loss-scale"> {
  let summary = "Adapt the loss scale to the magnitude of gradients";
  let preserves = !listremove(AllConditions, Placement # [
    NO_INPLACE, NO_IMPLICIT_COPY, HOST_IO_EXPLICIT, LOOPS_EXPLICIT, SR_COMPLETE
  ]);
  let bitEffect = Reassociates<"gradients, which are rounded at another loss scale">;
  let original = "AutomaticLossScale";
  let differs = "The loss scale may be constant before the pass. NaN counts as an "
                "overflow. Elementwise ops and a sum, instead of a histogram, count "
                "elements of gradients. The pass searches only the body of the "
                "function, so calls must be inlined before the pass.";
  let tests = [
    "Dialect/Pop/Training/automatic-loss-scale.mlir",
    "Dialect/Pop/Training/automatic-loss-scale-invalid.mlir",
    "Dialect/Pop/Training/untracked-tensors.mlir",
  ];
  let description = [{
    Multiplies the loss scale by a factor. The factor is a state of the function. If a
    result of the function updates an argument (`pop.updates`), the factor is one more
    argument with such a result. Otherwise the factor is a variable. The initial value
    of the factor is 1. The pass inserts ops that count certain elements of f16
    gradients: NaN, and elements whose magnitude is above `bin-edge` times the largest
    f16. After each update the factor is halved if the fraction of counted elements is
    above `threshold`, and doubled otherwise. The factor stays between 2^-64 and 2^64.
    The factor multiplies the operand of each `pop.loss_scale` and the setting
    `loss_scale` of each `pop.optimizer_step`. This setting becomes an operand of the
    step.

    `track` selects the gradients that are counted:
    - `all`: all f16 results of ops that depend on the loss scale, except views and
      results of ops with an execution context other than `normal`;
    - `contractions`: f16 results of contractions that depend on the loss scale, and
      f16 casts of f32 results of such contractions;
    - `marked`: the gradients of the tensors that `pop-pre-automatic-loss-scale`
      has marked.

    The pass erases the proxies that `pop-pre-automatic-loss-scale` and `pop-autodiff`
    have inserted. The pass warns of each marked tensor whose gradient is not counted.

    The counts of all parts of a batch are added before the update. The counts of all
    replicas are averaged, so that all replicas have the same factor. With
    `update-period` P, only the first of every P updates counts elements and changes the
    factor.

    Before:
    ```mlir
    %0 = pop.constant dense<128.0> : tensor<f32>
    %1 = pop.cast %0 : tensor<f32> to tensor<f16>
    %dy = pop.loss_scale %1 : tensor<f16>
    %g = pop.mul %x, %dy : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
    %2 = pop.optimizer_step <sgd0, loss_scale = 128.0> %w, %g
        : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    ```
    After, with the argument %factor and the result %next:
    ```mlir
    %0 = pop.constant dense<128.0> : tensor<f32>
    %1 = pop.mul %0, %factor : tensor<f32>
    %2 = pop.cast %1 : tensor<f32> to tensor<f16>
    %dy = pop.loss_scale %2 : tensor<f16>
    %g = pop.mul %x, %dy : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
    %size = pop.abs %g : tensor<4xf16>
    %edge = pop.constant dense<8188.0> : tensor<f16>
    %below = pop.less_equal %size, %edge : (tensor<4xf16>, tensor<f16>) -> tensor<4xi1>
    %above = pop.not %below : tensor<4xi1>
    %ones = pop.cast %above : tensor<4xi1> to tensor<4xf32>
    %count = pop.reduce sum %ones {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
    // %limit is threshold * 4.
    %excess = pop.sub %count, %limit : tensor<f32>
    %scale = pop.mul %0, %factor : tensor<f32>
    %3 = pop.optimizer_step <sgd0, loss_scale = operand> %w, %g settings(%scale)
        : (tensor<4xf16>, tensor<4xf16>, tensor<f32>) -> tensor<4xf16>
    %mean = pop.all_reduce mean %excess : tensor<f32>
    %many = pop.greater %mean, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %change = pop.select %many, %half, %two : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32>
    %changed = pop.mul %factor, %change : tensor<f32>
    %capped = pop.min %changed, %most : tensor<f32>
    %next = pop.max %capped, %least : tensor<f32>
    ```
  }];
  let options = [
    TrainedFunctionOption,
    Option<"tracked", "track", "::mlir::pop::TrackedGradients",
           "::mlir::pop::TrackedGradients::All", "gradients whose elements are counted",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::TrackedGradients::All, "all",
                        "all except views"),
             clEnumValN(::mlir::pop::TrackedGradients::Contractions,
                        "contractions",
                        "results of matrix products and convolutions"),
             clEnumValN(::mlir::pop::TrackedGradients::Marked, "marked",
                        "gradients of marked tensors"))}]>,
    Option<"binEdge", "bin-edge", "double", /*default=*/"0.125",
           "count elements whose magnitude is above this fraction of the largest f16">,
    Option<"threshold", "threshold", "double", /*default=*/"1.0e-7",
           "largest fraction of counted elements for which the loss scale is doubled">,
    Option<"updatePeriod", "update-period", "int64_t", /*default=*/"1",
           "number of updates between changes of the loss scale">,
  ];
}

def EnsureFp32LossScalePass : LossScalePass<"pop-ensure-fp32-loss-scale"> {
  let summary = "Keep the loss scale in f32 until gradients are narrowed";
  let preserves = AllConditions;
  let bitEffect = Reassociates<"gradients of the loss, which are rounded later">;
  let original = "EnsureFp32LossScale";
  let differs = "Any op may use an f32 scale. The op then computes in f32, and a cast "
                "narrows its result.";
  let tests = [
    "Dialect/Pop/Training/ensure-fp32-loss-scale.mlir",
    "Dialect/Pop/Training/ensure-fp32-loss-scale-invalid.mlir",
  ];
  let description = [{
    A loss scale may be greater than 65504, the largest f16, although the scaled
    gradients are less than 65504. The pass therefore changes the type of the scale
    (`pop.loss_scale`), and of views and casts of the scale, to f32. The first op that
    uses the scale and is neither a view nor a cast computes in f32. The result of this
    op is the gradient of the loss. If the result was f16 before the pass, a cast
    narrows the f32 result to f16.

    It is an error if a call, a branch or a loop uses the scale, or if the function
    returns the scale.

    Before:
    ```mlir
    %scale = pop.constant dense<98304.0> : tensor<f32>
    %0 = pop.cast %scale : tensor<f32> to tensor<f16>
    %dy = pop.loss_scale %0 : tensor<f16>
    %1 = pop.expand %dy : tensor<f16> to tensor<4xf16>
    %g = pop.mul %x, %1 : tensor<4xf16>
    ```
    After:
    ```mlir
    %scale = pop.constant dense<98304.0> : tensor<f32>
    %dy = pop.loss_scale %scale : tensor<f32>
    %1 = pop.expand %dy : tensor<f32> to tensor<4xf32>
    %wide = pop.cast %x : tensor<4xf16> to tensor<4xf32>
    %2 = pop.mul %wide, %1 : tensor<4xf32>
    %g = pop.cast %2 : tensor<4xf32> to tensor<4xf16>
    ```
  }];
  let options = [TrainedFunctionOption];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_LOSSSCALEPASSES
