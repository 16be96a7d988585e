//===- GroupMatMuls.cpp - Merging of matmuls --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: any module. Out: the same module, where matmuls that differ only in their
// operands and do not depend on each other are one batched matmul.
//
//===----------------------------------------------------------------------===//

#include "../DrawAdvances.h"
#include "../Graph/GraphTransforms.h"
#include "MatmulGroups.h"

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include <numeric>

namespace mlir::pop {
#define GEN_PASS_DEF_GROUPMATMULSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Position
//===----------------------------------------------------------------------===//

/// Returns whether `op` can be moved over other ops: it has no effects, and it
/// draws no random bits, which depend on the number of advances before it.
static bool isMovable(Operation *op) {
  return !containsDraw(op) && isMemoryEffectFree(op);
}

/// Moves the ops on which the operands of `op` depend to positions before
/// `first`. Moves nothing and fails if one of them is not movable.
static LogicalResult moveOperandsBefore(MatmulOp op, Operation *first) {
  Block *block = first->getBlock();
  llvm::DenseSet<Operation *> seen{op};
  SmallVector<Operation *> worklist{op}, moved;
  while (!worklist.empty()) {
    Operation *user = worklist.pop_back_val();
    bool canMove = true;
    user->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *operandOp = operand.getDefiningOp();
        if (!operandOp || operandOp->getBlock() != block ||
            operandOp->isBeforeInBlock(first) || !seen.insert(operandOp).second)
          continue;
        canMove = canMove && isMovable(operandOp);
        worklist.push_back(operandOp);
        moved.push_back(operandOp);
      }
    });
    if (!canMove)
      return failure();
  }
  llvm::sort(moved,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *operandOp : moved)
    operandOp->moveBefore(first);
  return success();
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

static RankedTensorType getTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Value transposeMatrices(PopBuilder &b, Value matrices) {
  SmallVector<int64_t> permutation(getTypeOf(matrices).getRank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.back(), permutation[permutation.size() - 2]);
  return b.transpose(matrices, permutation);
}

/// Concatenates `operands` along a new first dimension. If all of them are one
/// value, returns this value, which broadcasts.
static Value stack(PopBuilder &b, ArrayRef<Value> operands) {
  SmallVector<int64_t> shape = {1};
  llvm::append_range(shape, getTypeOf(operands.front()).getShape());
  if (llvm::all_equal(operands))
    return b.reshape(operands.front(), shape);
  SmallVector<Value> reshaped;
  for (Value operand : operands)
    reshaped.push_back(b.reshape(operand, shape));
  return b.concat(reshaped, /*axis=*/0);
}

namespace {
/// Builds the batched matmul of a group.
class GroupMerger {
public:
  explicit GroupMerger(ArrayRef<GroupedMatmul> group)
      : group(group), first(group.front().op), b(first) {
    SmallVector<Location> locations;
    for (GroupedMatmul matmul : group)
      locations.push_back(matmul.op.getLoc());
    b.setLoc(b.getFusedLoc(locations));
    // If all results would be transposed, none is.
    transposes = !llvm::all_of(
        group, [](const GroupedMatmul &matmul) { return matmul.isTransposed; });
  }

  void merge();

private:
  bool isTransposed(const GroupedMatmul &matmul) const {
    return transposes && matmul.isTransposed;
  }
  Value buildProduct();
  Value getResult(Value product, size_t index);

  ArrayRef<GroupedMatmul> group;
  MatmulOp first;
  PopBuilder b;
  bool transposes;
};
} // namespace

Value GroupMerger::buildProduct() {
  SmallVector<Value> lhs, rhs;
  for (GroupedMatmul matmul : group) {
    Value left = matmul.op.getLhs(), right = matmul.op.getRhs();
    if (isTransposed(matmul)) {
      std::swap(left, right);
      left = transposeMatrices(b, left);
      right = transposeMatrices(b, right);
    }
    lhs.push_back(left);
    rhs.push_back(right);
  }
  Type elementType = first.getType().getElementType();
  if (first->hasAttr(PopDialect::kDrawAttrName))
    elementType = getComputeType(elementType);
  Value left = stack(b, lhs);
  Value right = stack(b, rhs);
  ArrayRef<int64_t> rightShape = getTypeOf(right).getShape();
  SmallVector<int64_t> shape(getTypeOf(left).getShape());
  // If the matmuls have the same operands, they have one result.
  shape.front() = std::max(shape.front(), rightShape.front());
  shape.back() = rightShape.back();
  auto product =
      MatmulOp::create(b, RankedTensorType::get(shape, elementType), left,
                       right, /*acc=*/Value(), getOrder(first));
  product->setDiscardableAttrs(getCommonAttrs(first));
  return product;
}

/// Returns the result of the matmul with number `index`, rounded as before.
Value GroupMerger::getResult(Value product, size_t index) {
  GroupedMatmul matmul = group[index];
  PopBuilder ofOp(b, matmul.op);
  ArrayRef<int64_t> shape = getTypeOf(product).getShape();
  int64_t start = shape.front() == 1 ? 0 : index;
  Value result = ofOp.slice(product, /*axis=*/0, start, 1);
  result = ofOp.reshape(result, shape.drop_front());
  if (isTransposed(matmul))
    result = transposeMatrices(ofOp, result);
  RankedTensorType type = matmul.op.getType();
  if (result.getType() == type)
    return result;
  result = ofOp.cast(result, type.getElementType());
  result.getDefiningOp()->setAttr(
      PopDialect::kDrawAttrName, matmul.op->getAttr(PopDialect::kDrawAttrName));
  return result;
}

void GroupMerger::merge() {
  Value product = buildProduct();
  for (size_t i = 0; i < group.size(); ++i) {
    MatmulOp op = group[i].op;
    op.replaceAllUsesWith(getResult(product, i));
  }
  for (GroupedMatmul matmul : group)
    if (matmul.op != first)
      matmul.op.erase();
  first.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void mergeGroup(ArrayRef<GroupedMatmul> group) {
  if (group.size() < 2)
    return;
  remark::passed(GroupedMatmul(group.front()).op.getLoc(),
                 getGraphRemark("GroupMatMuls"))
      << remark::metric("matmuls", group.size());
  GroupMerger(group).merge();
}

/// Merges consecutive matmuls of `group` whose operands can be computed before
/// the first one of them.
static void mergeMovable(MatmulGroup group, size_t maxGroup) {
  // Merging of other groups may have moved matmuls.
  llvm::sort(group, [](GroupedMatmul a, GroupedMatmul b) {
    return a.op->isBeforeInBlock(b.op);
  });
  MatmulGroup open;
  for (GroupedMatmul matmul : group) {
    bool joins = !open.empty() && open.size() < maxGroup &&
                 succeeded(moveOperandsBefore(matmul.op, open.front().op));
    if (!joins) {
      mergeGroup(open);
      open.clear();
    }
    open.push_back(matmul);
  }
  mergeGroup(open);
}

namespace {
struct GroupMatMulsPass : pop::impl::GroupMatMulsPassBase<GroupMatMulsPass> {
  using GroupMatMulsPassBase::GroupMatMulsPassBase;

  void runOnOperation() override {
    if (failed(verifyOption(maxGroup, 2)) || failed(verifyOption(maxBytes, 0)))
      return signalPassFailure();
    const auto &effects = getAnalysis<GraphEffects>();
    SmallVector<MatmulGroup> groups;
    getOperation().walk([&](Block *block) {
      llvm::append_range(groups, findMatmulGroups(*block, effects, maxBytes));
    });
    for (const MatmulGroup &group : groups)
      mergeMovable(group, maxGroup);
  }

private:
  LogicalResult verifyOption(const Option<int64_t> &option, int64_t least) {
    if (option >= least)
      return success();
    return getOperation().emitError()
           << "'" << getArgument() << "' expects option '" << option.ArgStr
           << "' to be at least " << least << " but got " << option.getValue();
  }
};
} // namespace
