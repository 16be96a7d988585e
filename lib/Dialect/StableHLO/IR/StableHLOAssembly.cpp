//===- StableHLOAssembly.cpp - Pieces of custom formats -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableHLOAssembly.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ipu::stablehlo;

namespace stablehlo = mlir::ipu::stablehlo;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Distributes a functional type; `location` is where it was read.
static ParseResult takeFunctionType(OpAsmParser &parser, SMLoc location,
                                    FunctionType type, ArrayRef<Type *> types) {
  if (type.getNumInputs() + 1 != types.size() || type.getNumResults() != 1)
    return parser.emitError(location)
           << "expects a type with " << types.size() - 1
           << " inputs and 1 result but got " << type;
  for (auto [to, from] : llvm::zip(types, type.getInputs()))
    *to = from;
  *types.back() = type.getResult(0);
  return success();
}

ParseResult stablehlo::parseEqualTypes(OpAsmParser &parser,
                                       ArrayRef<Type *> types) {
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return takeFunctionType(parser, location, function, types);
  for (Type *each : types)
    *each = type;
  return success();
}

static void printFunctionType(OpAsmPrinter &printer, ArrayRef<Type> types) {
  printer.printFunctionalType(types.drop_back(), types.take_back());
}

void stablehlo::printEqualTypes(OpAsmPrinter &printer, ArrayRef<Type> types) {
  if (llvm::all_equal(types))
    printer << types.back();
  else
    printFunctionType(printer, types);
}

ParseResult stablehlo::parseSelectOpType(OpAsmParser &parser, Type &pred,
                                         Type &onTrue, Type &onFalse,
                                         Type &result) {
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseType(pred))
    return failure();
  if (auto function = dyn_cast<FunctionType>(pred))
    return takeFunctionType(parser, location, function,
                            {&pred, &onTrue, &onFalse, &result});
  if (parser.parseComma() || parser.parseType(result))
    return failure();
  onTrue = onFalse = result;
  return success();
}

void stablehlo::printSelectOpType(OpAsmPrinter &printer, Operation *, Type pred,
                                  Type onTrue, Type onFalse, Type result) {
  if (onTrue == result && onFalse == result)
    printer << pred << ", " << result;
  else
    printFunctionType(printer, {pred, onTrue, onFalse, result});
}

ParseResult stablehlo::parsePairwiseOpType(OpAsmParser &parser,
                                           SmallVectorImpl<Type> &operands,
                                           SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}

void stablehlo::printPairwiseOpType(OpAsmPrinter &printer, Operation *,
                                    TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

ParseResult stablehlo::parseDims(AsmParser &parser,
                                 SmallVectorImpl<int64_t> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(dims.emplace_back());
  });
}

void stablehlo::printDims(AsmPrinter &printer, ArrayRef<int64_t> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer);
  printer << ']';
}

static ParseResult parseDimsAttr(OpAsmParser &parser, DenseI64ArrayAttr &dims) {
  SmallVector<int64_t> values;
  if (parseDims(parser, values))
    return failure();
  dims = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

//===----------------------------------------------------------------------===//
// Operands and attributes
//===----------------------------------------------------------------------===//

ParseResult stablehlo::parseVariadicOperandWithAttribute(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult result = parser.parseOptionalOperand(operand);
    if (!result.has_value())
      return success();
    if (*result || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

void stablehlo::printVariadicOperandWithAttribute(OpAsmPrinter &printer,
                                                  Operation *,
                                                  OperandRange operands) {
  llvm::interleave(
      operands, printer, [&](Value operand) { printer << operand << ","; },
      " ");
}

ParseResult stablehlo::parseSliceRanges(OpAsmParser &parser,
                                        DenseI64ArrayAttr &starts,
                                        DenseI64ArrayAttr &limits,
                                        DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limit.emplace_back()))
      return failure();
    stride.push_back(1);
    if (succeeded(parser.parseOptionalColon()))
      return parser.parseInteger(stride.back());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  starts = parser.getBuilder().getDenseI64ArrayAttr(start);
  limits = parser.getBuilder().getDenseI64ArrayAttr(limit);
  strides = parser.getBuilder().getDenseI64ArrayAttr(stride);
  return success();
}

void stablehlo::printSliceRanges(OpAsmPrinter &printer, Operation *,
                                 DenseI64ArrayAttr starts,
                                 DenseI64ArrayAttr limits,
                                 DenseI64ArrayAttr strides) {
  printer << "[";
  llvm::interleaveComma(
      llvm::zip(starts.asArrayRef(), limits.asArrayRef(), strides.asArrayRef()),
      printer, [&](auto range) {
        auto [start, limit, stride] = range;
        printer << start << ":" << limit;
        if (stride != 1)
          printer << ":" << stride;
      });
  printer << "]";
}

/// `[0] x [1]`
static ParseResult parseDimPair(AsmParser &parser,
                                SmallVectorImpl<int64_t> &lhs,
                                SmallVectorImpl<int64_t> &rhs) {
  return failure(parser.parseEqual() || parseDims(parser, lhs) ||
                 parser.parseKeyword("x") || parseDims(parser, rhs));
}

ParseResult stablehlo::parseDotDimensionNumbers(OpAsmParser &parser,
                                                DotDimensionNumbersAttr &dims) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhs, rhs;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")) &&
      (parseDimPair(parser, lhsBatching, rhsBatching) || parser.parseComma()))
    return failure();
  if (parser.parseKeyword("contracting_dims") || parseDimPair(parser, lhs, rhs))
    return failure();
  dims = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching,
                                      rhsBatching, lhs, rhs);
  return success();
}

void stablehlo::printDotDimensionNumbers(OpAsmPrinter &printer, Operation *,
                                         DotDimensionNumbersAttr dims) {
  auto printPair = [&](ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
    printDims(printer, lhs);
    printer << " x ";
    printDims(printer, rhs);
  };
  if (!dims.getLhsBatchingDimensions().empty() ||
      !dims.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    printPair(dims.getLhsBatchingDimensions(), dims.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printPair(dims.getLhsContractingDimensions(),
            dims.getRhsContractingDimensions());
}

ParseResult stablehlo::parsePrecisionAndAlgorithm(OpAsmParser &parser,
                                                  ArrayAttr &precision,
                                                  DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc location = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return failure();
    if (keyword == "precision" && !precision) {
      SmallVector<Attribute> values;
      auto parseValue = [&]() -> ParseResult {
        SMLoc at = parser.getCurrentLocation();
        StringRef name;
        if (parser.parseKeyword(&name))
          return failure();
        std::optional<Precision> value = symbolizePrecision(name);
        if (!value)
          return parser.emitError(at)
                 << "expects DEFAULT, HIGH or HIGHEST but got '" << name << "'";
        values.push_back(PrecisionAttr::get(parser.getContext(), *value));
        return success();
      };
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                         parseValue))
        return failure();
      precision = parser.getBuilder().getArrayAttr(values);
    } else if (keyword == "algorithm" && !algorithm) {
      Attribute value = DotAlgorithmAttr::parse(parser, Type());
      if (!value)
        return failure();
      algorithm = cast<DotAlgorithmAttr>(value);
    } else {
      return parser.emitError(location)
             << "expects precision or algorithm, each at most once, but got '"
             << keyword << "'";
    }
  }
  return success();
}

void stablehlo::printPrecisionAndAlgorithm(OpAsmPrinter &printer, Operation *,
                                           ArrayAttr precision,
                                           DotAlgorithmAttr algorithm) {
  if (precision && !precision.empty()) {
    printer << ", precision = [";
    llvm::interleaveComma(precision, printer, [&](Attribute value) {
      printer << stringifyPrecision(cast<PrecisionAttr>(value).getValue());
    });
    printer << "]";
  }
  if (algorithm) {
    printer << ", algorithm = ";
    algorithm.print(printer);
  }
}

ParseResult stablehlo::parseWindowAttributes(OpAsmParser &parser,
                                             DenseI64ArrayAttr &strides,
                                             DenseIntElementsAttr &padding,
                                             DenseI64ArrayAttr &lhsDilation,
                                             DenseI64ArrayAttr &rhsDilation,
                                             DenseBoolArrayAttr &reversal) {
  auto parsePadding = [&]() -> ParseResult {
    SmallVector<int64_t> values;
    auto parsePair = [&]() -> ParseResult {
      int64_t low, high;
      if (parser.parseLSquare() || parser.parseInteger(low) ||
          parser.parseComma() || parser.parseInteger(high) ||
          parser.parseRSquare())
        return failure();
      values.append({low, high});
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
      return failure();
    padding = DenseIntElementsAttr::get(
        RankedTensorType::get({int64_t(values.size() / 2), 2},
                              parser.getBuilder().getI64Type()),
        values);
    return success();
  };
  auto parseReversal = [&]() -> ParseResult {
    SmallVector<bool> values;
    auto parseBool = [&]() -> ParseResult {
      StringRef keyword;
      SMLoc location = parser.getCurrentLocation();
      int64_t number;
      OptionalParseResult result = parser.parseOptionalInteger(number);
      if (result.has_value()) {
        values.push_back(number != 0);
        return *result;
      }
      if (parser.parseKeyword(&keyword))
        return failure();
      if (keyword != "true" && keyword != "false")
        return parser.emitError(location, "expects true or false");
      values.push_back(keyword == "true");
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseBool))
      return failure();
    reversal = parser.getBuilder().getDenseBoolArrayAttr(values);
    return success();
  };

  if (failed(parser.parseOptionalRBrace())) {
    do {
      SMLoc location = parser.getCurrentLocation();
      StringRef keyword;
      if (parser.parseKeyword(&keyword) || parser.parseEqual())
        return failure();
      if (keyword == "stride" && !strides) {
        if (parseDimsAttr(parser, strides))
          return failure();
      } else if (keyword == "pad" && !padding) {
        if (parsePadding())
          return failure();
      } else if (keyword == "lhs_dilate" && !lhsDilation) {
        if (parseDimsAttr(parser, lhsDilation))
          return failure();
      } else if (keyword == "rhs_dilate" && !rhsDilation) {
        if (parseDimsAttr(parser, rhsDilation))
          return failure();
      } else if (keyword == "reverse" && !reversal) {
        if (parseReversal())
          return failure();
      } else {
        return parser.emitError(location) << "expects stride, pad, lhs_dilate, "
                                             "rhs_dilate or reverse, each "
                                             "at most once, but got '"
                                          << keyword << "'";
      }
    } while (succeeded(parser.parseOptionalComma()));
    return parser.parseRBrace();
  }
  return success();
}

void stablehlo::printWindowAttributes(OpAsmPrinter &printer, Operation *,
                                      DenseI64ArrayAttr strides,
                                      DenseIntElementsAttr padding,
                                      DenseI64ArrayAttr lhsDilation,
                                      DenseI64ArrayAttr rhsDilation,
                                      DenseBoolArrayAttr reversal) {
  StringRef separator = "";
  auto printName = [&](StringRef name) {
    printer << separator << name << " = ";
    separator = ", ";
  };
  auto printNumbers = [&](StringRef name, DenseI64ArrayAttr numbers) {
    if (!numbers)
      return;
    printName(name);
    printDims(printer, numbers);
  };
  printNumbers("stride", strides);
  if (padding) {
    printName("pad");
    auto values = llvm::to_vector(padding.getValues<int64_t>());
    printer << "[";
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      printer << (i ? ", " : "") << "[" << values[i] << ", " << values[i + 1]
              << "]";
    printer << "]";
  }
  printNumbers("lhs_dilate", lhsDilation);
  printNumbers("rhs_dilate", rhsDilation);
  if (reversal) {
    printName("reverse");
    printer << "[";
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool value) {
      printer << (value ? "true" : "false");
    });
    printer << "]";
  }
  printer << "}";
}

ParseResult stablehlo::parseCallTarget(OpAsmParser &parser,
                                       StringAttr &target) {
  return parser.parseSymbolName(target);
}

void stablehlo::printCallTarget(OpAsmPrinter &printer, Operation *,
                                StringAttr target) {
  printer.printSymbolName(target);
}
