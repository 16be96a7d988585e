//===- ShardingVerifiers.cpp - Verifiers of shardings and rules -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyDetail.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::ipu::sdy;

namespace sdy = mlir::ipu::sdy;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// Whether `a` and `b`, one after the other, are one larger part of an axis.
static bool canMerge(AxisRefAttr a, AxisRefAttr b) {
  SubAxisInfoAttr infoA = a.getSubAxisInfo(), infoB = b.getSubAxisInfo();
  int64_t next;
  return a.getName() == b.getName() && infoA && infoB &&
         !llvm::MulOverflow(infoA.getPreSize(), infoA.getSize(), next) &&
         next == infoB.getPreSize();
}

/// All parts of one axis fit together.
static LogicalResult verifyParts(ArrayRef<AxisRefAttr> parts, int64_t fullSize,
                                 EmitErrorFn emitError) {
  bool hasFull = llvm::any_of(
      parts, [](AxisRefAttr part) { return !part.getSubAxisInfo(); });
  if (hasFull && parts.size() > 1)
    return emitError() << "both sub-axis and full-axis are used for axis name: "
                       << "\"" << parts.front().getName() << "\"";
  if (hasFull)
    return success();
  SmallVector<AxisRefAttr> sorted(parts);
  llvm::sort(sorted, [](AxisRefAttr a, AxisRefAttr b) {
    SubAxisInfoAttr x = a.getSubAxisInfo(), y = b.getSubAxisInfo();
    return std::make_pair(x.getPreSize(), x.getSize()) <
           std::make_pair(y.getPreSize(), y.getSize());
  });
  AxisRefAttr previous;
  int64_t previousNext = 1;
  for (AxisRefAttr part : sorted) {
    int64_t pre = part.getSubAxisInfo().getPreSize();
    int64_t size = part.getSubAxisInfo().getSize();
    int64_t next;
    if (pre < 1)
      return emitError() << "sub-axis pre-size must be at least 1: "
                         << part.toString();
    if (size <= 1)
      return emitError() << "sub-axis size must be greater than 1: "
                         << part.toString();
    if (llvm::MulOverflow(pre, size, next) || fullSize % next != 0)
      return emitError() << "sub-axis next pre-size " << part.toString()
                         << " doesn't divide the size of the full axis: "
                         << fullSize;
    if (size == fullSize)
      return emitError() << "sub-axis size is equal to the full axis size: "
                         << part.toString();
    if (previous && pre < previousNext)
      return emitError() << "overlapping sub-axes: " << previous.toString()
                         << ", " << part.toString();
    previous = part;
    previousNext = next;
  }
  return success();
}

LogicalResult sdy::verifyAxisLists(ArrayRef<ArrayRef<AxisRefAttr>> lists,
                                   MeshAttr mesh, EmitErrorFn emitError) {
  SmallVector<AxisRefAttr> seen;
  bool hasParts = false;
  for (ArrayRef<AxisRefAttr> list : lists) {
    AxisRefAttr previous;
    for (AxisRefAttr ref : list) {
      if (!mesh.hasAxis(ref.getName()))
        return emitError() << "unknown axis name: \"" << ref.getName() << "\"";
      if (llvm::is_contained(seen, ref))
        return emitError() << "duplicate axis ref: " << ref.toString();
      if (previous && canMerge(previous, ref))
        return emitError() << "two consecutive sub-axes can be merged: "
                           << previous.toString() << ", " << ref.toString();
      seen.push_back(ref);
      hasParts |= static_cast<bool>(ref.getSubAxisInfo());
      previous = ref;
    }
  }
  if (!hasParts)
    return success();
  llvm::MapVector<StringRef, SmallVector<AxisRefAttr>> parts;
  for (AxisRefAttr ref : seen)
    parts[ref.getName()].push_back(ref);
  for (auto &[name, refs] : parts)
    if (failed(verifyParts(refs, mesh.getAxisSize(name), emitError)))
      return failure();
  return success();
}

LogicalResult sdy::verifySorted(ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                                StringRef kind, EmitErrorFn emitError) {
  auto getKey = [&](AxisRefAttr ref) {
    SubAxisInfoAttr info = ref.getSubAxisInfo();
    // A full axis stands between its first part and the others.
    return std::make_tuple(mesh.getAxisIndex(ref.getName()).value_or(0),
                           info ? info.getPreSize() : 1,
                           info ? info.getSize() : INT64_MAX);
  };
  for (size_t i = 1; i < axes.size(); ++i)
    if (getKey(axes[i]) < getKey(axes[i - 1]))
      return emitError() << kind << " axes are not ordered w.r.t. mesh";
  return success();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// No axis is manual in an enclosing computation.
static LogicalResult verifyNotManual(TensorShardingAttr sharding,
                                     Operation *from, EmitErrorFn emitError) {
  for (auto parent = from->getParentOfType<ManualComputationOp>(); parent;
       parent = parent->getParentOfType<ManualComputationOp>()) {
    AxisRefAttr bound;
    sharding.forEachAxisRef([&](AxisRefAttr ref) {
      if (!bound && parent.getManualAxes().contains(ref.getName()))
        bound = ref;
    });
    if (!bound)
      continue;
    InFlightDiagnostic diag = emitError();
    diag << "operates on axis \"" << bound.getName()
         << "\" which is already bound by a parent sdy.manual_computation op";
    diag.attachNote(parent.getLoc()) << "parent bounding this axis as manual";
    return diag;
  }
  return success();
}

/// A sharding of no dimensions and no axes.
static bool isScalarWithoutAxes(TensorShardingAttr sharding) {
  return sharding.getRank() == 0 && sharding.getReplicatedAxes().empty() &&
         sharding.getUnreducedAxes().empty();
}

LogicalResult sdy::verifySharding(TensorShardingAttr sharding, Type type,
                                  Operation *from, EmitErrorFn emitError) {
  MeshAttr mesh = sharding.getMesh(from);
  if (!mesh) // c1
    return emitError() << "unknown mesh: " << sharding.getMeshOrRef();
  if (mesh.isMaximal() || (!type && sharding.isFullyReplicated())) { // c2
    if (!isScalarWithoutAxes(sharding))
      return emitError() << "a maximal sharding can only have a sharding with "
                            "rank 0 and no axes, got rank "
                         << sharding.getRank();
    return success();
  }
  if (auto tuple = dyn_cast_or_null<TupleType>(type)) { // c3
    if (tuple.size() != 1)
      return emitError() << "ops can only have a sharding for a tuple of size "
                            "1; type: "
                         << type;
    type = tuple.getType(0);
  }
  auto shaped = dyn_cast_or_null<ShapedType>(type);
  if (!shaped) { // c4
    if (!isScalarWithoutAxes(sharding))
      return emitError() << "non-shaped tensors can only have a sharding with "
                            "rank 0 and no axes; type: "
                         << type;
    return success();
  }
  if (!shaped.hasRank()) // c5
    return emitError() << "only ranked tensors with a static shape can have a "
                          "sharding; type: "
                       << type;
  if (sharding.getRank() != shaped.getRank()) // c6
    return emitError() << "sharding doesn't match tensor rank: "
                       << sharding.getRank() << " != " << shaped.getRank();
  SmallVector<ArrayRef<AxisRefAttr>> lists;
  for (auto [i, dim] : llvm::enumerate(sharding.getDimShardings())) { // c7
    if (std::optional<int64_t> priority = dim.getPriority()) {
      if (*priority < 0)
        return emitError() << "dim " << i
                           << " has a negative priority: " << *priority;
      if (dim.emptyAxes() && dim.getIsClosed())
        return emitError() << "dim " << i
                           << " is empty and closed but has a priority";
    }
    lists.push_back(dim.getAxes());
  }
  lists.push_back(sharding.getReplicatedAxes());
  lists.push_back(sharding.getUnreducedAxes());
  if (failed(verifyAxisLists(lists, mesh, emitError)) || // c9, c10
      failed(verifySorted(sharding.getReplicatedAxes(), mesh, "replicated",
                          emitError)) ||
      failed(verifySorted(sharding.getUnreducedAxes(), mesh, "unreduced",
                          emitError))) // c8
    return failure();
  return verifyNotManual(sharding, from, emitError); // c11
}

LogicalResult sdy::verifyShardings(TensorShardingPerValueAttr shardings,
                                   TypeRange types, Operation *from,
                                   StringRef kind, EmitErrorFn emitError) {
  // An op without results can still be on one device.
  if (types.empty() && shardings.size() == 1) {
    TensorShardingAttr only = shardings.getShardings().front();
    MeshAttr mesh = only.getMesh(from);
    if (mesh && (mesh.isMaximal() || only.isFullyReplicated()))
      return verifySharding(only, Type(), from, emitError);
  }
  if (int64_t(types.size()) != shardings.size())
    return emitError() << kind << " shardings don't match number of values: "
                       << shardings.size() << " shardings vs " << types.size()
                       << " values";
  for (auto [i, sharding, type] :
       llvm::enumerate(shardings.getShardings(), types)) {
    auto emitValueError = [&, i = i] {
      InFlightDiagnostic diag = emitError();
      diag << kind << " ";
      if (types.size() > 1)
        diag << i << " ";
      diag << "- ";
      return diag;
    };
    if (failed(verifySharding(sharding, type, from, emitValueError)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {
/// A rule being checked against an op.
struct RuleVerifier {
  OpShardingRuleAttr rule;
  Operation *op;
  llvm::SmallBitVector isUsed;
  llvm::SmallBitVector isInResults;

  InFlightDiagnostic emitError() {
    return op->emitOpError() << "sharding rule: ";
  }
  LogicalResult verifySide(StringRef kind, ArrayRef<TensorMappingAttr> mappings,
                           TypeRange types);
  LogicalResult verifyMapping(StringRef kind, unsigned index,
                              TensorMappingAttr mapping, Type type);
  LogicalResult verifySets();
};
} // namespace

LogicalResult RuleVerifier::verifySide(StringRef kind,
                                       ArrayRef<TensorMappingAttr> mappings,
                                       TypeRange types) {
  if (mappings.size() != types.size()) // c1
    return emitError() << "number of " << kind
                       << "s and mappings must match: " << types.size()
                       << " != " << mappings.size();
  if (mappings.empty()) // c2
    return emitError() << "expected at least one " << kind;
  for (auto [i, mapping, type] : llvm::enumerate(mappings, types))
    if (failed(verifyMapping(kind, i, mapping, type)))
      return failure();
  return success();
}

LogicalResult RuleVerifier::verifyMapping(StringRef kind, unsigned index,
                                          TensorMappingAttr mapping,
                                          Type type) {
  // Scalars that are no tensors, as indices of other dialects, have rank 0.
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !shaped.hasStaticShape()) // c3
    return emitError() << "expected " << kind << " " << index
                       << " to be a ranked, static tensor but got " << type;
  int64_t rank = shaped ? shaped.getRank() : 0;
  if (int64_t(mapping.getDimMappings().size()) != rank) // c4
    return emitError() << kind << " " << index << " mapping rank must match: "
                       << mapping.getDimMappings().size() << " != " << rank;
  llvm::SmallBitVector seen(rule.getNumFactors());
  for (DimMappingAttr dim : mapping.getDimMappings()) {
    if (dim.getFactorIndices().empty()) // c5
      return emitError() << kind << " " << index
                         << " has a dimension without factors";
    for (int64_t factor : dim.getFactorIndices()) {
      if (factor < 0 || factor >= rule.getNumFactors()) // c6
        return emitError() << kind << " " << index
                           << " has a factor out of range: "
                           << getFactorSymbol(std::max<int64_t>(factor, 0));
      if (seen.test(factor)) // c7
        return emitError() << "cannot reuse factor " << getFactorSymbol(factor)
                           << " in " << kind << " " << index;
      if (dim.getFactorIndices().size() > 1 &&
          rule.getFactorSizes()[factor] == 1) // c8
        return emitError() << "dimension with several factors has a factor of "
                              "size 1: "
                           << getFactorSymbol(factor);
      seen.set(factor);
    }
  }
  isUsed |= seen;
  if (kind == "result")
    isInResults |= seen;
  return success();
}

LogicalResult RuleVerifier::verifySets() {
  llvm::SmallBitVector isSpecial(rule.getNumFactors());
  for (auto [name, factors, isType] :
       {std::make_tuple("reduction", rule.getReductionFactors(), true),
        std::make_tuple("need_replication", rule.getNeedReplicationFactors(),
                        true),
        std::make_tuple("permutation", rule.getPermutationFactors(), true),
        std::make_tuple("blocked_propagation",
                        rule.getBlockedPropagationFactors(), false)}) {
    for (auto [i, factor] : llvm::enumerate(factors)) {
      if (i > 0 && factors[i - 1] >= factor) // c10
        return emitError() << "indices of " << name
                           << " factors must be unique and sorted";
      if (factor < 0 || factor >= rule.getNumFactors()) // c11
        return emitError() << name << " factor out of range: "
                           << getFactorSymbol(std::max<int64_t>(factor, 0));
      if (isType && isSpecial.test(factor)) // c12
        return emitError() << "factor " << getFactorSymbol(factor)
                           << " can only be in one of the reduction, "
                              "need_replication and permutation sets";
      if (isType)
        isSpecial.set(factor);
    }
  }
  for (int64_t factor : rule.getReductionFactors())
    if (isInResults.test(factor)) // c13
      return emitError() << "reduction factor " << getFactorSymbol(factor)
                         << " cannot be in a result";
  return success();
}

LogicalResult sdy::verifyShardingRule(OpShardingRuleAttr rule, Operation *op) {
  RuleVerifier verifier{rule, op, llvm::SmallBitVector(rule.getNumFactors()),
                        llvm::SmallBitVector(rule.getNumFactors())};
  if (failed(verifier.verifySide("operand", rule.getOperandMappings(),
                                 op->getOperandTypes())) ||
      failed(verifier.verifySide("result", rule.getResultMappings(),
                                 op->getResultTypes())))
    return failure();
  for (auto [factor, size] : llvm::enumerate(rule.getFactorSizes()))
    if (size < 0)
      return verifier.emitError() << "has factor " << getFactorSymbol(factor)
                                  << "=" << size << " of negative size";
  for (int64_t factor = 0; factor < rule.getNumFactors(); ++factor)
    if (!verifier.isUsed.test(factor)) // c9
      return verifier.emitError()
             << "has factor " << getFactorSymbol(factor) << "="
             << rule.getFactorSizes()[factor]
             << " that isn't used in operand and result mappings";
  return verifier.verifySets();
}
