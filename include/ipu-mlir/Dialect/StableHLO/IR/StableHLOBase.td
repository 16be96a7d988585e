//===- StableHLOBase.td - Dialect, types, attributes -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_STABLEHLO_IR_STABLEHLOBASE
#define IPU_MLIR_DIALECT_STABLEHLO_IR_STABLEHLOBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::mlir::ipu::stablehlo";
  let summary = "Programs in the text form of StableHLO";
  let description = [{
    Parses and prints programs in the StableHLO dialect of the OpenXLA project, in custom
    and generic form. The StableHLO specification defines the semantics of the ops. In the
    descriptions of the ops, constraints such as (C1) have the numbers of this
    specification. The dialect has only the ops that are listed below. The implementation
    belongs to this project and has its own C++ namespace. The dialect is registered only if
    no other dialect of this name is registered.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 0;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def HLO_TokenType : TypeDef<StableHLO_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "Token that orders ops with side effects";
}

def HLO_PredOrInt : AnyTypeOf<[AnyI1, AnySignlessInteger, AnyUnsignedInteger]>;
def HLO_Element : Type<
    CPred<"::mlir::ipu::stablehlo::isElementType($_self)">,
    "StableHLO element type (i1, iN, uiN, float or complex)">;
class HLO_TensorOf<list<Type> elements> : RankedTensorOf<elements>;
def HLO_Tensor : HLO_TensorOf<[HLO_Element]>;
def HLO_IntTensor : HLO_TensorOf<[AnySignlessInteger, AnyUnsignedInteger]>;
def HLO_FloatTensor : HLO_TensorOf<[AnyFloat]>;
def HLO_FloatOrComplexTensor : HLO_TensorOf<[AnyFloat, AnyComplex]>;
def HLO_IntFloatOrComplexTensor : HLO_TensorOf<[
    AnySignlessInteger, AnyUnsignedInteger, AnyFloat, AnyComplex]>;
def HLO_PredTensor : HLO_TensorOf<[I1]>;
def HLO_ScalarIntTensor : 0DTensorOf<[AnySignlessInteger, AnyUnsignedInteger]>;
def HLO_ScalarTensor : 0DTensorOf<[HLO_Element]>;
def HLO_TensorOrToken : AnyTypeOf<[HLO_Tensor, HLO_TokenType]>;

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class HLO_Enum<string name, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, "", cases> {
  let cppNamespace = "::mlir::ipu::stablehlo";
  let genSpecializedAttr = 0;
}
class HLO_EnumAttr<EnumAttrInfo enum, string name>
    : EnumAttr<StableHLO_Dialect, enum, name> {
  let assemblyFormat = "$value";
}

def HLO_ComparisonDirection : HLO_Enum<"ComparisonDirection", [
    I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>,
    I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
    I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def HLO_ComparisonDirectionAttr
    : HLO_EnumAttr<HLO_ComparisonDirection, "comparison_direction">;

def HLO_ComparisonType : HLO_Enum<"ComparisonType", [
    I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
    I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
    I32EnumAttrCase<"UNSIGNED", 4>]>;
def HLO_ComparisonTypeAttr
    : HLO_EnumAttr<HLO_ComparisonType, "comparison_type">;

def HLO_Precision : HLO_Enum<"Precision", [
    I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
    I32EnumAttrCase<"HIGHEST", 2>]>;
def HLO_PrecisionAttr : HLO_EnumAttr<HLO_Precision, "precision">;

def HLO_Transpose : HLO_Enum<"Transpose", [
    I32EnumAttrCase<"TRANSPOSE_INVALID", 0>,
    I32EnumAttrCase<"NO_TRANSPOSE", 1>, I32EnumAttrCase<"TRANSPOSE", 2>,
    I32EnumAttrCase<"ADJOINT", 3>]>;
def HLO_TransposeAttr : HLO_EnumAttr<HLO_Transpose, "transpose">;

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

class HLO_Attr<string name, string attrMnemonic>
    : AttrDef<StableHLO_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}
def HLO_Dims : ArrayRefParameter<"int64_t">;

def HLO_DotAttr : HLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "Batching and contracting dimensions of a dot_general";
  let parameters = (ins
    HLO_Dims:$lhsBatchingDimensions, HLO_Dims:$rhsBatchingDimensions,
    HLO_Dims:$lhsContractingDimensions, HLO_Dims:$rhsContractingDimensions);
}

def HLO_DotAlgorithmAttr : HLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "Numerics of a dot_general";
  let parameters = (ins
    "::mlir::Type":$lhsPrecisionType, "::mlir::Type":$rhsPrecisionType,
    "::mlir::Type":$accumulationType, "int64_t":$lhsComponentCount,
    "int64_t":$rhsComponentCount, "int64_t":$numPrimitiveOperations,
    "bool":$allowImpreciseAccumulation);
}

def HLO_GatherAttr : HLO_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "Dimension numbers of a gather";
  let parameters = (ins
    HLO_Dims:$offsetDims, HLO_Dims:$collapsedSliceDims,
    HLO_Dims:$operandBatchingDims, HLO_Dims:$startIndicesBatchingDims,
    HLO_Dims:$startIndexMap, "int64_t":$indexVectorDim);
}

def HLO_ScatterAttr : HLO_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "Dimension numbers of a scatter";
  let parameters = (ins
    HLO_Dims:$updateWindowDims, HLO_Dims:$insertedWindowDims,
    HLO_Dims:$inputBatchingDims, HLO_Dims:$scatterIndicesBatchingDims,
    HLO_Dims:$scatterDimsToOperandDims, "int64_t":$indexVectorDim);
}

def HLO_ConvAttr : HLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "Dimension numbers of a convolution";
  let description = [{
    In `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, b is the batch dimension and f is the
    feature dimension. The kernel has the input feature dimension i and the output feature
    dimension o. Numbers are spatial dimensions.
  }];
  let parameters = (ins
    "int64_t":$inputBatchDimension, "int64_t":$inputFeatureDimension,
    HLO_Dims:$inputSpatialDimensions,
    "int64_t":$kernelInputFeatureDimension,
    "int64_t":$kernelOutputFeatureDimension,
    HLO_Dims:$kernelSpatialDimensions,
    "int64_t":$outputBatchDimension, "int64_t":$outputFeatureDimension,
    HLO_Dims:$outputSpatialDimensions);
}

def HLO_OutputOperandAliasAttr
    : HLO_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "Aliasing of a custom call's result with an operand";
  let parameters = (ins
    HLO_Dims:$outputTupleIndices, "int64_t":$operandIndex,
    HLO_Dims:$operandTupleIndices);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class HLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<StableHLO_Dialect, mnemonic, traits>;

/// A result type in the program is compatible with the inferred type if the two types
/// differ only in which dimensions are dynamic.
defvar HLO_CompatibleReturnTypes = [{
  static bool isCompatibleReturnTypes(::mlir::TypeRange lhs,
                                      ::mlir::TypeRange rhs) {
    return ::mlir::ipu::stablehlo::areCompatibleTypes(lhs, rhs);
  }
}];

/// An op whose result types can be inferred from its operands and attributes. The
/// inference also checks the constraints of the op.
class HLO_InferredOp<string mnemonic, list<Trait> traits = []>
    : HLO_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let extraClassDeclaration = HLO_CompatibleReturnTypes;
}

#endif // IPU_MLIR_DIALECT_STABLEHLO_IR_STABLEHLOBASE
