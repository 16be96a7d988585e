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

def Pop_BucketIndicesOp : Pop_PureOp<"bucket_indices", [
    Pop_Infer, Pop_Codelet,
    Pop_NoGradient<"a split of a scatter creates it after differentiation">]> {
  let summary = "List the indices of each block of rows";
  let description = [{
    Row numbers are divided into blocks of `block` rows, and `indices` [batch, i] into
    chunks of `chunk` indices. There is one list `y[b, c, p, ...]` for each chunk c and
    each block p of rows. For each index of the chunk that is a row of the block, in
    ascending order of positions, the list has the element
    `position in the chunk * block + index - p * block`. The other elements of the list
    follow, and are -1. Indices outside of the `rows` rows are in no list.

    A split of a `pop.scatter` creates this op. Each tile then visits only the updates of
    its rows.

    (C1) `indices` has rank 2 and integers of more than one bit.
    (C2) `rows` and `chunk` are positive. `block` is a power of two, and `block * chunk` is
    at most 2^31.
    (C3) `result` has the shape [batch, ceil(i / chunk), ceil(rows / block), chunk] and
    elements of type i32.

    ```mlir
    %l = pop.bucket_indices %i {rows = 10 : i64, block = 4 : i64, chunk = 8 : i64} : tensor<1x16xi32> -> tensor<1x2x3x8xi32>
    ```
  }];
  let arguments = (ins Pop_IntTensor:$indices, I64Attr:$rows, I64Attr:$block,
                       I64Attr:$chunk);
  let results = (outs Pop_WideIntTensor:$result);
  let assemblyFormat = [{
    $indices attr-dict `:` type($indices) `->` type($result)
  }];
}

def Pop_ScatterBucketsOp : Pop_PureOp<"scatter_buckets", [
    AllTypesMatch<["input", "result"]>, Pop_Codelet,
    Pop_NoGradient<"a split of a scatter creates it after differentiation">]> {
  let summary = "Combine blocks of rows with listed updates";
  let description = [{
    Computes a `pop.scatter` whose indices are given by the result `lists` of a
    `pop.bucket_indices` with the same `block`: an element `position * block + row` of the
    list [b, c, p, ...] combines the row `p * block + row` of `input` with the update
    at this position of chunk c. Updates are combined in the order of chunks, and in a
    chunk in the order of the list. Therefore each row gets its updates in ascending
    order. A list ends before its first negative element.

    (C1) `input`, `updates` and `lists` have the shapes [batch, rows, columns],
    [batch, i, columns] and [batch, ceil(i / chunk), ceil(rows / block), chunk].
    (C2) `lists` has elements of type i32, and `updates` has the element type of `input`.
    (C3) `block` is a power of two.
    (C4) Only `replace` takes i1. `add` and `mul` take no floats narrower than f32.

    ```mlir
    %y = pop.scatter_buckets add %x, %lists, %updates {block = 4 : i64} : tensor<1x10x3xf32>, tensor<1x2x3x8xi32>, tensor<1x16x3xf32>
    ```
  }];
  let arguments = (ins Pop_ScatterKindAttr:$kind, Pop_Tensor:$input,
                       Pop_WideIntTensor:$lists, Pop_Tensor:$updates,
                       I64Attr:$block);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $input `,` $lists `,` $updates attr-dict `:` type($input) `,`
    type($lists) `,` type($updates)
  }];
  let hasVerifier = 1;
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
