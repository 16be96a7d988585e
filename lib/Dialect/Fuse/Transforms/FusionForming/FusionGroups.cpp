//===- FusionGroups.cpp - Groups of ops for fusions -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionGroups.h"

#include "../FusionViews.h"

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether each result is written once per iteration of the parallel loops, in
/// an order of dimensions.
static bool hasSimpleResults(linalg::LinalgOp op) {
  return llvm::all_of(op->getResults(), [&](OpResult result) {
    AffineMap map = op.getIndexingMapMatchingResult(result);
    return map.isProjectedPermutation() &&
           map.getNumResults() == op.getNumParallelLoops() &&
           llvm::all_of(map.getResults(), [&](AffineExpr expr) {
             return op.getIteratorTypesArray()[cast<AffineDimExpr>(expr)
                                                   .getPosition()] ==
                    utils::IteratorType::parallel;
           });
  });
}

/// Whether some dimension of an operand has the size of each loop.
static bool hasKnownLoops(linalg::LinalgOp op) {
  llvm::SmallBitVector known(op.getNumLoops());
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        known.set(dim.getPosition());
  return known.all();
}

/// What is stored otherwise (sparse, ...) cannot be addressed by indices.
/// Buffers and registers are of numbers.
static bool isStoredOtherwise(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (tensor.getEncoding() ||
                    !(tensor.getElementType().isIntOrIndexOrFloat() ||
                      isa<ComplexType>(tensor.getElementType())));
}

bool fuse::isFusible(Operation *op) {
  if (!isScheduleTensor(op))
    return false;
  if (llvm::any_of(op->getOperandTypes(), isStoredOtherwise))
    return false;
  auto linalgOp = cast<linalg::LinalgOp>(op);
  if (!hasSimpleResults(linalgOp) || !hasKnownLoops(linalgOp))
    return false;
  for (OpOperand *input : linalgOp.getDpsInputOperands())
    if (input->get().getDefiningOp<tensor::EmptyOp>())
      return false;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::none_of(
      captured, [](Value value) { return isa<ShapedType>(value.getType()); });
}

/// Whether a fusion can read what `view` is a view of in its place: memory, if
/// that is there before the fusion, or what the fusion computes.
static bool isViewInFusions(Operation *view) {
  if (!isView(view))
    return false;
  auto type = cast<RankedTensorType>(view->getResult(0).getType());
  if (isStoredOtherwise(type))
    return false;
  Operation *base = getViewBase(view->getResult(0)).getDefiningOp();
  bool isComputed =
      base && base->getBlock() == view->getBlock() && isFusible(base);
  if (isComputed)
    return bool(getViewBaseMap(view->getResult(0)));
  // Memory after a slice has gaps, over which no dimensions collapse.
  return bool(getViewMemRefType(view->getResult(0)));
}

bool fuse::isSunkIntoFusions(Operation *op) {
  if (isViewInFusions(op))
    return true;
  if (isa<tensor::EmptyOp, tensor::DimOp>(op))
    return true;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.hasPureTensorSemantics();
  auto isIndex = [](Type type) { return type.isIndex(); };
  if (op->hasTrait<OpTrait::ConstantLike>())
    return op->getResult(0).getType().isIntOrIndexOrFloat();
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperandTypes(), isIndex) &&
         isIndex(op->getResult(0).getType());
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

BlockDependences::BlockDependences(Block &block) {
  for (Operation &op : block) {
    numbers[&op] = ops.size();
    ops.push_back(&op);
  }
  std::optional<unsigned> lastEffect;
  for (auto [number, op] : llvm::enumerate(ops)) {
    SmallVector<unsigned, 4> &list = needs.emplace_back();
    auto addValue = [&](Value value) {
      if (Operation *definition = value.getDefiningOp())
        if (definition->getBlock() == &block)
          list.push_back(numbers[definition]);
    };
    for (Value operand : op->getOperands())
      addValue(operand);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      addValue(value);
    if (isMemoryEffectFree(op))
      continue;
    if (lastEffect)
      list.push_back(*lastEffect);
    lastEffect = number;
  }
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {
/// Gives each op a level that grows where a path leaves what can be fused. A
/// path that leaves ops of one level never comes back to them, so any ops of
/// one level are convex.
class Levels {
public:
  explicit Levels(const BlockDependences &dependences)
      : dependences(dependences), levels(dependences.ops.size()),
        fusible(dependences.ops.size()), linked(dependences.ops.size()) {
    // What is fusible or sunk and made of that, on its level.
    std::vector<bool> isInside(levels.size());
    for (unsigned number = 0, e = levels.size(); number < e; ++number) {
      Operation *op = dependences.ops[number];
      fusible[number] = isFusible(op);
      bool isTransparent = fusible[number] || isSunkIntoFusions(op);
      for (unsigned need : dependences.needs[number])
        levels[number] = std::max(
            levels[number], levels[need] + (isInside[need] && !isTransparent));
      isInside[number] =
          fusible[number] ||
          (isTransparent &&
           llvm::any_of(dependences.needs[number], [&](unsigned need) {
             return isInside[need] && levels[need] == levels[number];
           }));
    }
    sinkLoneOps();
    for (unsigned op = 0, e = levels.size(); op < e; ++op)
      linked[op] = fusible[op] ||
                   (isSunkIntoFusions(dependences.ops[op]) &&
                    llvm::any_of(dependences.needs[op], [&](unsigned need) {
                      return linked[need] && levels[need] == levels[op];
                    }));
  }

  bool isFusibleOp(unsigned op) const { return fusible[op]; }
  unsigned getLevel(unsigned op) const { return levels[op]; }
  /// What is sunk connects ops if it is made of one of them.
  bool areConnected(unsigned a, unsigned b) const {
    return linked[a] && linked[b] && levels[a] == levels[b];
  }

private:
  /// An op with no neighbours on its level goes to the level of its users.
  void sinkLoneOps() {
    unsigned size = levels.size();
    std::vector<unsigned> least(size, ~0u);
    std::vector<bool> hasOthers(size);
    for (unsigned op = size; op-- > 0;) {
      bool isLone = fusible[op] && !hasOthers[op] && least[op] != ~0u &&
                    llvm::none_of(dependences.needs[op], [&](unsigned need) {
                      return fusible[need] && levels[need] == levels[op];
                    });
      if (isLone)
        levels[op] = least[op];
      for (unsigned need : dependences.needs[op]) {
        least[need] = std::min(least[need], levels[op]);
        hasOthers[need] =
            hasOthers[need] || !fusible[op] || levels[op] == levels[need];
      }
    }
  }

  const BlockDependences &dependences;
  std::vector<unsigned> levels;
  std::vector<bool> fusible;
  std::vector<bool> linked;
};
} // namespace

std::vector<OpGroup>
fuse::getConnectedGroups(const BlockDependences &dependences) {
  Levels levels(dependences);
  llvm::EquivalenceClasses<unsigned> connected;
  for (unsigned op = 0, e = dependences.ops.size(); op < e; ++op) {
    connected.insert(op);
    for (unsigned need : dependences.needs[op])
      if (levels.areConnected(need, op))
        connected.unionSets(need, op);
  }
  llvm::MapVector<unsigned, OpGroup> groups;
  for (unsigned op = 0, e = dependences.ops.size(); op < e; ++op)
    if (levels.isFusibleOp(op)) {
      OpGroup &group = groups[connected.getLeaderValue(op)];
      group.ops.push_back(dependences.ops[op]);
      group.level = levels.getLevel(op);
    }
  std::vector<OpGroup> result;
  for (auto &[leader, group] : groups)
    result.push_back(std::move(group));
  return result;
}
