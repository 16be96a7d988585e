//===- SplitExchange.cpp - Two exchanges instead of one ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitExchange.h"

#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// What the moves of each source of some exchanges do, in the order of sources.
struct SourceTraffics {
  SourceTraffics(const TargetModel &target, ArrayRef<ExchangeMove> moves) {
    llvm::SmallMapVector<unsigned, SmallVector<ExchangeMove, 2>, 4> groups;
    for (const ExchangeMove &move : moves)
      groups[move.source].push_back(move);
    for (auto &[source, group] : groups) {
      owned.push_back(getSourceTraffic(target, group));
      sources.push_back(owned.back().get());
    }
  }

  SmallVector<std::shared_ptr<const ExchangeTraffic>> owned;
  SmallVector<const ExchangeTraffic *> sources;
};
} // namespace

int64_t mlir::ipu::getMergedCycles(const TargetModel &target,
                                   ArrayRef<ExchangeOp> exchanges) {
  SmallVector<ExchangeMove, 0> moves = getExchangeMoves(exchanges);
  if (auto split = splitInPairs(target, SourceTraffics(target, moves).sources))
    return (Count(getExchangeCycles(target, split->first)) +
            getExchangeSyncCycles(target) +
            getExchangeCycles(target, split->second))
        .get();
  return getExchangeCycles(target, getExchangeTraffic(target, moves));
}

void mlir::ipu::splitExchangeInPairs(const TargetModel &target,
                                     ExchangeOp exchange) {
  SmallVector<ExchangeMove, 0> moves = getExchangeMoves(exchange);
  SourceTraffics traffics(target, moves);
  if (!splitInPairs(target, traffics.sources))
    return;
  exchange.removeCostAttr();
  OpBuilder builder(exchange->getContext());
  builder.setInsertionPointAfter(exchange);
  SyncOp::create(builder, exchange.getLoc(),
                 target.ipus > 1 ? SyncKind::IPUs : SyncKind::Internal,
                 StepCostAttr());
  auto others = ExchangeOp::create(builder, exchange.getLoc(),
                                   exchange.getName(), StepCostAttr());
  Block &body = others.getBody().emplaceBlock();
  auto ops = llvm::to_vector(exchange.getBody().getOps<MoveOp>());
  for (auto [op, move] : llvm::zip_equal(ops, moves))
    if (!traffics.sources[move.source]->inPairs)
      op->moveBefore(&body, body.end());
}
