//===- CodeFlowRegions.cpp - Flow between regions and blocks ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeFlow.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

static void getConstants(Operation *op, SmallVectorImpl<Attribute> &constants) {
  for (Value operand : op->getOperands()) {
    Attribute value;
    matchPattern(operand, m_Constant(&value));
    constants.push_back(value);
  }
}

/// All regions of `op` in any order, and null: what is after it.
static SmallVector<Region *> getAnyRegion(Operation *op) {
  SmallVector<Region *> regions = {nullptr};
  for (Region &region : op->getRegions())
    if (!region.empty())
      regions.push_back(&region);
  return regions;
}

static SmallVector<Region *> toRegions(ArrayRef<RegionSuccessor> successors) {
  SmallVector<Region *> regions;
  for (const RegionSuccessor &successor : successors) {
    Region *region = successor.getSuccessor();
    // An empty region is passed as it is: an `else` that is not there.
    if (region && region->empty())
      region = nullptr;
    if (!llvm::is_contained(regions, region))
      regions.push_back(region);
  }
  return regions;
}

/// How often at least and at most each region is run; empty if not known.
static SmallVector<InvocationBounds> getBounds(RegionBranchOpInterface op) {
  SmallVector<Attribute> constants;
  SmallVector<InvocationBounds> bounds;
  getConstants(op, constants);
  op.getRegionInvocationBounds(constants, bounds);
  if (bounds.size() != op->getNumRegions())
    bounds.clear();
  return bounds;
}

SmallVector<Region *> mlir::ipu::detail::getEnteredRegions(Operation *op) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return getAnyRegion(op);
  SmallVector<Attribute> constants;
  SmallVector<RegionSuccessor> successors;
  getConstants(op, constants);
  branch.getEntrySuccessorRegions(constants, successors);
  SmallVector<Region *> regions = toRegions(successors);
  // A loop of at least one iteration is not passed by.
  SmallVector<InvocationBounds> bounds = getBounds(branch);
  bool mustEnter = !bounds.empty() && llvm::any_of(regions, [&](Region *to) {
    return to && bounds[to->getRegionNumber()].getLowerBound() > 0;
  });
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    std::optional<APInt> rounds = loop.getStaticTripCount();
    mustEnter |= rounds && !rounds->isZero();
  }
  if (mustEnter && regions.size() > 1)
    llvm::erase(regions, nullptr);
  return regions;
}

SmallVector<Region *> mlir::ipu::detail::getFollowingRegions(Operation *op,
                                                             Region &region) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return getAnyRegion(op);
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(region, successors);
  if (!successors.empty())
    return toRegions(successors);
  // Without terminators nothing says what follows: regions that run once are
  // the last one, others may come in any order.
  SmallVector<InvocationBounds> bounds = getBounds(branch);
  SmallVector<Region *> regions = getAnyRegion(op);
  auto runsOnce = [&](Region *of) {
    if (!of || bounds.empty())
      return false;
    std::optional<unsigned> most =
        bounds[of->getRegionNumber()].getUpperBound();
    return most && *most <= 1;
  };
  if (runsOnce(&region))
    return {nullptr};
  llvm::erase_if(regions, runsOnce);
  return regions;
}

CodePieces::CodePieces(Operation *op, FlowDirection direction) {
  unsigned outside = op->getNumRegions();
  auto getNumber = [&](Region *region) {
    return region ? region->getRegionNumber() : outside;
  };
  for (Region *to : getEnteredRegions(op))
    addEdge(outside, getNumber(to));
  for (Region &region : op->getRegions())
    for (Region *to : getFollowingRegions(op, region))
      addEdge(getNumber(&region), getNumber(to));
  orient(direction);
}

CodePieces::CodePieces(Region &region, FlowDirection direction) {
  llvm::DenseMap<Block *, unsigned> numbers;
  for (Block &block : region)
    numbers.try_emplace(&block, numbers.size());
  unsigned outside = numbers.size();
  addEdge(outside, numbers.lookup(&region.front()));
  for (Block &block : region) {
    if (block.hasNoSuccessors())
      addEdge(numbers.lookup(&block), outside);
    for (Block *successor : block.getSuccessors())
      addEdge(numbers.lookup(&block), numbers.lookup(successor));
  }
  orient(direction);
}

void CodePieces::orient(FlowDirection direction) {
  if (direction == FlowDirection::Forward)
    return;
  // The last edges of the program come first, so that few rounds are needed.
  std::reverse(edges.begin(), edges.end());
  for (auto &[from, to] : edges)
    std::swap(from, to);
}

SmallVector<CodeTransfer>
CodePieces::joinWays(ArrayRef<CodeTransfer> pieces) const {
  unsigned outside = pieces.size(), size = pieces.front().adds.size();
  SmallVector<CodeTransfer> ways(outside + 1, CodeTransfer::none(size));
  // Returns the effect of the ways that end at the far end of `piece`.
  auto getWay = [&](unsigned piece) {
    return piece == outside ? CodeTransfer::identity(size)
                            : ways[piece].then(pieces[piece]);
  };
  bool changed = false;
  do {
    changed = false;
    for (auto [from, to] : edges) {
      CodeTransfer known = ways[to];
      ways[to].join(getWay(from));
      changed |= !(ways[to] == known);
    }
  } while (changed);
  return ways;
}
