//===- PopLossOps.td - Losses ------------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPLOSSOPS
#define IPU_MLIR_DIALECT_POP_IR_POPLOSSOPS

include "ipu-mlir/Dialect/Pop/IR/PopBase.td"

/// An op that computes one loss for each position, or the sum or the mean of these
/// losses. `infer`, `outputs` and `positions` are C++ expressions. `infer` gives the
/// arguments from which the result type is inferred. `outputs` gives the number of
/// sums, and `positions` gives the number of addends of each sum; the accumulation
/// order is chosen from these two numbers.
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

/// An op that computes the losses of elements. `formula` is the loss of an element x of
/// the input and an element t of the target.
class Pop_ElementLossOp<string mnemonic, string what, string formula,
                        string more, string gradient,
                        dag extraArguments = (ins)>
    : Pop_LossOp<mnemonic, gradient # ", where g is dy, or dy / n for a mean",
                 "adaptor.getInput()", "1",
                 "getInput().getType().getNumElements()",
                 [AllTypesMatch<["input", "target"]>]> {
  let summary = "Compute the loss by " # what;
  let description = "The loss of each element `x` of `input` and `t` of `target` is `" #
    formula # "`. " # more # [{

`reduction` selects the result: the losses (`none`), their sum (`sum`), or this sum
divided by the number n of elements (`mean`). If there are no elements, the mean is NaN.
The addends of the sum are the losses in row-major order, and `accum` is the
accumulation order of the sum. For floats narrower than f32, the op computes in f32 and
rounds the result once.

(C1) `target` has the type of `input`.
(C2) `accum` is `blocked`, without `group`, `kernel` and `partials`. `block` is at least
2 if the sum has more than one addend.
(C3) `result` has the shape of `input` if `reduction` is `none`, and rank 0 otherwise.
The element type of `result` is that of the operands. If the operands are narrower than
f32, the element type of `result` may also be f32.

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
    "PopART's L1 loss is the `sum` of this loss for a target of zeros, multiplied by "
    "lambda.",
    "dx = g * sign(x - t); dt = -dx">;

def Pop_L2LossOp : Pop_ElementLossOp<"l2_loss", "squared error", "(x - t)^2",
    "The op neither halves the square nor takes the root.",
    "dx = g * 2 * (x - t); dt = -dx">;

def Pop_BinaryCrossEntropyLossOp : Pop_ElementLossOp<
    "binary_cross_entropy_loss", "binary cross entropy",
    "-(t * ln(x) + (1 - t) * ln(1 - x))",
    "There are two classes, 0 and 1: `x` is the predicted probability of class 1, and "
    "`t` is its actual probability, which is 0 or 1 if the class is known. The product "
    "0 * ln(0) is 0. In logarithms and divisors, the smallest normal number of f32, or of "
    "f64, replaces smaller probabilities, so that the loss and its gradient are finite. If "
    "`input` is the result of `pop.sigmoid`, the gradient passes by this op: the gradient "
    "of its operand is that of a loss `of_logits`. With `of_logits`, `x` is the logit of the probability "
    "sigmoid(`x`), and the loss is `max(x, 0) - x * t + ln(1 + e^-|x|)`, which does not "
    "overflow.",
    "dx = g * ((1 - t) / (1 - x) - t / x); dt = g * (ln(1 - x) - ln(x)); with "
    "`of_logits` dx = g * (sigmoid(x) - t); dt = -g * x",
    (ins UnitAttr:$of_logits)>;

def Pop_IdentityLossOp : Pop_LossOp<"identity_loss",
    "dx = dy, or dy / n for a mean", "adaptor.getInput()", "1",
    "getInput().getType().getNumElements()"> {
  let summary = "Mark given values as losses, and sum or average them";
  let description = [{
    The losses are the elements of `input`. `reduction` selects the result: the losses
    (`none`), their sum (`sum`), or this sum divided by the number n of elements
    (`mean`). If there are no elements, the mean is NaN. The addends of the sum are the
    losses in row-major order, and `accum` is the accumulation order of the sum. For
    floats narrower than f32, the op computes in f32 and rounds the result once.

    (C1) `accum` is `blocked`, without `group`, `kernel` and `partials`. `block` is at
    least 2 if the sum has more than one addend.
    (C2) `result` has the shape of `input` if `reduction` is `none`, and rank 0
    otherwise. The element type of `result` is that of `input`. If `input` is narrower
    than f32, the element type of `result` may also be f32.

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

/// An op that computes the losses of labels. `formula` is the loss of a position whose
/// label is class t.
class Pop_LabelLossOp<string mnemonic, string what, string formula,
                      string more, string order, string gradient,
                      string outputs, string positions,
                      dag extraArguments = (ins)>
    : Pop_LossOp<mnemonic, gradient # ", where g is dy, or dy / W for a mean, and "
                 "positions that do not count contribute 0",
                 "adaptor.getInput(), adaptor.getLabels(), adaptor.getWeights()",
                 outputs, positions> {
  let summary = "Compute the loss by " # what;
  let description =
    "`input` has the shape [N, C, d...], and `labels` has the shape [N, d...]. The loss "
    "of the position n, p... with the label t is `" # formula # [{`, where w is `weights`
with the shape [C]. If `weights` is absent, w is 1 for each class. }] # more # [{

A position counts if its label is one of the C classes and not `ignore_index`. The
loss of any other position is 0. `reduction` selects the result: the losses (`none`),
their sum (`sum`), or this sum divided by W (`mean`). W is the sum of w[t] over the
positions that count. If no position counts, the mean is 0 / 0 = NaN. }] # order # [{
For floats narrower than f32, the op computes in f32 and rounds the result once.

(C1) `input` has at least rank 2.
(C2) `labels` are integers of more than one bit, with the shape [N, d...].
(C3) `weights` has the shape [C] and the element type of `input`. If this type is
narrower than f32, the weights may also be f32.
(C4) `accum` is `blocked`, without `group`, `kernel` and `partials`. `block` is at least
2 if there is more than one position or more than one class.
(C5) `result` has the shape of `labels` if `reduction` is `none`, and rank 0 otherwise.
The element type of `result` is that of `input`. If `input` is narrower than f32, the
element type of `result` may also be f32.

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
    "The elements x of `input` are logarithms of probabilities, as in ONNX. With "
    "`of_probabilities`, the elements are probabilities, as in PopART, and the op takes "
    "their logarithms. In logarithms and divisors, the smallest normal number of f32, or "
    "of f64, replaces smaller probabilities, so that the loss and its gradient are finite. "
    "If `input` is the result of `pop.softmax` along axis 1, the gradient passes by this "
    "op: the gradient of its operand is that of a `pop.cross_entropy_loss`.",
    "The sums add the positions' values in row-major order, with the accumulation order "
    "`accum`.",
    "dx = -g * w[t] at the label, or -g * w[t] / x with `of_probabilities`; dw[t] += "
    "g * l, or g * (l - y) for a mean (l is the loss without weights)",
    "1", "getLabels().getType().getNumElements()",
    (ins UnitAttr:$of_probabilities)>;

def Pop_CrossEntropyLossOp : Pop_LabelLossOp<"cross_entropy_loss",
    "cross entropy of logits and labels",
    "(ln(s) - (x[n, t, p...] - m)) * w[t]",
    "Here m is the maximum of the logits x over the C classes of the position, and s is "
    "the sum of e^(x - m). This is `pop.nll_loss` of the logarithm of a softmax.",
    "All sums have the accumulation order `accum`. The sums over positions add the "
    "positions' values in row-major order.",
    "dx = g * w[t] * (softmax(x) - (1 at the label, else 0)); dw[t] += g * l, or "
    "g * (l - y) for a mean (l is the loss without weights)",
    "getLabels().getType().getNumElements()",
    "getInput().getType().getDimSize(1)">;

#endif // IPU_MLIR_DIALECT_POP_IR_POPLOSSOPS
