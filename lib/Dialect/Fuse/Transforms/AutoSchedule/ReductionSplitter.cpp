//===- ReductionSplitter.cpp - Reductions in lanes and blocks -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionSplitter.h"
#include "../ReductionCombiner.h"
#include "TensorLoops.h"

#include "ipu-mlir/Support/SumBlocks.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

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

/// Whether an index along each reduction loop follows from one along all of
/// them merged: rfactor needs it as an expression.
static bool canMergeReductions(const Schedule &schedule, TensorId tensor) {
  SmallVector<int64_t> loops = getReductionLoops(schedule, tensor);
  return llvm::all_of(ArrayRef(loops).drop_front(), [&](int64_t position) {
    std::optional<int64_t> extent =
        getConstantExtent(schedule, tensor, position);
    return extent && *extent > 0;
  });
}

/// Whether the reduction may be split into lanes.
static bool canSplitReduction(linalg::LinalgOp op, ReductionOrder order) {
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

AxisId ReductionSplitter::getContiguousAxis(TensorId tensor) const {
  return *fuse::getContiguousAxis(schedule, tensor, options.cost);
}

FailureOr<std::string> ReductionSplitter::rfactor(StringRef name,
                                                  ArrayRef<int64_t> positions) {
  FailureOr<TensorId> partial =
      fusion.rfactor(*schedule.lookup(name), positions,
                     [&] { return fusion.getFusion().emitError(); });
  if (failed(partial))
    return failure();
  factored.insert(name);
  std::string partialName = schedule.getTensor(*partial).name;
  factored.insert(partialName);
  return partialName;
}

LogicalResult ReductionSplitter::splitIntoLanes(StringRef name) {
  TensorId tensor = *schedule.lookup(name);
  AxisId axis = getContiguousAxis(tensor);
  if (!schedule.getAxis(axis).isReduction())
    return success();
  SmallVector<AxisId> loop = schedule.getTensor(tensor).loop;
  int64_t position = llvm::find(loop, axis) - loop.begin();
  if (std::optional<int64_t> extent =
          getConstantExtent(schedule, tensor, position))
    if (*extent <= options.vectorWidth)
      return success();
  schedule.split(tensor, position, options.vectorWidth);
  SmallVector<int64_t> reduced = getReductionLoops(schedule, tensor);
  llvm::erase(reduced, position + 1);
  overLanes.insert(name);
  return rfactor(name, reduced);
}

int64_t ReductionSplitter::getBlock(TensorId tensor) const {
  SmallVector<int64_t> reduced = getReductionLoops(schedule, tensor);
  int64_t outputs = 1, positions = 1;
  for (int64_t at = 0, e = schedule.getTensor(tensor).loop.size(); at != e;
       ++at) {
    std::optional<int64_t> extent = getConstantExtent(schedule, tensor, at);
    if (!extent)
      return ipu::kReductionBlock;
    (llvm::is_contained(reduced, at) ? positions : outputs) *= *extent;
  }
  return ipu::chooseReductionBlock(outputs, positions);
}

LogicalResult ReductionSplitter::splitIntoBlocks(StringRef name,
                                                 int64_t block) {
  // The elements in the order of the program.
  TensorId tensor = *schedule.lookup(name);
  if (!canMergeReductions(schedule, tensor))
    return success();
  for (SmallVector<int64_t> left = getReductionLoops(schedule, tensor);
       left.size() > 1; left = getReductionLoops(schedule, tensor))
    if (schedule.merge(tensor, left[0], left[1]))
      return success();
  // More blocks than a third iteration leaves do not fit into any memory.
  for (int iteration = 0;; ++iteration) {
    tensor = *schedule.lookup(name);
    int64_t position = getReductionLoops(schedule, tensor).front();
    std::optional<int64_t> extent =
        getConstantExtent(schedule, tensor, position);
    if (extent && *extent <= 1)
      return success();
    bool hasBlocks = extent ? *extent > block : iteration < 3;
    if (hasBlocks)
      schedule.split(tensor, position++, block);
    schedule.split(tensor, position, ipu::kReductionLanes);
    // Steps, so that a lane is a chain of its own; then, of many blocks, lanes.
    if (failed(rfactor(name, {position})))
      return failure();
    if (!hasBlocks) {
      overLanes.insert(name);
      return success();
    }
    FailureOr<std::string> blocks = rfactor(
        name, getReductionLoops(schedule, *schedule.lookup(name)).back());
    if (failed(blocks))
      return failure();
    overLanes.insert(*blocks);
  }
}

LogicalResult ReductionSplitter::run() {
  SmallVector<std::string> names;
  for (TensorId tensor : schedule.getProgramOrder())
    if (schedule.getTensor(tensor).hasReduction(schedule) &&
        canSplitReduction(fusion.getOp(tensor), options.reductionOrder))
      names.push_back(schedule.getTensor(tensor).name);
  for (StringRef name : names) {
    TensorId tensor = *schedule.lookup(name);
    bool isExact =
        canSplitReduction(fusion.getOp(tensor), ReductionOrder::Serial);
    // A maximum of columns needs no lanes.
    bool isContiguous =
        schedule.getAxis(getContiguousAxis(tensor)).isReduction();
    LogicalResult result = success();
    if (options.reductionOrder == ReductionOrder::Blocked &&
        (!isExact ||
         (isContiguous && getReductionLoops(schedule, tensor).size() == 1)))
      result = splitIntoBlocks(name, isExact ? ipu::kReductionBlock
                                             : getBlock(tensor));
    else if (options.vectorWidth > 1)
      result = splitIntoLanes(name);
    if (failed(result))
      return failure();
  }
  return success();
}
