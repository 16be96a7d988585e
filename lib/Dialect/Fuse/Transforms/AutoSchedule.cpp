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

#include "ipu-mlir/Dialect/Fuse/Transforms/AutoSchedule.h"

#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Actions.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_AUTOSCHEDULEPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Operations of a body, in those of an addition: functions are polynomials of
/// about 20, a quotient or a root takes 4.
static double countOperations(linalg::LinalgOp op) {
  double operations = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (isa<math::AbsFOp, math::FmaOp, math::FloorOp, math::CeilOp>(inner))
      operations += 1;
    else if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(inner))
      operations += 4;
    else if (isa<math::MathDialect>(inner.getDialect()))
      operations += 20;
    else if (!inner.hasTrait<OpTrait::ConstantLike>())
      operations += 1;
  }
  return operations;
}

static double getBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 8;
}

std::vector<TensorCost> fuse::getTensorCosts(const FusionSchedule &fusion) {
  std::vector<TensorCost> costs(fusion.schedule.getNumTensors());
  for (auto [tensor, cost] : llvm::enumerate(costs)) {
    linalg::LinalgOp op = fusion.getOp(tensor);
    if (!op)
      continue;
    cost.operations = countOperations(op);
    cost.bytes = 0;
    for (Type type : op->getResultTypes())
      cost.bytes += getBytes(type);
  }
  for (BlockArgument argument : fusion.getFusion()->getRegion(0).getArguments())
    if (std::optional<TensorId> tensor = fusion.getTensor(argument))
      costs[*tensor].bytes = getBytes(argument.getType());
  return costs;
}

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
        !arith::getNeutralElement(chain[0]))
      return false;
    if (order == ReductionOrder::Serial && !isAnyOrderExact(chain[0]))
      return false;
  }
  return true;
}

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
  LogicalResult rfactor(StringRef name, ArrayRef<int64_t> positions);

  /// The tensor whose loops the others get: the one of the largest iteration
  /// space, partial reductions before others.
  std::optional<TensorId> findReference() const;
  /// Makes the innermost loop one over lanes.
  void splitReference(TensorId reference);
  bool canBeVector(TensorId tensor) const;

  FusionSchedule &fusion;
  Schedule &schedule;
  const AutoScheduleOptions &options;
  /// Names of reductions over lanes.
  llvm::StringSet<> cut;
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

std::optional<AxisId> AutoScheduler::getContiguousAxis(TensorId tensor) const {
  const Tensor &t = schedule.getTensor(tensor);
  std::optional<AxisId> best;
  int64_t bestVotes = -1;
  for (AxisId axis : t.root) {
    int64_t votes = 0;
    for (const Operand &operand : t.operands)
      votes += !operand.axes.empty() && operand.axes.back() == axis;
    for (ArrayRef<AxisId> logical : t.logical)
      votes += !logical.empty() && logical.back() == axis;
    // What is read decides: results of reductions are small.
    if (votes >= bestVotes) {
      best = axis;
      bestVotes = votes;
    }
  }
  return best;
}

LogicalResult AutoScheduler::rfactor(StringRef name,
                                     ArrayRef<int64_t> positions) {
  FailureOr<TensorId> partial =
      fusion.rfactor(*schedule.lookup(name), positions,
                     [&] { return fusion.getFusion().emitError(); });
  if (succeeded(partial))
    cut.insert(schedule.getTensor(*partial).name);
  cut.insert(name);
  return partial;
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
    if (!hasBlocks)
      return success();
    if (failed(rfactor(name, getReductions(*schedule.lookup(name)).back())))
      return failure();
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
  std::pair<bool, double> bestRank;
  for (TensorId tensor : schedule.getProgramOrder()) {
    const Tensor &t = schedule.getTensor(tensor);
    if (t.isInput || t.loop.empty())
      continue;
    double points = 1;
    for (AxisId axis : t.root)
      points *= evaluateExtent(schedule.getAxis(axis).extent, options.cost);
    std::pair<bool, double> rank = {!t.frozen.empty(), points};
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
  SmallVector<int64_t> order;
  for (int64_t i = 0, e = schedule.getTensor(reference).loop.size(); i != e;
       ++i)
    if (i != position)
      order.push_back(i);
  order.push_back(position);
  schedule.reorder(reference, order);
}

bool AutoScheduler::canBeVector(TensorId tensor) const {
  const Tensor &t = schedule.getTensor(tensor);
  if (t.isInput || t.loop.empty())
    return false;
  std::optional<int64_t> extent = getConstantExtent(tensor, t.loop.size() - 1);
  if (!extent || *extent < 2 || !llvm::isPowerOf2_64(*extent) ||
      *extent > std::max(options.vectorWidth, kAccumLanes))
    return false;
  return !schedule.getAxis(t.loop.back()).isReduction() || cut.contains(t.name);
}

LogicalResult AutoScheduler::run() {
  if (failed(cutReductions()))
    return failure();
  if (options.vectorWidth > 1) {
    if (std::optional<TensorId> reference = findReference()) {
      splitReference(*reference);
      // Reductions over lanes have their loops already.
      llvm::BitVector others(schedule.getNumTensors(), true);
      for (TensorId tensor : schedule.getProgramOrder())
        if (cut.contains(schedule.getTensor(tensor).name))
          others.reset(tensor);
      others.set(*reference);
      Schedule spread = schedule;
      if (!propagate(spread, *reference,
                     spread.getTensor(*reference).loop.size(), &others))
        schedule = std::move(spread);
    }
    for (TensorId tensor : schedule.getProgramOrder())
      if (canBeVector(tensor))
        schedule.setLoopType(tensor, -1, LoopType::Vectorize);
  }
  estimate = choosePositions(schedule, getTensorCosts(fusion), options.cost);
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

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct AutoSchedulePass : fuse::impl::AutoSchedulePassBase<AutoSchedulePass> {
  using AutoSchedulePassBase::AutoSchedulePassBase;

  void runOnOperation() override {
    AutoScheduleOptions options;
    options.vectorWidth = vectorWidth;
    options.cost.cacheBytes = cacheBytes;
    if (vectorWidth < 1 || !llvm::isPowerOf2_64(vectorWidth) ||
        vectorWidth > 64) {
      getOperation().emitError() << "expects 'vector-width' to be a power of "
                                    "two up to 64 but got "
                                 << vectorWidth;
      return signalPassFailure();
    }
    if (reductionOrder != "serial" && reductionOrder != "blocked") {
      getOperation().emitError()
          << "expects 'reduction-order' to be serial or blocked but got '"
          << reductionOrder << "'";
      return signalPassFailure();
    }
    if (reductionOrder == "blocked")
      options.reductionOrder = ReductionOrder::Blocked;
    FailureOr<std::vector<FusionSchedule>> fusions =
        readFusions(getOperation());
    if (failed(fusions))
      return signalPassFailure();
    for (FusionSchedule &fusion : *fusions) {
      FailureOr<FusionEstimate> estimate = autoSchedule(fusion, options);
      if (failed(estimate))
        return signalPassFailure();
      Location loc = fusion.getFusion().getLoc();
      remark::passed(loc,
                     remark::RemarkOpts::name("Fused").category("ipu-fuse"))
          << remark::metric("bytesSaved", int64_t(estimate->getSavedBytes()))
          << remark::metric("recompute", float(estimate->getRecompute()));
    }
  }
};
} // namespace
