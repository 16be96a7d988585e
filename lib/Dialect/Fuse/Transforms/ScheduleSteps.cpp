//===- ScheduleSteps.cpp - Conversion of schedule steps ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSteps.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"
#include <deque>

using namespace mlir;
using namespace mlir::fuse;

const ScheduleStep *fuse::findRFactor(ArrayRef<ScheduleStep> steps) {
  const auto *it = llvm::find_if(steps, [](const ScheduleStep &step) {
    return step.kind == StepKind::RFactor;
  });
  return it == steps.end() ? nullptr : it;
}

ArrayRef<ScheduleStep>
fuse::getStepsBeforeRFactor(ArrayRef<ScheduleStep> steps) {
  const ScheduleStep *rfactor = findRFactor(steps);
  return rfactor ? steps.take_front(rfactor - steps.begin())
                 : ArrayRef<ScheduleStep>();
}

ArrayRef<ScheduleStep>
fuse::getStepsAfterRFactor(ArrayRef<ScheduleStep> steps) {
  const ScheduleStep *rfactor = findRFactor(steps);
  return rfactor ? steps.drop_front(rfactor - steps.begin() + 1) : steps;
}

//===----------------------------------------------------------------------===//
// From steps to loops
//===----------------------------------------------------------------------===//

SmallVector<ExprId> fuse::runSteps(Schedule &schedule,
                                   ArrayRef<ScheduleStep> steps,
                                   SmallVectorImpl<AxisId> &loop) {
  SmallVector<ExprId> made;
  for (const ScheduleStep &step : steps) {
    ArrayRef<int64_t> numbers = step.numbers;
    switch (step.kind) {
    case StepKind::Split: {
      auto [outer, inner] =
          schedule.makeSplit(loop[numbers[0]], numbers[1], numbers[2]);
      loop[numbers[0]] = outer;
      loop.insert(loop.begin() + numbers[0] + 1, inner);
      made.push_back(*schedule.getAxis(outer).definition);
      break;
    }
    case StepKind::Merge:
      loop[numbers[0]] = schedule.makeMerge(loop[numbers[0]], loop[numbers[1]]);
      made.push_back(*schedule.getAxis(loop[numbers[0]]).definition);
      loop.erase(loop.begin() + numbers[1]);
      break;
    case StepKind::Reorder: {
      SmallVector<AxisId> old(loop.begin(), loop.end());
      for (auto [axis, number] : llvm::zip_equal(loop, numbers))
        axis = old[number];
      break;
    }
    case StepKind::Type:
      schedule.getAxis(loop[numbers[0]]).loopType =
          static_cast<LoopType>(numbers[1]);
      break;
    case StepKind::RFactor:
      llvm_unreachable("not a step of loops");
    }
  }
  return made;
}

AffineExpr fuse::getIndexOf(const Schedule &schedule, AxisId axis,
                            ArrayRef<AxisId> root) {
  const auto *it = llvm::find(root, axis);
  if (it != root.end())
    return getAffineDimExpr(it - root.begin(), schedule.getContext());
  const AxisExpr &expr = schedule.getExpr(*schedule.getAxis(axis).definition);
  SmallVector<AffineExpr> inputs;
  for (AxisId input : expr.inputs)
    if (!inputs.emplace_back(getIndexOf(schedule, input, root)))
      return {};
  AxisId inner =
      expr.kind == AxisExpr::Kind::Split ? expr.outputs[1] : expr.inputs[1];
  auto size = dyn_cast<AffineConstantExpr>(schedule.getAxis(inner).extent);
  // Quotients by zero, of loops that do not run, have no expression.
  if (!size || size.getValue() < 1)
    return {};
  if (expr.kind == AxisExpr::Kind::Merge)
    return inputs[0] * size.getValue() + inputs[1];
  return axis == inner ? inputs[0] % size.getValue()
                       : inputs[0].floorDiv(size.getValue());
}

bool fuse::isIndexOf(const Schedule &schedule, AffineExpr expr, AxisId axis,
                     ArrayRef<AxisId> root) {
  AffineExpr expected = getIndexOf(schedule, axis, root);
  return expected && simplifyAffineExpr(expected, root.size(), 0) ==
                         simplifyAffineExpr(expr, root.size(), 0);
}

//===----------------------------------------------------------------------===//
// From loops to steps
//===----------------------------------------------------------------------===//

namespace {
/// Finds steps that lead from a tensor's root to its loops. Expressions in any
/// order that has inputs before outputs give the same axes, so each becomes a
/// step as it comes, and one reorder at the end puts the loops right.
class StepWriter {
public:
  StepWriter(const Schedule &schedule, TensorId tensor)
      : schedule(schedule), tensor(schedule.getTensor(tensor)),
        loop(this->tensor.root) {}

  ScheduleAttr run() {
    for (ExprId expr : tensor.frozen)
      add(expr);
    addRFactor();
    for (ExprId expr : schedule.getHistory(tensor.loop))
      if (!llvm::is_contained(tensor.frozen, expr))
        add(expr);
    addReorder();
    for (auto [position, axis] : llvm::enumerate(tensor.loop))
      if (LoopType type = schedule.getAxis(axis).loopType;
          type != LoopType::Serial)
        addStep(StepKind::Type,
                {static_cast<int64_t>(position), static_cast<int64_t>(type)});
    return getAttr();
  }

private:
  int64_t getPosition(AxisId axis) const {
    const auto *it = llvm::find(loop, axis);
    assert(it != loop.end() && "loops are not made of the root");
    return it - loop.begin();
  }

  void addStep(StepKind kind, SmallVector<int64_t> values) {
    // Steps refer to their numbers, which must not move.
    numbers.push_back(std::move(values));
    steps.push_back({kind, numbers.back()});
  }

  void add(ExprId id) {
    const AxisExpr &expr = schedule.getExpr(id);
    int64_t first = getPosition(expr.inputs[0]);
    if (expr.kind == AxisExpr::Kind::Split) {
      addStep(StepKind::Split, {first, expr.factor, expr.inner});
      loop[first] = expr.outputs[0];
      loop.insert(loop.begin() + first + 1, expr.outputs[1]);
      return;
    }
    int64_t second = getPosition(expr.inputs[1]);
    addStep(StepKind::Merge, {first, second});
    loop[first] = expr.outputs[0];
    loop.erase(loop.begin() + second);
  }

  /// What is logical but not of the root are pieces of reductions.
  void addRFactor() {
    if (tensor.frozen.empty())
      return;
    SmallVector<int64_t> pieces;
    for (AxisId axis : tensor.logical[0])
      if (!llvm::is_contained(tensor.root, axis))
        pieces.push_back(getPosition(axis));
    // Without pieces the op is like any other.
    if (!pieces.empty())
      addStep(StepKind::RFactor, std::move(pieces));
  }

  void addReorder() {
    if (loop == tensor.loop)
      return;
    SmallVector<int64_t> order;
    for (AxisId axis : tensor.loop)
      order.push_back(getPosition(axis));
    addStep(StepKind::Reorder, std::move(order));
  }

  ScheduleAttr getAttr() const {
    MLIRContext *context = schedule.getContext();
    SmallVector<StringAttr> names;
    bool isDefault = steps.empty() && !tensor.computeAt && !tensor.computeWith;
    for (auto [number, axis] : llvm::enumerate(tensor.root)) {
      StringRef name = schedule.getAxis(axis).name;
      isDefault &= name == "i" + std::to_string(number);
      names.push_back(StringAttr::get(context, name));
    }
    if (isDefault)
      return {};
    std::optional<int64_t> computeWith;
    if (tensor.computeWith)
      computeWith = *tensor.computeWith;
    return ScheduleAttr::get(context, names, steps, tensor.computeAt,
                             computeWith);
  }

  const Schedule &schedule;
  const Tensor &tensor;
  SmallVector<AxisId> loop;
  std::deque<SmallVector<int64_t>> numbers;
  SmallVector<ScheduleStep> steps;
};
} // namespace

ScheduleAttr fuse::getScheduleAttr(const Schedule &schedule, TensorId tensor) {
  return StepWriter(schedule, tensor).run();
}
