//===- StableHLOAttrs.cpp - Dimension numbers -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableHLOAssembly.h"

using namespace mlir;
using namespace mlir::ipu::stablehlo;

namespace stablehlo = mlir::ipu::stablehlo;

//===----------------------------------------------------------------------===//
// `<name = [0, 1], other = 2>`
//===----------------------------------------------------------------------===//

namespace {
/// A field of an attribute: a list or a number; absent if empty or 0.
struct Field {
  StringRef name;
  SmallVectorImpl<int64_t> *dims = nullptr;
  int64_t *number = nullptr;
};
} // namespace

static ParseResult parseFields(AsmParser &parser, ArrayRef<Field> fields) {
  SmallVector<bool> isSeen(fields.size(), false);
  auto parseField = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    for (auto [field, seen] : llvm::zip(fields, isSeen)) {
      if (field.name != name)
        continue;
      if (seen)
        return parser.emitError(location) << "'" << name << "' is given twice";
      seen = true;
      if (parser.parseEqual())
        return failure();
      return field.dims ? parseDims(parser, *field.dims)
                        : parser.parseInteger(*field.number);
    }
    InFlightDiagnostic diag = parser.emitError(location, "expects one of ");
    llvm::interleaveComma(fields, diag,
                          [&](const Field &field) { diag << field.name; });
    return diag << " but got '" << name << "'";
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                        parseField);
}

namespace {
/// Prints the fields that say something.
class FieldPrinterList {
public:
  explicit FieldPrinterList(AsmPrinter &printer) : printer(printer) {
    printer << "<";
  }
  ~FieldPrinterList() { printer << ">"; }

  FieldPrinterList &add(StringRef name, ArrayRef<int64_t> dims) {
    if (dims.empty())
      return *this;
    printName(name);
    printDims(printer, dims);
    return *this;
  }
  FieldPrinterList &add(StringRef name, int64_t number) {
    if (number == 0)
      return *this;
    printName(name);
    printer << number;
    return *this;
  }

private:
  void printName(StringRef name) {
    printer << separator << name << " = ";
    separator = ", ";
  }

  AsmPrinter &printer;
  StringRef separator = "";
};
} // namespace

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhs, rhs;
  if (parseFields(parser, {{"lhs_batching_dimensions", &lhsBatching},
                           {"rhs_batching_dimensions", &rhsBatching},
                           {"lhs_contracting_dimensions", &lhs},
                           {"rhs_contracting_dimensions", &rhs}}))
    return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhs, rhs);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinterList(printer)
      .add("lhs_batching_dimensions", getLhsBatchingDimensions())
      .add("rhs_batching_dimensions", getRhsBatchingDimensions())
      .add("lhs_contracting_dimensions", getLhsContractingDimensions())
      .add("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute DotAlgorithmAttr::parse(AsmParser &parser, Type) {
  Type lhs, rhs, accumulation;
  int64_t lhsCount, rhsCount, numOperations;
  StringRef imprecise;
  auto parseName = [&](StringRef name) -> ParseResult {
    return failure(parser.parseKeyword(name) || parser.parseEqual());
  };
  if (parser.parseLess() || parseName("lhs_precision_type") ||
      parser.parseType(lhs) || parser.parseComma() ||
      parseName("rhs_precision_type") || parser.parseType(rhs) ||
      parser.parseComma() || parseName("accumulation_type") ||
      parser.parseType(accumulation) || parser.parseComma() ||
      parseName("lhs_component_count") || parser.parseInteger(lhsCount) ||
      parser.parseComma() || parseName("rhs_component_count") ||
      parser.parseInteger(rhsCount) || parser.parseComma() ||
      parseName("num_primitive_operations") ||
      parser.parseInteger(numOperations) || parser.parseComma() ||
      parseName("allow_imprecise_accumulation") ||
      parser.parseKeyword(&imprecise) || parser.parseGreater())
    return {};
  if (imprecise != "true" && imprecise != "false") {
    parser.emitError(
        parser.getCurrentLocation(),
        "expects allow_imprecise_accumulation to be true or false");
    return {};
  }
  return get(parser.getContext(), lhs, rhs, accumulation, lhsCount, rhsCount,
             numOperations, imprecise == "true");
}

void DotAlgorithmAttr::print(AsmPrinter &printer) const {
  printer << "<lhs_precision_type = " << getLhsPrecisionType()
          << ", rhs_precision_type = " << getRhsPrecisionType()
          << ", accumulation_type = " << getAccumulationType()
          << ", lhs_component_count = " << getLhsComponentCount()
          << ", rhs_component_count = " << getRhsComponentCount()
          << ", num_primitive_operations = " << getNumPrimitiveOperations()
          << ", allow_imprecise_accumulation = "
          << (getAllowImpreciseAccumulation() ? "true" : "false") << ">";
}

//===----------------------------------------------------------------------===//
// gather and scatter
//===----------------------------------------------------------------------===//

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, operandBatching, indicesBatching, map;
  int64_t indexVectorDim = 0;
  if (parseFields(parser, {{"offset_dims", &offset},
                           {"collapsed_slice_dims", &collapsed},
                           {"operand_batching_dims", &operandBatching},
                           {"start_indices_batching_dims", &indicesBatching},
                           {"start_index_map", &map},
                           {"index_vector_dim", nullptr, &indexVectorDim}}))
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatching,
             indicesBatching, map, indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinterList(printer)
      .add("offset_dims", getOffsetDims())
      .add("collapsed_slice_dims", getCollapsedSliceDims())
      .add("operand_batching_dims", getOperandBatchingDims())
      .add("start_indices_batching_dims", getStartIndicesBatchingDims())
      .add("start_index_map", getStartIndexMap())
      .add("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> window, inserted, inputBatching, indicesBatching, map;
  int64_t indexVectorDim = 0;
  if (parseFields(parser, {{"update_window_dims", &window},
                           {"inserted_window_dims", &inserted},
                           {"input_batching_dims", &inputBatching},
                           {"scatter_indices_batching_dims", &indicesBatching},
                           {"scatter_dims_to_operand_dims", &map},
                           {"index_vector_dim", nullptr, &indexVectorDim}}))
    return {};
  return get(parser.getContext(), window, inserted, inputBatching,
             indicesBatching, map, indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinterList(printer)
      .add("update_window_dims", getUpdateWindowDims())
      .add("inserted_window_dims", getInsertedWindowDims())
      .add("input_batching_dims", getInputBatchingDims())
      .add("scatter_indices_batching_dims", getScatterIndicesBatchingDims())
      .add("scatter_dims_to_operand_dims", getScatterDimsToOperandDims())
      .add("index_vector_dim", getIndexVectorDim());
}

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

/// `[b, 0, 1, f]`: the positions of the two letters and of the numbers.
static ParseResult parseConvSide(AsmParser &parser, StringRef first,
                                 StringRef second, int64_t &firstDim,
                                 int64_t &secondDim,
                                 SmallVectorImpl<int64_t> &spatial) {
  firstDim = secondDim = -1;
  SMLoc location = parser.getCurrentLocation();
  SmallVector<std::pair<int64_t, int64_t>> numbered;
  int64_t position = 0;
  auto parseDim = [&]() -> ParseResult {
    int64_t number;
    OptionalParseResult result = parser.parseOptionalInteger(number);
    if (result.has_value()) {
      if (*result)
        return failure();
      numbered.push_back({number, position++});
      return success();
    }
    SMLoc at = parser.getCurrentLocation();
    StringRef letter;
    if (parser.parseKeyword(&letter))
      return failure();
    int64_t *dim = letter == first    ? &firstDim
                   : letter == second ? &secondDim
                                      : nullptr;
    if (!dim)
      return parser.emitError(at) << "expects '" << first << "', '" << second
                                  << "' or a number but got '" << letter << "'";
    if (*dim >= 0)
      return parser.emitError(at)
             << "expects '" << first << "' and '" << second
             << "' once each but got '" << letter << "' twice";
    *dim = position++;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return failure();
  if (firstDim < 0 || secondDim < 0)
    return parser.emitError(location) << "expects '" << first << "' and '"
                                      << second << "' once each but got no '"
                                      << (firstDim < 0 ? first : second) << "'";
  spatial.assign(numbered.size(), -1);
  for (auto [number, at] : numbered) {
    if (number < 0 || number >= int64_t(spatial.size()))
      return parser.emitError(location)
             << "expects spatial dimensions in [0, " << spatial.size()
             << ") but got " << number;
    if (spatial[number] >= 0)
      return parser.emitError(location)
             << "expects each spatial dimension in [0, " << spatial.size()
             << ") once but got " << number << " twice";
    spatial[number] = at;
  }
  return success();
}

ParseResult stablehlo::parseConvDimensions(AsmParser &parser,
                                           ConvDimensionNumbersAttr &dims) {
  int64_t inputBatch, inputFeature, kernelInput, kernelOutput, outputBatch,
      outputFeature;
  SmallVector<int64_t> input, kernel, output;
  if (parseConvSide(parser, "b", "f", inputBatch, inputFeature, input) ||
      parser.parseKeyword("x") ||
      parseConvSide(parser, "i", "o", kernelInput, kernelOutput, kernel) ||
      parser.parseArrow() ||
      parseConvSide(parser, "b", "f", outputBatch, outputFeature, output))
    return failure();
  dims = ConvDimensionNumbersAttr::get(
      parser.getContext(), inputBatch, inputFeature, input, kernelInput,
      kernelOutput, kernel, outputBatch, outputFeature, output);
  return success();
}

static void printConvSide(AsmPrinter &printer, StringRef first,
                          StringRef second, int64_t firstDim, int64_t secondDim,
                          ArrayRef<int64_t> spatial) {
  printer << "[";
  for (int64_t position = 0, e = spatial.size() + 2; position < e; ++position) {
    printer << (position ? ", " : "");
    if (position == firstDim)
      printer << first;
    else if (position == secondDim)
      printer << second;
    else
      printer << std::distance(spatial.begin(), llvm::find(spatial, position));
  }
  printer << "]";
}

void stablehlo::printConvDimensions(AsmPrinter &printer,
                                    ConvDimensionNumbersAttr dims) {
  printConvSide(printer, "b", "f", dims.getInputBatchDimension(),
                dims.getInputFeatureDimension(),
                dims.getInputSpatialDimensions());
  printer << "x";
  printConvSide(printer, "i", "o", dims.getKernelInputFeatureDimension(),
                dims.getKernelOutputFeatureDimension(),
                dims.getKernelSpatialDimensions());
  printer << "->";
  printConvSide(printer, "b", "f", dims.getOutputBatchDimension(),
                dims.getOutputFeatureDimension(),
                dims.getOutputSpatialDimensions());
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  ConvDimensionNumbersAttr dims;
  if (parser.parseLess() || parseConvDimensions(parser, dims) ||
      parser.parseGreater())
    return {};
  return dims;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printConvDimensions(printer, *this);
  printer << ">";
}

//===----------------------------------------------------------------------===//
// output_operand_alias
//===----------------------------------------------------------------------===//

Attribute OutputOperandAliasAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> outputIndices, operandIndices;
  int64_t operand = 0;
  if (parseFields(parser, {{"output_tuple_indices", &outputIndices},
                           {"operand_index", nullptr, &operand},
                           {"operand_tuple_indices", &operandIndices}}))
    return {};
  return get(parser.getContext(), outputIndices, operand, operandIndices);
}

void OutputOperandAliasAttr::print(AsmPrinter &printer) const {
  printer << "<output_tuple_indices = ";
  printDims(printer, getOutputTupleIndices());
  printer << ", operand_index = " << getOperandIndex()
          << ", operand_tuple_indices = ";
  printDims(printer, getOperandTupleIndices());
  printer << ">";
}
