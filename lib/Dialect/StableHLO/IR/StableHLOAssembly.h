//===- StableHLOAssembly.h - Parts of assembly formats ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The custom directives of the declarative assembly formats of ops, and parsers
// and printers of lists of numbers in attributes.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_STABLEHLO_IR_STABLEHLOASSEMBLY_H
#define IPU_MLIR_LIB_DIALECT_STABLEHLO_IR_STABLEHLOASSEMBLY_H

#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"

namespace mlir::ipu::stablehlo {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Parses one type for all values, or a functional type with the types of the
/// inputs and the result, in order.
ParseResult parseEqualTypes(OpAsmParser &parser, ArrayRef<Type *> types);
void printEqualTypes(OpAsmPrinter &printer, ArrayRef<Type> types);

template <typename... Types>
ParseResult parseSameOperandsAndResultType(OpAsmParser &parser,
                                           Types &...types) {
  return parseEqualTypes(parser, {&types...});
}
template <typename... Types>
void printSameOperandsAndResultType(OpAsmPrinter &printer, Operation *,
                                    Types... types) {
  printEqualTypes(printer, {types...});
}

/// Parses `pred, value` or a functional type.
ParseResult parseSelectOpType(OpAsmParser &parser, Type &pred, Type &onTrue,
                              Type &onFalse, Type &result);
void printSelectOpType(OpAsmPrinter &printer, Operation *, Type pred,
                       Type onTrue, Type onFalse, Type result);

/// Parses the types of the operands, which are also the types of the results.
ParseResult parsePairwiseOpType(OpAsmParser &parser,
                                SmallVectorImpl<Type> &operands,
                                SmallVectorImpl<Type> &results);
void printPairwiseOpType(OpAsmPrinter &printer, Operation *, TypeRange operands,
                         TypeRange results);

//===----------------------------------------------------------------------===//
// Operands and attributes
//===----------------------------------------------------------------------===//

/// Parses operands, each with a comma after it.
ParseResult parseVariadicOperandWithAttribute(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands);
void printVariadicOperandWithAttribute(OpAsmPrinter &printer, Operation *,
                                       OperandRange operands);

/// Parses the ranges of a slice, for example `[0:4, 0:8:2]`.
ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                             DenseI64ArrayAttr &limits,
                             DenseI64ArrayAttr &strides);
void printSliceRanges(OpAsmPrinter &printer, Operation *,
                      DenseI64ArrayAttr starts, DenseI64ArrayAttr limits,
                      DenseI64ArrayAttr strides);

/// Parses dimension numbers, for example `batching_dims = [0] x [0],
/// contracting_dims = [2] x [1]`.
ParseResult parseDotDimensionNumbers(OpAsmParser &parser,
                                     DotDimensionNumbersAttr &dims);
void printDotDimensionNumbers(OpAsmPrinter &printer, Operation *,
                              DotDimensionNumbersAttr dims);

/// Parses `, precision = [DEFAULT, HIGH], algorithm = <...>`. Both parts are
/// optional.
ParseResult parsePrecisionAndAlgorithm(OpAsmParser &parser,
                                       ArrayAttr &precision,
                                       DotAlgorithmAttr &algorithm);
void printPrecisionAndAlgorithm(OpAsmPrinter &printer, Operation *,
                                ArrayAttr precision,
                                DotAlgorithmAttr algorithm);

/// Parses dimension numbers, for example `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1,
/// f]`.
ParseResult parseConvDimensions(AsmParser &parser,
                                ConvDimensionNumbersAttr &dims);
void printConvDimensions(AsmPrinter &printer, ConvDimensionNumbersAttr dims);
inline void printConvDimensions(OpAsmPrinter &printer, Operation *,
                                ConvDimensionNumbersAttr dims) {
  printConvDimensions(printer, dims);
}

/// Parses `stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [..],
/// rhs_dilate = [..], reverse = [..]`. Each part is optional.
ParseResult parseWindowAttributes(OpAsmParser &parser,
                                  DenseI64ArrayAttr &strides,
                                  DenseIntElementsAttr &padding,
                                  DenseI64ArrayAttr &lhsDilation,
                                  DenseI64ArrayAttr &rhsDilation,
                                  DenseBoolArrayAttr &reversal);
void printWindowAttributes(OpAsmPrinter &printer, Operation *,
                           DenseI64ArrayAttr strides,
                           DenseIntElementsAttr padding,
                           DenseI64ArrayAttr lhsDilation,
                           DenseI64ArrayAttr rhsDilation,
                           DenseBoolArrayAttr reversal);

/// Parses the target of a call: `@target`.
ParseResult parseCallTarget(OpAsmParser &parser, StringAttr &target);
void printCallTarget(OpAsmPrinter &printer, Operation *, StringAttr target);

/// Parses a list of dimensions: `[0, 1]`.
ParseResult parseDims(AsmParser &parser, SmallVectorImpl<int64_t> &dims);
void printDims(AsmPrinter &printer, ArrayRef<int64_t> dims);

} // namespace mlir::ipu::stablehlo

#endif // IPU_MLIR_LIB_DIALECT_STABLEHLO_IR_STABLEHLOASSEMBLY_H
