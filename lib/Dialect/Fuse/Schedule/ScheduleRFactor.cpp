//===- ScheduleRFactor.cpp - Reductions in two steps ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a reduction with several reduction loops, T[a, r:bo, r:bi]. Out: a
// reduction over some of these loops, T_rf[a, r:bo, bi], and a reduction of its
// result over the other loops, T[a, r:bi].
//
//===----------------------------------------------------------------------===//

#include "ScheduleViolations.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

using AxisMap = llvm::DenseMap<AxisId, AxisId>;

/// Checks that `indices` are some but not all of the reduction loops of a
/// tensor, and returns them.
static MaybeViolation checkRFactor(const Schedule &schedule, TensorId id,
                                   ArrayRef<int64_t> indices,
                                   llvm::SmallDenseSet<AxisId> &axes) {
  const Tensor &tensor = schedule.getTensor(id);
  std::string what = "cannot rfactor tensor " + quote(tensor.name) + ": ";
  if (!tensor.hasReduction(schedule))
    return Violation{what + "it has no reduction", id, {}};
  if (indices.empty())
    return Violation{what + "expected at least one reduction loop", id, {}};
  if (schedule.getNumFrozenLoops(id))
    return getFrozen(schedule, id, "cannot rfactor a reduction");
  for (int64_t index : indices) {
    std::optional<unsigned> position = schedule.normalizeAxis(id, index);
    if (!position)
      return getNoSuchLoop(schedule, id, index);
    const Axis &axis = schedule.getAxis(tensor.loop[*position]);
    if (!axis.isReduction())
      return Violation{
          what + "loop " + quote(axis.name) + " is not a reduction", id, {}};
    if (!axes.insert(tensor.loop[*position]).second)
      return Violation{
          what + "loop " + quote(axis.name) + " is given twice", id, {}};
  }
  if (llvm::all_of(tensor.loop, [&](AxisId axis) {
        return !schedule.getAxis(axis).isReduction() || axes.contains(axis);
      }))
    return Violation{what + "expected at least one reduction loop of " +
                         schedule.format(id) + " to remain",
                     id,
                     {}};
  return std::nullopt;
}

MaybeViolation Schedule::makePartial(TensorId id,
                                     ArrayRef<int64_t> reductionAxes) {
  llvm::SmallDenseSet<AxisId> reductions;
  if (MaybeViolation violation =
          checkRFactor(*this, id, reductionAxes, reductions))
    return violation;
  Tensor &tensor = tensors[id];
  SmallVector<AxisId> factored;
  for (AxisId axis : tensor.loop)
    if (reductions.contains(axis))
      factored.push_back(axis);
  llvm::append_range(tensor.frozen,
                     getHistory(factored, getLogicalWithReductions(id)));

  for (AxisId axis : getLogicalWithReductions(id)) {
    if (!axes[axis].isReduction() || reductions.contains(axis))
      continue;
    axes[axis].kind = AxisKind::Iteration;
    for (SmallVector<AxisId> &logical : tensor.logical)
      logical.push_back(axis);
  }
  for (ExprId expr : getHistory(tensor.loop, getLogicalWithReductions(id)))
    if (!axes[exprs[expr].inputs.front()].isReduction())
      for (AxisId axis : exprs[expr].outputs)
        if (axes[axis].isReduction())
          axes[axis].kind = AxisKind::Iteration;
  return std::nullopt;
}

/// Sets root, logical and loop axes of `final` to copies of those of `old` that
/// `partial` does not reduce, and returns which axis became which.
static AxisMap copyRemainingAxes(Schedule &schedule, TensorId partial,
                                 const Tensor &old, Tensor &final) {
  AxisMap image;
  auto copyLook = [&](AxisId from, AxisId to) {
    std::string name = schedule.getAxis(from).name;
    schedule.getAxis(to).name = name;
    schedule.getAxis(to).loopType = schedule.getAxis(from).loopType;
    image[from] = to;
  };
  SmallVector<AxisId> logical = schedule.getLogicalWithReductions(partial);
  final.root.clear();
  final.frozen.clear();
  for (AxisId axis : logical) {
    if (schedule.getAxis(axis).isReduction())
      continue;
    AxisKind kind = llvm::is_contained(old.logical.front(), axis)
                        ? schedule.getAxis(axis).kind
                        : AxisKind::Reduction;
    copyLook(axis, schedule.addAxis("", schedule.getAxis(axis).extent, kind));
    final.root.push_back(image.at(axis));
  }
  for (ExprId id : schedule.getHistory(old.loop, logical)) {
    // A copy: making axes moves the expressions.
    AxisExpr expr = schedule.getExpr(id);
    if (expr.kind == AxisExpr::Kind::Split) {
      auto [outer, inner] =
          schedule.makeSplit(image.at(expr.inputs[0]), expr.factor, expr.inner);
      copyLook(expr.outputs[0], outer);
      copyLook(expr.outputs[1], inner);
    } else {
      copyLook(expr.outputs[0], schedule.makeMerge(image.at(expr.inputs[0]),
                                                   image.at(expr.inputs[1])));
    }
  }
  for (SmallVector<AxisId> &list : final.logical)
    for (AxisId &axis : list)
      axis = image.at(axis);
  final.loop.clear();
  for (AxisId axis : old.loop)
    if (!schedule.getAxis(axis).isReduction())
      final.loop.push_back(image.at(axis));
  return image;
}

/// Makes `final` read `partial` and, of its former operands, initial values.
static void readPartial(const Schedule &schedule, TensorId partial,
                        const AxisMap &image, Tensor &final) {
  SmallVector<Operand> operands;
  for (auto [result, logical] :
       llvm::enumerate(schedule.getTensor(partial).logical)) {
    Operand operand;
    operand.producer = partial;
    operand.result = result;
    for (AxisId axis : logical)
      operand.axes.push_back(image.at(axis));
    operands.push_back(std::move(operand));
  }
  for (Operand operand : final.operands) {
    if (!operand.isInit)
      continue;
    for (std::optional<AxisId> &axis : operand.axes)
      if (axis)
        axis = image.lookup(*axis);
    operands.push_back(std::move(operand));
  }
  final.operands = std::move(operands);
}

MaybeViolation Schedule::rfactor(TensorId id, ArrayRef<int64_t> reductionAxes,
                                 TensorId &partial) {
  llvm::SmallDenseSet<AxisId> reductions;
  if (MaybeViolation violation =
          checkRFactor(*this, id, reductionAxes, reductions))
    return violation;

  // The partial tensor is the old one under a new number.
  const Tensor old = tensors[id];
  Tensor copy = old;
  while (byName.contains(copy.name))
    copy.name += "_rf";
  copy.isOutput = false;
  llvm::erase_if(copy.operands,
                 [](const Operand &operand) { return operand.isInit; });
  partial = tensors.size();
  byName[copy.name] = partial;
  tensors.push_back(std::move(copy));
  consumers.push_back({id});
  ordinals.push_back(0);
  insertInProgramOrder(partial, ordinals[id]);
  (void)makePartial(partial, reductionAxes); // Checked above.

  Tensor final = old;
  AxisMap image = copyRemainingAxes(*this, partial, old, final);
  readPartial(*this, partial, image, final);
  tensors[id] = std::move(final);

  SmallVector<TensorId> producers = getProducers(id);
  for (TensorId producer : getProducers(partial)) {
    SmallVector<TensorId> &list = consumers[producer];
    list.insert(llvm::find(list, id), partial);
    if (!llvm::is_contained(producers, producer))
      llvm::erase(list, id);
  }
  return std::nullopt;
}
