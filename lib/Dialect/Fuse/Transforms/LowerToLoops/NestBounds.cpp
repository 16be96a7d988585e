//===- NestBounds.cpp - Bounds of statements --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestBounds.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

bool NestBounds::isAssumed(const IndexBound &bound) const {
  if (llvm::is_contained(assumed, bound))
    return true;
  // An index grows with the lanes.
  const VectorLanes &lanes = context.lanes;
  AffineExpr last =
      lanes ? lanes.at(lanes.getNum() - 1, bound.index) : bound.index;
  auto margin =
      dyn_cast<AffineConstantExpr>(index.simplify(bound.bound - last - 1));
  return margin && margin.getValue() >= 0;
}

bool NestBounds::isDetermined(AffineExpr expr,
                              std::optional<ClassId> also) const {
  bool result = true;
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      result &= index.isBound(dim.getPosition()) || also == dim.getPosition();
  });
  return result;
}

SmallVector<const Statement *>
NestBounds::getStatements(const LoopNode &node) const {
  SmallVector<const Statement *> statements;
  const TensorState &state = context.states[node.tensor];
  if (node.kind == LoopNode::Kind::Compute)
    statements.push_back(&state.compute);
  // What a register starts from guards itself, as its loops may run anyhow.
  if (node.kind == LoopNode::Kind::Init && state.accForm == ValueForm::Memory)
    statements.push_back(&state.init);
  for (const LoopNode &child : node.body)
    llvm::append_range(statements, getStatements(child));
  return statements;
}

SmallVector<IndexBound>
NestBounds::getOpenBounds(const Statement &statement) const {
  SmallVector<IndexBound> bounds;
  for (IndexBound bound : statement.bounds) {
    if (!isDetermined(bound.index) || isAssumed(bound))
      continue;
    // If lane 0 does not run, no lane does. In lanes beyond it a mask tells.
    if (context.lanes) {
      bound.index = context.lanes.at(0, bound.index);
      if (isAssumed(bound))
        continue;
    }
    if (!llvm::is_contained(bounds, bound))
      bounds.push_back(bound);
  }
  return bounds;
}

std::optional<SmallVector<IndexBound>>
NestBounds::getOpenBounds(const LoopNode &node) const {
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

//===----------------------------------------------------------------------===//
// Bounds of loops
//===----------------------------------------------------------------------===//

AffineExpr NestBounds::getConstant(int64_t value) const {
  return getAffineConstantExpr(value, context.schedule.getContext());
}

AffineExpr NestBounds::getMin(AffineExpr lhs, AffineExpr rhs) {
  if (lhs == rhs)
    return lhs;
  auto a = dyn_cast<AffineConstantExpr>(lhs);
  auto c = dyn_cast<AffineConstantExpr>(rhs);
  if (a && c)
    return a.getValue() < c.getValue() ? lhs : rhs;
  return index.addMin(lhs, rhs);
}

AffineExpr NestBounds::getFirstFailure(AffineExpr bound, AffineExpr slack,
                                       int64_t factor, AffineExpr extent) {
  AffineExpr excess = index.simplify(bound - slack - 1 + factor);
  // The usual case needs no further bounds: as many tiles as fit.
  if (!isa<AffineConstantExpr>(excess)) {
    if (excess == bound)
      return excess.floorDiv(factor);
    return getMin(index.addMax(excess, getConstant(0)).floorDiv(factor),
                  extent);
  }
  int64_t value = cast<AffineConstantExpr>(excess).getValue();
  return getMin(getConstant(std::max<int64_t>(value, 0) / factor), extent);
}

std::optional<AffineExpr> NestBounds::getPeelPoint(ClassId loop,
                                                   const IndexBound &bound) {
  AffineExpr expr = index.simplify(bound.index);
  bool isFirst = expr.isFunctionOfDim(loop);
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      isFirst &= dim.getPosition() == loop || !index.isBound(dim.getPosition());
  });
  if (!isFirst)
    return std::nullopt;
  auto factor = dyn_cast_or_null<AffineConstantExpr>(
      getCoefficient(expr, loop).value_or(AffineExpr()));
  std::optional<AffineExpr> slack =
      context.ranges.getUpper(atIteration(expr, loop, 0));
  if (!factor || factor.getValue() <= 0 || !slack ||
      !slack->isSymbolicOrConstant() || !bound.bound.isSymbolicOrConstant())
    return std::nullopt;
  AffineExpr extent = index.simplify(context.classes[loop].extent);
  return getFirstFailure(bound.bound, *slack, factor.getValue(), extent);
}

std::optional<AffineExpr>
NestBounds::getPeelPoint(const LoopNode &loop,
                         SmallVectorImpl<IndexBound> &implied) {
  SmallVector<AffineExpr> points;
  for (const Statement *statement : getStatements(loop)) {
    for (const IndexBound &bound : statement->bounds) {
      if (isAssumed(bound) || isMasked(bound) ||
          llvm::is_contained(implied, bound))
        continue;
      if (std::optional<AffineExpr> point =
              getPeelPoint(loop.loopClass, bound)) {
        implied.push_back(bound);
        points.push_back(*point);
      }
    }
  }
  if (points.empty())
    return std::nullopt;
  AffineExpr least = points.front();
  for (AffineExpr point : ArrayRef(points).drop_front())
    least = getMin(least, point);
  if (least == getConstant(0))
    return std::nullopt;
  return least;
}

SmallVector<AffineExpr>
NestBounds::getTightBounds(const LoopNode &loop,
                           SmallVectorImpl<IndexBound> &implied) const {
  ClassId id = loop.loopClass;
  SmallVector<AffineExpr> bounds;
  SmallVector<const Statement *> statements = getStatements(loop);
  if (statements.empty())
    return bounds;
  for (const IndexBound &bound : statements.front()->bounds) {
    if (isAssumed(bound) || isMasked(bound) ||
        !bound.index.isFunctionOfDim(id) || !isDetermined(bound.index, id) ||
        !llvm::all_of(statements, [&](const Statement *other) {
          return llvm::is_contained(other->bounds, bound);
        }))
      continue;
    AffineExpr expr = index.simplify(bound.index);
    if (getCoefficient(expr, id) != getConstant(1))
      continue;
    bounds.push_back(index.simplify(bound.bound - atIteration(expr, id, 0)));
    implied.push_back(bound);
  }
  return bounds;
}
