//===- ExchangeCost.cpp - Cycles and code of an exchange --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/device-model.md states these formulas with their sources.
//
//===----------------------------------------------------------------------===//

#include "CostDetail.h"
#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Analysis/Exchange/Exchange.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;

/// If direct runs have at least so many bytes on average, a transposition,
/// which takes time for all bytes, is not considered.
static constexpr int64_t kLongRunBytes = 16;

/// Cycles that the workers of a tile take to rearrange `bytes`, in atoms of
/// `atomBytes`, without the call.
static Count getRearrangeCycles(const TargetModel &target, Count bytes,
                                int64_t atomBytes) {
  int64_t rate = atomBytes >= 8   ? target.rearrange_wide_rate
                 : atomBytes >= 4 ? target.rearrange_word_rate
                                  : target.rearrange_rate;
  return (bytes * rate).divideCeil(1000);
}

/// Cycles of what stays on a tile: copies of runs, or one rearrangement,
/// whichever is faster.
static Count getLocalCycles(const TargetModel &target, int64_t bytes,
                            int64_t runs) {
  if (bytes == 0)
    return 0;
  Count copies = Count(target.local_copy_cycles) +
                 Count(bytes).divideCeil(target.local_copy_bytes_per_cycle) +
                 Count(target.local_copy_run_cycles) * runs;
  Count rearranged = Count(target.rearrange_cycles) +
                     getRearrangeCycles(target, bytes, bytes / runs);
  return std::min(copies, rearranged);
}

TileCounts mlir::ipu::getExchangeTileCycles(const TargetModel &target,
                                            const ExchangeTraffic &traffic) {
  int64_t rate = target.exchange_bytes_per_cycle;
  return TileCounts::combine(
      {&traffic.sent, &traffic.received, &traffic.onBus, &traffic.receiveRuns,
       &traffic.local, &traffic.localRuns, &traffic.packed, &traffic.transposed,
       &traffic.sendPadding, &traffic.receivePadding},
      [&](ArrayRef<int64_t> values) {
        Count sent = Count(values[0]) + values[8];
        Count received = Count(values[1]) + values[9];
        Count onBus = Count(values[2]) + values[9];
        Count receive = received.divideCeil(rate);
        if (traffic.inPairs)
          receive = std::min(receive, onBus.divideCeil(Count(rate) * 2));
        Count cycles = std::max(sent.divideCeil(rate), receive) +
                       Count(target.exchange_run_cycles) * values[3] +
                       getLocalCycles(target, values[4], values[5]) +
                       getRearrangeCycles(target, values[6], 1) + values[7];
        return cycles.get();
      });
}

/// Cycles in which a tile transposes `bytes` in blocks (PL, Transpose2d). In a
/// block, a worker transposes squares of 64 bits a row.
static int64_t getTransposeCycles(const TargetModel &target, int64_t bytes,
                                  const TransposedBlocks &blocks) {
  if (bytes == 0)
    return 0;
  constexpr int64_t rowBytes = 8;
  int64_t rows = blocks.rows * blocks.elementBytes / rowBytes;
  int64_t columns = blocks.columns * blocks.elementBytes / rowBytes;
  int64_t perSquare = blocks.elementBytes < 4 ? 4 : 3;
  int64_t perBlock =
      18 + rows * (12 + perSquare * std::max<int64_t>(columns - 2, 0));
  int64_t regionRows = std::max(blocks.regionRows, blocks.rows);
  int64_t regionColumns = std::max(blocks.regionColumns, blocks.columns);
  Count number = Count(bytes).divideCeil(Count(regionRows) * regionColumns *
                                         blocks.elementBytes) *
                 llvm::divideCeil(regionRows, blocks.rows) *
                 llvm::divideCeil(regionColumns, blocks.columns);
  return (Count(target.compute_set_cycles) + 7 +
          Count(target.workers) *
              (Count(29) + number.divideCeil(target.workers) * perBlock))
      .get();
}

std::shared_ptr<const ExchangeTraffic>
mlir::ipu::getSourceTraffic(const TargetModel &target,
                            ArrayRef<ExchangeMove> moves, int64_t maxPieces) {
  auto direct = getDirectTraffic(target, moves, maxPieces);
  // Runs of several words need no other order.
  Count moved = Count(direct->bytes) + direct->local.getSum();
  Count runs = Count(direct->receiveRuns.getSum()) + direct->localRuns.getSum();
  if (moved.get() / std::max<int64_t>(runs.get(), 1) >= kLongRunBytes)
    return direct;
  std::optional<TransposedMoves> staged = transposeAtReceivers(moves);
  if (!staged)
    return direct;
  auto transposed = std::make_shared<ExchangeTraffic>(
      *getDirectTraffic(target, staged->moves, maxPieces));
  transposed->transposed = TileCounts::combine(
      {&transposed->received, &transposed->local},
      [&](ArrayRef<int64_t> values) {
        return getTransposeCycles(target, (Count(values[0]) + values[1]).get(),
                                  staged->blocks);
      });
  return getExchangeCycles(target, *transposed) <
                 getExchangeCycles(target, *direct)
             ? transposed
             : direct;
}

ExchangeTraffic mlir::ipu::getExchangeTraffic(const TargetModel &target,
                                              ArrayRef<ExchangeMove> moves,
                                              int64_t maxPieces) {
  llvm::SmallMapVector<unsigned, SmallVector<ExchangeMove, 2>, 4> groups;
  for (const ExchangeMove &move : moves)
    groups[move.source].push_back(move);
  if (groups.empty())
    return *getDirectTraffic(target, moves, maxPieces);
  ExchangeTraffic sum =
      *getSourceTraffic(target, groups.front().second, maxPieces);
  for (auto &[source, group] : llvm::drop_begin(groups))
    sum.add(*getSourceTraffic(target, group, maxPieces));
  return sum;
}

/// Between IPUs, most bytes of a run in one packet, and its header (MEM, low).
static constexpr int64_t kPacketBytes = 256, kHeaderBytes = 4;

/// `bytes` on the links of an IPU with the headers of packets, each of which
/// has at most a run. Runs are as long as those of all `moved` bytes of the
/// IPU's tiles are on average.
static Count getPacketBytes(const TargetModel &target, int64_t bytes,
                            const TileCounts &moved, const TileCounts &runs,
                            int64_t ipu) {
  auto getSum = [&](const TileCounts &counts) {
    Count sum;
    for (const TileRun &run : counts.getRuns()) {
      int64_t begin = std::max(run.begin, ipu * target.tiles);
      int64_t end = std::min(run.end, (ipu + 1) * target.tiles);
      sum += Count(std::max<int64_t>(end - begin, 0)) * run.value;
    }
    return sum.get();
  };
  int64_t average = getSum(moved) / std::max<int64_t>(getSum(runs), 1);
  int64_t packet = std::clamp<int64_t>(average, 1, kPacketBytes);
  return Count(bytes) + Count(bytes).divideCeil(packet) * kHeaderBytes;
}

/// Cycles that IPU `ipu` takes longer because of its links to `partners`.
static Count getLinkCycles(const TargetModel &target,
                           const ExchangeTraffic &traffic, int64_t ipu,
                           int64_t partners) {
  if (partners == 0)
    return 0;
  int64_t bytes =
      std::max(getPacketBytes(target, traffic.linkIn[ipu], traffic.received,
                              traffic.receiveRuns, ipu),
               getPacketBytes(target, traffic.linkOut[ipu], traffic.sent,
                              traffic.sendRuns, ipu))
          .get();
  return Count(target.getLatencyCycles(target.link_latency_ns)) * partners +
         target.getTransferCycles(bytes, target.link_bytes_per_second) +
         target.sync_ipus_cycles + Count(2) * target.rearrange_cycles;
}

/// Cycles of each IPU without set-up.
static SmallVector<int64_t> getIPUCycles(const TargetModel &target,
                                         const ExchangeTraffic &traffic,
                                         const TileCounts &tileCycles) {
  SmallVector<int64_t> cycles, partners = traffic.getNumPartners();
  for (int64_t ipu = 0; ipu < target.ipus; ++ipu) {
    int64_t begin = ipu * target.tiles;
    Count tiles = tileCycles.getMax(begin, begin + target.tiles).second;
    cycles.push_back(
        (tiles + getLinkCycles(target, traffic, ipu, partners[ipu])).get());
  }
  return cycles;
}

static int64_t getSetupCycles(const TargetModel &target,
                              const ExchangeTraffic &traffic) {
  return traffic.bytes > 0 ? target.exchange_setup_cycles : 0;
}

int64_t mlir::ipu::getExchangeCycles(const TargetModel &target,
                                     const ExchangeTraffic &traffic) {
  TileCounts tileCycles = getExchangeTileCycles(target, traffic);
  int64_t slowest =
      *llvm::max_element(getIPUCycles(target, traffic, tileCycles));
  if (slowest == 0)
    return 0;
  return (Count(slowest) + getSetupCycles(target, traffic)).get();
}

SyncKind mlir::ipu::getExchangeSyncKind(bool usesLinks) {
  return usesLinks ? SyncKind::IPUs : SyncKind::Internal;
}

int64_t mlir::ipu::getExchangeSyncCycles(const TargetModel &target,
                                         bool usesLinks) {
  return usesLinks ? target.sync_ipus_cycles : target.sync_internal_cycles;
}

int64_t mlir::ipu::getExchangeSyncCycles(const TargetModel &target) {
  return getExchangeSyncCycles(target, /*usesLinks=*/target.ipus > 1);
}

std::optional<std::pair<ExchangeTraffic, ExchangeTraffic>>
mlir::ipu::splitInPairs(const TargetModel &target,
                        ArrayRef<const ExchangeTraffic *> sources) {
  SmallVector<const ExchangeTraffic *> inPairs, others;
  // Double width saves no more than half of what is received.
  Count received;
  for (const ExchangeTraffic *source : sources) {
    (source->inPairs ? inPairs : others).push_back(source);
    if (source->inPairs)
      received += source->received.getMax().second;
  }
  bool usesLinks = llvm::any_of(others, [](const ExchangeTraffic *source) {
    return source->usesLinks();
  });
  Count more = Count(getExchangeSyncCycles(target, usesLinks)) +
               target.exchange_setup_cycles;
  Count saved = received.divideCeil(Count(target.exchange_bytes_per_cycle) * 2);
  if (inPairs.empty() || others.empty() || saved.get() <= more.get())
    return std::nullopt;
  auto addUp = [](ArrayRef<const ExchangeTraffic *> parts) {
    ExchangeTraffic sum = *parts.front();
    for (const ExchangeTraffic *part : parts.drop_front())
      sum.add(*part);
    return sum;
  };
  std::pair<ExchangeTraffic, ExchangeTraffic> split = {addUp(inPairs),
                                                       addUp(others)};
  int64_t cycles = (Count(getExchangeCycles(target, split.first)) +
                    getExchangeSyncCycles(target, usesLinks) +
                    getExchangeCycles(target, split.second))
                       .get();
  if (cycles >= getExchangeCycles(target, addUp(sources)))
    return std::nullopt;
  return split;
}

TileCounts mlir::ipu::getExchangeCode(const TargetModel &target,
                                      const ExchangeTraffic &traffic) {
  return TileCounts::combine(
      {&traffic.sendRuns, &traffic.receiveRuns, &traffic.local},
      [&](ArrayRef<int64_t> values) {
        if (values[0] + values[1] + values[2] == 0)
          return int64_t(0);
        return (Count(target.exchange_control_code_bytes) +
                Count(target.exchange_send_code_bytes) * values[0] +
                Count(target.exchange_receive_code_bytes) * values[1])
            .get();
      });
}

SmallVector<StepPart> mlir::ipu::getExchangeParts(const TargetModel &target,
                                                  ExchangeOp op) {
  SmallVector<ExchangeMove, 0> moves = getExchangeMoves(op);
  llvm::MapVector<Attribute, std::pair<MoveOp, SmallVector<ExchangeMove, 0>>>
      movesOfOrigins;
  for (auto [move, moved] :
       llvm::zip_equal(op.getBody().getOps<MoveOp>(), moves)) {
    auto &[first, group] =
        movesOfOrigins[move->getAttr(IPUDialect::kOriginsAttrName)];
    if (!first)
      first = move;
    group.push_back(moved);
  }
  SmallVector<StepPart> parts;
  for (auto &[origins, entry] : movesOfOrigins) {
    ExchangeTraffic traffic = getExchangeTraffic(target, entry.second);
    parts.push_back(
        {entry.first,
         getIPUCycles(target, traffic, getExchangeTileCycles(target, traffic)),
         /*flops=*/0, traffic.bytes});
  }
  return parts;
}

StepCostAttr mlir::ipu::getExchangeCost(MLIRContext *context,
                                        const TargetModel &target,
                                        ArrayRef<ExchangeMove> moves) {
  ExchangeTraffic traffic = getExchangeTraffic(target, moves);
  TileCounts tileCycles = getExchangeTileCycles(target, traffic);
  return makeStepCost(
      context, target, tileCycles, getIPUCycles(target, traffic, tileCycles),
      getSetupCycles(target, traffic), /*flops=*/0, traffic.bytes);
}

StepCostAttr mlir::ipu::getExchangeCost(const TargetModel &target,
                                        ExchangeOp op) {
  return getExchangeCost(op.getContext(), target, getExchangeMoves(op));
}
