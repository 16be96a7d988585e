//===- PopGraphTypes.cpp - Refs and groups of replicas ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pop;

#define GET_TYPEDEF_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopGraphTypes.cpp.inc"

#include "ipu-mlir/Dialect/Pop/IR/PopGraphInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// RefType
//===----------------------------------------------------------------------===//

void PopDialect::registerTypes() { addTypes<RefType>(); }

Type PopDialect::parseType(DialectAsmParser &parser) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return {};
  if (keyword != "ref") {
    parser.emitError(loc) << "unknown type `" << keyword
                          << "` in dialect `pop`";
    return {};
  }
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  return RefType::getChecked([&] { return parser.emitError(loc); },
                             parser.getContext(), shape, elementType);
}

void PopDialect::printType(Type type, DialectAsmPrinter &printer) const {
  auto ref = cast<RefType>(type);
  printer << "ref<";
  printer.printDimensionList(ref.getShape());
  if (ref.hasRank() && !ref.getShape().empty())
    printer << 'x';
  printer << ref.getElementType() << '>';
}

LogicalResult RefType::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int64_t> shape, Type elementType) {
  // c1
  if (!isPopElementType(elementType))
    return emitError() << "expects a ref of a pop element type but got "
                       << elementType;
  // c2
  if (ShapedType::isDynamicShape(shape) || !isPopShape(shape))
    return emitError() << "expects a ref of static shape with at most 2^56 "
                          "elements but got shape ["
                       << shape << "]";
  return success();
}

bool mlir::pop::isReferable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding() && tensor.hasStaticShape() &&
         isPopShape(tensor.getShape()) &&
         isPopElementType(tensor.getElementType());
}

RankedTensorType RefType::getTensorType() const {
  return RankedTensorType::get(getShape(), getElementType());
}

ShapedType RefType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                              Type elementType) const {
  return RefType::get(getContext(), shape.value_or(getShape()), elementType);
}

Value mlir::pop::getRefOrigin(Value ref) {
  while (auto view = ref.getDefiningOp<ViewLikeOpInterface>())
    ref = view.getViewSource();
  return ref;
}

//===----------------------------------------------------------------------===//
// ReplicaGroupsAttr
//===----------------------------------------------------------------------===//

using StrideSize = std::pair<int64_t, int64_t>;

/// Drops pairs that do nothing; what is left has at least one pair.
static void makeCanonical(ArrayRef<StrideSize> pairs,
                          SmallVectorImpl<int64_t> &strides,
                          SmallVectorImpl<int64_t> &sizes) {
  for (auto [stride, size] : pairs)
    // An illegal stride is left for the verifier to see.
    if (size != 1 || stride < 1) {
      strides.push_back(stride);
      sizes.push_back(size);
    }
  if (strides.empty()) {
    strides.push_back(1);
    sizes.push_back(1);
  }
}

/// The members of groups, which are sorted by their least member.
static SmallVector<int64_t>
makeCanonical(ArrayRef<SmallVector<int64_t>> groups) {
  SmallVector<ArrayRef<int64_t>> sorted(groups.begin(), groups.end());
  llvm::sort(sorted, [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    return *llvm::min_element(a) < *llvm::min_element(b);
  });
  SmallVector<int64_t> members;
  for (ArrayRef<int64_t> group : sorted)
    llvm::append_range(members, group);
  return members;
}

ReplicaGroupsAttr ReplicaGroupsAttr::getStrided(MLIRContext *context,
                                                int64_t stride, int64_t size) {
  return getNested(context, {{stride, size}});
}

ReplicaGroupsAttr ReplicaGroupsAttr::getNested(MLIRContext *context,
                                               ArrayRef<StrideSize> pairs) {
  SmallVector<int64_t> strides, sizes;
  makeCanonical(pairs, strides, sizes);
  return get(context, strides, sizes, ArrayRef<int64_t>());
}

ReplicaGroupsAttr
ReplicaGroupsAttr::getExplicit(MLIRContext *context,
                               ArrayRef<SmallVector<int64_t>> groups) {
  int64_t size = groups.front().size();
  return get(context, ArrayRef<int64_t>(), size, makeCanonical(groups));
}

int64_t ReplicaGroupsAttr::getGroupSize() const {
  int64_t product = 1;
  for (int64_t size : getSizes())
    product *= size;
  return product;
}

/// Parses `(a, b), ...` up to the end of the list.
static ParseResult parsePairs(AsmParser &parser,
                              SmallVectorImpl<StrideSize> &pairs) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    StrideSize &pair = pairs.emplace_back();
    return failure(parser.parseLParen() || parser.parseInteger(pair.first) ||
                   parser.parseComma() || parser.parseInteger(pair.second) ||
                   parser.parseRParen());
  });
}

static ParseResult parseList(AsmParser &parser,
                             SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

/// Parses `[0, 1], ...` up to the end of the list, and checks what keeps lists
/// from being sorted.
static ParseResult parseGroups(AsmParser &parser,
                               SmallVectorImpl<SmallVector<int64_t>> &groups) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    SmallVector<int64_t> &group = groups.emplace_back();
    if (parseList(parser, group))
      return failure();
    // c3
    if (group.empty() || group.size() != groups.front().size())
      return parser.emitError(loc)
             << "expects groups of one size, at least 1, but got "
             << groups.front().size() << " and " << group.size();
    return success();
  });
}

Attribute ReplicaGroupsAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StrideSize> pairs;
  SmallVector<SmallVector<int64_t>> groups;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalLSquare())) {
    // What follows says which of the two lists it is; neither is empty.
    StrideSize first;
    if (succeeded(parser.parseOptionalLParen())) {
      if (parser.parseInteger(first.first) || parser.parseComma() ||
          parser.parseInteger(first.second) || parser.parseRParen())
        return {};
      pairs.push_back(first);
      if (succeeded(parser.parseOptionalComma()) && parsePairs(parser, pairs))
        return {};
    } else if (parseGroups(parser, groups)) {
      return {};
    }
    if (parser.parseRSquare())
      return {};
  } else {
    StrideSize &pair = pairs.emplace_back();
    if (parser.parseKeyword("stride") || parser.parseEqual() ||
        parser.parseInteger(pair.first) || parser.parseComma() ||
        parser.parseKeyword("size") || parser.parseEqual() ||
        parser.parseInteger(pair.second))
      return {};
  }
  if (parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(loc); };
  if (!groups.empty())
    return getChecked(emitError, parser.getContext(), ArrayRef<int64_t>(),
                      ArrayRef<int64_t>(groups.front().size()),
                      ArrayRef<int64_t>(makeCanonical(groups)));
  SmallVector<int64_t> strides, sizes;
  makeCanonical(pairs, strides, sizes);
  return getChecked(emitError, parser.getContext(), ArrayRef<int64_t>(strides),
                    ArrayRef<int64_t>(sizes), ArrayRef<int64_t>());
}

void ReplicaGroupsAttr::print(AsmPrinter &printer) const {
  if (getStrides().size() == 1) {
    printer << "<stride = " << getStrides().front()
            << ", size = " << getSizes().front() << ">";
    return;
  }
  printer << "<[";
  if (isExplicit()) {
    ArrayRef<int64_t> rest = getMembers();
    for (; !rest.empty(); rest = rest.drop_front(getGroupSize())) {
      printer << (rest.size() == getMembers().size() ? "[" : ", [");
      llvm::interleaveComma(rest.take_front(getGroupSize()), printer);
      printer << "]";
    }
  } else {
    llvm::interleaveComma(llvm::zip_equal(getStrides(), getSizes()), printer,
                          [&](auto pair) {
                            printer << "(" << std::get<0>(pair) << ", "
                                    << std::get<1>(pair) << ")";
                          });
  }
  printer << "]>";
}

/// Checks pairs of strides and sizes.
static LogicalResult verifyPairs(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> strides,
                                 ArrayRef<int64_t> sizes) {
  SmallVector<StrideSize> sorted;
  for (auto [stride, size] : llvm::zip_equal(strides, sizes)) {
    // c1
    if (stride < 1 || size < 1 || stride > ipu::ReplicaGroups::kMaxReplicas ||
        size > ipu::ReplicaGroups::kMaxReplicas / stride)
      return emitError() << "expects stride and size of at least 1, with a "
                            "product of at most "
                         << ipu::ReplicaGroups::kMaxReplicas
                         << ", but got stride " << stride << " and size "
                         << size;
    sorted.push_back({stride, size});
  }
  llvm::sort(sorted);
  // c2
  for (auto [a, b] : llvm::zip(sorted, llvm::drop_begin(sorted)))
    if (b.first % (a.first * a.second) != 0)
      return emitError() << "expects the product of stride and size of each "
                            "pair to divide the next stride but got ("
                         << a.first << ", " << a.second << ") and (" << b.first
                         << ", " << b.second << ")";
  return success();
}

LogicalResult
ReplicaGroupsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                          ArrayRef<int64_t> strides, ArrayRef<int64_t> sizes,
                          ArrayRef<int64_t> members) {
  if (members.empty())
    return verifyPairs(emitError, strides, sizes);
  // c3
  int64_t numReplicas = members.size();
  SmallVector<bool> found(numReplicas);
  for (int64_t replica : members) {
    if (replica < 0 || replica >= numReplicas)
      return emitError() << "expects groups of replicas 0 to "
                         << numReplicas - 1 << " but got replica " << replica;
    if (found[replica])
      return emitError() << "expects each replica in one group but got replica "
                         << replica << " twice";
    found[replica] = true;
  }
  return success();
}

FailureOr<ipu::ReplicaGroups>
ReplicaGroupsAttr::resolve(int64_t numReplicas,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (isExplicit()) {
    int64_t found = getMembers().size();
    if (found != numReplicas)
      return emitError() << "expects groups with " << numReplicas
                         << " replicas in all but got " << *this << " with "
                         << found;
    return *ipu::ReplicaGroups::getExplicit(getMembers(), getGroupSize());
  }
  SmallVector<StrideSize> pairs;
  for (auto [stride, size] : llvm::zip_equal(getStrides(), getSizes()))
    pairs.push_back({stride, size});
  std::optional<ipu::ReplicaGroups> groups =
      ipu::ReplicaGroups::getNested(numReplicas, pairs);
  if (groups)
    return *groups;
  StrideSize last = *llvm::max_element(pairs);
  return emitError() << "expects groups whose stride times size divides "
                     << numReplicas << " replicas but got " << *this
                     << ", with the product " << last.first * last.second;
}
