//===- RecomputeSegment.cpp - Segments of forward passes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecomputeSegment.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::ipu;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// SegmentModel
//===----------------------------------------------------------------------===//

SegmentModel::SegmentModel(const TrainingGraph &graph, const TrainingUses &uses)
    : graph(graph), uses(uses),
      backwardEnds(graph.numForward + 1, graph.numForward) {
  unsigned numNodes = graph.nodes.size();
  RangeSums during(numNodes), before(numNodes);
  for (auto [value, info] : llvm::enumerate(graph.values)) {
    ArrayRef<unsigned> backward = uses.getBackwardUses(value);
    if (info.viewOf)
      continue;
    if (isCounted(value)) {
      unsigned &end = backwardEnds[info.node.value_or(0)];
      if (!backward.empty())
        end = std::max(end, backward.back() + 1);
      continue;
    }
    unsigned start = info.node.value_or(0), end = start;
    if (!backward.empty())
      end = backward.back();
    if (info.isReturned)
      end = numNodes - 1;
    during.add(start, end, info.bytes);
    if (start < end)
      before.add(start + 1, end, info.bytes);
  }
  for (unsigned boundary = graph.numForward; boundary-- > 0;)
    backwardEnds[boundary] =
        std::max(backwardEnds[boundary], backwardEnds[boundary + 1]);
  constantBytes = during.get();
  constantBytesBefore = before.get();
}

bool SegmentModel::isCounted(unsigned value) const {
  const TrainingValue &info = graph.values[value];
  if (info.viewOf || info.isReturned)
    return false;
  return info.node ? *info.node < graph.numForward
                   : uses.getForwardEnd(value) > 0;
}

SmallVector<unsigned> SegmentModel::getEntries(unsigned boundary) const {
  SmallVector<unsigned> entries;
  for (unsigned value = 0; value < graph.values.size(); ++value)
    if (isCounted(value) && uses.isLiveAt(value, boundary))
      entries.push_back(value);
  return entries;
}

int64_t SegmentModel::countBytes(ArrayRef<unsigned> values) const {
  int64_t bytes = 0;
  for (unsigned value : values)
    bytes += graph.values[value].bytes;
  return bytes;
}

void SegmentModel::choose(unsigned first, unsigned last, SegmentKind kind,
                          RecomputeChoice &choice) const {
  if (kind == SegmentKind::None)
    return;
  auto isUsed = [&](unsigned value) {
    return uses.getForwardEnd(graph.getStorage(value)) > 0;
  };
  for (unsigned node = first; node < last; ++node)
    choice[node] = !uses.isKeptBy(node, last) &&
                   (kind == SegmentKind::All ||
                    llvm::any_of(graph.nodes[node].results, isUsed));
}

//===----------------------------------------------------------------------===//
// Segment
//===----------------------------------------------------------------------===//

Segment::Segment(const SegmentModel &model, ArrayRef<unsigned> entries,
                 unsigned first, unsigned last, SegmentKind kind)
    : model(model), graph(model.graph), uses(model.uses), entries(entries),
      first(first), last(last), choice(model.graph.numForward) {
  model.choose(first, last, kind, choice);
  completeChoice(graph, choice, first, last);
  for (unsigned node = first; node < last; ++node)
    llvm::copy_if(graph.nodes[node].results, std::back_inserter(results),
                  [&](unsigned value) { return model.isCounted(value); });
  findSteps();
}

void Segment::findSteps() {
  // Nodes between those that use later segments and this one belong to it.
  firstStep = model.getBackwardEnd(last);
  bool isUsed = false;
  for (unsigned value : results) {
    ArrayRef<unsigned> backward = uses.getBackwardUses(value);
    if (backward.empty())
      continue;
    isUsed = true;
    firstStep = std::min(firstStep, backward.front());
    lastStep = std::max(lastStep, backward.back());
  }
  if (!isUsed)
    return;
  steps = getSteps(graph, choice, firstStep, lastStep + 1);
  for (auto [position, step] : llvm::enumerate(steps)) {
    if (!step.context) {
      positions.push_back(position);
      continue;
    }
    for (unsigned operand : graph.nodes[step.node].operands)
      copyReads[graph.getStorage(operand)] = position;
    for (unsigned operand : graph.nodes[step.node].keptOperands)
      copyReads[graph.getStorage(operand)] = position;
  }
}

bool Segment::isNeeded(unsigned value) const {
  return !uses.getBackwardUses(value).empty() || copyReads.contains(value);
}

/// Returns whether an entry is kept: another segment may need it, too.
bool Segment::isKeptEntry(unsigned value) const {
  return isNeeded(value) || uses.getForwardStart(value) < first ||
         uses.isLiveAt(value, last);
}

bool Segment::isKeptResult(unsigned value) const {
  return uses.isLiveAt(value, last) ||
         (!choice[*graph.values[value].node] && isNeeded(value));
}

SegmentEffect Segment::measure() const {
  SegmentEffect effect;
  for (unsigned value : entries)
    if (!isKeptEntry(value))
      effect.keptBytes -= graph.values[value].bytes;
  for (unsigned value : results)
    if (isKeptResult(value))
      effect.keptBytes += graph.values[value].bytes;
  for (const TrainingStep &step : steps)
    if (step.context)
      effect.operations += graph.nodes[step.node].operations;
  effect.peak = std::max(countForwardPeak(), countBackwardPeak());
  return effect;
}

int64_t Segment::countForwardPeak() const {
  RangeSums ranges(last - first);
  auto add = [&](unsigned value, unsigned start, bool isKept) {
    unsigned end = std::max(start + 1, uses.getForwardEnd(value));
    ranges.add(start - first, (isKept ? last : end) - 1 - first,
               graph.values[value].bytes);
  };
  for (unsigned value : entries)
    add(value, first, isKeptEntry(value));
  for (unsigned value : results)
    add(value, *graph.values[value].node, isKeptResult(value));
  int64_t peak = 0;
  for (auto [i, live] : llvm::enumerate(ranges.get()))
    peak = std::max(peak, live + model.getConstantBytes(first + i) +
                              graph.nodes[first + i].workspace);
  return peak;
}

/// Returns the number of steps after which the original of `value` is no longer
/// live.
unsigned Segment::countLiveSteps(unsigned value) const {
  // Copies of earlier segments may read it.
  if (uses.getForwardStart(value) < first)
    return steps.size();
  auto copyRead = copyReads.find(value);
  unsigned count = copyRead == copyReads.end() ? 0 : copyRead->second + 1;
  ArrayRef<unsigned> backward = uses.getBackwardUses(value);
  if (backward.empty() || backward.back() < firstStep)
    return count;
  if (backward.back() > lastStep)
    return steps.size();
  return std::max(count, positions[backward.back() - firstStep] + 1);
}

int64_t Segment::countBackwardPeak() const {
  if (steps.empty())
    return 0;
  auto getBytes = [&](unsigned value, bool isCopy) {
    return isCopy ? graph.values[value].bytes : 0;
  };
  auto isLiveAfter = [](unsigned) { return false; };
  RangeSums ranges = getLiveRanges(graph, steps, {getBytes, isLiveAfter});
  auto addKept = [&](unsigned value) {
    if (unsigned count = countLiveSteps(value))
      ranges.add(0, count - 1, graph.values[value].bytes);
  };
  for (unsigned value : entries)
    if (isKeptEntry(value))
      addKept(value);
  for (unsigned value : results)
    if (isKeptResult(value))
      addKept(value);
  int64_t peak = 0;
  unsigned nextNode = firstStep;
  for (auto [step, live] : llvm::zip_equal(steps, ranges.get())) {
    int64_t constant = step.context ? model.getConstantBytesBefore(nextNode)
                                    : model.getConstantBytes(nextNode);
    peak = std::max(peak, live + constant + graph.nodes[step.node].workspace);
    if (!step.context)
      ++nextNode;
  }
  return peak;
}
