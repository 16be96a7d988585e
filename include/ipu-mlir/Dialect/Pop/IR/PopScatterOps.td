//===- PopScatterOps.td - Scatters -------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPSCATTEROPS
#define IPU_MLIR_DIALECT_POP_IR_POPSCATTEROPS

include "ipu-mlir/Dialect/Pop/IR/PopBase.td"

def Pop_ScatterOp : Pop_PureOp<"scatter", [
    AllTypesMatch<["input", "result"]>, Pop_Codelet, Pop_Decompose, Pop_Plan,
    Pop_Gradient<
        "dinput = dy and dupdates = gather of dy for `add`. For `replace`, dinput is 0 in "
        "rows that are replaced, and dupdates is 0 for updates that a later update "
        "replaces. For `max` and `min`, equal elements share dy equally. For `mul`, "
        "dinput = dy * the product of the updates, and dupdates is an error">]> {
  let summary = "Combine rows of a tensor with updates by index";
  let description = [{
    The op is the dual of `pop.gather`. The result is `input` with some rows updated.
    For all i in row-major order, the op combines row `[b..., indices[b..., i...]]` with
    the update `updates[b..., i...]`: the kind `replace` replaces the row by the update,
    and the other kinds replace the row by the sum, product, maximum or minimum of the
    row and the update. Here b stands for the indices of the first `batch_dims`
    dimensions, which all operands share. A negative index, or an index beyond the last
    row, has no effect.

    The order of updates is part of the semantics. If several indices are equal,
    `replace` keeps the last update. `add` and `mul` combine the element of `input` with
    the first update, then the result with the second update, and so on. Sums and
    products of floats narrower than f32 are accumulated in f32 and rounded once. `max`
    and `min` combine elements like `pop.max` and `pop.min`. Elements without updates
    keep their values.

    (C1) `batch_dims` is not negative, is at most the rank of `indices`, and is less
    than the rank of `input`. `input` and `indices` have the same batch dimensions.
    (C2) `indices` are integers of more than one bit.
    (C3) If `input` has the shape b..., rows, e..., then `updates` has the shape b...,
    i..., e... and the element type of `input`.
    (C4) Only `replace` takes i1.
    (C5) `result` has the type of `input`.

    ```mlir
    %y = pop.scatter add %x, %indices, %updates : tensor<10x3xf32>, tensor<2x4xi32>, tensor<2x4x3xf32>
    %z = pop.scatter replace %a, %ids, %rows {batch_dims = 1 : i64} : tensor<4x10x3xf16>, tensor<4x2xui32>, tensor<4x2x3xf16>
    ```
  }];
  let arguments = (ins Pop_ScatterKindAttr:$kind, Pop_Tensor:$input,
                       Pop_IntTensor:$indices, Pop_Tensor:$updates,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $input `,` $indices `,` $updates attr-dict `:` type($input) `,`
    type($indices) `,` type($updates)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Pop_SelectAndScatterOp : Pop_PureOp<"select_and_scatter", [
    Pop_Infer, Pop_Codelet, Pop_Decompose, Pop_Plan,
    Pop_Gradient<"doperand = 0; dsource = dy at the element that each window selects">]> {
  let summary = "Add source elements to the positions that windows select";
  let description = [{
    The op computes the gradient of `pop.max_pool`. Each window of `operand` selects its
    greatest (`max`) or least (`min`) element. Each window has one element of `source`.
    An element of `result` is the sum of the `source` elements of all windows that
    select the element of `operand` at the same position. The sum starts with +0 and
    adds the `source` elements in the row-major order of the windows.

    Windows are those of `pop.max_pool` with the same attributes. If several elements are
    equal (-0 equals +0), the first one in row-major order is selected. If there are NaNs,
    the first NaN is selected. Positions outside of the operand are never selected, and a
    window that has only such positions selects nothing. Sums of floats narrower than f32
    are accumulated in f32 and rounded once.

    (C1) `operand` has rank 3, 4 or 5.
    (C2) For each spatial dimension, `kernel`, `strides` and `dilations` have one
    positive value, and `pads` has two values that are not negative.
    (C3) The dilated kernel is not larger than the padded operand.
    (C4) Each pad is less than the dilated kernel.
    (C5) `kind` is `max` or `min`.
    (C6) `source` has the shape of the result of a `pop.max_pool` of `operand`. The
    element type of `source` is that of `operand`. If this type is a float narrower than
    f32, `source` may also be f32.
    (C7) `result` has the shape of `operand` and the element type of `source`.

    ```mlir
    %dx = pop.select_and_scatter max %x, %dy {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32>, tensor<1x4x4x4xf32> -> tensor<1x4x8x8xf32>
    ```
  }];
  let arguments = (ins
    Pop_ReduceKindAttr:$kind, Pop_NumberTensor:$operand, Pop_NumberTensor:$source,
    DenseI64ArrayAttr:$kernel,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$strides,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$dilations,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$pads,
    UnitAttr:$ceil_mode);
  let results = (outs Pop_NumberTensor:$result);
  let assemblyFormat = [{
    `` $kind $operand `,` $source attr-dict `:` type($operand) `,` type($source)
    `->` type($result)
  }];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPSCATTEROPS
