//===- SplitExchange.cpp - Splitting of exchanges ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitExchange.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/IPU/IR/Origins.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ipu;

using Traffics = SmallVector<const ExchangeTraffic *>;

static int64_t getCycles(const TargetModel &target, const Traffics &traffics) {
  if (auto split = splitInPairs(target, traffics))
    return (Count(getExchangeCycles(target, split->first)) +
            getExchangeSyncCycles(target, split->second.usesLinks()) +
            getExchangeCycles(target, split->second))
        .get();
  ExchangeTraffic sum = *traffics.front();
  for (const ExchangeTraffic *traffic : ArrayRef(traffics).drop_front())
    sum.add(*traffic);
  return getExchangeCycles(target, sum);
}

ExchangeSources::ExchangeSources(const TargetModel &target,
                                 ExchangeOp exchange) {
  auto ops = exchange.getBody().getOps<MoveOp>();
  for (auto [op, move] : llvm::zip_equal(ops, getExchangeMoves(exchange)))
    sources[getVariable(op.getSource())].moves.push_back(move);
  for (auto &[variable, source] : sources)
    source.traffic = getSourceTraffic(target, source.moves);
}

void ExchangeSources::add(const TargetModel &target,
                          const ExchangeSources &other) {
  for (const auto &[variable, source] : other.sources) {
    auto [it, isNew] = sources.insert({variable, source});
    if (isNew)
      continue;
    llvm::append_range(it->second.moves, source.moves);
    it->second.traffic = getSourceTraffic(target, it->second.moves);
  }
}

Traffics ExchangeSources::getTraffics() const {
  Traffics traffics;
  for (const auto &[variable, source] : sources)
    traffics.push_back(source.traffic.get());
  return traffics;
}

int64_t ExchangeSources::getCycles(const TargetModel &target) const {
  return ::getCycles(target, getTraffics());
}

int64_t ExchangeSources::getMergedCycles(const TargetModel &target,
                                         const ExchangeSources &other) const {
  Traffics traffics = getTraffics();
  // Elements that both read are sent once.
  SmallVector<std::shared_ptr<const ExchangeTraffic>> shared;
  for (const auto &[variable, source] : other.sources) {
    const auto *it = sources.find(variable);
    if (it == sources.end()) {
      traffics.push_back(source.traffic.get());
      continue;
    }
    auto moves = it->second.moves;
    llvm::append_range(moves, source.moves);
    shared.push_back(getSourceTraffic(target, moves));
    traffics[it - sources.begin()] = shared.back().get();
  }
  return ::getCycles(target, traffics);
}

bool ExchangeSources::usesLinks() const {
  return llvm::any_of(
      sources, [](const auto &it) { return it.second.traffic->usesLinks(); });
}

void mlir::ipu::splitExchangeInPairs(const TargetModel &target,
                                     ExchangeOp exchange,
                                     const ExchangeSources &sources) {
  auto split = splitInPairs(target, sources.getTraffics());
  if (!split)
    return;
  exchange.removeCostAttr();
  OpBuilder builder(exchange->getContext());
  builder.setInsertionPointAfter(exchange);
  auto sync = SyncOp::create(builder, exchange.getLoc(),
                             getExchangeSyncKind(split->second.usesLinks()),
                             StepCostAttr());
  auto others = ExchangeOp::create(builder, exchange.getLoc(),
                                   exchange.getName(), StepCostAttr());
  Block &body = others.getBody().emplaceBlock();
  for (auto move :
       llvm::make_early_inc_range(exchange.getBody().getOps<MoveOp>()))
    if (!sources.isInPairs(getVariable(move.getSource())))
      move->moveBefore(&body, body.end());
  // Moves of a merged exchange keep their own origins.
  if (exchange->hasAttr(IPUDialect::kOriginsAttrName))
    copyOrigins(exchange, others);
  copyOrigins(others, sync);
}
