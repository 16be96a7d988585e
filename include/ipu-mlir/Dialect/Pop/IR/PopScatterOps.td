//===- PopScatterOps.td - pop scatters ----------------------*- tablegen -*-===//
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
        "dinput = dy, dupdates = gather of dy for `add`; for `replace` dinput is 0 "
        "in rows that are replaced, and dupdates is 0 for updates that a later one "
        "replaces; for `max` and `min` equal elements share dy equally; for `mul` "
        "dinput = dy * the product of the updates, and dupdates is an error">]> {
  let summary = "Combine rows of a tensor with updates by index";
  let description = [{
    The dual of `pop.gather`: the result is `input`, with row `[b...,
    indices[b..., i...]]` replaced by `updates[b..., i...]`, or by the sum,
    product, maximum or minimum of the row and the update, for all i in
    row-major order. b are the first `batch_dims` dimensions of all operands. An
    index outside of the rows (a negative one, too) has no effect.

    The order is part of the semantics: for equal indices, `replace` leaves the
    last update, and `add` and `mul` combine the input's element with the first
    update, the result with the second, and so on. Sums and products of floats
    narrower than f32 are accumulated in f32 and rounded once. `max` and `min`
    are those of `pop.max` and `pop.min`. Elements without updates keep their
    values.

    (C1) `batch_dims` is not negative, at most the rank of `indices` and less
    than that of `input`; these dimensions are the same in both.
    (C2) `indices` are integers of more than one bit.
    (C3) `updates` has the shape b..., i..., e..., where `input` is b..., rows,
    e..., and the element type of `input`.
    (C4) only `replace` takes i1.
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
    Pop_Gradient<"doperand = 0; dsource = dy at what each window selects">]> {
  let summary = "Scatter a source to the positions that windows select, and add";
  let description = [{
    The gradient of `pop.max_pool`: each window of `operand` selects its
    greatest element (`max`) or its least (`min`), and each element of `result`
    is the sum of the `source` elements of the windows that selected it, added
    to +0 in ascending (row-major) order of the windows.

    Windows are those of `pop.max_pool` with the same attributes. Of equal
    elements (-0 equals +0) the first in row-major order is selected. If there
    are NaNs, the first NaN is selected. Positions outside of the operand are
    never selected, and a window without others selects none. Sums of floats
    narrower than f32 are accumulated in f32 and rounded once.

    (C1) `operand` has rank 3, 4 or 5.
    (C2) `kernel`, `strides`, `dilations` have one positive value for each
    spatial dimension, `pads` two non-negative ones.
    (C3) the dilated kernel fits the padded operand.
    (C4) each pad is less than the dilated kernel.
    (C5) `kind` is `max` or `min`.
    (C6) `source` has the shape of a `pop.max_pool` of the operand; its element
    type is the operand's or, for floats narrower than f32, f32.
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
