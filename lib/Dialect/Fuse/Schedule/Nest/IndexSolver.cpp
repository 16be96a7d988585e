//===- IndexSolver.cpp - Values of axes in loops --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value of a loop variable is the value of the group of the axis to which
// the loop is promoted. Other values are derived along transforms: first
// backwards to the transformed axes, then forwards.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"

using namespace mlir;
using namespace mlir::fuse;

IndexSolver::IndexSolver(const Schedule &schedule, const LoopClasses &classes,
                         TensorId tensor)
    : schedule(schedule), classes(classes), groups(classes.getGroups()),
      tensor(tensor), isInit(false) {
  for (auto [i, loop] : llvm::enumerate(classes.getClasses(tensor)))
    addLoop(i, classes[loop].promoted);
  complete();
}

IndexSolver::IndexSolver(const Schedule &schedule, const LoopClasses &classes,
                         TensorId tensor, ArrayRef<unsigned> privateLoops)
    : schedule(schedule), classes(classes), groups(classes.getGroups()),
      tensor(tensor), isInit(true) {
  ArrayRef<AxisId> loop = schedule.getTensor(tensor).loop;
  for (unsigned i = 0;
       i < loop.size() && !schedule.getAxis(loop[i]).isReduction(); ++i)
    addLoop(i, classes[classes.getClass(tensor, i)].promoted);
  for (unsigned i : privateLoops)
    addLoop(i, loop[i]);
  complete();
}

AffineExpr IndexSolver::getConstant(int64_t value) const {
  return getAffineConstantExpr(value, schedule.getContext());
}

bool IndexSolver::set(AxisId axis, AffineExpr value) {
  return groups.isConcrete(axis) &&
         values.try_emplace(groups.getGroup(axis), value).second;
}

void IndexSolver::addLoop(unsigned position, AxisId axis) {
  ClassId loop = classes.getClass(tensor, position);
  AxisId own = schedule.getTensor(tensor).loop[position];
  if (!classes[loop].hasLoop) {
    set(own, getConstant(0));
    return;
  }
  set(axis, getAffineDimExpr(loop, schedule.getContext()));
  llvm::append_range(exprs, schedule.getHistory(axis));
}

/// The index along an axis from those along its two parts. What was split in
/// the same way is put together without a new expression, since a long chain of
/// splits and merges would otherwise make each one as long as the chain.
static AffineExpr combineParts(AffineExpr first, AffineExpr second,
                               AffineExpr inner) {
  auto quotient = dyn_cast<AffineBinaryOpExpr>(first);
  auto rest = dyn_cast<AffineBinaryOpExpr>(second);
  if (quotient && rest && quotient.getKind() == AffineExprKind::FloorDiv &&
      rest.getKind() == AffineExprKind::Mod &&
      quotient.getLHS() == rest.getLHS() && quotient.getRHS() == inner &&
      rest.getRHS() == inner)
    return rest.getLHS();
  return first * inner + second;
}

void IndexSolver::complete() {
  const Tensor &data = schedule.getTensor(tensor);
  SmallVector<AxisId> axes(data.loop);
  for (const SmallVector<AxisId> &logical : data.logical)
    llvm::append_range(axes, logical);
  llvm::append_range(exprs, schedule.getHistory(axes));
  llvm::sort(exprs);
  exprs.erase(llvm::unique(exprs), exprs.end());

  bool hasChanged = true;
  auto update = [&](const AxisExpr &expr, bool isForward) {
    bool isSplit = expr.kind == AxisExpr::Kind::Split;
    // The axis that is as large as the two others together.
    AxisId whole = isSplit ? expr.inputs[0] : expr.outputs[0];
    ArrayRef<AxisId> parts = isSplit ? expr.outputs : expr.inputs;
    AffineExpr inner = groups.getExtent(parts[1]);
    if (isForward != isSplit) {
      AffineExpr first = solve(parts[0]), second = solve(parts[1]);
      if (first && second && !solve(whole))
        hasChanged |= set(whole, combineParts(first, second, inner));
    } else if (AffineExpr value = solve(whole)) {
      if (!solve(parts[0]))
        hasChanged |= set(parts[0], value.floorDiv(inner));
      if (!solve(parts[1]))
        hasChanged |= set(parts[1], value % inner);
    }
  };
  while (hasChanged) {
    hasChanged = false;
    for (ExprId id : llvm::reverse(exprs))
      update(schedule.getExpr(id), /*isForward=*/false);
    for (ExprId id : exprs)
      update(schedule.getExpr(id), /*isForward=*/true);
  }
}

AffineExpr IndexSolver::solve(AxisId axis) const {
  if (!groups.isConcrete(axis))
    return getConstant(0);
  return values.lookup(groups.getGroup(axis));
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

AffineExpr IndexSolver::replay(AxisId axis, Values &known) const {
  if (!groups.isConcrete(axis))
    return getConstant(0);
  if (AffineExpr value = known.lookup(axis))
    return value;
  std::optional<ExprId> definition = schedule.getAxis(axis).definition;
  if (!definition)
    return AffineExpr();
  const AxisExpr &expr = schedule.getExpr(*definition);
  AffineExpr value = replay(expr.inputs[0], known);
  if (!value)
    return AffineExpr();
  if (expr.kind == AxisExpr::Kind::Merge) {
    AffineExpr inner = replay(expr.inputs[1], known);
    if (!inner)
      return AffineExpr();
    value = combineParts(value, inner, groups.getExtent(expr.inputs[1]));
  } else {
    AffineExpr inner = groups.getExtent(expr.outputs[1]);
    value = axis == expr.outputs[0] ? value.floorDiv(inner) : value % inner;
  }
  known[axis] = value;
  return value;
}

AffineExpr IndexSolver::solveRead(unsigned number, AxisId axis,
                                  ArrayRef<AffineExpr> windows) const {
  const Operand &operand = schedule.getTensor(tensor).operands[number];
  ArrayRef<AxisId> logical =
      schedule.getTensor(operand.producer).logical[operand.result];
  Values known;
  SmallVector<AxisId> agreeing;
  for (auto [i, axis] : llvm::enumerate(logical)) {
    std::optional<AxisId> root = operand.axes[i];
    AffineExpr value = root                               ? solve(*root)
                       : i < windows.size() && windows[i] ? windows[i]
                                                          : getConstant(0);
    if (value)
      known[axis] = value;
    if (!groups.isConcrete(axis) || (root && groups.areSame(axis, *root)))
      agreeing.push_back(axis);
  }
  // A loop that is shared needs no arithmetic.
  bool agrees = llvm::all_of(
      getSources(schedule, operand.producer, axis),
      [&](AxisId source) { return llvm::is_contained(agreeing, source); });
  if (agrees)
    if (AffineExpr value = solve(axis))
      return value;
  return replay(axis, known);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Whether `factor` parts of equal size make up `extent`.
static bool isEven(AffineExpr extent, int64_t factor) {
  return extent.isMultipleOf(factor);
}

void IndexSolver::addUnevenBounds(SmallVectorImpl<AxisId> &axes) const {
  for (ExprId id : exprs) {
    const AxisExpr &split = schedule.getExpr(id);
    AxisId axis = split.inputs[0];
    if (split.kind != AxisExpr::Kind::Split || !groups.isConcrete(axis) ||
        isEven(groups.getExtent(axis), split.factor))
      continue;
    // Too large a value of an outer part, or of a product, is one of the whole
    // or of the product's outer part too; of an inner part it is not.
    while (std::optional<ExprId> definition =
               schedule.getAxis(axis).definition) {
      const AxisExpr &expr = schedule.getExpr(*definition);
      bool isMerge = expr.kind == AxisExpr::Kind::Merge;
      if (!isMerge && axis != expr.outputs[0])
        break;
      axis = expr.inputs[isMerge && !groups.isConcrete(expr.inputs[0]) ? 1 : 0];
    }
    axes.push_back(axis);
  }
}

void IndexSolver::addReductionBounds(
    SmallVectorImpl<IndexBound> &bounds) const {
  ArrayRef<AxisId> loops = schedule.getTensor(tensor).loop;
  ArrayRef<ClassId> own = classes.getClasses(tensor);
  const auto *first = llvm::find_if(
      loops, [&](AxisId axis) { return schedule.getAxis(axis).isReduction(); });
  if (first == loops.end())
    return;
  // An accumulator is updated once for each element: not again in loops that
  // the tensor does not vary along.
  ClassId outermost = own[first - loops.begin()];
  for (ClassId around : classes.getLoopsAround(tensor))
    if (classes.isAround(outermost, around) && !llvm::is_contained(own, around))
      bounds.push_back(
          {getAffineDimExpr(around, schedule.getContext()), getConstant(1)});
  Varying varying;
  SmallVector<AxisId> sources = getSources(schedule, tensor, loops);
  llvm::append_range(sources, schedule.getTensor(tensor).root);
  for (AxisId source : sources)
    if (!schedule.getAxis(source).isBroadcast())
      varying.insert(groups.getGroup(source));
  // The buffer has an accumulator for each value of a private loop.
  for (unsigned i = schedule.getTensor(tensor).computeAt; i < loops.size(); ++i)
    if (schedule.getAxis(loops[i]).kind == AxisKind::Iteration)
      varying.insert(groups.getGroup(loops[i]));
  for (unsigned i = first - loops.begin(); i < loops.size(); ++i) {
    const LoopClass &loop = classes[own[i]];
    if (!loop.hasLoop)
      continue;
    // The same transforms may start from different axes elsewhere, so its own
    // ones are preferred.
    if (groups.areSame(loops[i], loop.promoted)) {
      addOnceBounds(tensor, loops[i], varying, bounds);
      continue;
    }
    for (const LoopClass::Member &member : loop.members)
      if (schedule.getTensor(member.tensor).loop[member.position] ==
          loop.promoted) {
        addOnceBounds(member.tensor, loop.promoted, varying, bounds);
        break;
      }
  }
}

void IndexSolver::addOnceBounds(TensorId from, AxisId axis,
                                const Varying &varying,
                                SmallVectorImpl<IndexBound> &bounds) const {
  if (varying.contains(groups.getGroup(axis)))
    return;
  bool isVarying = false, isOther = false;
  for (AxisId source : getSources(schedule, from, axis))
    if (groups.isConcrete(source))
      (varying.contains(groups.getGroup(source)) ? isVarying : isOther) = true;
  if (!isOther)
    return;
  if (!isVarying) {
    if (AffineExpr value = solve(axis))
      bounds.push_back({value, getConstant(1)});
    return;
  }
  if (std::optional<ExprId> definition = schedule.getAxis(axis).definition)
    for (AxisId input : schedule.getExpr(*definition).inputs)
      addOnceBounds(from, input, varying, bounds);
}

SmallVector<IndexBound> IndexSolver::getBounds() const {
  SmallVector<AxisId> axes;
  addUnevenBounds(axes);
  SmallVector<IndexBound> bounds;
  for (AxisId axis : axes)
    if (AffineExpr value = solve(axis))
      bounds.push_back({value, groups.getExtent(axis)});
  if (!isInit)
    addReductionBounds(bounds);
  SmallVector<IndexBound> unique;
  for (const IndexBound &bound : bounds)
    if (!llvm::is_contained(unique, bound))
      unique.push_back(bound);
  return unique;
}
