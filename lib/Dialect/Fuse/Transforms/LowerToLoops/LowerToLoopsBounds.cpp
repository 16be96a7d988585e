//===- LowerToLoopsBounds.cpp - Where statements must not run -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IndexBounds of statements become, in this order: nothing, where a loop is
// split so that all its iterations fulfil them (full tiles); bounds of a loop,
// where all that is in it needs them; conditions around as much as needs them.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExprVisitor.h"

using namespace mlir;
using namespace mlir::fuse;

bool NestEmitter::isAssumed(const IndexBound &bound) const {
  if (llvm::is_contained(assumed, bound))
    return true;
  // An index grows with the lanes.
  AffineExpr last = lane ? atLane(bound.index, getNumLanes() - 1) : bound.index;
  auto margin =
      dyn_cast<AffineConstantExpr>(index->simplify(bound.bound - last - 1));
  return margin && margin.getValue() >= 0;
}

bool NestEmitter::dependsOnlyOn(AffineExpr expr,
                                std::optional<ClassId> extra) const {
  bool result = true;
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      result &= index->isBound(dim.getPosition()) || extra == dim.getPosition();
  });
  return result;
}

SmallVector<const NestEmitter::Statement *>
NestEmitter::getStatements(const LoopNode &node) const {
  SmallVector<const Statement *> statements;
  const State &state = states[node.tensor];
  if (node.kind == LoopNode::Kind::Compute)
    statements.push_back(&state.compute);
  // What a register starts from guards itself, as its loops may run anyhow.
  if (node.kind == LoopNode::Kind::Init && state.accForm == Form::Memory)
    statements.push_back(&state.init);
  for (const LoopNode &child : node.body)
    llvm::append_range(statements, getStatements(child));
  return statements;
}

SmallVector<IndexBound>
NestEmitter::getOpenBounds(const Statement &statement) const {
  SmallVector<IndexBound> bounds;
  for (IndexBound bound : statement.bounds) {
    if (!dependsOnlyOn(bound.index, std::nullopt) || isAssumed(bound))
      continue;
    // If lane 0 does not run, no lane does. In lanes beyond it a mask tells.
    if (lane) {
      bound.index = atLane(bound.index, 0);
      if (isAssumed(bound))
        continue;
    }
    if (!llvm::is_contained(bounds, bound))
      bounds.push_back(bound);
  }
  return bounds;
}

std::optional<SmallVector<IndexBound>>
NestEmitter::getOpenBounds(const LoopNode &node) const {
  std::optional<SmallVector<IndexBound>> common;
  for (const Statement *statement : getStatements(node)) {
    SmallVector<IndexBound> own = getOpenBounds(*statement);
    if (!common) {
      common = std::move(own);
      continue;
    }
    llvm::erase_if(*common, [&](const IndexBound &bound) {
      return !llvm::is_contained(own, bound);
    });
  }
  return common;
}

AffineExpr NestEmitter::getFirstFailure(AffineExpr bound, AffineExpr slack,
                                        int64_t factor, AffineExpr extent) {
  AffineExpr excess = index->simplify(bound - slack - 1 + factor);
  // The usual case needs no further bounds: as many tiles as fit.
  if (!isa<AffineConstantExpr>(excess)) {
    if (excess == bound)
      return excess.floorDiv(factor);
    return getMin(index->addMax(excess, zero()).floorDiv(factor), extent);
  }
  int64_t value = cast<AffineConstantExpr>(excess).getValue();
  return getMin(zero() + std::max<int64_t>(value, 0) / factor, extent);
}

std::optional<AffineExpr>
NestEmitter::getPeelPoint(const LoopNode &node,
                          SmallVectorImpl<IndexBound> &implied) {
  ClassId id = node.loopClass;
  AffineExpr extent = index->simplify(classes[id].extent);
  SmallVector<AffineExpr> points;
  for (const Statement *statement : getStatements(node)) {
    for (const IndexBound &bound : statement->bounds) {
      if (isAssumed(bound) || isOfLane(bound) ||
          llvm::is_contained(implied, bound))
        continue;
      AffineExpr expr = index->simplify(bound.index);
      bool isFirst = expr.isFunctionOfDim(id);
      expr.walk([&](AffineExpr part) {
        if (auto dim = dyn_cast<AffineDimExpr>(part))
          isFirst &=
              dim.getPosition() == id || !index->isBound(dim.getPosition());
      });
      if (!isFirst)
        continue;
      auto factor = dyn_cast_or_null<AffineConstantExpr>(
          getLaneFactor(expr, id).value_or(AffineExpr()));
      std::optional<AffineExpr> slack = ranges.getUpper(atDim(expr, id, 0));
      if (!factor || factor.getValue() <= 0 || !slack)
        continue;
      if (!slack->isSymbolicOrConstant() || !bound.bound.isSymbolicOrConstant())
        continue;
      implied.push_back(bound);
      points.push_back(
          getFirstFailure(bound.bound, *slack, factor.getValue(), extent));
    }
  }
  if (points.empty())
    return std::nullopt;
  AffineExpr least = points.front();
  for (AffineExpr point : ArrayRef(points).drop_front())
    least = getMin(least, point);
  if (auto constant = dyn_cast<AffineConstantExpr>(least);
      constant && constant.getValue() == 0)
    return std::nullopt;
  return least;
}

AffineExpr NestEmitter::zero() const {
  return getAffineConstantExpr(0, schedule.getContext());
}

AffineExpr NestEmitter::getMin(AffineExpr lhs, AffineExpr rhs) {
  if (lhs == rhs)
    return lhs;
  auto a = dyn_cast<AffineConstantExpr>(lhs);
  auto c = dyn_cast<AffineConstantExpr>(rhs);
  if (a && c)
    return a.getValue() < c.getValue() ? lhs : rhs;
  return index->addMin(lhs, rhs);
}

SmallVector<AffineExpr>
NestEmitter::getTightBounds(const LoopNode &node,
                            SmallVectorImpl<IndexBound> &implied) {
  ClassId id = node.loopClass;
  SmallVector<AffineExpr> bounds;
  SmallVector<const Statement *> statements = getStatements(node);
  if (statements.empty())
    return bounds;
  for (const IndexBound &bound : statements.front()->bounds) {
    if (isAssumed(bound) || isOfLane(bound) ||
        !bound.index.isFunctionOfDim(id) || !dependsOnlyOn(bound.index, id) ||
        !llvm::all_of(statements, [&](const Statement *other) {
          return llvm::is_contained(other->bounds, bound);
        }))
      continue;
    AffineExpr expr = index->simplify(bound.index);
    std::optional<AffineExpr> factor = getLaneFactor(expr, id);
    if (!factor || *factor != zero() + 1)
      continue;
    bounds.push_back(index->simplify(bound.bound - atDim(expr, id, 0)));
    implied.push_back(bound);
  }
  return bounds;
}
