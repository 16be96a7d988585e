//===- ExchangeCosts.cpp - Predicted costs of steps -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Cost/ExchangeCosts.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Support/ContentKey.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;

ExchangeCosts::Estimate
ExchangeCosts::getEstimate(const ExchangeTraffic &traffic) const {
  Count sync = getExchangeSyncCycles(target, traffic.usesLinks());
  Count cycles = sync + getExchangeCycles(target, traffic);
  Count start = std::min(cycles, sync + target.exchange_setup_cycles);
  return {cycles.get(), start.get(),
          getExchangeCode(target, traffic).getMax().second};
}

void ExchangeCosts::analyze(Traffic &traffic) const {
  traffic.traffic = getSourceTraffic(target, traffic.moves, maxPieces);
  traffic.estimate = getEstimate(*traffic.traffic);
  traffic.moves.clear();
}

void ExchangeCosts::askTwice(MLIRContext *context, function_ref<void()> ask) {
  if (context->isMultithreadingEnabled()) {
    Postponed missing;
    postponed = &missing;
    int64_t knownBytes = codeBytes;
    ask();
    codeBytes = knownBytes;
    postponed = nullptr;
    parallelForEach(context, missing.traffics,
                    [&](Traffic *traffic) { analyze(*traffic); });
    parallelForEach(context, missing.sums, [&](Sum *sum) { addUp(*sum); });
  }
  ask();
}

/// Returns the traffic of `moves`, which have the same source.
const ExchangeCosts::Traffic &
ExchangeCosts::getTraffic(ArrayRef<ExchangeMove> moves) {
  ContentKey key;
  // The key contains only which moves have the same source, not the numbers of
  // the sources.
  llvm::SmallMapVector<unsigned, unsigned, 4> sources;
  for (const ExchangeMove &move : moves) {
    unsigned source =
        sources.insert({move.source, sources.size()}).first->second;
    key << move.fromMapping.getAsOpaquePointer()
        << move.toMapping.getAsOpaquePointer() << move.elementBytes
        << static_cast<int64_t>(source) << move.rowsInPlace << move.from
        << move.to;
  }
  std::unique_ptr<Traffic> &traffic = traffics[key.get()];
  if (!traffic) {
    traffic = std::make_unique<Traffic>();
    llvm::append_range(traffic->moves, moves);
    if (postponed)
      postponed->traffics.push_back(traffic.get());
    else
      analyze(*traffic);
    ++numAnalyses;
  }
  return *traffic;
}

int64_t ExchangeCosts::getExchange(ArrayRef<ExchangeMove> moves,
                                   bool joinsEarlier) {
  if (moves.empty())
    return 0;
  Estimate estimate = getEstimate(moves);
  codeBytes = (Count(codeBytes) + estimate.codeBytes).get();
  return estimate.cycles - (joinsEarlier ? estimate.startCycles : 0);
}

ExchangeCosts::Estimate
ExchangeCosts::getEstimate(ArrayRef<ExchangeMove> moves) {
  // The traffic of different sources is added.
  llvm::SmallMapVector<unsigned, SmallVector<ExchangeMove, 2>, 4> groups;
  for (const ExchangeMove &move : moves)
    groups[move.source].push_back(move);
  if (groups.size() == 1)
    return getTraffic(groups.front().second).estimate;
  ContentKey key;
  SmallVector<const Traffic *> parts;
  for (auto &[source, group] : groups) {
    parts.push_back(&getTraffic(group));
    key << parts.back();
  }
  auto [it, isNew] = sums.try_emplace(key.get());
  Sum &sum = it->second;
  if (isNew) {
    sum.parts = std::move(parts);
    if (postponed)
      postponed->sums.push_back(&sum);
    else
      addUp(sum);
  }
  return sum.estimate;
}

void ExchangeCosts::addUp(Sum &sum) const {
  SmallVector<const ExchangeTraffic *> sources;
  for (const Traffic *part : sum.parts)
    sources.push_back(part->traffic.get());
  if (auto split = splitInPairs(target, sources)) {
    Estimate first = getEstimate(split->first),
             second = getEstimate(split->second);
    sum.estimate = {(Count(first.cycles) + second.cycles).get(),
                    first.startCycles,
                    (Count(first.codeBytes) + second.codeBytes).get()};
    return;
  }
  ExchangeTraffic traffic = *sources.front();
  for (const ExchangeTraffic *source : llvm::drop_begin(sources))
    traffic.add(*source);
  sum.estimate = getEstimate(traffic);
}

int64_t ExchangeCosts::getFill(TileMappingAttr mapping, Type elementType) {
  CodeletCostAttr cost = getCodeletCost({CodeletCostKind::Vector, "fill"},
                                        elementType, /*scalarOperand=*/false);
  int64_t elements = mapping.getMaxElements();
  int64_t vertex =
      getVertexCycles(target, cost, {}, {VertexOperand{elements, elementType}});
  return vertex == 0 ? 0 : (Count(target.compute_set_cycles) + vertex).get();
}

int64_t ExchangeCosts::getHostCopy(TileMappingAttr mapping, Type elementType) {
  Count bytes = getStoredBytes(elementType);
  Count fullest = (bytes * mapping.getMaxElements())
                      .divideCeil(target.exchange_bytes_per_cycle);
  int64_t floor = 0;
  TileCounts elements =
      getElementsPerTile(mapping, target.getTilesPerReplica());
  for (int64_t ipu = 0; ipu < target.ipus; ++ipu) {
    Count ofIPU;
    for (const TileRun &run : elements.getRuns()) {
      int64_t begin = std::max(run.begin, ipu * target.tiles);
      int64_t end = std::min(run.end, (ipu + 1) * target.tiles);
      if (begin < end)
        ofIPU += Count(end - begin) * run.value;
    }
    floor =
        std::max(floor, target.getTransferCycles((ofIPU * bytes).get(),
                                                 target.host_bytes_per_second));
  }
  int64_t cycles = std::max(fullest.get(), floor);
  if (cycles == 0)
    return 0;
  return (Count(cycles) + target.getLatencyCycles(target.host_latency_ns))
      .get();
}
