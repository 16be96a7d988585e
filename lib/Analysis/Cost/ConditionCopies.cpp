//===- ConditionCopies.cpp - Copies of conditions on IPUs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Cost/ConditionCopies.h"

#include "CostDetail.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"

using namespace mlir;
using namespace mlir::ipu;

SmallVector<ExchangeMove, 0>
mlir::ipu::getConditionMoves(const TargetModel &target, Operation *step,
                             ArrayRef<int64_t> ipus) {
  MemRefType condition;
  if (auto branch = dyn_cast<IfOp>(step))
    condition = branch.getCondition().getType();
  else if (auto loop = dyn_cast<WhileOp>(step))
    condition = loop.getCondition().getType();
  SmallVector<ExchangeMove, 0> moves;
  if (!condition || target.ipus == 1)
    return moves;
  TileMappingAttr from = getTileMapping(condition);
  SmallVector<Count> elements = getCountsOfIPUs(
      target, getElementsPerTile(from, target.getTilesPerReplica()));
  StridedView whole = getStridedView(condition);
  SmallVector<TileMappingBlock> blocks(from.getDomain().size());
  for (int64_t ipu : ipus) {
    if (elements[ipu].get() > 0)
      continue;
    auto to = TileMappingAttr::get(from.getContext(), from.getDomain(),
                                   /*grid=*/{1}, blocks,
                                   /*first=*/ipu * target.tiles);
    moves.push_back({from, to, whole, whole,
                     getStoredBytes(condition.getElementType()), /*source=*/0,
                     /*rowsInPlace=*/0});
  }
  return moves;
}
