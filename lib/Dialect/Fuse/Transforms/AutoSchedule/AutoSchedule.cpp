//===- AutoSchedule.cpp - Automatic schedules -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fusions without schedules. Out: the same fusions with schedules.
// Reductions are split into lanes if allowed, loops become vectors, and the
// cost model chooses positions.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/AutoSchedule.h"
#include "ReductionSplitter.h"
#include "TensorLoops.h"

#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"
#include "ipu-mlir/Support/SumBlocks.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Rows that are summed at once where each row is a chain of additions.
static constexpr int64_t kRows = 4;

namespace {
class AutoScheduler {
public:
  AutoScheduler(FusionSchedule &fusion, const AutoScheduleOptions &options)
      : fusion(fusion), schedule(fusion.schedule), options(options),
        reductions(fusion, options) {}

  LogicalResult run();
  FusionEstimate estimate;

private:
  std::optional<int64_t> getConstantExtent(TensorId tensor,
                                           int64_t position) const {
    return fuse::getConstantExtent(schedule, tensor, position);
  }
  AxisId getContiguousAxis(TensorId tensor) const {
    return *fuse::getContiguousAxis(schedule, tensor, options.cost);
  }

  /// The tensor whose loops the others get: a partial reduction before others,
  /// then one with a loop to make vectors of, then of the largest iteration
  /// space.
  std::optional<TensorId> findReference(const llvm::BitVector &among) const;
  /// Tensors that are computed from each other, each set with all inputs.
  std::vector<llvm::BitVector> getConnected() const;
  /// Makes the innermost loop one over lanes.
  void splitReference(TensorId reference);
  /// Gives all tensors loops like those of the reference, split so.
  void spread(TensorId reference, const llvm::BitVector &among);
  /// Reductions along the contiguous axis that keep the order of the program
  /// take a row at a time no faster than one addition after the other. So the
  /// reference gets a loop over some rows, which becomes the innermost one of
  /// such reductions.
  bool hasSerialRows(TensorId tensor) const;
  bool canSplitRows(TensorId reference, int64_t position) const;
  /// Whether the tensor has such a loop, that it does not reduce over.
  std::optional<int64_t> findRows(TensorId tensor) const;
  void sinkRows(TensorId tensor);
  /// Gives all tensors the loops of the reference, with rows at `position`.
  bool spreadRows(TensorId reference, int64_t position,
                  ArrayRef<TensorId> serial, const llvm::BitVector &among);
  bool tryPropagate(TensorId reference, const llvm::BitVector &only);
  /// Tensors that read others through views share fewer loops with them than
  /// they have: they and the tensors with the same loops get lanes of their
  /// own.
  void spreadAfterViews();
  /// Makes the pieces of the contiguous axis the innermost loops: loops that
  /// the tensor does not share with what it reads may be inside of them.
  void sinkLanes(TensorId tensor);
  bool hasPlainLanes(TensorId tensor) const;
  bool canBeVector(TensorId tensor) const;

  FusionSchedule &fusion;
  Schedule &schedule;
  const AutoScheduleOptions &options;
  ReductionSplitter reductions;
};
} // namespace

std::vector<llvm::BitVector> AutoScheduler::getConnected() const {
  llvm::EquivalenceClasses<TensorId> connected;
  llvm::BitVector inputs(schedule.getNumTensors());
  for (TensorId tensor : schedule.getProgramOrder()) {
    if (schedule.getTensor(tensor).isInput) {
      inputs.set(tensor);
      continue;
    }
    connected.insert(tensor);
    for (TensorId consumer : schedule.getConsumers(tensor))
      connected.unionSets(tensor, consumer);
  }
  llvm::MapVector<TensorId, llvm::BitVector> sets;
  for (TensorId tensor : schedule.getProgramOrder())
    if (!inputs.test(tensor))
      sets.insert({connected.getLeaderValue(tensor), inputs})
          .first->second.set(tensor);
  std::vector<llvm::BitVector> result;
  for (auto &[leader, set] : sets)
    result.push_back(std::move(set));
  return result;
}

std::optional<TensorId>
AutoScheduler::findReference(const llvm::BitVector &among) const {
  std::optional<TensorId> best;
  std::tuple<bool, bool, double> bestRank;
  for (TensorId tensor : schedule.getProgramOrder()) {
    const Tensor &t = schedule.getTensor(tensor);
    if (t.isInput || t.loop.empty() || !among.test(tensor))
      continue;
    std::tuple<bool, bool, double> rank = {
        !t.frozen.empty(), !hasSerialRows(tensor),
        getPoints(schedule, t.root, options.cost)};
    if (!best || rank > bestRank) {
      best = tensor;
      bestRank = rank;
    }
  }
  return best;
}

void AutoScheduler::splitReference(TensorId reference) {
  AxisId axis = getContiguousAxis(reference);
  auto comesFrom = [&](AxisId loop) {
    return schedule.getRoots({loop}).front() == axis &&
           !schedule.getAxis(loop).isReduction();
  };
  // The last of its pieces that does not reduce is the one over lanes.
  SmallVector<AxisId> loop = schedule.getTensor(reference).loop;
  auto last = llvm::find_if(llvm::reverse(loop), comesFrom);
  if (last == loop.rend())
    return;
  int64_t position = loop.size() - 1 - (last - loop.rbegin());
  if (!schedule.getAxis(loop[position]).definition) {
    int64_t width = options.vectorWidth;
    if (std::optional<int64_t> extent = getConstantExtent(reference, position))
      width = std::min<int64_t>(width, llvm::PowerOf2Ceil(*extent));
    if (schedule.split(reference, position++, width))
      return;
  }
  sinkLoop(schedule, reference, position);
}

bool AutoScheduler::hasSerialRows(TensorId tensor) const {
  const Tensor &t = schedule.getTensor(tensor);
  return t.hasReduction(schedule) && !reductions.isFactored(t.name) &&
         schedule.getAxis(getContiguousAxis(tensor)).isReduction();
}

bool AutoScheduler::canSplitRows(TensorId reference, int64_t position) const {
  AxisId axis = schedule.getTensor(reference).loop[position];
  std::optional<int64_t> extent = getConstantExtent(reference, position);
  return !schedule.getAxis(axis).isReduction() &&
         schedule.getRoots({axis}).front() != getContiguousAxis(reference) &&
         (!extent || *extent >= kRows);
}

std::optional<int64_t> AutoScheduler::findRows(TensorId tensor) const {
  const SmallVector<AxisId> &loop = schedule.getTensor(tensor).loop;
  for (int64_t position = loop.size(); position-- > 0;) {
    const Axis &axis = schedule.getAxis(loop[position]);
    if (!axis.isReduction() && axis.definition &&
        getConstantExtent(tensor, position) == kRows)
      return position;
  }
  return std::nullopt;
}

void AutoScheduler::sinkRows(TensorId tensor) {
  std::optional<int64_t> position = findRows(tensor);
  if (!position)
    return;
  sinkLoop(schedule, tensor, *position);
  schedule.setLoopType(tensor, -1, LoopType::Unroll);
}

bool AutoScheduler::tryPropagate(TensorId reference,
                                 const llvm::BitVector &only) {
  Schedule changed = schedule;
  if (propagate(changed, reference, changed.getTensor(reference).loop.size(),
                &only))
    return false;
  schedule = std::move(changed);
  return true;
}

bool AutoScheduler::spreadRows(TensorId reference, int64_t position,
                               ArrayRef<TensorId> serial,
                               const llvm::BitVector &among) {
  Schedule before = schedule;
  if (!schedule.split(reference, position, kRows)) {
    splitReference(reference);
    // A loop that the reductions reduce over is no loop over their rows.
    if (tryPropagate(reference, among) &&
        llvm::any_of(serial, [&](TensorId tensor) {
          return findRows(tensor).has_value();
        })) {
      llvm::for_each(serial, [&](TensorId tensor) { sinkRows(tensor); });
      return true;
    }
  }
  schedule = std::move(before);
  return false;
}

void AutoScheduler::spread(TensorId reference, const llvm::BitVector &among) {
  SmallVector<TensorId> serial;
  for (TensorId tensor : schedule.getProgramOrder())
    if (among.test(tensor) && hasSerialRows(tensor))
      serial.push_back(tensor);
  if (!serial.empty())
    for (int64_t position = schedule.getTensor(reference).loop.size();
         position-- > 0;)
      if (canSplitRows(reference, position) &&
          spreadRows(reference, position, serial, among))
        return;
  splitReference(reference);
  if (tryPropagate(reference, among))
    return;
  // Reductions over lanes have loops of their own that may contradict.
  llvm::BitVector others = among;
  for (TensorId tensor : schedule.getProgramOrder())
    if (reductions.isFactored(schedule.getTensor(tensor).name))
      others.reset(tensor);
  others.set(reference);
  tryPropagate(reference, others);
}

/// Whether the contiguous axis is a loop that nothing was done to.
bool AutoScheduler::hasPlainLanes(TensorId tensor) const {
  const Tensor &t = schedule.getTensor(tensor);
  return !t.isInput && !t.loop.empty() && !reductions.isFactored(t.name) &&
         !reductions.isOverLanes(t.name) &&
         !schedule.getAxis(getContiguousAxis(tensor)).isReduction() &&
         llvm::is_contained(t.loop, getContiguousAxis(tensor));
}

void AutoScheduler::sinkLanes(TensorId tensor) {
  AxisId lanes = getContiguousAxis(tensor);
  SmallVector<int64_t> order, last;
  for (auto [position, axis] : llvm::enumerate(schedule.getTensor(tensor).loop))
    (schedule.getRoots({axis}).front() == lanes ? last : order)
        .push_back(position);
  llvm::append_range(order, last);
  if (!llvm::is_sorted(order))
    schedule.reorder(tensor, order);
}

void AutoScheduler::spreadAfterViews() {
  SmallVector<TensorId> order(schedule.getProgramOrder());
  for (TensorId tensor : order) {
    auto isOpaque = [](const Operand &operand) { return operand.opaque; };
    if (llvm::none_of(schedule.getTensor(tensor).operands, isOpaque))
      continue;
    sinkLanes(tensor);
    if (!hasPlainLanes(tensor))
      continue;
    llvm::BitVector plain(schedule.getNumTensors());
    for (TensorId other : order)
      if (hasPlainLanes(other))
        plain.set(other);
    Schedule before = schedule;
    splitReference(tensor);
    if (!tryPropagate(tensor, plain))
      schedule = std::move(before);
  }
}

bool AutoScheduler::canBeVector(TensorId tensor) const {
  const Tensor &t = schedule.getTensor(tensor);
  if (t.isInput || t.loop.empty() || reductions.isOverLanes(t.name))
    return false;
  std::optional<int64_t> extent = getConstantExtent(tensor, t.loop.size() - 1);
  if (!extent || *extent < 2 || !llvm::isPowerOf2_64(*extent) ||
      *extent > std::max(options.vectorWidth, ipu::kReductionLanes))
    return false;
  const Axis &axis = schedule.getAxis(t.loop.back());
  return !axis.isReduction() && axis.definition &&
         axis.loopType == LoopType::Serial;
}

LogicalResult AutoScheduler::run() {
  std::optional<FusionEstimate> before =
      estimateCost(schedule, getTensorCosts(fusion), options.cost);
  if (failed(reductions.run()))
    return failure();
  if (options.vectorWidth > 1) {
    for (const llvm::BitVector &among : getConnected())
      if (std::optional<TensorId> reference = findReference(among))
        spread(*reference, among);
    spreadAfterViews();
    for (TensorId tensor : schedule.getProgramOrder())
      if (canBeVector(tensor))
        schedule.setLoopType(tensor, -1, LoopType::Vectorize);
  }
  // Without vectors, too: their order is that of a tree.
  for (TensorId tensor : schedule.getProgramOrder()) {
    if (!reductions.isOverLanes(schedule.getTensor(tensor).name))
      continue;
    sinkLoop(schedule, tensor, getReductionLoops(schedule, tensor).back());
    schedule.setLoopType(tensor, -1, LoopType::Vectorize);
  }
  estimate = choosePositions(schedule, getTensorCosts(fusion), options.cost);
  // Partial results are not in the program.
  if (before)
    estimate.unfusedBytes = before->unfusedBytes;
  fusion.write();
  return success();
}

FailureOr<FusionEstimate>
fuse::autoSchedule(FusionSchedule &fusion, const AutoScheduleOptions &options) {
  AutoScheduler scheduler(fusion, options);
  if (failed(scheduler.run()))
    return failure();
  return scheduler.estimate;
}
