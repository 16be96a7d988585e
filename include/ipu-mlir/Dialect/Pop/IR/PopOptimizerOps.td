//===- PopOptimizerOps.td - Ops of optimizers --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPOPTIMIZEROPS
#define IPU_MLIR_DIALECT_POP_IR_POPOPTIMIZEROPS

include "ipu-mlir/Dialect/Pop/IR/PopGraphBase.td"
include "ipu-mlir/Dialect/Pop/IR/PopOptimizerAttrs.td"

class Pop_OptimizerOp<string mnemonic, list<Trait> traits = []>
    : Pop_PureOp<mnemonic, [
          Pop_Decompose,
          Pop_NoGradient<"the op is a step of an optimizer, and optimizers are added "
                         "after differentiation">] # traits>;

def Pop_AccumulateOp : Pop_OptimizerOp<"accumulate", [
    AttrSizedOperandSegments, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Update a running sum, mean or maximum";
  let description = [{
    Returns the new value of the accumulator r, which depends on the kind. Here x is
    `value` and f is `factor`:

    - `add`: `r + f * x`
    - `square`: `r + f * x^2`
    - `mean`: `(step / (step + 1)) * r + (1 / (step + 1)) * x`
    - `moving_average`: `f * r + (1 - f) * x`
    - `moving_average_square`: `f * r + (1 - f) * x^2`
    - `infinity`: `max(f * r, |x|)`

    Intermediate results are rounded to f32, or to f64 for f64 elements. If the element
    type is narrower than f32, the final result is rounded to the element type once. The
    factor is an attribute or a tensor of rank 0.

    (C1) `value` has the shape of `accumulator`. The element type of `value` is that of
    `accumulator`, or a narrower type that is accumulated in the element type of
    `accumulator`.
    (C2) The kind `mean` has `step` and no factor; the other kinds have no `step`.
    (C3) If the factor is a tensor, the attribute `factor` is 1.
    (C4) `result` has the type of `accumulator`.

    ```mlir
    %1 = pop.accumulate add %r, %z {factor = 0.5 : f64} : tensor<2xf32>, tensor<2xf16>
    %2 = pop.accumulate moving_average %r, %x factor(%f : tensor<f32>) : tensor<2xf32>, tensor<2xf32>
    %3 = pop.accumulate mean %r, %x step(%s : tensor<i32>) : tensor<2xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Pop_AccumulateKindAttr:$kind,
      Pop_FloatTensor:$accumulator, Pop_FloatTensor:$value,
      Optional<Pop_FloatScalarTensor>:$factor_tensor,
      Optional<Pop_NumberScalarTensor>:$step,
      DefaultValuedAttr<F64Attr, "1.0">:$factor);
  let results = (outs Pop_FloatTensor:$result);
  let assemblyFormat = [{
    `` $kind $accumulator `,` $value
    (`factor` `(` $factor_tensor^ `:` type($factor_tensor) `)`)?
    (`step` `(` $step^ `:` type($step) `)`)?
    attr-dict `:` type($accumulator) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Pop_OptimizerStepOp : Pop_OptimizerOp<"optimizer_step", [
    AttrSizedOperandSegments]> {
  let summary = "Update a weight by an optimizer";
  let description = [{
    Returns the updated weight, followed by the updated states in the order of `states`.
    `gradient` is the gradient of the loss, multiplied by the optimizer's `loss_scale`
    and summed over `accumulations` parts of the batch. A setting of `optimizer` may be
    `operand`, as in `lr = operand`; `settings` then holds the value of this setting. The
    values are in the alphabetical order of the settings' names.

    Each kind of optimizer has these `states`, in this order:

    | kind | states |
    | --- | --- |
    | `sgd0` | |
    | `sgd1`, `sgd2` | velocity |
    | `adam`, `adamax`, `lamb` | first moment, second moment (for `adamax`, the decayed maximum of the absolute gradients), number of updates |
    | `adam_no_bias`, `lamb_no_bias` | first moment, second moment |
    | `adagrad` | sum of squares |
    | `rmsprop` | mean of squares |
    | `centered_rmsprop` | mean of squares, mean |
    | `adadelta` | mean of squares of the gradients, mean of squares of the steps |

    If `momentum` is not the constant 0, the last four kinds of the table have a
    velocity as a further state. If `master` is set, the last state is the weight in the
    type that the setting `state` gives.

    An `sgd1` may have no gradient. Its velocity then already contains the gradients of
    this update, each multiplied by `(1 - dampening) * velocity_scaling / (loss_scale *
    accumulations)`.

    The op computes in f64 if the setting `state` is f64 (the default for f64 weights),
    and in f32 otherwise. The op rounds results of narrower types at the end.
    docs/training.md has the formulas. `pop-decompose-optimizers` expands the op into
    ops that compute these formulas.

    (C1) `gradient` has the shape of `weight`. The element type of `gradient` is that of
    `weight`, or the type in which elements of the type of `weight` are accumulated.
    (C2) `states` are the states of the optimizer. The number of updates is a
    `tensor<f32>`; the other states have the shape of `weight` and the element type that
    the setting `state` gives.
    (C3) The number of `settings` is the number of settings of `optimizer` that are
    `operand`. No setting of `optimizer` is a stream or a schedule.
    (C4) `accumulations` is at least 1.
    (C5) Results have the types of `weight` and `states`.
    (C6) Only an `sgd1` without `nesterov` may have no `gradient`.

    ```mlir
    %w1 = pop.optimizer_step <sgd0, lr = 0.1> %w, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %x1, %v1 = pop.optimizer_step <sgd2, lr = operand, momentum = 0.9> %x, %dx state(%v) settings(%lr) : (tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf16>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Pop_OptimizerAttr:$optimizer, Pop_FloatTensor:$weight,
      Optional<Pop_FloatTensor>:$gradient, Variadic<Pop_FloatTensor>:$states,
      Variadic<Pop_FloatScalarTensor>:$settings,
      DefaultValuedAttr<I64Attr, "1">:$accumulations);
  let results = (outs Pop_FloatTensor:$updated,
                      Variadic<Pop_FloatTensor>:$updated_states);
  let assemblyFormat = [{
    $optimizer $weight (`,` $gradient^)? (`state` `(` $states^ `)`)?
    (`settings` `(` $settings^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

/// An op that returns its operand and marks this value for passes. Folds do not erase
/// the op.
class Pop_MarkOp<string mnemonic, string gradient>
    : Pop_PureOp<mnemonic, [Elementwise, SameOperandsAndResultType,
                            Pop_Decompose, Pop_Gradient<gradient>]> {
  let results = (outs Pop_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let extraClassDefinition = [{
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>
    $cppClass::decompose(::mlir::OpBuilder &) {
      return ::llvm::SmallVector<::mlir::Value>{getInput()};
    }
  }];
}

def Pop_LossScaleOp : Pop_MarkOp<"loss_scale", "dx = dy"> {
  let summary = "Return the loss scale, with which the backward pass starts";
  let description = [{
    Returns `input`. Each element of `input` is the loss scale, multiplied by the weight
    of a loss if losses have weights. The backward pass starts with this value, which is
    the gradient of the scaled loss with respect to the loss. `pop-autodiff` creates the
    op. Some passes multiply gradients by a loss scale, adapt the loss scale at run
    time, or compute the loss scale in f32. These passes find the loss scale by this op.

    (C1) `result` has the type of `input`.

    ```mlir
    %dy = pop.loss_scale %ones : tensor<f32>
    ```
  }];
  let arguments = (ins Pop_FloatTensor:$input);
}

def Pop_AutoLossScaleProxyOp : Pop_MarkOp<"auto_loss_scale_proxy",
    "dx = dy, marked with `gradient`"> {
  let summary = "Track a tensor's gradient for automatic loss scaling";
  let description = [{
    Returns `input`. The op marks a tensor whose gradient is tracked.
    `pop-pre-automatic-loss-scale` creates the op, which is modelled on PopART's
    AutoLossScaleProxy. `pop-autodiff` passes the gradient of `input` through another
    `pop.auto_loss_scale_proxy`, which has the attribute `gradient`.
    `pop-automatic-loss-scale` looks for these ops.

    (C1) `result` has the type of `input`.

    ```mlir
    %y = pop.auto_loss_scale_proxy %x : tensor<2x3xf16>
    %dx = pop.auto_loss_scale_proxy %dy {gradient} : tensor<2x3xf16>
    ```
  }];
  let arguments = (ins Pop_FloatTensor:$input, UnitAttr:$gradient);
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPOPTIMIZEROPS
