//===- PopContractionOps.td - pop matmul and convolution ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPCONTRACTIONOPS
#define IPU_MLIR_DIALECT_POP_IR_POPCONTRACTIONOPS

include "ipu-mlir/Dialect/Pop/IR/PopBase.td"

def Pop_MatmulOp : Pop_PureOp<"matmul", [Pop_InferAccum, Pop_Codelet,
                                         Pop_Decompose, Pop_Plan]> {
  let summary = "batched matrix product";
  let description = [{
    Computes `y[..., m, n] = sum over k of lhs[..., m, k] * rhs[..., k, n]` by
    one chain of fused multiply-adds, k ascending, in f32 for narrower floats,
    else in the element type. Leading (batch) dimensions broadcast as in numpy.
    The chain starts from +0 or, if there is one, from `acc`: a product of
    k + l terms is one of k terms and then one of l terms that goes on from it.

    (C1) both operands have rank 2 or more and the same element type.
    (C2) the last dimension of `lhs` equals the second-last of `rhs`.
    (C3) batch dimensions broadcast.
    (C4) `result` has the broadcast batch shape followed by m, n; its element
    type is the operands' or, for floats narrower than f32, f32.
    (C5) `acc` has the type of `result`, which then is not rounded.
    (C6) `accum` is `chain` or, without `acc`, `blocked` with one lane and at
    most 65536 blocks.

    ```mlir
    %y = pop.matmul %a, %b : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
    %z = pop.matmul %c, %d, %y : (tensor<8x16x4xf32>, tensor<4x64xf32>, tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    ```
  }];
  let arguments = (ins Pop_NumberTensor:$lhs, Pop_NumberTensor:$rhs,
                       Optional<Pop_NumberTensor>:$acc,
                       Pop_ChainByDefault:$accum);
  let results = (outs Pop_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`,` $acc^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Pop_ConvOp : Pop_PureOp<"conv", [Pop_InferAccum, Pop_Codelet,
                                     Pop_Decompose, Pop_Plan]> {
  let summary = "convolution over one to three spatial dimensions";
  let description = [{
    With `input` [N, G*I, spatial...], `weights` [G*O, I, kernel...]:
    `y[n, g*O + o, p...] = sum over kernel positions q..., then i, of
    input[n, g*I + i, p*stride + q*dilation - pad...] * weights[g*O + o, i, q...]`
    where `input` is zero outside of its shape. One chain of fused
    multiply-adds per output, kernel positions in row-major order and, within
    one, channels ascending; in f32 for narrower floats. The chain starts from
    +0 or, if there is one, from `acc`.

    `pads` holds the pads before each spatial dimension, then the pads after
    each. Absent `strides` and `dilations` are 1, absent `pads` 0.

    (C1) `input` has rank 3, 4 or 5; `weights` has the same rank and element type.
    (C2) `strides`, `dilations` have one positive value for each spatial
    dimension, `pads` two non-negative ones.
    (C3) `groups` is positive and divides both channel counts, and
    `weights` dimension 1 times `groups` equals `input` dimension 1.
    (C4) the dilated kernel is at least 1 and fits the padded input.
    (C5) `result` is [N, G*O, (in + pads - (dilation * (kernel - 1) + 1)) / stride + 1 ...];
    its element type is the operands' or, for floats narrower than f32, f32.
    (C6) `acc` has the type of `result`, which then is not rounded.
    (C7) `accum` is `chain` or, without `acc`, `blocked` with one lane, at most
    65536 blocks and at most 1024 kernel positions.

    ```mlir
    %y = pop.conv %x, %w {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x4x4xf32>
    ```
  }];
  let arguments = (ins
    Pop_NumberTensor:$input, Pop_NumberTensor:$weights,
    Optional<Pop_NumberTensor>:$acc,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$strides,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$dilations,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$pads,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    Pop_ChainByDefault:$accum);
  let results = (outs Pop_NumberTensor:$result);
  let assemblyFormat = [{
    $input `,` $weights (`,` $acc^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The most kernel positions that a `blocked` order may have.
    static constexpr int64_t kMaxBlockedPositions = 1024;
  }];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPCONTRACTIONOPS
