//===- StableHLOOps.td - Ops that are not elementwise ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_STABLEHLO_IR_STABLEHLOOPS
#define IPU_MLIR_DIALECT_STABLEHLO_IR_STABLEHLOOPS

include "ipu-mlir/Dialect/StableHLO/IR/StableHLOElementwise.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

def HLO_ConstantOp : HLO_Op<"constant", [
    ConstantLike, NoMemoryEffect, AlwaysSpeculatable,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Define a constant";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs HLO_Tensor:$output);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
}

def HLO_IotaOp : HLO_Op<"iota", [NoMemoryEffect, AlwaysSpeculatable]> {
  let summary = "Create a tensor with the elements 0, 1, 2, ... along a dimension";
  let description = "(C1) `iota_dimension` is a dimension of the result.";
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs HLO_IntFloatOrComplexTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// An op with one tensor operand, one tensor result, and a functional type.
class HLO_ShapeOp<string mnemonic>
    : HLO_Op<mnemonic, [NoMemoryEffect, AlwaysSpeculatable]> {
  let results = (outs HLO_Tensor:$result);
  let hasVerifier = 1;
}
class HLO_InferredShapeOp<string mnemonic>
    : HLO_InferredOp<mnemonic, [NoMemoryEffect, AlwaysSpeculatable]> {
  let results = (outs HLO_Tensor:$result);
}

def HLO_BitcastConvertOp : HLO_ShapeOp<"bitcast_convert"> {
  let summary = "Reinterpret bits as elements of another type";
  let description = [{
    (C1) If the element types have equal widths, the shapes are equal. Otherwise the tensor
    with the narrower elements has an additional last dimension, whose size is the ratio of
    the widths.
  }];
  let arguments = (ins HLO_Tensor:$operand);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def HLO_ReshapeOp : HLO_ShapeOp<"reshape"> {
  let summary = "Reshape a tensor in row-major order";
  let description = "(C1) The element types are equal. (C2) The numbers of elements are equal.";
  let arguments = (ins HLO_Tensor:$operand);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def HLO_BroadcastInDimOp : HLO_ShapeOp<"broadcast_in_dim"> {
  let summary = "Broadcast along new dimensions and dimensions of size 1";
  let description = [{
    (C1) The element types are equal. (C2) `broadcast_dimensions` has one value for each
    dimension of the operand. (C3) Each value is a dimension of the result. (C4) No value
    occurs twice. (C5) Each dimension of the operand has size 1 or the size of the
    corresponding dimension of the result.
  }];
  let arguments = (ins HLO_Tensor:$operand,
    DenseI64ArrayAttr:$broadcast_dimensions);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict `:`
    functional-type(operands, results)
  }];
}

def HLO_TransposeOp : HLO_InferredShapeOp<"transpose"> {
  let summary = "Permute dimensions";
  let description = "(C2) `permutation` is a permutation of the dimension numbers.";
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $permutation attr-dict `:`
    functional-type(operands, results)
  }];
}

def HLO_ReverseOp : HLO_InferredShapeOp<"reverse"> {
  let summary = "Reverse dimensions";
  let description = "(C2) No dimension occurs twice. (C3) All dimensions are in range.";
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

def HLO_ConcatenateOp : HLO_InferredShapeOp<"concatenate"> {
  let summary = "Concatenate tensors along a dimension";
  let description = [{
    (C1) The element types are equal. (C2) The shapes are equal except in dimension
    `dimension`. (C3) There is at least one operand. (C4) `dimension` is in range.
  }];
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, I64Attr:$dimension);
  let assemblyFormat = [{
    custom<VariadicOperandWithAttribute>($inputs) `dim` `=` $dimension attr-dict
    `:` functional-type(operands, results)
  }];
}

def HLO_SliceOp : HLO_InferredShapeOp<"slice"> {
  let summary = "Extract a strided slice";
  let description = [{
    (C2) There is a start, a limit and a stride for each dimension. (C3) In each dimension
    0 <= start <= limit <= size. (C4) Strides are positive.
  }];
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$start_indices,
    DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
    attr-dict `:` functional-type(operands, results)
  }];
}

def HLO_PadOp : HLO_InferredShapeOp<"pad"> {
  let summary = "Pad a tensor at both ends of dimensions and between elements";
  let description = [{
    (C1) The element types are equal. (C2) Each of the three padding attributes has one
    value for each dimension. (C3) Interior padding is not negative. (C4) The sizes of the
    result are not negative.
  }];
  let arguments = (ins HLO_Tensor:$operand, HLO_ScalarTensor:$padding_value,
    DenseI64ArrayAttr:$edge_padding_low, DenseI64ArrayAttr:$edge_padding_high,
    DenseI64ArrayAttr:$interior_padding);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=`
    $edge_padding_high `,` `interior` `=` $interior_padding attr-dict `:`
    functional-type(operands, results)
  }];
}

def HLO_DynamicSliceOp : HLO_InferredShapeOp<"dynamic_slice"> {
  let summary = "Extract a slice whose start indices are operands";
  let description = [{
    (C2) There is a start index and a size for each dimension. (C3) The start indices have
    the same type. (C4) Each slice size is at least 0 and at most the size of the operand's
    dimension.
  }];
  let arguments = (ins HLO_Tensor:$operand,
    Variadic<HLO_ScalarIntTensor>:$start_indices,
    DenseI64ArrayAttr:$slice_sizes);
  let assemblyFormat = [{
    $operand `,` custom<VariadicOperandWithAttribute>($start_indices)
    `sizes` `=` $slice_sizes attr-dict `:` functional-type(operands, results)
  }];
}

def HLO_DynamicUpdateSliceOp : HLO_InferredShapeOp<"dynamic_update_slice"> {
  let summary = "Replace a slice whose start indices are operands";
  let description = [{
    (C2) The element types are equal. (C3) The ranks are equal. (C4) There is a start index
    for each dimension. (C5) The start indices have the same type. (C6) The update is not
    larger than the operand.
  }];
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$update,
    Variadic<HLO_ScalarIntTensor>:$start_indices);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

def HLO_GatherOp : HLO_InferredShapeOp<"gather"> {
  let summary = "Gather the slices of a tensor at given start indices";
  let description = [{
    The constraints (C1) to (C22) of the specification relate dimension numbers, slice sizes
    and shapes.
  }];
  let arguments = (ins HLO_Tensor:$operand, HLO_IntTensor:$start_indices,
    HLO_GatherAttr:$dimension_numbers, DenseI64ArrayAttr:$slice_sizes,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
}

def HLO_ScatterOp : HLO_InferredOp<"scatter", [
    SameVariadicOperandSize, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Combine updates with the slices of a tensor at given start indices";
  let description = [{
    The constraints (C1) to (C25) of the specification relate dimension numbers and shapes.
  }];
  let arguments = (ins Variadic<HLO_Tensor>:$inputs,
    HLO_IntTensor:$scatter_indices, Variadic<HLO_Tensor>:$updates,
    HLO_ScatterAttr:$scatter_dimension_numbers,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<HLO_Tensor>:$results);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

def HLO_DotGeneralOp : HLO_ShapeOp<"dot_general"> {
  let summary = "Contract dimensions of two tensors";
  let description = [{
    (C1), (C2) Both operands have the same number of batching dimensions and of contracting
    dimensions. (C3), (C4) No dimension of an operand occurs twice. (C5) to (C8) All
    dimensions are in range. (C9), (C10) Corresponding dimensions have equal sizes. (C11)
    There are two precisions or none. (C12) The result has the batching dimensions first.
    The dimensions that are neither batching nor contracting follow: first those of `lhs`,
    then those of `rhs`. (C13) The operands have the same element type; the element type of
    the result may differ.
  }];
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs,
    HLO_DotAttr:$dot_dimension_numbers,
    OptionalAttr<TypedArrayAttrBase<HLO_PrecisionAttr, "">>:$precision_config,
    OptionalAttr<HLO_DotAlgorithmAttr>:$algorithm);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers) ``
    custom<PrecisionAndAlgorithm>($precision_config, $algorithm) attr-dict `:`
    functional-type(operands, results)
  }];
}

def HLO_ConvolutionOp : HLO_ShapeOp<"convolution"> {
  let summary = "Convolve tensors, with strides, padding, dilations and groups";
  let description = [{
    The constraints (C1) to (C27) of the specification hold.
  }];
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    HLO_ConvAttr:$dimension_numbers,
    I64Attr:$feature_group_count, I64Attr:$batch_group_count,
    OptionalAttr<TypedArrayAttrBase<HLO_PrecisionAttr, "">>:$precision_config);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvDimensions>($dimension_numbers)
    `,` `window` `=` `{` custom<WindowAttributes>($window_strides, $padding,
      $lhs_dilation, $rhs_dilation, $window_reversal)
    attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    int64_t getWindowStride(unsigned dim);
    int64_t getLhsDilation(unsigned dim);
    int64_t getRhsDilation(unsigned dim);
    std::pair<int64_t, int64_t> getPadding(unsigned dim);
  }];
}

//===----------------------------------------------------------------------===//
// Linear algebra
//===----------------------------------------------------------------------===//

def HLO_CholeskyOp : HLO_InferredShapeOp<"cholesky"> {
  let summary = "Compute the Cholesky factors of symmetric matrices";
  let description = [{
    (C1) The result has the type of the operand. (C2) There are at least two dimensions.
    (C3) The last two dimensions have the same size. The dimensions before them
    are batch dimensions.

    The custom form is `stablehlo.cholesky %a, lower = true : t`.
  }];
  let arguments = (ins HLO_FloatOrComplexTensor:$a,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:`
    custom<SameOperandsAndResultType>(type($a), type($result))
  }];
}

def HLO_TriangularSolveOp : HLO_InferredShapeOp<"triangular_solve"> {
  let summary = "Solve systems of equations with triangular matrices";
  let description = [{
    Solves a * x = b (`left_side`) or x * a = b. `transpose_a` says whether `a` is unchanged,
    transposed, or transposed and conjugated.

    (C1) The element types are equal. (C2) `a` and `b` have the same rank of at least 2.
    (C3) `a` and `b` have the same batch dimensions. The last two dimensions of `a` have
    equal sizes. With `left_side`, this size is the size of the second-last dimension of
    `b`; otherwise it is the size of the last dimension of `b`. (C4) The result has the type
    of `b`.
  }];
  let arguments = (ins HLO_FloatOrComplexTensor:$a,
    HLO_FloatOrComplexTensor:$b, BoolAttr:$left_side, BoolAttr:$lower,
    BoolAttr:$unit_diagonal, HLO_TransposeAttr:$transpose_a);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def HLO_ReduceOp : HLO_InferredOp<"reduce", [
    SameVariadicOperandSize, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Reduce tensors along dimensions";
  let description = [{
    (C1) All inputs have the same shape. (C2) Each init value has the element type of its
    input. (C3) There are as many init values as inputs. (C4) Dimensions are in range. (C5)
    No dimension occurs twice. (C6) For each input, the body takes two scalars and returns
    one scalar.

    If the body has only one op, which reads the arguments of the body, the custom form is
    `stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (t, u) -> v`.
    Otherwise the body is printed.
  }];
  let arguments = (ins Variadic<HLO_Tensor>:$inputs,
    Variadic<HLO_ScalarTensor>:$init_values, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<HLO_Tensor>:$results);
  let hasCustomAssemblyFormat = 1;
}

def HLO_SortOp : HLO_InferredOp<"sort", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Sort tensors along a dimension";
  let description = [{
    (C1) There is at least one input. (C2) All inputs have the same shape. (C4) The
    dimension is at least -rank and less than rank. (C5) For each input, the comparator
    takes two scalars. It returns one i1.
  }];
  let arguments = (ins Variadic<HLO_Tensor>:$inputs,
    DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<HLO_Tensor>:$results);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def HLO_ReturnOp : HLO_Op<"return", [Pure, Terminator, ReturnLike]> {
  let summary = "Return the values of a region";
  let arguments = (ins Variadic<HLO_TensorOrToken>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
  let builders = [OpBuilder<(ins), "">];
}

def HLO_WhileOp : HLO_InferredOp<"while", [
    RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"ReturnOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Repeat a body while a condition holds";
  let description = [{
    (C1) The condition takes arguments of the operand types and returns an i1. (C2) The body
    takes arguments of the operand types and returns values of these types. (C3) The results
    have the operand types.
  }];
  let arguments = (ins Variadic<HLO_TensorOrToken>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<HLO_TensorOrToken>:$results);
  let hasCustomAssemblyFormat = 1;
}

def HLO_CaseOp : HLO_Op<"case", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Execute the region that an index selects";
  let description = [{
    (C1) There is at least one branch. (C2) No branch has arguments. (C3) All branches return
    values of the result types.
  }];
  let arguments = (ins 0DTensorOf<[I32]>:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<HLO_TensorOrToken>:$results);
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def HLO_IfOp : HLO_Op<"if", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Execute one of two regions";
  let description = [{
    (C1) The branches have no arguments. (C2) The branches return values of the result types.
  }];
  let arguments = (ins 0DTensorOf<[I1]>:$pred);
  let regions = (region SizedRegion<1>:$true_branch,
                        SizedRegion<1>:$false_branch);
  let results = (outs Variadic<HLO_TensorOrToken>:$results);
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def HLO_OptimizationBarrierOp : HLO_InferredOp<"optimization_barrier", [Pure]> {
  let summary = "Order producers of the operands before users of the results";
  let arguments = (ins Variadic<HLO_TensorOrToken>:$operand);
  let results = (outs Variadic<HLO_TensorOrToken>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(
      type($operand), type($result))):(`(` `)`)?
  }];
}

def HLO_CustomCallOp : HLO_Op<"custom_call", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Call a named implementation";
  let arguments = (ins Variadic<AnyType>:$inputs,
    StrAttr:$call_target_name,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
    DefaultValuedOptionalAttr<I32Attr, "1">:$api_version,
    DefaultValuedOptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "">,
        "{}">:$called_computations,
    OptionalAttr<ArrayAttr>:$operand_layouts,
    OptionalAttr<ArrayAttr>:$result_layouts,
    DefaultValuedOptionalAttr<TypedArrayAttrBase<HLO_OutputOperandAliasAttr, "">,
        "{}">:$output_operand_aliases);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    custom<CallTarget>($call_target_name) `(` $inputs `)` attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // IPU_MLIR_DIALECT_STABLEHLO_IR_STABLEHLOOPS
