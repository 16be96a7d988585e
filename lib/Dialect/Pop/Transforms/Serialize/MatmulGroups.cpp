//===- MatmulGroups.cpp - Groups of similar matmuls -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The level of an op is the greatest number of matmuls on a path of dependences
// to the op. Matmuls of one level therefore do not depend on each other. If the
// matmuls of a group are merged, all levels stay valid, so that groups do not
// depend on each other in a cycle.
//
//===----------------------------------------------------------------------===//

#include "MatmulGroups.h"

#include "MatmulDivision.h"
#include "ipu-mlir/Analysis/Effects/EffectDependences.h"
#include <map>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

namespace {
/// The levels of the ops of a block.
class Levels {
public:
  Levels(Block &block, const GraphEffects &effects);

  int64_t get(Operation *op) const { return levels[numbers.lookup(op)]; }

private:
  void require(unsigned before) {
    levels.back() =
        std::max(levels.back(), levels[before] + isa<MatmulOp>(ops[before]));
  }

  SmallVector<Operation *> ops;
  SmallVector<int64_t> levels;
  llvm::DenseMap<Operation *, unsigned> numbers;
};
} // namespace

Levels::Levels(Block &block, const GraphEffects &effects) {
  EffectDependences dependences;
  for (Operation &op : block) {
    unsigned number = ops.size();
    ops.push_back(&op);
    levels.push_back(0);
    numbers[&op] = number;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *before = operand.getDefiningOp();
            before && before->getBlock() == &block)
          require(numbers.lookup(before));
    });
    if (!isMemoryEffectFree(&op))
      dependences.add(number, effects.getEffects(&op),
                      [&](unsigned before) { require(before); });
  }
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

AccumAttr mlir::pop::getOrder(MatmulOp op) {
  AccumAttr order = op.getAccumAttr();
  return order ? order : op.chooseAccum();
}

DictionaryAttr mlir::pop::getCommonAttrs(MatmulOp op) {
  NamedAttrList attrs(op->getDiscardableAttrDictionary());
  attrs.erase(PopDialect::kDrawAttrName);
  return attrs.getDictionary(op.getContext());
}

/// Returns whether `op` may be in a group.
static bool isCandidate(MatmulOp op, int64_t maxBytes) {
  ArrayRef<int64_t> batch = op.getType().getShape().drop_back(2);
  bool isBatched = op.getLhs().getType().getShape().drop_back(2) == batch &&
                   op.getRhs().getType().getShape().drop_back(2) == batch;
  // Random bits that round blocks depend on positions in the whole result.
  bool drawsForBlocks =
      op->hasAttr(PopDialect::kDrawAttrName) && getOrder(op).getPartials();
  if (!isBatched || op.getAcc() || drawsForBlocks || getSerialization(op))
    return false;
  MatmulBytes bytes(op);
  return bytes.lhs + bytes.rhs <= maxBytes;
}

static RankedTensorType getTransposedType(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape.back(), shape[shape.size() - 2]);
  return type.clone(shape);
}

/// The properties that the matmuls of a group have in common: the level, the
/// types of the operands, the element type of the result, the order and the
/// attributes. Pointers are compared for equality only.
using Key = std::tuple<int64_t, const void *, const void *, const void *,
                       const void *, const void *>;

static Key getKey(const GroupedMatmul &matmul, const Levels &levels) {
  MatmulOp op = matmul.op;
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  if (matmul.isTransposed) {
    std::swap(lhs, rhs);
    lhs = getTransposedType(lhs);
    rhs = getTransposedType(rhs);
  }
  return {levels.get(op),
          lhs.getAsOpaquePointer(),
          rhs.getAsOpaquePointer(),
          op.getType().getElementType().getAsOpaquePointer(),
          getOrder(op).getAsOpaquePointer(),
          getCommonAttrs(op).getAsOpaquePointer()};
}

SmallVector<MatmulGroup>
mlir::pop::findMatmulGroups(Block &block, const GraphEffects &effects,
                            int64_t maxBytes) {
  SmallVector<MatmulGroup> groups;
  SmallVector<MatmulOp> candidates;
  for (auto op : block.getOps<MatmulOp>())
    if (isCandidate(op, maxBytes))
      candidates.push_back(op);
  if (candidates.size() < 2)
    return groups;
  Levels levels(block, effects);
  std::map<Key, size_t> indices;
  for (MatmulOp op : candidates) {
    // The group has the form of the product that has fewer rows.
    ArrayRef<int64_t> shape = op.getType().getShape();
    GroupedMatmul matmul{op, shape[shape.size() - 2] > shape.back()};
    auto [it, isNew] =
        indices.try_emplace(getKey(matmul, levels), groups.size());
    if (isNew)
      groups.emplace_back();
    groups[it->second].push_back(matmul);
  }
  llvm::erase_if(groups,
                 [](const MatmulGroup &group) { return group.size() < 2; });
  return groups;
}
