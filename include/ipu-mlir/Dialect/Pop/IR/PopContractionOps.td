//===- PopContractionOps.td - Matmul and convolution -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPCONTRACTIONOPS
#define IPU_MLIR_DIALECT_POP_IR_POPCONTRACTIONOPS

include "ipu-mlir/Dialect/Pop/IR/PopBase.td"

def Pop_MatmulOp : Pop_PureOp<"matmul", [
    Pop_InferAccum, Pop_Accum, Pop_Codelet, Pop_Decompose, Pop_Plan,
    Pop_Gradient<"dlhs = dy * rhs^T; drhs = lhs^T * dy; dacc = dy">]> {
  let summary = "Compute a batched matrix product";
  let description = [{
    Computes `y[..., m, n] = sum over k of lhs[..., m, k] * rhs[..., k, n]`. The
    products are numbered by k and accumulated in the order `accum`; `#pop.accum`
    defines the orders, with their blocks and lanes. Floats narrower than f32 are
    accumulated in f32, and other elements in their own type. Leading (batch) dimensions
    broadcast as in numpy. The sum starts from `acc` if there is one. Two products can
    therefore compute a product over k + l positions: the first product is over the
    first k positions, and its result is the `acc` of the second product, which is over
    the other l positions. If a block of the whole product ends after the first k
    positions, the result of the second product has the same bits as the whole product.

    (C1) Both operands have at least rank 2 and the same element type.
    (C2) The last dimension of `lhs` equals the second-last dimension of `rhs`.
    (C3) The batch dimensions of the operands can be broadcast to one shape.
    (C4) The shape of `result` is the broadcast batch shape followed by m, n. The
    element type of `result` is the element type of the operands. If the operands are
    floats narrower than f32, the element type of `result` may also be f32.
    (C5) `acc` has the type of `result`. If there is an `acc`, and the operands are
    floats narrower than f32, the element type of `result` is f32.
    (C6) `accum` is `chain`, or `blocked` with one lane and at most 65535 blocks.
    (C7) `accum` has no `kernel`, and has `partials` only for elements narrower than
    f32.

    ```mlir
    %y = pop.matmul %a, %b : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
    %z = pop.matmul %c, %d, %y : (tensor<8x16x4xf32>, tensor<4x64xf32>, tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    ```
  }];
  let arguments = (ins Pop_NumberTensor:$lhs, Pop_NumberTensor:$rhs,
                       Optional<Pop_NumberTensor>:$acc,
                       Pop_OptionalAccum:$accum);
  let results = (outs Pop_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`,` $acc^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Pop_MatmulPartialsOp : Pop_PureOp<"matmul_partials", [
    Pop_Infer, Pop_Codelet, Pop_Decompose, Pop_Plan,
    Pop_NoGradient<"decomposition creates it after differentiation">]> {
  let summary = "Compute partial sums of a batched matrix product";
  let description = [{
    Computes the sum of each block of `block` addends of a `pop.matmul`:
    `y[p, ..., m, n] = sum over k from p * block to (p + 1) * block of
    lhs[..., m, k] * rhs[..., k, n]`. If `block` does not divide the number of addends,
    the last block has fewer addends. Each sum is one chain of fused multiply-adds that
    starts from +0. The sum of `y` over its first dimension is the whole product.
    If a `pop.matmul` has a `blocked` order, `pop-decompose` replaces the `pop.matmul`
    by this op and a sum of `y` over its first dimension. The op does not rearrange its
    operands: vertices read the blocks in place.

    (C1) to (C3) The constraints of `pop.matmul` hold.
    (C4) `block` is positive.
    (C5) The shape of `result` is the number of blocks followed by the shape of the
    product. The element type of `result` is f32 if the operands are floats narrower
    than f32, and otherwise the element type of the operands.

    ```mlir
    %p = pop.matmul_partials %a, %b {block = 16 : i64} : (tensor<8x32xf16>, tensor<32x64xf16>) -> tensor<2x8x64xf32>
    ```
  }];
  let arguments = (ins Pop_NumberTensor:$lhs, Pop_NumberTensor:$rhs,
                       I64Attr:$block);
  let results = (outs Pop_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
}

def Pop_ConvOp : Pop_PureOp<"conv", [
    Pop_InferAccum, Pop_Accum, Pop_Codelet, Pop_Decompose, Pop_Plan,
    Pop_Gradient<
        "dinput = conv of dy and the flipped weights; with strides, there is one conv "
        "for each position in a period of the strides, and this conv uses the weights "
        "that apply to the position; dweights = conv of the input and dy; "
        "dacc = dy">]> {
  let summary = "Convolve over one to three spatial dimensions";
  let description = [{
    With `input` [N, G*I, spatial...] and `weights` [G*O, I, kernel...], the op computes
    `y[n, g*O + o, p...] = sum over kernel positions q..., then i, of input[n, g*I + i,
    p*stride + q*dilation - pad...] * weights[g*O + o, i, q...]`. `input` is zero
    outside of its shape. Kernel positions are in row-major order, and channels ascend
    within a kernel position. The products are accumulated in the order `accum`;
    `#pop.accum` defines the orders, with their blocks and lanes. Floats narrower than
    f32 are accumulated in f32. The sum starts from `acc` if there is one.

    `pads` holds the pads before each spatial dimension, then the pads after each
    spatial dimension. Absent `strides`, `dilations` and `input_dilations` are 1; absent
    `pads` are 0. With `input_dilations` d, there are d - 1 zeros between neighbouring
    elements of `input` along a spatial dimension. The size of this dimension becomes
    `in = d * (size - 1) + 1`, or 0 if there are no elements. These zeros and the zeros
    of `pads` are ordinary elements, whose products are added like all other products.
    For example, the product of such a zero and an infinite weight is NaN, and the
    addition of a product +0 to a sum -0 gives +0.

    (C1) `input` has rank 3, 4 or 5; `weights` has the same rank and element type.
    (C2) `strides`, `dilations` and `input_dilations` have one positive value for each
    spatial dimension; `pads` has two non-negative values for each.
    (C3) `groups` is positive and divides both channel counts. Dimension 1 of `weights`
    times `groups` equals dimension 1 of `input`.
    (C4) The size of the dilated kernel is at least 1 and at most the size of the
    padded, dilated input.
    (C5) `result` is [N, G*O, (in + pads - (dilation * (kernel - 1) + 1)) / stride + 1
    ...]. The element type of `result` is the element type of the operands. If the
    operands are floats narrower than f32, the element type of `result` may also be f32.
    (C6) `acc` has the type of `result`. If there is an `acc`, and the operands are
    floats narrower than f32, the element type of `result` is f32.
    (C7) `accum` is `chain`, or `blocked` with one lane and at most 65535 blocks. A
    `kernel` of `accum` has one value for each spatial dimension, and each value
    divides the kernel size of `weights` along this dimension.
    (C8) `accum` has `partials` only for elements narrower than f32.

    ```mlir
    %y = pop.conv %x, %w {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x4x4xf32>
    %dx = pop.conv %dy, %v {input_dilations = array<i64: 2, 2>, pads = array<i64: 1, 1, 2, 2>} : (tensor<1x6x4x4xf32>, tensor<4x6x3x3xf32>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let arguments = (ins
    Pop_NumberTensor:$input, Pop_NumberTensor:$weights,
    Optional<Pop_NumberTensor>:$acc,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$strides,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$dilations,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$input_dilations,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$pads,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    Pop_OptionalAccum:$accum);
  let results = (outs Pop_NumberTensor:$result);
  let assemblyFormat = [{
    $input `,` $weights (`,` $acc^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Pop_ConvPartialsOp : Pop_PureOp<"conv_partials", [
    Pop_Infer, Pop_Codelet, Pop_Plan,
    Pop_NoGradient<"decomposition creates it after differentiation">]> {
  let summary = "Compute partial sums of a convolution";
  let description = [{
    Computes the sum of each block of addends of a `pop.conv` without pads. A block has
    `channels` channels at a region of kernel positions with the shape `kernel`. If
    `channels` does not divide the number of channels of a group, the last block of
    channels has fewer channels. The shape of `result` is [number of kernel blocks along
    each spatial dimension..., number of blocks of channels, N, G*O, spatial...]. Each
    element is one chain of fused multiply-adds that starts from +0. In the chain,
    kernel positions and channels have the same order as in `pop.conv`. If a `pop.conv`
    has a `blocked` order, `pop-decompose` replaces the `pop.conv` by this op and by
    sums of this op's result. `pop-decompose` does so for `weights` with a kernel of any
    size. The op does not rearrange its operands: vertices read the blocks in place.

    (C1) to (C4) The constraints of `pop.conv` hold.
    (C5) `channels` is positive. `kernel` has one positive value for each spatial
    dimension, and each value divides the kernel size of `weights` along this
    dimension.
    (C6) `result` has the shape above. The element type of `result` is f32 if the
    operands are floats narrower than f32, and otherwise the element type of the
    operands.

    ```mlir
    %p = pop.conv_partials %x, %w {channels = 2 : i64, kernel = array<i64: 1, 3>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<3x1x2x1x6x6x6xf32>
    ```
  }];
  let arguments = (ins
    Pop_NumberTensor:$input, Pop_NumberTensor:$weights, I64Attr:$channels,
    DenseI64ArrayAttr:$kernel,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$strides,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$dilations,
    DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Pop_NumberTensor:$result);
  let assemblyFormat = [{
    $input `,` $weights attr-dict `:` functional-type(operands, results)
  }];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPCONTRACTIONOPS
