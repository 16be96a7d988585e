//===- ScheduleTransforms.cpp - Split, merge, reorder ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies a transform that a user requests to one tensor of a schedule.
//
//===----------------------------------------------------------------------===//

#include "ScheduleViolations.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// Names say how an axis was made; after many steps, just which one it is,
/// since they would double with each merge.
static std::string limitName(const std::string &name, AxisId axis) {
  constexpr size_t maxLength = 64;
  return name.size() > maxLength ? "axis" + std::to_string(axis) : name;
}

std::pair<AxisId, AxisId> Schedule::makeSplit(AxisId in, int64_t factor,
                                              bool inner) {
  // Copies: addAxis moves the axes.
  std::string name = limitName(axes[in].name, in);
  AxisKind kind = axes[in].kind;
  AffineExpr given = getAffineConstantExpr(factor, context);
  AffineExpr other = axes[in].extent.ceilDiv(factor);
  AxisId outerAxis = addAxis(name + "o", inner ? other : given, kind);
  AxisId innerAxis = addAxis(name + "i", inner ? given : other, kind);
  ExprId expr = exprs.size();
  exprs.push_back(
      {AxisExpr::Kind::Split, {in}, {outerAxis, innerAxis}, factor, inner});
  axes[outerAxis].definition = expr;
  axes[innerAxis].definition = expr;
  return {outerAxis, innerAxis};
}

AxisId Schedule::makeMerge(AxisId outer, AxisId inner) {
  AxisKind kind =
      axes[outer].isBroadcast() ? axes[inner].kind : axes[outer].kind;
  std::string name = "(" + axes[outer].name + "*" + axes[inner].name + ")";
  AxisId out = addAxis(limitName(name, axes.size()),
                       axes[outer].extent * axes[inner].extent, kind);
  axes[out].definition = exprs.size();
  exprs.push_back({AxisExpr::Kind::Merge, {outer, inner}, {out}});
  return out;
}

//===----------------------------------------------------------------------===//
// Split, merge, reorder
//===----------------------------------------------------------------------===//

Violation mlir::fuse::getNoSuchLoop(const Schedule &schedule, TensorId tensor,
                                    int64_t axis) {
  int64_t size = schedule.getTensor(tensor).loop.size();
  std::string text = "tensor " + quote(schedule.getTensor(tensor).name) +
                     " has no loop " + std::to_string(axis);
  if (size)
    text += ": expected " + std::to_string(-size) + " to " +
            std::to_string(size - 1);
  else
    text += ": it has no loops";
  return {text, tensor, {}};
}

Violation mlir::fuse::getFrozen(const Schedule &schedule, TensorId tensor,
                                StringRef what) {
  unsigned frozen = schedule.getNumFrozenLoops(tensor);
  std::string first =
      frozen == 1 ? "the first loop of "
                  : "the first " + std::to_string(frozen) + " loops of ";
  std::string text = what.str() + " of tensor " +
                     quote(schedule.getTensor(tensor).name) + ": " + first +
                     schedule.format(tensor) +
                     (frozen == 1 ? " is frozen" : " are frozen");
  return {text, tensor, schedule.explainFrozenLoops(tensor)};
}

MaybeViolation Schedule::checkLoop(StringRef verb, TensorId tensor,
                                   int64_t axis, unsigned &position) const {
  std::optional<unsigned> index = normalizeAxis(tensor, axis);
  if (!index)
    return getNoSuchLoop(*this, tensor, axis);
  position = *index;
  const Axis &loop = axes[tensors[tensor].loop[position]];
  std::string what = "cannot " + verb.str() + " loop " + quote(loop.name);
  if (position < getNumFrozenLoops(tensor))
    return getFrozen(*this, tensor, what);
  if (loop.loopType != LoopType::Serial)
    return Violation{what + " of tensor " + quote(tensors[tensor].name) +
                         ": expected type serial but got " +
                         stringifyLoopType(loop.loopType).str(),
                     tensor,
                     {}};
  return std::nullopt;
}

MaybeViolation Schedule::split(TensorId tensor, int64_t axis, int64_t factor,
                               bool inner) {
  unsigned position;
  if (MaybeViolation violation = checkLoop("split", tensor, axis, position))
    return violation;
  SmallVector<AxisId> &loop = tensors[tensor].loop;
  std::string what;
  if (factor < 1)
    what = "expected a positive factor";
  else if (factor > kMaxSplitFactor)
    what = "expected a factor of at most " + std::to_string(kMaxSplitFactor);
  else if (static_cast<int64_t>(loop.size()) >= kMaxLoops)
    what = "a tensor has at most " + std::to_string(kMaxLoops) + " loops";
  if (!what.empty())
    return Violation{"cannot split loop " + quote(axes[loop[position]].name) +
                         " of tensor " + quote(tensors[tensor].name) + " by " +
                         std::to_string(factor) + ": " + what,
                     tensor,
                     {}};
  auto [outerAxis, innerAxis] = makeSplit(loop[position], factor, inner);
  loop[position] = outerAxis;
  loop.insert(loop.begin() + position + 1, innerAxis);
  return std::nullopt;
}

MaybeViolation Schedule::merge(TensorId tensor, int64_t outer, int64_t inner) {
  unsigned outerPosition, innerPosition;
  if (MaybeViolation violation =
          checkLoop("merge", tensor, outer, outerPosition))
    return violation;
  if (MaybeViolation violation =
          checkLoop("merge", tensor, inner, innerPosition))
    return violation;
  SmallVector<AxisId> &loop = tensors[tensor].loop;
  const Axis &outerAxis = axes[loop[outerPosition]];
  const Axis &innerAxis = axes[loop[innerPosition]];
  std::string what = "cannot merge loops " + quote(outerAxis.name) + " and " +
                     quote(innerAxis.name) + " of tensor " +
                     quote(tensors[tensor].name) + ": ";
  if (outerPosition == innerPosition)
    return Violation{what + "expected two different loops", tensor, {}};
  if (outerAxis.isReduction() != innerAxis.isReduction()) {
    const Axis &reduction = outerAxis.isReduction() ? outerAxis : innerAxis;
    return Violation{
        what + "only " + quote(reduction.name) +
            " is a reduction: expected both or neither to be reductions",
        tensor,
        {}};
  }
  auto outerExtent = dyn_cast<AffineConstantExpr>(outerAxis.extent);
  auto innerExtent = dyn_cast<AffineConstantExpr>(innerAxis.extent);
  int64_t product;
  if (outerExtent && innerExtent &&
      llvm::MulOverflow(outerExtent.getValue(), innerExtent.getValue(),
                        product))
    return Violation{what + "the extent " +
                         std::to_string(outerExtent.getValue()) + " * " +
                         std::to_string(innerExtent.getValue()) +
                         " does not fit into 64 bits",
                     tensor,
                     {}};
  loop[outerPosition] = makeMerge(loop[outerPosition], loop[innerPosition]);
  loop.erase(loop.begin() + innerPosition);
  return std::nullopt;
}

MaybeViolation Schedule::reorder(TensorId tensor, ArrayRef<int64_t> order) {
  const SmallVector<AxisId> &old = tensors[tensor].loop;
  SmallVector<AxisId> loop;
  llvm::SmallDenseSet<unsigned> seen;
  for (int64_t axis : order) {
    std::optional<unsigned> index = normalizeAxis(tensor, axis);
    if (!index)
      return getNoSuchLoop(*this, tensor, axis);
    if (!seen.insert(*index).second)
      return Violation{"the order of the loops of tensor " +
                           quote(tensors[tensor].name) + " has loop " +
                           std::to_string(*index) + " twice",
                       tensor,
                       {}};
    loop.push_back(old[*index]);
  }
  if (loop.size() != old.size())
    return Violation{"the order of the loops of tensor " +
                         quote(tensors[tensor].name) + " has " +
                         std::to_string(loop.size()) + " loops: expected all " +
                         std::to_string(old.size()),
                     tensor,
                     {}};
  unsigned frozen = getNumFrozenLoops(tensor);
  for (unsigned i = 0; i < frozen; ++i)
    if (loop[i] != old[i])
      return getFrozen(*this, tensor,
                       "cannot move loop " + quote(axes[old[i]].name));
  tensors[tensor].loop = std::move(loop);
  return std::nullopt;
}

MaybeViolation Schedule::setLoopType(TensorId tensor, int64_t axis,
                                     LoopType type) {
  std::optional<unsigned> index = normalizeAxis(tensor, axis);
  if (!index)
    return getNoSuchLoop(*this, tensor, axis);
  Axis &loop = axes[tensors[tensor].loop[*index]];
  // Nothing is computed inside of a vectorized loop.
  if (type == LoopType::Vectorize && *index < getNumFrozenLoops(tensor))
    return getFrozen(*this, tensor,
                     "cannot vectorize loop " + quote(loop.name));
  loop.loopType = type;
  return std::nullopt;
}
