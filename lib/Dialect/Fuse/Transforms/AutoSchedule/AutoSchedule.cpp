//===- AutoSchedule.cpp - Schedules without a script ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fusions without schedules.
// Out: the same, reductions cut into lanes where that is allowed, loops into
// vectors, positions as the cost model chooses.
//
//===----------------------------------------------------------------------===//

#include "../ReductionCombiner.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/AutoSchedule.h"

#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Whether no order of combining changes a bit.
static bool isAnyOrderExact(Operation *combiner) {
  if (getElementTypeOrSelf(combiner->getResult(0)).isIntOrIndex())
    return true;
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp>(combiner))
    return true;
  auto fast = dyn_cast<arith::ArithFastMathInterface>(combiner);
  return fast &&
         arith::bitEnumContainsAll(fast.getFastMathFlagsAttr().getValue(),
                                   arith::FastMathFlags::reassoc);
}

/// Whether the reduction may be cut into lanes.
static bool canCut(linalg::LinalgOp op, ReductionOrder order) {
  if (linalg::isaContractionOpInterface(op))
    order = ReductionOrder::Serial;
  for (unsigned result = 0, e = op->getNumResults(); result != e; ++result) {
    SmallVector<Operation *> chain;
    if (!matchReduction(op.getRegionOutputArgs(), result, chain) ||
        chain.size() != 1 || chain[0]->getNumOperands() != 2 ||
        !fuse::getNeutralElement(chain[0]))
      return false;
    if (order == ReductionOrder::Serial && !isAnyOrderExact(chain[0]))
      return false;
  }
  return true;
}

/// Rows that are summed at once where each row is a chain of additions.
static constexpr int64_t kRows = 4;

namespace {
class AutoScheduler {
public:
  AutoScheduler(FusionSchedule &fusion, const AutoScheduleOptions &options)
      : fusion(fusion), schedule(fusion.schedule), options(options) {}

  LogicalResult run();
  FusionEstimate estimate;

private:
  InFlightDiagnostic emitError() { return fusion.getFusion().emitError(); }

  /// Positions of the loops of a tensor that reduce.
  SmallVector<int64_t> getReductions(TensorId tensor) const;
  std::optional<int64_t> getConstantExtent(TensorId tensor,
                                           int64_t position) const;
  bool isBlocked() const {
    return options.reductionOrder == ReductionOrder::Blocked;
  }

  double getPoints(ArrayRef<AxisId> axes) const;
  /// The root axis along which most of what the tensor reads and writes is
  /// contiguous; the last one if that is none.
  std::optional<AxisId> getContiguousAxis(TensorId tensor) const;
  /// Cuts what may be cut into lanes; names of what is then combined over lanes
  /// go into `cut`.
  LogicalResult cutReductions();
  /// Into lanes of the contiguous axis, all else one after the other.
  LogicalResult cutInLanes(StringRef name);
  /// Into blocks, steps and lanes, as often as there are many blocks.
  LogicalResult cutInBlocks(StringRef name);
  FailureOr<std::string> rfactor(StringRef name, ArrayRef<int64_t> positions);

  /// The tensor whose loops the others get: a partial reduction before others,
  /// then one with a loop to make vectors of, then of the largest iteration
  /// space.
  std::optional<TensorId> findReference() const;
  /// Makes the innermost loop one over lanes.
  void splitReference(TensorId reference);
  /// Gives all tensors loops like those of the reference, split so.
  void spread(TensorId reference);
  /// Reductions along the contiguous axis that keep the order of the program
  /// take a row at a time no faster than one addition after the other. So the
  /// reference gets a loop over some rows, which becomes the innermost one of
  /// such reductions.
  bool hasSerialRows(TensorId tensor) const;
  bool splitRows(TensorId reference);
  void sinkRows(TensorId tensor);
  bool canBeVector(TensorId tensor) const;
  /// Makes a loop the innermost one.
  void sink(TensorId tensor, int64_t position);

  FusionSchedule &fusion;
  Schedule &schedule;
  const AutoScheduleOptions &options;
  /// Names of what reductions were cut into, and of the parts that combine
  /// lanes, by a tree.
  llvm::StringSet<> cut, overLanes;
};
} // namespace

SmallVector<int64_t> AutoScheduler::getReductions(TensorId tensor) const {
  SmallVector<int64_t> positions;
  for (auto [i, axis] : llvm::enumerate(schedule.getTensor(tensor).loop))
    if (schedule.getAxis(axis).isReduction())
      positions.push_back(i);
  return positions;
}

std::optional<int64_t>
AutoScheduler::getConstantExtent(TensorId tensor, int64_t position) const {
  AffineExpr extent =
      schedule.getAxis(schedule.getTensor(tensor).loop[position]).extent;
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    return constant.getValue();
  return std::nullopt;
}

double AutoScheduler::getPoints(ArrayRef<AxisId> axes) const {
  double points = 1;
  for (AxisId axis : axes)
    points *= evaluateExtent(schedule.getAxis(axis).extent, options.cost);
  return points;
}

std::optional<AxisId> AutoScheduler::getContiguousAxis(TensorId tensor) const {
  const Tensor &t = schedule.getTensor(tensor);
  std::optional<AxisId> best;
  double most = -1;
  for (AxisId axis : t.root) {
    double elements = 0;
    for (const Operand &operand : t.operands)
      if (!operand.axes.empty() && operand.axes.back() == axis)
        elements += getPoints(llvm::map_to_vector(
            llvm::make_filter_range(operand.axes,
                                    [](auto axis) { return axis.has_value(); }),
            [](auto axis) { return *axis; }));
    for (ArrayRef<AxisId> logical : t.logical)
      if (!logical.empty() && logical.back() == axis)
        elements += getPoints(logical);
    if (elements >= most) {
      best = axis;
      most = elements;
    }
  }
  return best;
}

FailureOr<std::string> AutoScheduler::rfactor(StringRef name,
                                              ArrayRef<int64_t> positions) {
  FailureOr<TensorId> partial =
      fusion.rfactor(*schedule.lookup(name), positions,
                     [&] { return fusion.getFusion().emitError(); });
  if (failed(partial))
    return failure();
  cut.insert(name);
  std::string partialName = schedule.getTensor(*partial).name;
  cut.insert(partialName);
  return partialName;
}

LogicalResult AutoScheduler::cutInLanes(StringRef name) {
  TensorId tensor = *schedule.lookup(name);
  AxisId axis = *getContiguousAxis(tensor);
  if (!schedule.getAxis(axis).isReduction())
    return success();
  SmallVector<AxisId> loop = schedule.getTensor(tensor).loop;
  int64_t position = llvm::find(loop, axis) - loop.begin();
  if (std::optional<int64_t> extent = getConstantExtent(tensor, position))
    if (*extent <= options.vectorWidth)
      return success();
  schedule.split(tensor, position, options.vectorWidth);
  SmallVector<int64_t> reduced = getReductions(tensor);
  llvm::erase(reduced, position + 1);
  overLanes.insert(name);
  return rfactor(name, reduced);
}

LogicalResult AutoScheduler::cutInBlocks(StringRef name) {
  // The terms in the order of the program.
  TensorId tensor = *schedule.lookup(name);
  for (SmallVector<int64_t> left = getReductions(tensor); left.size() > 1;
       left = getReductions(tensor))
    if (schedule.merge(tensor, left[0], left[1]))
      return success();
  // More blocks than a third round leaves do not fit into any memory.
  for (int round = 0;; ++round) {
    tensor = *schedule.lookup(name);
    int64_t position = getReductions(tensor).front();
    std::optional<int64_t> extent = getConstantExtent(tensor, position);
    if (extent && *extent <= 1)
      return success();
    bool hasBlocks = extent ? *extent > kAccumBlock : round < 3;
    if (hasBlocks)
      schedule.split(tensor, position++, kAccumBlock);
    schedule.split(tensor, position, kAccumLanes);
    // Steps, so that a lane is a chain of its own; then, of many blocks, lanes.
    if (failed(rfactor(name, {position})))
      return failure();
    if (!hasBlocks) {
      overLanes.insert(name);
      return success();
    }
    FailureOr<std::string> blocks =
        rfactor(name, getReductions(*schedule.lookup(name)).back());
    if (failed(blocks))
      return failure();
    overLanes.insert(*blocks);
  }
}

LogicalResult AutoScheduler::cutReductions() {
  SmallVector<std::string> names;
  for (TensorId tensor : schedule.getProgramOrder())
    if (schedule.getTensor(tensor).hasReduction(schedule) &&
        canCut(fusion.getOp(tensor), options.reductionOrder))
      names.push_back(schedule.getTensor(tensor).name);
  for (StringRef name : names) {
    TensorId tensor = *schedule.lookup(name);
    bool isExact = canCut(fusion.getOp(tensor), ReductionOrder::Serial);
    // A maximum of columns needs no lanes.
    bool isContiguous =
        schedule.getAxis(*getContiguousAxis(tensor)).isReduction();
    LogicalResult result = success();
    if (isBlocked() &&
        (!isExact || (isContiguous && getReductions(tensor).size() == 1)))
      result = cutInBlocks(name);
    else if (options.vectorWidth > 1)
      result = cutInLanes(name);
    if (failed(result))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::optional<TensorId> AutoScheduler::findReference() const {
  std::optional<TensorId> best;
  std::tuple<bool, bool, double> bestRank;
  for (TensorId tensor : schedule.getProgramOrder()) {
    const Tensor &t = schedule.getTensor(tensor);
    if (t.isInput || t.loop.empty())
      continue;
    std::tuple<bool, bool, double> rank = {
        !t.frozen.empty(), !hasSerialRows(tensor), getPoints(t.root)};
    if (!best || rank > bestRank) {
      best = tensor;
      bestRank = rank;
    }
  }
  return best;
}

void AutoScheduler::splitReference(TensorId reference) {
  AxisId axis = *getContiguousAxis(reference);
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
  sink(reference, position);
}

bool AutoScheduler::hasSerialRows(TensorId tensor) const {
  const Tensor &t = schedule.getTensor(tensor);
  return t.hasReduction(schedule) && !cut.contains(t.name) &&
         schedule.getAxis(*getContiguousAxis(tensor)).isReduction();
}

bool AutoScheduler::splitRows(TensorId reference) {
  AxisId lanes = *getContiguousAxis(reference);
  const SmallVector<AxisId> &loop = schedule.getTensor(reference).loop;
  for (int64_t position = loop.size(); position-- > 0;) {
    AxisId axis = loop[position];
    std::optional<int64_t> extent = getConstantExtent(reference, position);
    if (schedule.getAxis(axis).isReduction() ||
        schedule.getRoots({axis}).front() == lanes ||
        (extent && *extent < kRows))
      continue;
    return !schedule.split(reference, position, kRows);
  }
  return false;
}

void AutoScheduler::sinkRows(TensorId tensor) {
  const SmallVector<AxisId> &loop = schedule.getTensor(tensor).loop;
  for (int64_t position = loop.size(); position-- > 0;) {
    const Axis &axis = schedule.getAxis(loop[position]);
    if (axis.isReduction() || !axis.definition ||
        getConstantExtent(tensor, position) != kRows)
      continue;
    sink(tensor, position);
    schedule.setLoopType(tensor, -1, LoopType::Unroll);
    return;
  }
}

void AutoScheduler::spread(TensorId reference) {
  SmallVector<TensorId> serial;
  for (TensorId tensor : schedule.getProgramOrder())
    if (hasSerialRows(tensor))
      serial.push_back(tensor);
  auto tryAll = [&](const llvm::BitVector *only) {
    Schedule changed = schedule;
    if (propagate(changed, reference, changed.getTensor(reference).loop.size(),
                  only))
      return false;
    schedule = std::move(changed);
    return true;
  };
  Schedule before = schedule;
  bool hasRows = !serial.empty() && splitRows(reference);
  splitReference(reference);
  if (tryAll(nullptr)) {
    if (hasRows)
      llvm::for_each(serial, [&](TensorId tensor) { sinkRows(tensor); });
    return;
  }
  // Reductions over lanes have loops of their own that may contradict.
  schedule = std::move(before);
  splitReference(reference);
  llvm::BitVector others(schedule.getNumTensors(), true);
  for (TensorId tensor : schedule.getProgramOrder())
    if (cut.contains(schedule.getTensor(tensor).name))
      others.reset(tensor);
  others.set(reference);
  tryAll(&others);
}

void AutoScheduler::sink(TensorId tensor, int64_t position) {
  SmallVector<int64_t> order;
  int64_t size = schedule.getTensor(tensor).loop.size();
  for (int64_t i = 0; i != size; ++i)
    if (i != position)
      order.push_back(i);
  order.push_back(position);
  schedule.reorder(tensor, order);
}

bool AutoScheduler::canBeVector(TensorId tensor) const {
  const Tensor &t = schedule.getTensor(tensor);
  if (t.isInput || t.loop.empty() || overLanes.contains(t.name))
    return false;
  std::optional<int64_t> extent = getConstantExtent(tensor, t.loop.size() - 1);
  if (!extent || *extent < 2 || !llvm::isPowerOf2_64(*extent) ||
      *extent > std::max(options.vectorWidth, kAccumLanes))
    return false;
  const Axis &axis = schedule.getAxis(t.loop.back());
  return !axis.isReduction() && axis.definition &&
         axis.loopType == LoopType::Serial;
}

LogicalResult AutoScheduler::run() {
  std::optional<FusionEstimate> before =
      estimateCost(schedule, getTensorCosts(fusion), options.cost);
  if (failed(cutReductions()))
    return failure();
  if (options.vectorWidth > 1) {
    if (std::optional<TensorId> reference = findReference())
      spread(*reference);
    for (TensorId tensor : schedule.getProgramOrder())
      if (canBeVector(tensor))
        schedule.setLoopType(tensor, -1, LoopType::Vectorize);
  }
  // Without vectors, too: their order is that of a tree.
  for (TensorId tensor : schedule.getProgramOrder()) {
    if (!overLanes.contains(schedule.getTensor(tensor).name))
      continue;
    sink(tensor, getReductions(tensor).back());
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
