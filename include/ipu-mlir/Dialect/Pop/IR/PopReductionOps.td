//===- PopReductionOps.td - Reductions, pools and norms ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPREDUCTIONOPS
#define IPU_MLIR_DIALECT_POP_IR_POPREDUCTIONOPS

include "ipu-mlir/Dialect/Pop/IR/PopBase.td"

def Pop_ReduceOp : Pop_PureOp<"reduce", [
    Pop_InferAccum, Pop_Accum, Pop_Codelet, Pop_Decompose,
    Pop_Gradient<
        "dx = dy for `sum`, dy / n for `mean`, and dy * the product of the other elements "
        "for `prod`; for `max` and `min`, elements equal to y share dy equally">]> {
  let summary = "Reduce over axes";
  let description = [{
    Combines all elements along `axes` with the combiner `kind`. The positions along the
    reduced axes are numbered in row-major order, and `accum` is the order in which the
    elements at these positions are combined. Sums and products of floats narrower than
    f32 are accumulated in f32 and rounded once. A `mean` is the sum divided by the
    number of positions. The division is in the type in which the sum is accumulated,
    and only the quotient is rounded to a narrower type. If a reduced axis has size 0,
    there are no positions. The result is then 0 for `sum`, 1 for `prod`, the least value
    (-inf) for `max`, the greatest value (+inf) for `min`, NaN for `mean`, true for
    `and`, and false for `or`.

    (C1) `axes` are distinct, ascending dimensions of `input`; `axes` may be empty.
    (C2) `and` and `or` take i1, the other kinds do not; `mean` takes floats.
    (C3) `result` has the shape of `input` without the dimensions `axes`. With
    `keep_dims`, the result keeps these dimensions, with size 1. The element type of
    `result` is that of `input`. Sums, products and means of floats narrower than f32
    may also be f32.
    (C4) `accum` is `blocked`, without `group`, `kernel` and `partials`. `block` is at
    least 2 if there is more than one position. If there is a `box`, it has one size for
    each group of adjacent axes. Adjacent axes have only dimensions of size 1 between
    them.

    ```mlir
    %y = pop.reduce sum %x {axes = array<i64: 1>} : tensor<4x8xf32> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Pop_ReduceKindAttr:$kind, Pop_Tensor:$input,
                       DenseI64ArrayAttr:$axes, UnitAttr:$keep_dims,
                       Pop_OptionalAccum:$accum);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Pop_ArgReduceOp : Pop_PureOp<"arg_reduce", [
    Pop_Infer, Pop_Codelet, Pop_Decompose, Pop_Plan,
    Pop_Gradient<"dvalues = dy of `value` where `indices` equals `index`, else 0">]> {
  let summary = "Find extreme values and their indices over axes";
  let description = [{
    A pair is an element of `values` with the element of `indices` at the same position.
    Among the pairs along `axes`, the op selects the pair with the greatest (`max`) or
    least (`min`) value. A NaN is more extreme than every number, and as extreme as
    another NaN; -0 equals +0. Of pairs with equally extreme values, the op selects the
    pair with the lowest index or, with `highest_index`, the pair with the highest index.
    Of pairs whose indices are also equal, the op selects the first one in row-major
    order. The results are the value and the index of the selected pair, bit for bit.

    Usually, `indices` are the positions along one axis: an iota, expanded to the shape of
    `values`. Reductions of parts of an axis can be combined by another `pop.arg_reduce`.

    The gradient needs indices that are distinct along `axes`. Otherwise it adds the
    gradient of `value` to every pair whose index equals the selected one.

    (C1) `kind` is `max` or `min`.
    (C2) `indices` has the shape of `values`.
    (C3) `axes` are distinct, ascending dimensions of `values`; `axes` may be empty.
    (C4) No axis has size 0, unless the results have no elements.
    (C5) `value` and `index` have the shape of `values` without the dimensions `axes`.
    With `keep_dims`, they keep these dimensions, with size 1. Their element types are
    those of `values` and `indices`.

    ```mlir
    %value, %index = pop.arg_reduce max %x, %i {axes = array<i64: 1>} : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4xf32>, tensor<4xi32>
    ```
  }];
  let arguments = (ins Pop_ReduceKindAttr:$kind, Pop_NumberTensor:$values,
                       Pop_WideIntTensor:$indices, DenseI64ArrayAttr:$axes,
                       UnitAttr:$keep_dims, UnitAttr:$highest_index);
  let results = (outs Pop_NumberTensor:$value, Pop_WideIntTensor:$index);
  let assemblyFormat = [{
    `` $kind $values `,` $indices attr-dict `:` type($values) `,` type($indices)
    `->` type($value) `,` type($index)
  }];
  let hasFolder = 1;
}

/// An op that slides a window over the spatial dimensions of an input
/// [N, C, spatial...].
class Pop_WindowOp<string mnemonic, list<Trait> traits>
    : Pop_PureOp<mnemonic, traits> {
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def Pop_ReduceBlocksOp : Pop_PureOp<"reduce_blocks", [
    Pop_Infer, Pop_Codelet,
    Pop_NoGradient<"decomposition creates it after differentiation">]> {
  let summary = "Reduce blocks along an axis";
  let description = [{
    Combines each block of `accum.block` consecutive positions along `axis` with the
    combiner `kind`; the last block may have fewer positions. The positions of a block
    are combined as `pop.reduce` combines a single block, by lanes. `pop-decompose`
    replaces a `pop.reduce` over several blocks by ops of this kind, one for each level
    of its order.

    (C1) `axis` is a dimension of `input`, and the dimension is not empty.
    (C2) `kind` is not `mean`, and the element type suits it as in `pop.reduce`.
    (C3) `result` has the shape of `input`, with one element for each block along
    `axis`. Its element type is that in which `kind` accumulates the elements: f32 for
    sums and products of narrower floats, and otherwise the element type of `input`.
    (C4) `accum` is `blocked`, and only has `block` and `lanes`. `block` is at least 2 if
    there is more than one position.

    ```mlir
    %y = pop.reduce_blocks sum %x {axis = 1 : i64, accum = #pop.accum<blocked, block = 28, lanes = 1>} : tensor<8x100xf16> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Pop_ReduceKindAttr:$kind, Pop_Tensor:$input,
                       I64Attr:$axis, Pop_AccumAttr:$accum);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $input attr-dict `:` type($input) `->` type($result)
  }];
}

def Pop_ReduceWindowOp : Pop_WindowOp<"reduce_window",
    [Pop_InferAccum, Pop_Accum, Pop_Codelet, Pop_Decompose,
     Pop_Gradient<
        "dx = sum over windows of dy for `sum`, of dy / n for `mean`, and of dy * the product "
        "of the other elements for `prod`; select_and_scatter of dy for `max` and `min`">]> {
  let summary = "Reduce over sliding windows";
  let description = [{
    Computes `y[n, c, p...]` by combining `input[n, c, p*stride + q*dilation...]` over
    the kernel positions q... in row-major order, starting from the neutral element of
    `kind` (-0 for a sum). Sums and products of floats narrower than f32 are accumulated
    in f32 and rounded once. As for `pop.reduce`, a `mean` is the sum divided by the
    number of positions. `pop-decompose` replaces pools by this op.

    (C1) `input` has rank 3, 4 or 5.
    (C2) `kernel` and, if present, `strides` and `dilations` have one positive value for
    each spatial dimension.
    (C3) The dilated kernel is not larger than the input.
    (C4) `kind` is neither `and` nor `or`; `mean` takes floats.
    (C5) `result` is [N, C, (in - (dilation * (kernel - 1) + 1)) / stride + 1 ...]. Its
    element type is that of the operand. Sums, products and means of floats narrower
    than f32 may also be f32.
    (C6) `accum` is `chain`.

    ```mlir
    %y = pop.reduce_window max %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
    ```
  }];
  let arguments = (ins
    Pop_ReduceKindAttr:$kind, Pop_NumberTensor:$input,
    DenseI64ArrayAttr:$kernel,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$strides,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$dilations,
    Pop_OptionalAccum:$accum);
  let results = (outs Pop_NumberTensor:$result);
  let assemblyFormat = [{
    `` $kind $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

class Pop_PoolOp<string mnemonic, string what, Type tensor, string formula,
                 string more, dag extraArguments = (ins),
                 list<Trait> traits = []>
    : Pop_WindowOp<mnemonic, [Pop_Infer, Pop_Decompose] # traits> {
  let summary = "Compute the " # what # " over sliding windows";
  let description = "With `input` [N, C, spatial...], computes `y[n, c, p...] = " #
    formula # [{ over kernel positions
q... of input[n, c, p*stride + q*dilation - pad...]`. }] # more # [{

`pads` holds the pads before each spatial dimension, then the pads after each spatial
dimension. Absent `strides` and `dilations` are 1, and absent `pads` are 0. With
`ceil_mode`, the number of windows is rounded up instead of down, but no window starts
after the end of the input. With dilations, it can happen that no position of a window
counts. The result for such a window is that of a `pop.reduce` over an axis of size 0, for
example NaN for the mean.

(C1) `input` has rank 3, 4 or 5.
(C2) For each spatial dimension, `kernel`, `strides` and `dilations` have one positive
value, and `pads` has two values that are not negative.
(C3) The dilated kernel is not larger than the padded input.
(C4) Each pad is less than the dilated kernel.
(C5) `result` is [N, C, (in + pads - (dilation * (kernel - 1) + 1)) / stride + 1 ...].
(C6) `accum` is `chain`; only a mean has `accum`.

```mlir
%y = pop.}] # mnemonic # [{ %x {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
```
}];
  let arguments = !con((ins
    tensor:$input, DenseI64ArrayAttr:$kernel,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$strides,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$dilations,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$pads,
    UnitAttr:$ceil_mode), extraArguments);
  let results = (outs tensor:$result);
}

def Pop_MaxPoolOp : Pop_PoolOp<"max_pool", "maximum", Pop_NumberTensor,
    "maximum", "Positions outside of the input do not count.", (ins),
    [Pop_Gradient<"dx = select_and_scatter of dy">]>;

def Pop_AvgPoolOp : Pop_PoolOp<"avg_pool", "mean", Pop_FloatTensor, "mean",
    "Positions outside of the input do not count. With `count_include_pad`, the "
    "positions in `pads` count as zeros.",
    (ins UnitAttr:$count_include_pad, Pop_OptionalAccum:$accum), [Pop_Accum,
    Pop_Gradient<"dx = sum over windows of dy / n, where n is the number of positions "
                 "that count">]>;

def Pop_SoftmaxOp : Pop_PureOp<"softmax", [
    SameOperandsAndResultType, Pop_Accum, Pop_Decompose, Pop_ComputeOpInterface,
    Pop_Gradient<"dx = y * (dy - sum(dy * y))">]> {
  let summary = "Compute the softmax along an axis";
  let description = [{
    Computes `y = e^(x - m) / s`, where m is the maximum of `input` along `axis`, and s is
    the sum of e^(x - m) along `axis`. The sum has the accumulation order `accum`. For
    floats narrower than f32, the op computes in f32 and rounds the result once.

    With `compute = f16`, the differences `x - m`, the powers and y are rounded to f16. The
    sum of the powers is accumulated in f32. Its reciprocal is computed once for each row
    and rounded to f16, and each power is multiplied by this reciprocal.

    (C1) `axis` is a dimension of `input`.
    (C2) `accum` is `blocked`, without `group`, `kernel` and `partials`. `block` is at
    least 2 if the sum has more than one addend.
    (C3) With `compute`, the element type of `input` is f16.

    ```mlir
    %y = pop.softmax %x {axis = 1 : i64} : tensor<4x10xf32>
    %z = pop.softmax %h {axis = 1 : i64, compute = f16} : tensor<4x10xf16>
    ```
  }];
  let arguments = (ins Pop_FloatTensor:$input, I64Attr:$axis,
                       Pop_OptionalAccum:$accum, Pop_OptionalCompute:$compute);
  let results = (outs Pop_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Pop_BatchNormOp : Pop_PureOp<"batch_norm", [
    Pop_Decompose, Pop_ComputeOpInterface, AllTypesMatch<["input", "result"]>,
    AllTypesMatch<["scale", "bias", "mean", "variance"]>,
    Pop_Gradient<
        "with r = 1 / sqrt(variance + epsilon) and sums over all dimensions except "
        "channels: dx = dy * scale * r; dscale = sum(dy * (x - mean)) * r; "
        "dbias = sum(dy); dmean = -dbias * scale * r; "
        "dvariance = -dscale * scale * r^2 / 2">]> {
  let summary = "Normalize a batch with given statistics (inference)";
  let description = [{
    With `input` [N, C, ...], computes `y = (x - mean[c]) * (scale[c] / sqrt(variance[c] +
    epsilon)) + bias[c]`. For floats narrower than f32, the op computes in f32 and
    rounds the result once.

    With `compute = f16`, the op computes only the factor `scale[c] / sqrt(variance[c] +
    epsilon)` in f32. It rounds mean, factor and bias to f16, and the difference, the
    product and the sum are in f16.

    (C1) `input` has at least rank 2.
    (C2) `scale`, `bias`, `mean` and `variance` have the shape [C].
    (C3) All four have the element type of `input`. If this type is narrower than
    f32, they may also be f32.
    (C4) `epsilon` is not negative.
    (C5) With `compute`, the element type of `input` is f16.

    ```mlir
    %y = pop.batch_norm %x, %scale, %bias, %mean, %variance {epsilon = 1.0e-5 : f32} : tensor<2x3x4x4xf32>, tensor<3xf32>
    ```
  }];
  let arguments = (ins Pop_FloatTensor:$input, Pop_FloatTensor:$scale,
                       Pop_FloatTensor:$bias, Pop_FloatTensor:$mean,
                       Pop_FloatTensor:$variance,
                       DefaultValuedAttr<F32Attr, "1.0e-5f">:$epsilon,
                       Pop_OptionalCompute:$compute);
  let results = (outs Pop_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $bias `,` $mean `,` $variance attr-dict `:`
    type($input) `,` type($scale)
  }];
  let hasVerifier = 1;
}

def Pop_BatchNormTrainingOp : Pop_PureOp<"batch_norm_training", [
    Pop_Accum, Pop_Decompose, Pop_ComputeOpInterface,
    AllTypesMatch<["input", "result"]>,
    AllTypesMatch<["scale", "bias", "mean", "variance"]>,
    Pop_Gradient<
        "with r, dscale and dbias as for batch_norm and z = (x - mean) * r: "
        "dx = scale * r * (dy - (dbias + z * dscale) / n) + "
        "(dmean + 2 * dvariance * (x - mean)) / n, with the gradients of the "
        "results mean and variance">]> {
  let summary = "Normalize a batch with its own statistics (training)";
  let description = [{
    `input` has the shape [N, C, ...] and n elements for each channel. For each channel
    c, the op computes:

    - `mean[c] = s / n`, where s is the sum of the channel's elements;
    - `variance[c] = t / n`, where t is the sum of `(x - mean[c]) * (x - mean[c])`;
    - `y = (x - mean[c]) * (scale[c] / sqrt(variance[c] + epsilon)) + bias[c]`.

    Both sums take the elements in row-major order, and have the accumulation order
    `accum`. For floats narrower than f32, the op computes in f32 and rounds each result
    once; `y` is computed from the unrounded mean and variance. If n is 0, mean and
    variance are NaN.

    With `compute = f16`, both sums are accumulated in f32, and the mean and the variance
    are not rounded before they are used. The differences `x - mean[c]`, with a mean that is
    rounded to f16, are rounded to f16, and their squares are in f32. `y` is computed from
    these differences as by `pop.batch_norm` with `compute = f16`.

    (C1) `input` has at least rank 2.
    (C2) `scale`, `bias`, `mean` and `variance` have the shape [C].
    (C3) All four have the element type of `input`. If this type is narrower than
    f32, they may also be f32.
    (C4) `epsilon` is not negative.
    (C5) `accum` is `blocked`, without `group`, `kernel` and `partials`. `block` is at
    least 2 if the sums have more than one addend.
    (C6) With `compute`, the element type of `input` is f16.

    ```mlir
    %y, %mean, %variance = pop.batch_norm_training %x, %scale, %bias {epsilon = 1.0e-5 : f32} : tensor<2x3x4x4xf32>, tensor<3xf32>
    ```
  }];
  let arguments = (ins Pop_FloatTensor:$input, Pop_FloatTensor:$scale,
                       Pop_FloatTensor:$bias,
                       DefaultValuedAttr<F32Attr, "1.0e-5f">:$epsilon,
                       Pop_OptionalAccum:$accum, Pop_OptionalCompute:$compute);
  let results = (outs Pop_FloatTensor:$result, Pop_FloatTensor:$mean,
                      Pop_FloatTensor:$variance);
  let assemblyFormat = [{
    $input `,` $scale `,` $bias attr-dict `:` type($input) `,` type($scale)
  }];
  let hasVerifier = 1;
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPREDUCTIONOPS
