//===- SdyAttrsRules.cpp - Rules and provenance ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyDetail.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ipu::sdy;

namespace sdy = mlir::ipu::sdy;

//===----------------------------------------------------------------------===//
// Factor symbols
//===----------------------------------------------------------------------===//

constexpr int64_t kNumLetters = 'z' - 'i' + 1;

std::string sdy::getFactorSymbol(int64_t factor) {
  if (factor < kNumLetters)
    return std::string(1, char('i' + factor));
  return "z_" + std::to_string(factor - kNumLetters + 1);
}

/// Takes the first symbol from `text`; none if it does not begin with one.
static std::optional<int64_t> takeFactor(StringRef &text) {
  if (text.empty() || text.front() < 'i' || text.front() > 'z')
    return std::nullopt;
  int64_t factor = text.front() - 'i';
  text = text.drop_front();
  if (factor + 1 < kNumLetters || !text.consume_front("_"))
    return factor;
  StringRef digits = text.take_while(llvm::isDigit);
  int64_t number;
  if (digits.empty() || digits.front() == '0' ||
      digits.getAsInteger(10, number) || number > (1 << 20))
    return std::nullopt;
  text = text.drop_front(digits.size());
  return kNumLetters - 1 + number;
}

/// One or more factors without anything between them.
static ParseResult parseFactors(AsmParser &parser,
                                SmallVectorImpl<int64_t> &factors) {
  SMLoc location = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  StringRef rest = text;
  while (!rest.empty()) {
    std::optional<int64_t> factor = takeFactor(rest);
    if (!factor)
      return parser.emitError(location)
             << "expecting factor symbols i to z, z_1, z_2, ... but got '"
             << text << "'";
    factors.push_back(*factor);
  }
  return success();
}

static ParseResult parseFactor(AsmParser &parser, int64_t &factor) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<int64_t> factors;
  if (parseFactors(parser, factors))
    return failure();
  if (factors.size() != 1)
    return parser.emitError(location)
           << "expecting one factor symbol but got " << factors.size();
  factor = factors.front();
  return success();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

Attribute DimMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> factors;
  if (parseFactors(parser, factors))
    return {};
  return get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter &printer) const {
  for (int64_t factor : getFactorIndices())
    printer << getFactorSymbol(factor);
}

Attribute TensorMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<DimMappingAttr> dims;
  if (parseAttrList(parser, AsmParser::Delimiter::Square, dims))
    return {};
  return get(parser.getContext(), dims);
}

void TensorMappingAttr::print(AsmPrinter &printer) const {
  printAttrList(printer, getDimMappings(), "[]");
}

/// `{i=8, j=16}`: all factors in order.
static ParseResult parseFactorSizes(AsmParser &parser,
                                    SmallVectorImpl<int64_t> &sizes) {
  auto parseSize = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    int64_t factor;
    if (parseFactor(parser, factor) || parser.parseEqual())
      return failure();
    if (factor != int64_t(sizes.size()))
      return parser.emitError(location)
             << "expecting factor indices to be ordered like an iota (i=.., "
                "j=.., ...) but got '"
             << getFactorSymbol(factor) << "' as number " << sizes.size();
    return parser.parseInteger(sizes.emplace_back());
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalBraces,
                                        parseSize);
}

/// `name={i, j}`, or nothing.
static ParseResult parseFactorSet(AsmParser &parser, StringRef name,
                                  SmallVectorImpl<int64_t> &factors) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  if (parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
    return parseFactor(parser, factors.emplace_back());
  });
}

Attribute OpShardingRuleAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorMappingAttr> operands, results;
  SmallVector<int64_t> sizes, reduction, replication, permutation, blocked;
  if (parser.parseLess() ||
      parseAttrList(parser, AsmParser::Delimiter::Paren, operands) ||
      parser.parseArrow() ||
      parseAttrList(parser, AsmParser::Delimiter::Paren, results) ||
      parseFactorSizes(parser, sizes) ||
      parseFactorSet(parser, "reduction", reduction) ||
      parseFactorSet(parser, "need_replication", replication) ||
      parseFactorSet(parser, "permutation", permutation) ||
      parseFactorSet(parser, "blocked_propagation", blocked))
    return {};
  bool isCustom = false;
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("custom"))
      return {};
    isCustom = true;
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), sizes, operands, results, reduction,
             replication, permutation, blocked, isCustom);
}

void OpShardingRuleAttr::print(AsmPrinter &printer) const {
  auto printSet = [&](StringRef name, ArrayRef<int64_t> factors) {
    if (factors.empty())
      return;
    printer << " " << name << "={";
    llvm::interleaveComma(factors, printer, [&](int64_t factor) {
      printer << getFactorSymbol(factor);
    });
    printer << "}";
  };
  printer << "<";
  printAttrList(printer, getOperandMappings(), "()");
  printer << "->";
  printAttrList(printer, getResultMappings(), "()");
  if (getNumFactors()) {
    printer << " {";
    llvm::interleaveComma(
        llvm::enumerate(getFactorSizes()), printer, [&](auto factor) {
          printer << getFactorSymbol(factor.index()) << "=" << factor.value();
        });
    printer << "}";
  }
  printSet("reduction", getReductionFactors());
  printSet("need_replication", getNeedReplicationFactors());
  printSet("permutation", getPermutationFactors());
  printSet("blocked_propagation", getBlockedPropagationFactors());
  if (getIsCustomRule())
    printer << ", custom";
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Provenance
//===----------------------------------------------------------------------===//

/// `-3`, the end of `operand-3`. Verifiers refuse negative ones.
static ParseResult parseIndex(AsmParser &parser, int64_t &index) {
  return failure(parser.parseMinus() || parser.parseInteger(index));
}

Attribute EdgeValueRefAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  int64_t index;
  if (parser.parseKeyword(&keyword))
    return {};
  std::optional<EdgeValue> value = symbolizeEdgeValue(keyword);
  if (!value) {
    parser.emitError(location)
        << "expecting operand or result but got '" << keyword << "'";
    return {};
  }
  if (parseIndex(parser, index))
    return {};
  return get(parser.getContext(), *value, index);
}

void EdgeValueRefAttr::print(AsmPrinter &printer) const {
  printer << stringifyEdgeValue(getType()) << "-" << getIndex();
}

Attribute AxisToPropagationDetailsAttr::parse(AsmParser &parser, Type) {
  auto axis = cast_or_null<AxisRefAttr>(AxisRefAttr::parse(parser, {}));
  if (!axis || parser.parseEqual())
    return {};
  auto source =
      cast_or_null<EdgeValueRefAttr>(EdgeValueRefAttr::parse(parser, {}));
  SmallVector<EdgeValueRefAttr> targets;
  if (!source || parser.parseArrow() ||
      parseAttrList(parser, AsmParser::Delimiter::Square, targets))
    return {};
  return get(parser.getContext(), axis, source, targets);
}

void AxisToPropagationDetailsAttr::print(AsmPrinter &printer) const {
  getAxisName().print(printer);
  printer << " = ";
  getSource().print(printer);
  printer << " -> ";
  printAttrList(printer, getTargets(), "[]");
}

Attribute PropagationOneStepAttr::parse(AsmParser &parser, Type) {
  int64_t step;
  SmallVector<AxisToPropagationDetailsAttr> entries;
  auto parseEntry = [&]() -> ParseResult {
    auto entry = parser.parseLBrace()
                     ? AxisToPropagationDetailsAttr()
                     : cast_or_null<AxisToPropagationDetailsAttr>(
                           AxisToPropagationDetailsAttr::parse(parser, {}));
    entries.push_back(entry);
    return failure(!entry || parser.parseRBrace());
  };
  if (parser.parseKeyword("step") || parseIndex(parser, step) ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEntry))
    return {};
  return get(parser.getContext(), step, entries);
}

void PropagationOneStepAttr::print(AsmPrinter &printer) const {
  printer << "step-" << getStepIndex() << " = [";
  llvm::interleaveComma(getAxisEntries(), printer,
                        [&](AxisToPropagationDetailsAttr entry) {
                          printer << "{";
                          entry.print(printer);
                          printer << "}";
                        });
  printer << "]";
}

Attribute PropagationEdgesAttr::parse(AsmParser &parser, Type) {
  SmallVector<PropagationOneStepAttr> steps;
  auto parseStep = [&]() -> ParseResult {
    auto step = parser.parseLBrace()
                    ? PropagationOneStepAttr()
                    : cast_or_null<PropagationOneStepAttr>(
                          PropagationOneStepAttr::parse(parser, {}));
    steps.push_back(step);
    return failure(!step || parser.parseRBrace());
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseStep) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), steps);
}

void PropagationEdgesAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getValue(), printer, [&](PropagationOneStepAttr step) {
    printer << "{";
    step.print(printer);
    printer << "}";
  });
  printer << "]>";
}
