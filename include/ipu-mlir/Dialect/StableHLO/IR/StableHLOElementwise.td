//===- StableHLOElementwise.td - Elementwise ops -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_STABLEHLO_IR_STABLEHLOELEMENTWISE
#define IPU_MLIR_DIALECT_STABLEHLO_IR_STABLEHLOELEMENTWISE

include "ipu-mlir/Dialect/StableHLO/IR/StableHLOBase.td"

class HLO_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : HLO_Op<mnemonic, traits # [
        Elementwise, NoMemoryEffect, AlwaysSpeculatable,
        SameOperandsAndResultShape]>;

defvar HLO_InferSameType = [{
  ::llvm::LogicalResult $cppClass::inferReturnTypes(
      ::mlir::MLIRContext *, ::std::optional<::mlir::Location> location,
      ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
      ::mlir::OpaqueProperties, ::mlir::RegionRange,
      ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
    return ::mlir::ipu::stablehlo::inferSameType(location, operands.getTypes(),
                                                 inferred);
  }
}];

/// An elementwise op with one operand. The operand and the result have the same type.
class HLO_UnaryOp<string mnemonic, Type type>
    : HLO_ElementwiseOp<mnemonic, [
        SameOperandsAndResultElementType,
        DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let extraClassDeclaration = HLO_CompatibleReturnTypes;
  let extraClassDefinition = HLO_InferSameType;
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(
      type($operand), type($result))
  }];
}

def HLO_AbsOp : HLO_ElementwiseOp<"abs", []> {
  let summary = "Compute absolute values";
  let description = "The absolute value of a complex number is a float.";
  let arguments = (ins HLO_IntFloatOrComplexTensor:$operand);
  let results = (outs HLO_IntFloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(
      type($operand), type($result))
  }];
  let hasVerifier = 1;
}
def HLO_CbrtOp : HLO_UnaryOp<"cbrt", HLO_FloatOrComplexTensor>;
def HLO_CeilOp : HLO_UnaryOp<"ceil", HLO_FloatTensor>;
def HLO_ClzOp : HLO_UnaryOp<"count_leading_zeros", HLO_IntTensor>;
def HLO_CosineOp : HLO_UnaryOp<"cosine", HLO_FloatOrComplexTensor>;
def HLO_ExpOp : HLO_UnaryOp<"exponential", HLO_FloatOrComplexTensor>;
def HLO_Expm1Op : HLO_UnaryOp<"exponential_minus_one", HLO_FloatOrComplexTensor>;
def HLO_FloorOp : HLO_UnaryOp<"floor", HLO_FloatTensor>;
def HLO_LogOp : HLO_UnaryOp<"log", HLO_FloatOrComplexTensor>;
def HLO_Log1pOp : HLO_UnaryOp<"log_plus_one", HLO_FloatOrComplexTensor>;
def HLO_LogisticOp : HLO_UnaryOp<"logistic", HLO_FloatOrComplexTensor>;
def HLO_NegOp : HLO_UnaryOp<"negate", HLO_IntFloatOrComplexTensor>;
def HLO_NotOp : HLO_UnaryOp<"not", HLO_IntTensor>;
def HLO_PopulationCountOp : HLO_UnaryOp<"popcnt", HLO_IntTensor>;
def HLO_RoundOp : HLO_UnaryOp<"round_nearest_afz", HLO_FloatTensor>;
def HLO_RoundNearestEvenOp : HLO_UnaryOp<"round_nearest_even", HLO_FloatTensor>;
def HLO_RsqrtOp : HLO_UnaryOp<"rsqrt", HLO_FloatOrComplexTensor>;
def HLO_SignOp : HLO_UnaryOp<"sign", HLO_IntFloatOrComplexTensor>;
def HLO_SineOp : HLO_UnaryOp<"sine", HLO_FloatOrComplexTensor>;
def HLO_SqrtOp : HLO_UnaryOp<"sqrt", HLO_FloatOrComplexTensor>;
def HLO_TanOp : HLO_UnaryOp<"tan", HLO_FloatOrComplexTensor>;
def HLO_TanhOp : HLO_UnaryOp<"tanh", HLO_FloatOrComplexTensor>;

def HLO_ConvertOp : HLO_ElementwiseOp<"convert"> {
  let summary = "Convert the element type";
  let arguments = (ins HLO_Tensor:$operand);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` functional-type(operands, results)
  }];
}

def HLO_IsFiniteOp : HLO_ElementwiseOp<"is_finite"> {
  let summary = "Test whether elements are finite";
  let arguments = (ins HLO_FloatTensor:$x);
  let results = (outs HLO_PredTensor:$y);
  let assemblyFormat = [{
    $x attr-dict `:` functional-type(operands, results)
  }];
}

/// An elementwise op with two operands. The operands and the result have the same
/// type.
class HLO_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : HLO_ElementwiseOp<mnemonic, traits # [
        SameOperandsAndResultElementType,
        DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let extraClassDeclaration = HLO_CompatibleReturnTypes;
  let extraClassDefinition = HLO_InferSameType;
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<SameOperandsAndResultType>(
      type($lhs), type($rhs), type($result))
  }];
}

def HLO_AddOp : HLO_BinaryOp<"add", HLO_Tensor, [Commutative]>;
def HLO_AndOp : HLO_BinaryOp<"and", HLO_IntTensor, [Commutative]>;
def HLO_Atan2Op : HLO_BinaryOp<"atan2", HLO_FloatOrComplexTensor>;
def HLO_DivOp : HLO_BinaryOp<"divide", HLO_IntFloatOrComplexTensor>;
def HLO_MaxOp : HLO_BinaryOp<"maximum", HLO_Tensor, [Commutative]>;
def HLO_MinOp : HLO_BinaryOp<"minimum", HLO_Tensor, [Commutative]>;
def HLO_MulOp : HLO_BinaryOp<"multiply", HLO_Tensor, [Commutative]>;
def HLO_OrOp : HLO_BinaryOp<"or", HLO_IntTensor, [Commutative]>;
def HLO_PowOp : HLO_BinaryOp<"power", HLO_IntFloatOrComplexTensor>;
def HLO_RemOp : HLO_BinaryOp<"remainder", HLO_IntFloatOrComplexTensor>;
def HLO_ShiftLeftOp : HLO_BinaryOp<"shift_left", HLO_IntTensor>;
def HLO_ShiftRightArithmeticOp
    : HLO_BinaryOp<"shift_right_arithmetic", HLO_IntTensor>;
def HLO_ShiftRightLogicalOp : HLO_BinaryOp<"shift_right_logical", HLO_IntTensor>;
def HLO_SubtractOp : HLO_BinaryOp<"subtract", HLO_IntFloatOrComplexTensor>;
def HLO_XorOp : HLO_BinaryOp<"xor", HLO_IntTensor, [Commutative]>;

def HLO_CompareOp : HLO_ElementwiseOp<"compare", [
    SameTypeOperands, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Compare elements";
  let description = [{
    (C3) `compare_type` fits the element type: SIGNED for signed integers, UNSIGNED for
    unsigned integers, FLOAT or TOTALORDER for floats, and FLOAT for complex numbers. (C4)
    Complex numbers can be compared only by EQ and NE.

    The custom form is `stablehlo.compare  LT, %a, %b,  SIGNED : (t, t) -> u`.
  }];
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs,
    HLO_ComparisonDirectionAttr:$comparison_direction,
    OptionalAttr<HLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs HLO_PredTensor:$result);
  let extraClassDeclaration = HLO_CompatibleReturnTypes;
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

/// An op with an operand that may be a scalar even if the result is not a scalar.
class HLO_BroadcastingOp<string mnemonic>
    : HLO_Op<mnemonic, [NoMemoryEffect, AlwaysSpeculatable,
        DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let extraClassDeclaration = HLO_CompatibleReturnTypes;
}

def HLO_SelectOp : HLO_BroadcastingOp<"select"> {
  let summary = "Select elements of two tensors by a predicate";
  let description = [{
    (C1) The predicate is a scalar or has the shape of the other operands. (C2) The other
    operands and the result have the same type.
  }];
  let arguments = (ins HLO_PredTensor:$pred, HLO_Tensor:$on_true,
    HLO_Tensor:$on_false);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectOpType>(
      type($pred), type($on_true), type($on_false), type($result))
  }];
}

def HLO_ClampOp : HLO_BroadcastingOp<"clamp"> {
  let summary = "Clamp elements to a range";
  let description = [{
    (C1) `min` is a scalar or has the shape of the operand. (C2) `max` is a scalar or has
    the shape of the operand. (C3) The element types are equal. (C4) The result has the
    type of the operand.
  }];
  let arguments = (ins HLO_Tensor:$min, HLO_Tensor:$operand, HLO_Tensor:$max);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:` custom<SameOperandsAndResultType>(
      type($min), type($operand), type($max), type($result))
  }];
}

#endif // IPU_MLIR_DIALECT_STABLEHLO_IR_STABLEHLOELEMENTWISE
