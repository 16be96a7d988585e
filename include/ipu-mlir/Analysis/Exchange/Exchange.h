//===- Exchange.h - Messages of an exchange ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data that tiles send each other when elements move from one tile mapping
// to another. It is computed from the tile mappings: by products of
// one-dimensional overlaps if both mappings split the same dimensions, and
// otherwise by a sweep over the ends of intervals. The analysis never visits
// elements or pairs of tiles.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_EXCHANGE_EXCHANGE_H
#define IPU_MLIR_ANALYSIS_EXCHANGE_EXCHANGE_H

#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"
#include "ipu-mlir/Support/ContentKey.h"
#include <map>
#include <memory>
#include <optional>

namespace mlir::ipu {

inline ContentKey &operator<<(ContentKey &key, const StridedView &view) {
  return key << view.offset << view.sizes << view.strides;
}

/// Element i of view `to` of one variable becomes element i of view `from` of
/// another, on every tile that holds it. Both views have the same sizes.
struct ExchangeMove {
  TileMappingAttr fromMapping, toMapping;
  StridedView from, to;
  int64_t elementBytes = 0;
  /// Number of the source variable: an element of it is sent once however many
  /// moves of an exchange take it.
  unsigned source = 0;
};

/// What each tile of a replica does in one exchange. A *run* is a stretch of
/// elements that are contiguous in their region at the receiver and at the
/// sender and come from one tile by one move. A tile that holds an element of
/// the source keeps its own; the first tile that holds it sends it to the
/// others.
struct ExchangeTraffic {
  /// Bytes on the exchange fabric, and runs of them. An element is sent once.
  /// Runs are sent once to all tiles with the same region; where regions
  /// overlap they count with each region, but no more than one for each element
  /// sent.
  TileCounts sent, received, sendRuns, receiveRuns;
  /// Bytes that stay on their tile and are copied there, and runs of them.
  TileCounts local, localRuns;
  /// Bytes of received runs whose length is not a multiple of 4: they are
  /// packed into words before they are sent.
  TileCounts subword;
  /// Bytes that come in over the bus which tiles 2i and 2i + 1 share, where
  /// both hold the same region: what either of them receives, once. Else what
  /// the tile receives.
  TileCounts onBus;
  /// For each IPU: bytes on its links, once for all of its tiles that hold one
  /// region.
  SmallVector<int64_t> linkIn, linkOut;
  /// What `linkIn` is made of: bytes that an IPU sends to another one, by both
  /// (from, to).
  std::map<std::pair<int64_t, int64_t>, int64_t> links;
  /// Bytes that all tiles receive.
  int64_t bytes = 0;
  /// Whether tiles 2i and 2i + 1 hold the same region of each target of which
  /// either receives anything, so that both can use their shared bus at double
  /// width.
  bool inPairs = false;

  /// Adds what moves of another source do.
  void add(const ExchangeTraffic &other);

  /// For each IPU how many it sends to or receives from, the greater of both.
  SmallVector<int64_t> getNumPartners() const;
};

/// Most pieces of a move that are looked at; some 30 ns each.
constexpr int64_t kMaxExchangePieces = int64_t(1) << 25;

/// What the moves of one exchange do together. Exact, but for moves of more
/// than `maxPieces`: of those there are upper bounds.
ExchangeTraffic getExchangeTraffic(const TargetModel &target,
                                   ArrayRef<ExchangeMove> moves,
                                   int64_t maxPieces = kMaxExchangePieces);

/// The same of moves that all have one source, found once in a context.
std::shared_ptr<const ExchangeTraffic>
getSourceTraffic(const TargetModel &target, ArrayRef<ExchangeMove> moves,
                 int64_t maxPieces = kMaxExchangePieces);

/// The moves of `ops` in plain data, as if they were one exchange.
SmallVector<ExchangeMove, 0> getExchangeMoves(ArrayRef<ExchangeOp> ops);

/// Cycles of each tile by the formula of docs/device-model.md, without set-up
/// and without links.
TileCounts getExchangeTileCycles(const TargetModel &target,
                                 const ExchangeTraffic &traffic);

/// Cycles of the exchange on its slowest IPU, set-up included; 0 if nothing
/// moves.
int64_t getExchangeCycles(const TargetModel &target,
                          const ExchangeTraffic &traffic);

/// Cycles of the sync before an exchange.
int64_t getExchangeSyncCycles(const TargetModel &target);

/// Of moves of several sources, what those that are in pairs do and what the
/// others do, if two exchanges with a sync between them take fewer cycles than
/// one: the bus is of double width only for an exchange that is all in pairs.
std::optional<std::pair<ExchangeTraffic, ExchangeTraffic>>
splitInPairs(const TargetModel &target,
             ArrayRef<const ExchangeTraffic *> sources);

/// Estimated bytes of code on each tile.
TileCounts getExchangeCode(const TargetModel &target,
                           const ExchangeTraffic &traffic);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_EXCHANGE_EXCHANGE_H
