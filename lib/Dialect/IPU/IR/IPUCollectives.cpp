//===- IPUCollectives.cpp - Verifiers of collectives ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IPUDetail.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

/// c1
static LogicalResult verifyAttributes(CollectiveOp op) {
  CollectiveKind kind = op.getKind();
  auto verify = [&](Attribute attribute, StringRef name,
                    bool isExpected) -> LogicalResult {
    if (static_cast<bool>(attribute) == isExpected)
      return success();
    return op.emitOpError()
           << "'" << stringifyCollectiveKind(kind) << "' "
           << (isExpected ? "expects '" : "expects no '") << name << "'";
  };
  bool reduces = kind == CollectiveKind::AllReduce ||
                 kind == CollectiveKind::ReduceScatter;
  bool hasAxis = kind == CollectiveKind::AllGather ||
                 kind == CollectiveKind::ReduceScatter;
  bool isAllToAll = kind == CollectiveKind::AllToAll;
  if (failed(verify(op.getReductionAttr(), "reduction", reduces)) ||
      failed(verify(op.getAxisAttr(), "axis", hasAxis)) ||
      failed(verify(op.getSplitAxisAttr(), "split_axis", isAllToAll)) ||
      failed(verify(op.getConcatAxisAttr(), "concat_axis", isAllToAll)) ||
      failed(verify(op.getRootAttr(), "root",
                    kind == CollectiveKind::Broadcast)) ||
      failed(
          verify(op.getPairsAttr(), "pairs", kind == CollectiveKind::Permute)))
    return failure();
  if (kind == CollectiveKind::Permute && op.getGroupsAttr())
    return op.emitOpError("'permute' expects no 'groups'");
  int64_t rank = op.getSource().getType().getRank();
  for (IntegerAttr axis :
       {op.getAxisAttr(), op.getSplitAxisAttr(), op.getConcatAxisAttr()})
    if (axis && (axis.getInt() < 0 || axis.getInt() >= rank))
      return op.emitOpError() << "expects an axis from 0 to " << rank - 1
                              << " but got " << axis.getInt();
  return success();
}

/// c2: of `pairs`.
static LogicalResult verifyPairs(CollectiveOp op, int64_t replicas) {
  llvm::SmallSet<int64_t, 8> seen[2];
  for (Attribute pair : op.getPairsAttr())
    for (auto [side, number] : llvm::enumerate(cast<ArrayAttr>(pair))) {
      int64_t replica = cast<IntegerAttr>(number).getInt();
      if (replica < 0 || replica >= replicas)
        return op.emitOpError() << "expects replicas from 0 to " << replicas - 1
                                << " in its pairs but got " << replica;
      if (!seen[side].insert(replica).second)
        return op.emitOpError()
               << "expects replica " << replica << " to be the "
               << (side == 0 ? "source" : "target") << " of one pair only";
    }
  return success();
}

/// The shape of the target that follows from the source's and the size of
/// groups; for all_gather, of what it is split from.
static SmallVector<int64_t> getTargetShape(CollectiveOp op, int64_t groupSize) {
  SmallVector<int64_t> shape(op.getSource().getType().getShape());
  // No variable has as many elements as where this saturates.
  auto grow = [&](int64_t &size) {
    if (llvm::MulOverflow(size, groupSize, size))
      size = INT64_MAX;
  };
  switch (op.getKind()) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::Broadcast:
  case CollectiveKind::Permute:
    break;
  case CollectiveKind::AllGather:
    grow(shape[op.getAxisAttr().getInt()]);
    break;
  case CollectiveKind::ReduceScatter: {
    int64_t &size = shape[op.getAxisAttr().getInt()];
    size = llvm::divideCeil(size, groupSize);
    break;
  }
  case CollectiveKind::AllToAll:
    shape[op.getSplitAxisAttr().getInt()] /= groupSize;
    grow(shape[op.getConcatAxisAttr().getInt()]);
    break;
  }
  return shape;
}

/// c3: of shapes.
static LogicalResult verifyShapes(CollectiveOp op, int64_t groupSize) {
  ArrayRef<int64_t> source = op.getSource().getType().getShape();
  ArrayRef<int64_t> target = op.getTarget().getType().getShape();
  if (op.getKind() == CollectiveKind::AllToAll &&
      source[op.getSplitAxisAttr().getInt()] % groupSize != 0)
    return op.emitOpError()
           << "expects the size of dimension " << op.getSplitAxisAttr().getInt()
           << " to be a multiple of the " << groupSize
           << " replicas of a group but got "
           << source[op.getSplitAxisAttr().getInt()];
  if (op.getKind() == CollectiveKind::AllGather &&
      target.size() == source.size()) {
    // The source's size is that of the result by g, rounded up.
    int64_t axis = op.getAxisAttr().getInt();
    SmallVector<int64_t> part(target);
    part[axis] = llvm::divideCeil(target[axis], groupSize);
    if (ArrayRef(part) == source)
      return success();
  }
  SmallVector<int64_t> expected = getTargetShape(op, groupSize);
  if (ArrayRef(expected) == target)
    return success();
  return op.emitOpError() << "expects a target of shape [" << expected
                          << "] for groups of " << groupSize
                          << " replicas but got " << op.getTarget().getType();
}

/// c3: of element types.
static LogicalResult verifyElementTypes(CollectiveOp op) {
  Type type = op.getSource().getType().getElementType();
  if (type != op.getTarget().getType().getElementType())
    return op.emitOpError()
           << "expects source and target to have the same element type but got "
           << op.getSource().getType() << " and " << op.getTarget().getType();
  if (!op.getReductionAttr())
    return success();
  CollectiveOperator reduction = *op.getReduction();
  bool isLogical = reduction == CollectiveOperator::LogicalAnd ||
                   reduction == CollectiveOperator::LogicalOr;
  bool takesAll = reduction == CollectiveOperator::Local;
  if (takesAll || (isLogical ? type.isInteger() : !type.isInteger(1)))
    return success();
  return op.emitOpError() << "operator '"
                          << stringifyCollectiveOperator(reduction)
                          << "' expects elements of "
                          << (isLogical ? "i1 or an integer type"
                                        : "a float or integer type")
                          << " but got " << type;
}

LogicalResult CollectiveOp::verify() {
  if (failed(verifyAttributes(*this)) || failed(verifyElementTypes(*this)))
    return failure();
  // c4
  if (!isWholeVariable(getSource()) || !isWholeVariable(getTarget()))
    return emitOpError("expects whole variables, not parts of them");
  if (getVariable(getSource()) == getVariable(getTarget()))
    return emitOpError("expects source and target to be different variables");
  if (failed(verifyReadable(*this, getSource())))
    return failure();
  if (failed(verifyWritable(*this, getTarget())))
    return failure();
  // c6
  if (failed(verifyDraw(*this, getRng(), getDrawAttr())))
    return failure();
  // c5
  if (getOverflowAttr() && !getRng())
    return emitOpError("has an 'overflow' but no 'rng'");
  if (!getRng())
    return success();
  if (!getOverflowAttr())
    return emitOpError("expects an 'overflow' for its 'rng'");
  Type element = getElementTypeOrSelf(getTarget().getType());
  if (!getReduction())
    return emitOpError() << "with an 'rng' expects a reduction but got '"
                         << stringifyCollectiveKind(getKind()) << "'";
  if (getReduction() == CollectiveOperator::Local)
    return emitOpError("with an 'rng' expects an operator other than 'local'");
  if (!canRoundStochastically(element))
    return emitOpError() << "with an 'rng' expects elements of type f16, "
                            "f8E4M3FNUZ or f8E5M2FNUZ but got "
                         << element;
  return verifyRng(*this, getRng());
}

void CollectiveOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
  addRngEffects(getRngMutable(), getDrawAttr(), effects);
}

SmallVector<OpOperand *> CollectiveOp::getRngOperands() {
  return llvm::map_to_vector(getRngMutable(),
                             [](OpOperand &rng) { return &rng; });
}

// The number of replicas is the module's.
LogicalResult CollectiveOp::verifySymbolUses(SymbolTableCollection &) {
  int64_t replicas = getTargetModel(*this).replicas;
  if (getKind() == CollectiveKind::Permute &&
      failed(verifyPairs(*this, replicas)))
    return failure();
  FailureOr<ReplicaGroups> groups = resolveReplicaGroups(
      getGroupsAttr(), replicas, [&] { return emitOpError(); });
  if (failed(groups))
    return failure();
  int64_t size = groups->getGroupSize();
  if (IntegerAttr root = getRootAttr();
      root && (root.getInt() < 0 || root.getInt() >= size))
    return emitOpError() << "expects a root from 0 to " << size - 1
                         << " but got " << root.getInt();
  return verifyShapes(*this, size);
}
