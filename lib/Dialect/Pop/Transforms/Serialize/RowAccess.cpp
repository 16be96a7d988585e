//===- RowAccess.cpp - Rows that loops store and read ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowAccess.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Starts of rows
//===----------------------------------------------------------------------===//

namespace {
/// The number `scale` * index + `offset`, where `index` is that of a loop.
struct AffineIndex {
  int64_t scale, offset;

  bool operator==(const AffineIndex &other) const {
    return scale == other.scale && offset == other.offset;
  }
  /// Returns the number for `index`, or std::nullopt if it does not fit.
  std::optional<int64_t> evaluate(int64_t index) const {
    return llvm::checkedMulAdd(scale, index, offset);
  }
};
} // namespace

/// Returns the integer that all elements of `value` are, if they are constant.
static std::optional<int64_t> getConstant(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      !elements.getElementType().isInteger())
    return std::nullopt;
  return elements.getSplatValue<APInt>().trySExtValue();
}

/// Returns `value`, a tensor of one element, as a function of the index of
/// `loop`. Integers of fewer than 32 bits may wrap around.
static std::optional<AffineIndex> getAffineIndex(Value value, scf::ForOp loop) {
  if (getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() < 32)
    return std::nullopt;
  Operation *op = value.getDefiningOp();
  if (auto scalar = dyn_cast_or_null<FromScalarOp>(op))
    return scalar.getInput() == loop.getInductionVar()
               ? std::optional(AffineIndex{1, 0})
               : std::nullopt;
  if (isa_and_nonnull<ReshapeOp, CastOp>(op))
    return getElementTypeOrSelf(op->getOperand(0).getType()).isInteger()
               ? getAffineIndex(op->getOperand(0), loop)
               : std::nullopt;
  if (!isa_and_nonnull<MulOp, AddOp>(op))
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    std::optional<int64_t> constant = getConstant(op->getOperand(1 - i));
    std::optional<AffineIndex> index =
        constant ? getAffineIndex(op->getOperand(i), loop) : std::nullopt;
    if (!index)
      continue;
    bool isSum = isa<AddOp>(op);
    std::optional<int64_t> scale =
        isSum ? index->scale : llvm::checkedMul(index->scale, *constant);
    std::optional<int64_t> offset =
        isSum ? llvm::checkedAdd(index->offset, *constant)
              : llvm::checkedMul(index->offset, *constant);
    if (scale && offset)
      return AffineIndex{*scale, *offset};
  }
  return std::nullopt;
}

/// Returns whether rows of `size` that start at `index` in the iterations of
/// `loop` are inside of a dimension of size `dim` and do not overlap.
static bool areRowsApart(scf::ForOp loop, AffineIndex index, int64_t size,
                         int64_t dim) {
  std::optional<APInt> count = loop.getStaticTripCount();
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  // Starts in larger dimensions may wrap around.
  if (!count || count->getActiveBits() > 31 || count->isZero() || !lower ||
      !step || !llvm::isInt<32>(dim))
    return false;
  auto last = llvm::checkedMulAdd(
      static_cast<int64_t>(count->getZExtValue()) - 1, *step, *lower);
  std::optional<int64_t> distance = llvm::checkedMul(index.scale, *step);
  if (!last || !distance || (*count != 1 && std::abs(*distance) < size))
    return false;
  return llvm::all_of(
      std::array<int64_t, 2>{*lower, *last}, [&](int64_t iteration) {
        std::optional<int64_t> start = index.evaluate(iteration);
        return start && *start >= 0 && *start <= dim - size;
      });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

DynamicUpdateOp mlir::pop::findRowUpdate(scf::ForOp loop, unsigned index) {
  BlockArgument carried = loop.getRegionIterArg(index);
  auto update = loop.getYieldedValues()[index].getDefiningOp<DynamicUpdateOp>();
  return update && update.getInput() == carried && carried.hasOneUse() &&
                 update->hasOneUse()
             ? update
             : DynamicUpdateOp();
}

bool mlir::pop::readsStoredRow(DynamicSliceOp slice, DynamicUpdateOp update,
                               scf::ForOp loop) {
  auto reader = dyn_cast<scf::ForOp>(slice->getParentOp());
  ArrayRef<int64_t> axes = update.getAxes();
  if (!reader || axes.size() != 1 || slice.getAxes() != axes ||
      slice.getType() != update.getUpdate().getType())
    return false;
  std::optional<AffineIndex> stored = getAffineIndex(update.getStart(), loop);
  return stored && stored == getAffineIndex(slice.getStart(), reader) &&
         areRowsApart(loop, *stored, slice.getSizes().front(),
                      update.getType().getDimSize(axes.front()));
}

scf::ForOp mlir::pop::dropCarried(scf::ForOp loop,
                                  const llvm::BitVector &dropped) {
  OpBuilder b(loop);
  SmallVector<Value> inits, yields;
  SmallVector<Value> results;
  llvm::SetVector<Operation *> droppedInits;
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs())) {
    if (dropped.test(i + 1)) {
      if (Operation *op = init.getDefiningOp())
        droppedInits.insert(op);
      continue;
    }
    inits.push_back(init);
    yields.push_back(loop.getYieldedValues()[i]);
    results.push_back(loop.getResult(i));
  }
  auto kept = scf::ForOp::create(
      b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
      loop.getStep(), inits, /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  kept->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  loop.getBody()->getTerminator()->setOperands(yields);
  loop.getBody()->eraseArguments(dropped);
  kept.getRegion().takeBody(loop.getRegion());
  for (auto [result, value] : llvm::zip_equal(results, kept.getResults()))
    result.replaceAllUsesWith(value);
  loop.erase();
  for (Operation *op : droppedInits)
    if (isOpTriviallyDead(op))
      op->erase();
  return kept;
}
