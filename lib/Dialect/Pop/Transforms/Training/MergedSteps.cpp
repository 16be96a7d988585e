//===- MergedSteps.cpp - Merged updates of several weights ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedSteps.h"

#include "../Graph/GraphTransforms.h"
#include "ipu-mlir/Dialect/Pop/IR/OptimizerStates.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

using namespace mlir;
using namespace mlir::pop;

SmallVector<SmallVector<StepPart>> mlir::pop::cutSteps(ArrayRef<int64_t> sizes,
                                                       UpdateMerging mode,
                                                       int64_t threshold) {
  SmallVector<SmallVector<StepPart>> groups;
  int64_t used = 0;
  auto add = [&](unsigned step, int64_t start, int64_t size, bool startsGroup) {
    if (startsGroup || groups.empty()) {
      groups.emplace_back();
      used = 0;
    }
    groups.back().push_back({step, start, size});
    used += size;
  };
  for (auto [step, size] : llvm::enumerate(sizes)) {
    if (mode != UpdateMerging::Tight) {
      bool isFull = mode == UpdateMerging::Loose && used + size > threshold;
      add(step, 0, size, isFull);
      continue;
    }
    for (int64_t start = 0; start < size;) {
      bool isFull = used == threshold;
      int64_t free = isFull ? threshold : threshold - used;
      int64_t part = std::min(size - start, free);
      add(step, start, part, isFull);
      start += part;
    }
  }
  return groups;
}

namespace {
/// Merges steps. A value of a step is an operand or a result; those of the
/// shape of the weight are split and joined as vectors.
class StepMerger {
public:
  StepMerger(ArrayRef<OptimizerStepOp> steps, Operation *before)
      : steps(steps), b(before), results(steps.size()) {
    for (auto [step, values] : llvm::zip_equal(steps, results))
      values.resize(OptimizerStepOp(step)->getNumResults());
  }

  void merge(ArrayRef<StepPart> group);
  /// Uses what was merged instead of the results of the steps.
  void replace();

private:
  OptimizerStepOp getStep(const StepPart &part) const {
    return steps[part.step];
  }
  /// The operand `get` of all parts, as one vector.
  Value join(ArrayRef<StepPart> group,
             function_ref<Value(OptimizerStepOp)> get);
  Location getLoc(ArrayRef<StepPart> group) const;
  Value flatten(Location loc, Value value);
  Value cut(Location loc, Value vector, int64_t start, int64_t size);
  Value concat(Location loc, ArrayRef<Value> vectors);

  ArrayRef<OptimizerStepOp> steps;
  PopBuilder b;
  /// The parts of each result of each step.
  SmallVector<SmallVector<SmallVector<Value>>> results;
  llvm::DenseMap<Value, Value> vectors;
};
} // namespace

Location StepMerger::getLoc(ArrayRef<StepPart> group) const {
  SmallVector<std::pair<Location, int64_t>> shares;
  for (const StepPart &part : group)
    shares.emplace_back(getStep(part).getLoc(), part.size);
  return getSharedLoc(b.getContext(), shares);
}

Value StepMerger::flatten(Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 1)
    return value;
  Value &vector = vectors[value];
  if (!vector)
    vector =
        ReshapeOp::create(b, loc, type.clone({type.getNumElements()}), value);
  return vector;
}

Value StepMerger::cut(Location loc, Value vector, int64_t start, int64_t size) {
  if (cast<RankedTensorType>(vector.getType()).getNumElements() == size)
    return vector;
  return SliceOp::create(b, loc, vector, ArrayRef<int64_t>{start},
                         ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
}

Value StepMerger::concat(Location loc, ArrayRef<Value> vectors) {
  if (vectors.size() == 1)
    return vectors.front();
  return ConcatOp::create(b, loc, vectors, /*axis=*/0);
}

Value StepMerger::join(ArrayRef<StepPart> group,
                       function_ref<Value(OptimizerStepOp)> get) {
  SmallVector<Value> parts;
  for (const StepPart &part : group) {
    OptimizerStepOp step = getStep(part);
    Location loc = step.getLoc();
    Value vector = flatten(loc, get(step));
    parts.push_back(cut(loc, vector, part.start, part.size));
  }
  return concat(getLoc(group), parts);
}

/// The states of `step` that are a number of updates instead of a tensor.
static BitVector getCounts(OptimizerStepOp step) {
  BitVector counts(step.getStates().size());
  for (auto [i, state] : llvm::enumerate(
           getOptimizerStates(step.getOptimizer(), step.getWeight().getType())))
    if (state.name == kStepState)
      counts.set(i);
  return counts;
}

void StepMerger::merge(ArrayRef<StepPart> group) {
  OptimizerStepOp first = getStep(group.front());
  BitVector counts = getCounts(first);
  Value weight = join(group, [](auto step) { return step.getWeight(); });
  Value gradient;
  if (first.getGradient())
    gradient = join(group, [](auto step) { return step.getGradient(); });
  SmallVector<Value> states(first.getStates());
  for (auto [i, state] : llvm::enumerate(states))
    if (!counts[i])
      state = join(group, [i = i](auto step) { return step.getStates()[i]; });
  auto merged = OptimizerStepOp::create(
      b, getLoc(group), weight.getType(),
      llvm::to_vector(ValueRange(states).getTypes()), first.getOptimizer(),
      weight, gradient, states, first.getSettings(), first.getAccumulations());
  merged->setDiscardableAttrs(first->getDiscardableAttrDictionary());
  int64_t start = 0;
  for (const StepPart &part : group) {
    Location loc = getStep(part).getLoc();
    for (auto [i, result] : llvm::enumerate(merged->getResults())) {
      bool isCount = i > 0 && counts[i - 1];
      results[part.step][i].push_back(
          isCount ? Value(result) : cut(loc, result, start, part.size));
    }
    start += part.size;
  }
}

void StepMerger::replace() {
  for (auto [step, values] : llvm::zip_equal(steps, results)) {
    Operation *op = step;
    BitVector counts = getCounts(step);
    for (auto [i, parts] : llvm::enumerate(values)) {
      // A step that is not merged with others has none.
      if (parts.empty())
        continue;
      Value result = op->getResult(i);
      Value merged = parts.front();
      if (i == 0 || !counts[i - 1])
        merged = concat(op->getLoc(), parts);
      if (merged.getType() != result.getType())
        merged = ReshapeOp::create(b, op->getLoc(), result.getType(), merged);
      result.replaceAllUsesWith(merged);
    }
  }
}

unsigned mlir::pop::mergeSteps(ArrayRef<OptimizerStepOp> steps,
                               ArrayRef<SmallVector<StepPart>> groups,
                               Operation *before) {
  StepMerger merger(steps, before);
  unsigned numMerged = 0;
  for (ArrayRef<StepPart> group : groups) {
    OptimizerStepOp first = steps[group.front().step];
    if (group.size() == 1 &&
        group.front().size == first.getWeight().getType().getNumElements())
      continue;
    merger.merge(group);
    ++numMerged;
  }
  merger.replace();
  return numMerged;
}
