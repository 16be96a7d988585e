//===- ReplicaEqualFlow.cpp - Paths through regions and loops -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualFlow.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The constants among the operands of `op`.
static SmallVector<Attribute> getConstants(Operation *op) {
  SmallVector<Attribute> constants(op->getNumOperands());
  for (auto [operand, constant] : llvm::zip_equal(op->getOperands(), constants))
    matchPattern(operand, m_Constant(&constant));
  return constants;
}

static std::optional<APInt> getTripCount(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  return loop ? loop.getStaticTripCount() : std::nullopt;
}

bool replica_equal::isEntered(Operation *op) {
  std::optional<APInt> count = getTripCount(op);
  return count && !count->isZero();
}

static SmallVector<RegionSuccessor>
getSuccessors(RegionBranchOpInterface op, RegionBranchPoint point,
              function_ref<Attribute(Value)> getConstant) {
  SmallVector<RegionSuccessor> successors;
  if (!point.isParent()) {
    op.getSuccessorRegions(point, successors);
    return successors;
  }
  std::optional<APInt> count = getTripCount(op);
  if (!count) {
    op.getEntrySuccessorRegions(
        llvm::map_to_vector(op->getOperands(), getConstant), successors);
    return successors;
  }
  op.getSuccessorRegions(point, successors);
  if (successors.size() > 1)
    llvm::erase_if(successors, [&](RegionSuccessor successor) {
      return successor.isParent() != count->isZero();
    });
  return successors;
}

RegionFlow
replica_equal::getRegionFlow(RegionBranchOpInterface op,
                             function_ref<Attribute(Value)> getConstant) {
  RegionFlow flow;
  llvm::SmallPtrSet<Region *, 4> reached;
  SmallVector<Region *> queue;
  auto addEdges = [&](RegionBranchPoint point) {
    for (RegionSuccessor successor : getSuccessors(op, point, getConstant)) {
      flow.edges.push_back({point, successor});
      if (successor.isParent())
        continue;
      Region *region = successor.getSuccessor();
      if (!point.isParent())
        flow.repeated.insert(region);
      if (reached.insert(region).second)
        queue.push_back(region);
    }
  };
  addEdges(RegionBranchPoint::parent());
  while (!queue.empty())
    for (Block &block : *queue.pop_back_val())
      if (!block.empty())
        if (auto exit =
                dyn_cast<RegionBranchTerminatorOpInterface>(block.back()))
          addEdges(exit);
  return flow;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool replica_equal::isExecutedEachIteration(Operation *op, Operation *loop) {
  for (Operation *at = op; at != loop; at = at->getParentOp()) {
    Region *region = at->getParentRegion();
    Operation *outer = region->getParentOp();
    if (!region->hasOneBlock())
      return false;
    if (outer == loop || isEntered(outer))
      continue;
    auto branches = dyn_cast<RegionBranchOpInterface>(outer);
    if (!branches)
      return false;
    SmallVector<InvocationBounds> bounds;
    branches.getRegionInvocationBounds(getConstants(outer), bounds);
    unsigned number = region->getRegionNumber();
    if (number >= bounds.size() || bounds[number].getLowerBound() < 1)
      return false;
  }
  return true;
}
