//===- PopShapeOps.td - Constants and data movement --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPSHAPEOPS
#define IPU_MLIR_DIALECT_POP_IR_POPSHAPEOPS

include "ipu-mlir/Dialect/Pop/IR/PopBase.td"
include "ipu-mlir/Interfaces/DeviceResources.td"

def Pop_ConstantOp : Pop_PureOp<"constant", [ConstantLike,
                                             AllTypesMatch<["value", "result"]>]> {
  let summary = "Define a constant tensor";
  let description = [{
    (C1) The type of `value` is a statically shaped tensor of a pop element type.
    (C2) `result` has the type of `value`.

    ```mlir
    %c = pop.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

class Pop_ViewOp<string mnemonic, list<Trait> traits = []>
    : Pop_PureOp<mnemonic, [Pop_View] # traits> {
  let results = (outs Pop_Tensor:$result);
  let hasFolder = 1;
}

def Pop_ReshapeOp : Pop_ViewOp<"reshape", [
    Pop_Gradient<"dx = dy in the shape of x">]> {
  let summary = "Reshape a tensor";
  let description = [{
    The result has the operand's elements in row-major order.

    (C1) `result` has the number of elements and the element type of `input`.

    ```mlir
    %y = pop.reshape %x : tensor<2x6xf32> to tensor<3x4xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def Pop_TransposeOp : Pop_ViewOp<"transpose", [Pop_Infer,
    Pop_Gradient<"dx = dy, transposed back">]> {
  let summary = "Permute dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of `input`.

    (C1) `permutation` is a permutation of the dimensions of `input`.
    (C2) `result` has the permuted shape.

    ```mlir
    %y = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<2x3xf32> -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasCanonicalizer = 1;
}

def Pop_SliceOp : Pop_ViewOp<"slice", [Pop_Infer,
    Pop_Gradient<"dx = dy at the positions of the slice, else 0">]> {
  let summary = "Extract a strided slice of a tensor";
  let description = [{
    Computes `y[i...] = x[starts + i * steps ...]`, where `i` is from 0 to `sizes - 1`
    in each dimension. Negative steps reverse the order.

    (C1) `starts`, `sizes` and `steps` have one value for each dimension. Sizes are not
    negative, and steps are not 0.
    (C2) In each dimension in which `sizes` is not 0, the first and the last position are
    inside `input`.
    (C3) `result` has the shape `sizes`.

    ```mlir
    %y = pop.slice %x {sizes = array<i64: 2, 2>, starts = array<i64: 0, 3>, steps = array<i64: 1, -1>} : tensor<2x4xf32> -> tensor<2x2xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$steps);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Pop_ExpandOp : Pop_ViewOp<"expand", [
    Pop_Gradient<"dx = sum of dy over the repeated dimensions">]> {
  let summary = "Broadcast to a shape by numpy's rules";
  let description = [{
    Shapes are aligned at the last dimension. Dimensions of `input` that are absent or of
    size 1 are repeated.

    (C1) The shape of `input` can be broadcast to the shape of `result`. The element
    types are the same.

    ```mlir
    %y = pop.expand %x : tensor<3x1xf32> to tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Pop_ConcatOp : Pop_PureOp<"concat", [Pop_Infer, Pop_Move,
    Pop_Gradient<"dx = slice of dy, for each operand x">]> {
  let summary = "Concatenate along an axis";
  let description = [{
    (C1) There is at least one operand. All operands have the same element type and the
    same rank, which is at least 1.
    (C2) `axis` is a dimension of the operands.
    (C3) The operands' shapes are equal except for dimension `axis`.
    (C4) `result` has the shape of the operands, except that the size of dimension `axis`
    is the sum of the operands' sizes in this dimension.

    ```mlir
    %y = pop.concat %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Variadic<Pop_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Pop_PadOp : Pop_PureOp<"pad", [Pop_Infer, Pop_Move,
    Pop_Gradient<"dx = slice of dy">]> {
  let summary = "Pad a tensor with a constant";
  let description = [{
    (C1) `low` and `high` have one non-negative value for each dimension.
    (C2) `value` has the operand's element type.
    (C3) Dimension i of `result` has the size of dimension i of `input` plus
    `low[i] + high[i]`.

    ```mlir
    %y = pop.pad %x {high = array<i64: 0, 2>, low = array<i64: 1, 0>, value = 0.0 : f32} : tensor<2x3xf32> -> tensor<3x5xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, TypedAttrInterface:$value);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
}

def Pop_GatherOp : Pop_PureOp<"gather", [Pop_Infer, Pop_Codelet, Pop_Plan,
    Pop_Gradient<"dtable = scatter add of dy to zeros">]> {
  let summary = "Gather rows of a table by index";
  let description = [{
    Computes `y[b..., i..., e...] = table[b..., indices[b..., i...], e...]`, where b
    stands for the indices of the first `batch_dims` dimensions, which both operands
    share. The op copies elements bit for bit. A negative index, or an index beyond the last
    row, gives zeros.

    (C1) `batch_dims` is not negative, is at most the rank of `indices`, and is less
    than the rank of `table`. `table` and `indices` have the same batch dimensions.
    (C2) `indices` are integers of more than one bit.
    (C3) `result` has the shape b..., i..., e... and the table's element type.

    ```mlir
    %y = pop.gather %table, %indices : (tensor<1000x64xf32>, tensor<2x8xi32>) -> tensor<2x8x64xf32>
    %z = pop.gather %tables, %ids {batch_dims = 1 : i64} : (tensor<4x10x3xf16>, tensor<4xui32>) -> tensor<4x3xf16>
    ```
  }];
  let arguments = (ins Pop_Tensor:$table, Pop_IntTensor:$indices,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = [{
    $table `,` $indices attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Pop_GatherPartialsOp : Pop_PureOp<"gather_partials", [
    Pop_Infer, Pop_Codelet,
    Pop_NoGradient<"a split of a gather creates it after differentiation">]> {
  let summary = "Gather rows of each block of a table by index";
  let description = [{
    The rows of `table` [batch, rows, columns] are divided into blocks of `block` rows.
    The op computes `y[b, i, p, ...] = table[b, indices[b, i], ...]` if row `indices[b, i]`
    is in block p, and 0 otherwise. A split of a `pop.gather` creates this op, so that
    tiles can divide the rows of a table. Vertices read the blocks in place.

    (C1) `table` has rank 3, `indices` has rank 2, and both have the same batch dimension.
    (C2) `indices` are integers of more than one bit.
    (C3) `block` is positive.
    (C4) `result` has the shape [batch, i, ceil(rows / block), columns] and the table's
    element type.

    ```mlir
    %y = pop.gather_partials %table, %indices {block = 4 : i64} : (tensor<1x10x3xf16>, tensor<1x2xi32>) -> tensor<1x2x3x3xf16>
    ```
  }];
  let arguments = (ins Pop_Tensor:$table, Pop_IntTensor:$indices, I64Attr:$block);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = [{
    $table `,` $indices attr-dict `:` functional-type(operands, results)
  }];
}

def Pop_StopGradientOp : Pop_PureOp<"stop_gradient", [
    SameOperandsAndResultType, Pop_View,
    Pop_ZeroGradient<"the op exists to stop gradients">]> {
  let summary = "Stop gradients at a tensor";
  let description = [{
    Returns `input`. The op is never folded. After differentiation, the op costs no time.

    ```mlir
    %y = pop.stop_gradient %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

//===----------------------------------------------------------------------===//
// Slices whose start is a tensor
//===----------------------------------------------------------------------===//

def Pop_DynamicSliceOp : Pop_PureOp<"dynamic_slice", [
    Pop_Infer, Pop_Codelet, Pop_Decompose, Pop_Plan,
    Pop_Gradient<"dx = dy at the positions of the slice, else 0, by dynamic_update">]> {
  let summary = "Extract a slice at a computed start";
  let description = [{
    Let s[k] be `start[k]`, clamped to the range from 0 to the size of dimension
    `axes[k]` minus `sizes[k]`, so that the slice is always inside `input`. Along each
    dimension `axes[k]`, the result has the `sizes[k]` positions of `input` that begin at
    s[k]. Along the other dimensions, the result has all positions. The op does not
    change any bit.

    Tiles slice one dimension after the other. They begin with the dimension that is
    reduced to the smallest fraction of its size.

    (C1) `axes` are distinct dimensions of `input`.
    (C2) `sizes` has one value for each dimension in `axes`, from 0 to the size of this
    dimension.
    (C3) `start` has the shape [number of axes] and an integer type of more than one bit.
    (C4) `result` has the shape of `input`, with `sizes` along `axes`.

    ```mlir
    %y = pop.dynamic_slice %x[%start] {axes = array<i64: 0>, sizes = array<i64: 2>} : tensor<8x4xf32>, tensor<1xi32> -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, Pop_IntTensor:$start,
                       DenseI64ArrayAttr:$axes, DenseI64ArrayAttr:$sizes);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = [{
    $input `[` $start `]` attr-dict `:` type($input) `,` type($start) `->`
    type($result)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Pop_DynamicUpdateOp : Pop_PureOp<"dynamic_update", [
    Pop_Codelet, Pop_Decompose, Pop_Plan, AllTypesMatch<["input", "result"]>,
    Pop_Gradient<"dinput = dy, 0 in the region; dupdate = dynamic_slice of dy">]> {
  let summary = "Replace a slice at a computed start";
  let description = [{
    Returns `input` with one region replaced by `update`. The region is the one that
    `pop.dynamic_slice` would extract with the same `start` and `axes` and with the sizes
    of `update`. `start` is clamped in the same way. The op copies elements bit for bit.

    (C1) `axes` are distinct dimensions of `input`.
    (C2) `update` has the rank and the element type of `input`. Along `axes`, the sizes
    of `update` are at most those of `input`. Along the other dimensions, the sizes of
    `update` are equal to those of `input`.
    (C3) `start` has the shape [number of axes] and an integer type of more than one bit.
    (C4) `result` has the type of `input`.

    ```mlir
    %y = pop.dynamic_update %x, %u[%start] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<2x4xf32>, tensor<1xi32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, Pop_Tensor:$update,
                       Pop_IntTensor:$start, DenseI64ArrayAttr:$axes);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $update `[` $start `]` attr-dict `:` type($input) `,`
    type($update) `,` type($start)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

def Pop_ExpectEqOp : Pop_Op<"expect_eq", [
    AllTypesMatch<["input", "expected"]>, UsesResource<HostStreamResource>]> {
  let summary = "Fail the run unless a tensor has the expected bits";
  let description = [{
    When the program executes the op, the host compares all elements bit by bit, except
    that any two NaNs are equal. -0 and +0 differ. A run that fails reports the location
    of this op and the index of the first element that differs.

    (C1) `expected` has the type of `input`.

    ```mlir
    pop.expect_eq %x, dense<[1, 2]> : tensor<2xi32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, ElementsAttr:$expected);
  let assemblyFormat = "$input `,` $expected attr-dict";
}

def Pop_ExpectCloseOp : Pop_Op<"expect_close", [
    AllTypesMatch<["input", "expected"]>, UsesResource<HostStreamResource>]> {
  let summary = "Fail the run unless a tensor is close to the expected values";
  let description = [{
    The host compares all elements as for `pop.expect_eq`, but an element x is accepted
    if `|x - expected| <= atol + rtol * |expected|`. Infinities must be equal.

    (C1) `expected` has the type of `input`, which is a float tensor.
    (C2) `rtol` and `atol` are not negative.

    ```mlir
    pop.expect_close %x, dense<[1.0, 2.0]> : tensor<2xf32> {rtol = 1.0e-5 : f64}
    ```
  }];
  let arguments = (ins Pop_FloatTensor:$input, ElementsAttr:$expected,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$rtol,
                       DefaultValuedAttr<F64Attr, "1.0e-8">:$atol);
  let assemblyFormat = "$input `,` $expected attr-dict";
  let hasVerifier = 1;
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPSHAPEOPS
