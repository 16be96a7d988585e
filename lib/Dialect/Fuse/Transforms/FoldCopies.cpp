//===- FoldCopies.cpp - Reversed and strided copies as indexing maps ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: ops that only copy elements selected by an indexing map: for example a
// reverse or a slice with steps. Out: readers that read the original instead of
// the copy.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/Normalize.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// From indices of the copy to those of the original; null if `op` is no copy,
/// or one that a schedule sees through as it is: a transposition or broadcast.
static AffineMap getCopyMap(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      !op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 ||
      getTensorName(op) || op->hasAttr(FuseDialect::kScheduleAttrName))
    return {};
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  AffineMap from = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (yield.getOperand(0) != op.getBody()->getArgument(0) ||
      !isa<RankedTensorType>(op.getInputs().front().getType()) ||
      from.isProjectedPermutation(/*allowZeroInResults=*/true) ||
      !to.isPermutation())
    return {};
  return from.compose(inversePermutation(to));
}

/// Whether linalg accepts the indexing maps: a loop that is a dimension runs
/// over all of it, and some dimension has the size of each loop.
static bool fits(linalg::LinalgOp op, OpOperand &operand, AffineMap map,
                 ArrayRef<int64_t> shape) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  llvm::SmallBitVector known(op.getNumLoops());
  auto addLoops = [&](AffineMap other) {
    for (AffineExpr expr : other.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        known.set(dim.getPosition());
  };
  for (OpOperand &other : op->getOpOperands())
    addLoops(&other == &operand ? map : op.getMatchingIndexingMap(&other));
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim &&
        (ShapedType::isDynamic(size) || ranges[dim.getPosition()] != size))
      return false;
  return known.all();
}

/// Makes `reader` read the original instead of the copy where linalg accepts
/// it.
static void foldCopyInto(RewriterBase &rewriter, linalg::LinalgOp reader,
                         linalg::GenericOp copy, AffineMap copyMap) {
  Value original = copy.getInputs().front();
  auto shape = cast<RankedTensorType>(original.getType()).getShape();
  for (unsigned number = 0, e = reader->getNumOperands(); number < e;
       ++number) {
    OpOperand &use = reader->getOpOperand(number);
    if (use.get() != copy->getResult(0) || reader.isDpsInit(&use))
      continue;
    AffineMap map = copyMap.compose(reader.getMatchingIndexingMap(&use));
    if (!fits(reader, use, map, shape))
      continue;
    // This replaces a named op, and with it all its uses of the copy.
    FailureOr<linalg::GenericOp> generic = generalize(rewriter, reader);
    if (failed(generic))
      return;
    reader = *generic;
    SmallVector<AffineMap> maps = generic->getIndexingMapsArray();
    maps[number] = map;
    rewriter.modifyOpInPlace(*generic, [&] {
      (*generic)->setOperand(number, original);
      generic->setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
  }
}

void fuse::foldCopy(RewriterBase &rewriter, linalg::GenericOp copy) {
  AffineMap copyMap = getCopyMap(copy);
  if (!copyMap)
    return;
  llvm::SmallSetVector<Operation *, 4> users(copy->user_begin(),
                                             copy->user_end());
  for (Operation *user : users)
    if (auto reader = dyn_cast<linalg::LinalgOp>(user);
        reader && isScheduleTensor(reader))
      foldCopyInto(rewriter, reader, copy, copyMap);
  if (copy->use_empty())
    rewriter.eraseOp(copy);
}
