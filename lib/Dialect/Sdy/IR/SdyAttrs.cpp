//===- SdyAttrs.cpp - Meshes, axes, shardings -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyDetail.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ipu::sdy;

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t size;
  if (parser.parseString(&name) || parser.parseEqual() ||
      parser.parseInteger(size))
    return {};
  return get(parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  printer << "=" << getSize();
}

/// The ids, unless they say nothing.
static ArrayRef<int64_t> normalizeIds(ArrayRef<MeshAxisAttr> axes,
                                      ArrayRef<int64_t> ids) {
  bool saysNothing = !axes.empty();
  for (auto [i, id] : llvm::enumerate(ids))
    saysNothing &= id == int64_t(i);
  return saysNothing ? ArrayRef<int64_t>() : ids;
}

MeshAttr MeshAttr::getNormalized(MLIRContext *context,
                                 ArrayRef<MeshAxisAttr> axes,
                                 ArrayRef<int64_t> deviceIds) {
  return get(context, axes, normalizeIds(axes, deviceIds));
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> ids;
  if (parser.parseLess() ||
      parseAttrList(parser, AsmParser::Delimiter::Square, axes))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("device_ids") || parser.parseEqual() ||
       parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
         return parser.parseInteger(ids.emplace_back());
       })))
    return {};
  if (parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(location); };
  ArrayRef<int64_t> kept = normalizeIds(axes, ids);
  if (failed(verify(emitError, axes, kept)))
    return {};
  MeshAttr mesh = get(parser.getContext(), axes, kept);
  // Ids that are dropped must be as many as there are devices, too.
  if (!ids.empty() && kept.empty() &&
      int64_t(ids.size()) != mesh.getTotalSize()) {
    emitError() << "total product of axis sizes must match total number of "
                   "device ids, got: "
                << mesh.getTotalSize() << " != " << ids.size();
    return {};
  }
  return mesh;
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printAttrList(printer, getAxes(), "[]");
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << "]";
  }
  printer << ">";
}

LogicalResult MeshAttr::verify(EmitErrorFn emitError,
                               ArrayRef<MeshAxisAttr> axes,
                               ArrayRef<int64_t> deviceIds) {
  llvm::StringSet<> names;
  int64_t total = 1;
  for (MeshAxisAttr axis : axes) {
    if (axis.getSize() <= 0) // c1
      return emitError() << "axis size must be at least 1, got: "
                         << axis.getSize();
    if (!names.insert(axis.getName()).second) // c4
      return emitError() << "duplicate axis name: \"" << axis.getName() << "\"";
    if (llvm::MulOverflow(total, axis.getSize(), total))
      return emitError() << "total product of axis sizes exceeds 2^63";
  }
  for (int64_t id : deviceIds)
    if (id < 0) // c2
      return emitError() << "device id must be non-negative, got: " << id;
  if (axes.empty()) {
    if (deviceIds.size() > 1) // c3
      return emitError() << "expected 1 device id for an empty axis list, got: "
                         << deviceIds.size();
    return success();
  }
  if (deviceIds.empty())
    return success();
  if (int64_t(deviceIds.size()) != total) // c5
    return emitError() << "total product of axis sizes must match total number "
                          "of device ids, got: "
                       << total << " != " << deviceIds.size();
  SmallVector<int64_t> sorted(deviceIds);
  llvm::sort(sorted);
  for (auto [i, id] : llvm::enumerate(sorted))
    if (id != int64_t(i)) // c6
      return emitError()
             << "sorted device ids must be iota(product(axes)), got: "
             << sorted;
  if (llvm::is_sorted(deviceIds))
    return emitError() << "if the ordered device ids are the same as iota, no "
                          "need to specify them for simplicity";
  return success();
}

std::optional<unsigned> MeshAttr::getAxisIndex(StringRef name) const {
  for (auto [i, axis] : llvm::enumerate(getAxes()))
    if (axis.getName() == name)
      return i;
  return std::nullopt;
}

bool MeshAttr::hasAxis(StringRef name) const {
  return getAxisIndex(name).has_value();
}

int64_t MeshAttr::getAxisSize(StringRef name) const {
  std::optional<unsigned> index = getAxisIndex(name);
  assert(index && "unknown axis");
  return getAxes()[*index].getSize();
}

int64_t MeshAttr::getTotalSize() const {
  int64_t total = 1;
  for (MeshAxisAttr axis : getAxes())
    total *= axis.getSize();
  return total;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

Attribute SubAxisInfoAttr::parse(AsmParser &parser, Type) {
  int64_t pre, size;
  if (parser.parseLParen() || parser.parseInteger(pre) ||
      parser.parseRParen() || parser.parseInteger(size))
    return {};
  return get(parser.getContext(), pre, size);
}

void SubAxisInfoAttr::print(AsmPrinter &printer) const {
  printer << "(" << getPreSize() << ")" << getSize();
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  std::string name;
  if (parser.parseString(&name))
    return {};
  SubAxisInfoAttr info;
  if (succeeded(parser.parseOptionalColon())) {
    info = cast_or_null<SubAxisInfoAttr>(SubAxisInfoAttr::parse(parser, {}));
    if (!info)
      return {};
  }
  return get(parser.getContext(), name, info);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  if (SubAxisInfoAttr info = getSubAxisInfo()) {
    printer << ":";
    info.print(printer);
  }
}

std::string AxisRefAttr::toString() const {
  std::string text = ("\"" + getName() + "\"").str();
  if (SubAxisInfoAttr info = getSubAxisInfo())
    text += ":(" + std::to_string(info.getPreSize()) + ")" +
            std::to_string(info.getSize());
  return text;
}

int64_t AxisRefAttr::getSize(MeshAttr mesh) const {
  return getSubAxisInfo() ? getSubAxisInfo().getSize()
                          : mesh.getAxisSize(getName());
}

Attribute AxisRefListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  if (parseAttrList(parser, AsmParser::Delimiter::Braces, axes))
    return {};
  return get(parser.getContext(), axes);
}

void AxisRefListAttr::print(AsmPrinter &printer) const {
  printAttrList(printer, getValue(), "{}");
}

Attribute ListOfAxisRefListsAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefListAttr> lists;
  if (parseAttrList(parser, AsmParser::Delimiter::Square, lists))
    return {};
  return get(parser.getContext(), lists);
}

void ListOfAxisRefListsAttr::print(AsmPrinter &printer) const {
  printAttrList(printer, getValue(), "[]");
}

Attribute AllToAllParamAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  int64_t source, target;
  if (parseAttrList(parser, AsmParser::Delimiter::Braces, axes) ||
      parser.parseColon() || parser.parseInteger(source) ||
      parser.parseArrow() || parser.parseInteger(target))
    return {};
  return get(parser.getContext(), axes, source, target);
}

void AllToAllParamAttr::print(AsmPrinter &printer) const {
  printAttrList(printer, getAxes(), "{}");
  printer << ": " << getSrcDim() << "->" << getTgtDim();
}

Attribute AllToAllParamListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AllToAllParamAttr> params;
  if (parseAttrList(parser, AsmParser::Delimiter::Square, params))
    return {};
  return get(parser.getContext(), params);
}

void AllToAllParamListAttr::print(AsmPrinter &printer) const {
  printAttrList(printer, getValue(), "[]");
}

Attribute ManualAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  auto parseAxis = [&] {
    std::string name;
    ParseResult result = parser.parseString(&name);
    axes.push_back(parser.getBuilder().getStringAttr(name));
    return result;
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseAxis))
    return {};
  return get(parser.getContext(), axes);
}

void ManualAxesAttr::print(AsmPrinter &printer) const {
  printer << "{";
  llvm::interleaveComma(getValue(), printer, [&](StringAttr name) {
    printer.printString(name.getValue());
  });
  printer << "}";
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// `p1`: the digits of a priority without a leading zero.
static ParseResult parsePriority(AsmParser &parser,
                                 std::optional<int64_t> &priority) {
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return success();
  int64_t value;
  if (!keyword.consume_front("p") || keyword.empty() ||
      !llvm::all_of(keyword, llvm::isDigit) ||
      (keyword.size() > 1 && keyword.front() == '0') ||
      keyword.getAsInteger(10, value))
    return parser.emitError(location,
                            "expecting priority in format 'p<number>', where "
                            "the number has no leading zero and fits 64 bits");
  priority = value;
  return success();
}

Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isOpen = false;
  auto parseElement = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    if (isOpen)
      return parser.emitError(location, "expected '?' to be the last element");
    if (succeeded(parser.parseOptionalQuestion())) {
      isOpen = true;
      return success();
    }
    auto axis = cast_or_null<AxisRefAttr>(AxisRefAttr::parse(parser, {}));
    axes.push_back(axis);
    return success(!!axis);
  };
  std::optional<int64_t> priority;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces,
                                     parseElement) ||
      parsePriority(parser, priority))
    return {};
  return get(parser.getContext(), axes, !isOpen, priority);
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printer << "{";
  llvm::interleaveComma(getAxes(), printer,
                        [&](AxisRefAttr axis) { axis.print(printer); });
  if (!getIsClosed())
    printer << (emptyAxes() ? "?" : ", ?");
  printer << "}";
  if (getPriority())
    printer << "p" << *getPriority();
}

/// `={"x"}`, `=max{"x"}` or, for unreduced, `{"x"}`.
static ParseResult parseUnreduced(AsmParser &parser,
                                  SmallVectorImpl<AxisRefAttr> &axes,
                                  ReductionKind &kind) {
  if (succeeded(parser.parseOptionalEqual())) {
    SMLoc location = parser.getCurrentLocation();
    StringRef keyword;
    if (succeeded(parser.parseOptionalKeyword(&keyword))) {
      std::optional<ReductionKind> known = symbolizeReductionKind(keyword);
      if (!known)
        return parser.emitError(location)
               << "expected sum, max or min but got '" << keyword << "'";
      kind = *known;
    }
  }
  return parseAttrList(parser, AsmParser::Delimiter::Braces, axes);
}

Attribute TensorShardingAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  if (parser.parseLess())
    return {};
  Attribute meshOrRef;
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    meshOrRef = MeshAttr::parse(parser, {});
    if (!meshOrRef)
      return {};
  } else {
    StringAttr name;
    if (parser.parseSymbolName(name))
      return {};
    meshOrRef = FlatSymbolRefAttr::get(name);
  }
  SmallVector<DimensionShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  ReductionKind kind = ReductionKind::Sum;
  if (parser.parseComma() ||
      parseAttrList(parser, AsmParser::Delimiter::Square, dims))
    return {};
  bool hasReplicated = false, hasUnreduced = false;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc location = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return {};
    if (keyword == "replicated" && !hasReplicated) {
      hasReplicated = true;
      if (parser.parseEqual() ||
          parseAttrList(parser, AsmParser::Delimiter::Braces, replicated))
        return {};
    } else if (keyword == "unreduced" && !hasUnreduced) {
      hasUnreduced = true;
      if (parseUnreduced(parser, unreduced, kind))
        return {};
    } else {
      parser.emitError(location)
          << "expected 'replicated' or 'unreduced', each "
             "at most once, but got '"
          << keyword << "'";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return get(context, meshOrRef, dims, replicated, unreduced, kind);
}

void TensorShardingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << "mesh";
    mesh.print(printer);
  } else {
    printer << getMeshOrRef();
  }
  printer << ", ";
  printAttrList(printer, getDimShardings(), "[]");
  if (!getReplicatedAxes().empty()) {
    printer << ", replicated=";
    printAttrList(printer, getReplicatedAxes(), "{}");
  }
  if (!getUnreducedAxes().empty()) {
    printer << ", unreduced=";
    if (getReductionKind() != ReductionKind::Sum)
      printer << stringifyReductionKind(getReductionKind());
    printAttrList(printer, getUnreducedAxes(), "{}");
  }
  printer << ">";
}

MeshAttr TensorShardingAttr::getMesh(SymbolTable &symbols) const {
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef()))
    return mesh;
  auto op =
      symbols.lookup<MeshOp>(cast<FlatSymbolRefAttr>(getMeshOrRef()).getAttr());
  return op ? op.getMesh() : MeshAttr();
}

MeshAttr TensorShardingAttr::getMesh(Operation *from) const {
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef()))
    return mesh;
  auto op = SymbolTable::lookupNearestSymbolFrom<MeshOp>(
      from, cast<FlatSymbolRefAttr>(getMeshOrRef()));
  return op ? op.getMesh() : MeshAttr();
}

bool TensorShardingAttr::isFullyReplicated() const {
  return getUnreducedAxes().empty() &&
         llvm::all_of(getDimShardings(), [](DimensionShardingAttr dim) {
           return dim.emptyAxes();
         });
}

bool TensorShardingAttr::isFullyClosed() const {
  return llvm::all_of(getDimShardings(), [](DimensionShardingAttr dim) {
    return dim.getIsClosed();
  });
}

bool TensorShardingAttr::isFullyOpen() const {
  return getReplicatedAxes().empty() && getUnreducedAxes().empty() &&
         llvm::all_of(getDimShardings(), [](DimensionShardingAttr dim) {
           return dim.emptyAxes() && !dim.getIsClosed();
         });
}

/// A sharding without axes.
static TensorShardingAttr getEmptySharding(MLIRContext *context, int64_t rank,
                                           Attribute meshOrRef, bool isClosed) {
  SmallVector<DimensionShardingAttr> dims(
      rank, DimensionShardingAttr::get(context, {}, isClosed, std::nullopt));
  return TensorShardingAttr::get(context, meshOrRef, dims, {}, {},
                                 ReductionKind::Sum);
}

TensorShardingAttr TensorShardingAttr::getFullyOpen(MLIRContext *context,
                                                    int64_t rank,
                                                    Attribute meshOrRef) {
  return getEmptySharding(context, rank, meshOrRef, /*isClosed=*/false);
}

TensorShardingAttr TensorShardingAttr::getFullyClosed(MLIRContext *context,
                                                      int64_t rank,
                                                      Attribute meshOrRef) {
  return getEmptySharding(context, rank, meshOrRef, /*isClosed=*/true);
}

void TensorShardingAttr::forEachAxisRef(
    function_ref<void(AxisRefAttr)> visit) const {
  for (DimensionShardingAttr dim : getDimShardings())
    llvm::for_each(dim.getAxes(), visit);
  llvm::for_each(getReplicatedAxes(), visit);
  llvm::for_each(getUnreducedAxes(), visit);
}

Attribute TensorShardingPerValueAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorShardingAttr> shardings;
  if (parser.parseLess() ||
      parseAttrList(parser, AsmParser::Delimiter::Square, shardings) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), shardings);
}

void TensorShardingPerValueAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printAttrList(printer, getShardings(), "[]");
  printer << ">";
}
