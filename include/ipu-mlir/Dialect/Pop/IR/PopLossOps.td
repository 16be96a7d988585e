//===- PopLossOps.td - pop losses ---------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPLOSSOPS
#define IPU_MLIR_DIALECT_POP_IR_POPLOSSOPS

include "ipu-mlir/Dialect/Pop/IR/PopBase.td"

/// Losses of positions, or their sum or mean. `infer` are the operands that say
/// what type the result has; `outputs` and `positions` are the extents by which
/// the order of accumulation is chosen.
class Pop_LossOp<string mnemonic, string gradient, string infer, string outputs,
                 string positions, list<Trait> traits = []>
    : Pop_PureOp<mnemonic, [Pop_InferAccum, Pop_Accum, Pop_Decompose,
                            Pop_Gradient<gradient>] # traits> {
  let results = (outs Pop_FloatTensor:$result);
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferredReturnTypes) {
      return detail::inferLoss({location, getOperationName()}, }] # infer # [{,
                               adaptor.getReduction(), adaptor.getAccumAttr(),
                               inferredReturnTypes);
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange actual) {
      return detail::isRoundedOrNot(inferred, actual);
    }
    ::mlir::pop::AccumAttr $cppClass::getDefaultAccum() {
      return AccumAttr::get(getContext(), AccumOrder::Blocked);
    }
    ::mlir::pop::AccumAttr $cppClass::chooseAccum() {
      return detail::chooseBlocks(getContext(), }] # outputs # ", " #
      positions # [{);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Losses of elements
//===----------------------------------------------------------------------===//

/// `formula` is the loss of one element x of the input and t of the target.
class Pop_ElementLossOp<string mnemonic, string what, string formula,
                        string more, string gradient,
                        dag extraArguments = (ins)>
    : Pop_LossOp<mnemonic, gradient # ", where g is dy, for a mean dy / n",
                 "adaptor.getInput()", "1",
                 "getInput().getType().getNumElements()",
                 [AllTypesMatch<["input", "target"]>]> {
  let summary = "Compute the loss by " # what;
  let description = "The loss of each element `x` of `input` and `t` of `target` is `" #
    formula # "`. " # more # [{

`reduction` is `none` for the losses themselves, `sum` for their sum in
row-major order, which is added in the order `accum`, or `mean` for this sum
divided by the number n of elements (NaN without elements). Floats narrower
than f32 are computed in f32 and rounded once.

(C1) `target` has the type of `input`.
(C2) `accum` is `blocked`, with blocks of more than one position where more
than one is added, without `group`, `kernel` and `partials`.
(C3) `result` has the shape of `input` for `none`, else no dimensions; its
element type is the operands' or, for floats narrower than f32, f32.

```mlir
%y = pop.}] # mnemonic # [{ mean %x, %t : tensor<4x3xf16> -> tensor<f32>
```
}];
  let arguments = !con((ins Pop_LossReductionAttr:$reduction,
                            Pop_FloatTensor:$input, Pop_FloatTensor:$target,
                            Pop_OptionalAccum:$accum), extraArguments);
  let assemblyFormat = [{
    `` $reduction $input `,` $target attr-dict `:` type($input) `->`
    type($result)
  }];
}

def Pop_L1LossOp : Pop_ElementLossOp<"l1_loss", "absolute error", "|x - t|",
    "PopART's L1 is the `sum` with a target of zeros, times its lambda.",
    "dx = g * sign(x - t); dt = -dx">;

def Pop_L2LossOp : Pop_ElementLossOp<"l2_loss", "squared error", "(x - t)^2",
    "Neither a half nor a root is taken.",
    "dx = g * 2 * (x - t); dt = -dx">;

def Pop_BinaryCrossEntropyLossOp : Pop_ElementLossOp<
    "binary_cross_entropy_loss", "binary cross entropy",
    "-(t * ln(x) + (1 - t) * ln(1 - x))",
    "Here `x` is the probability that a target of 0 or 1 is 1, targets between "
    "them are mixtures of both, and 0 * ln(0) is 0. With `of_logits`, `x` is "
    "the logit of that probability, sigmoid(`x`), and the loss is `max(x, 0) - "
    "x * t + ln(1 + e^-|x|)`, which does not overflow.",
    "dx = g * ((1 - t) / (1 - x) - t / x); dt = g * (ln(1 - x) - ln(x)); of "
    "logits dx = g * (sigmoid(x) - t); dt = -g * x",
    (ins UnitAttr:$of_logits)>;

def Pop_IdentityLossOp : Pop_LossOp<"identity_loss",
    "dx = dy, for a mean dy / n", "adaptor.getInput()", "1",
    "getInput().getType().getNumElements()"> {
  let summary = "Mark given values as losses, and sum or average them";
  let description = [{
    The losses are the elements of `input`. `reduction` is `none` for the losses
    themselves, `sum` for their sum in row-major order, which is added in the order
    `accum`, or `mean` for this sum divided by the number n of elements (NaN
    without elements). Floats narrower than f32 are computed in f32 and rounded
    once.

    (C1) `accum` is `blocked`, with blocks of more than one position where more
    than one is added, without `group`, `kernel` and `partials`.
    (C2) `result` has the shape of `input` for `none`, else no dimensions; its
    element type is the operand's or, for floats narrower than f32, f32.

    ```mlir
    %y = pop.identity_loss sum %x : tensor<4x3xf32> -> tensor<f32>
    ```
  }];
  let arguments = (ins Pop_LossReductionAttr:$reduction, Pop_FloatTensor:$input,
                       Pop_OptionalAccum:$accum);
  let assemblyFormat = [{
    `` $reduction $input attr-dict `:` type($input) `->` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// Losses of labels
//===----------------------------------------------------------------------===//

/// `formula` is the loss of a position whose label is the class t.
class Pop_LabelLossOp<string mnemonic, string what, string formula,
                      string more, string order, string gradient,
                      string outputs, string positions,
                      dag extraArguments = (ins)>
    : Pop_LossOp<mnemonic, gradient # ", where g is dy, for a mean dy / W, and "
                 "a position that does not count adds 0",
                 "adaptor.getInput(), adaptor.getLabels(), adaptor.getWeights()",
                 outputs, positions> {
  let summary = "Compute the loss by " # what;
  let description =
    "With `input` [N, C, d...] and t the label in `labels` [N, d...] of a " #
    "position n, p..., its loss is `" # formula # [{`, where
w is `weights` [C], or 1 for each class without them. }] # more # [{

A position counts if its label is one of the C classes and not `ignore_index`;
the loss of any other position is 0. `reduction` is `none` for the losses, `sum`
for their sum, or `mean` for this sum divided by W, the sum of w[t] over the
positions that count: 0 / 0 = NaN where none does. }] # order # [{ Floats
narrower than f32 are computed in f32 and rounded once.

(C1) `input` has rank 2 or more.
(C2) `labels` are integers of more than one bit, of the shape [N, d...].
(C3) `weights` is [C], of the element type of `input` or f32 for narrower ones.
(C4) `accum` is `blocked`, with blocks of more than one position where there
is more than one position or class, without `group`, `kernel` and `partials`.
(C5) `result` has the shape of `labels` for `none`, else no dimensions; its
element type is that of `input` or, for floats narrower than f32, f32.

```mlir
%y = pop.}] # mnemonic # [{ mean %x, %labels : tensor<8x10xf32>, tensor<8xi32> -> tensor<f32>
%z = pop.}] # mnemonic # [{ none %a, %ids, %w {ignore_index = -1 : i64} : tensor<8x10x4xf16>, tensor<8x4xui8>, tensor<10xf32> -> tensor<8x4xf16>
```
}];
  let arguments = !con((ins Pop_LossReductionAttr:$reduction,
                            Pop_FloatTensor:$input, Pop_IntTensor:$labels,
                            Optional<Pop_FloatTensor>:$weights,
                            OptionalAttr<I64Attr>:$ignore_index,
                            Pop_OptionalAccum:$accum), extraArguments);
  let assemblyFormat = [{
    `` $reduction $input `,` $labels (`,` $weights^)? attr-dict `:`
    type($input) `,` type($labels) (`,` type($weights)^)? `->` type($result)
  }];
}

def Pop_NllLossOp : Pop_LabelLossOp<"nll_loss",
    "negative log-likelihood of labels", "-x[n, t, p...] * w[t]",
    "The elements x of `input` are the logarithms of probabilities, as in ONNX. "
    "With `of_probabilities` they are probabilities, as PopART has them, of "
    "which the op takes the logarithm.",
    "Sums are over positions in row-major order, added in the order `accum`.",
    "dx = -g * w[t] at the label, of probabilities -g * w[t] / x; dw[t] += g * "
    "l, for a mean g * (l - y), with l the loss without weights",
    "1", "getLabels().getType().getNumElements()",
    (ins UnitAttr:$of_probabilities)>;

def Pop_CrossEntropyLossOp : Pop_LabelLossOp<"cross_entropy_loss",
    "cross entropy of logits and labels",
    "(ln(s) - (x[n, t, p...] - m)) * w[t]",
    "Here m is the maximum of the logits x over the C classes of the position, "
    "and s the sum of e^(x - m): this is `pop.nll_loss` of the logarithm of a "
    "softmax.",
    "The sums over classes and those over positions, in row-major order, are "
    "added in the order `accum`.",
    "dx = g * w[t] * (softmax(x) - (1 at the label, else 0)); dw[t] += g * l, "
    "for a mean g * (l - y), with l the loss without weights",
    "getLabels().getType().getNumElements()",
    "getInput().getType().getDimSize(1)">;

#endif // IPU_MLIR_DIALECT_POP_IR_POPLOSSOPS
