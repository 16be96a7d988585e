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

/// Copies element i of view `from` of one variable to element i of view `to` of
/// another variable, on every tile that holds the element of `to`. Both views
/// have the same sizes.
struct ExchangeMove {
  TileMappingAttr fromMapping, toMapping;
  StridedView from, to;
  int64_t elementBytes = 0;
  /// Number of the source variable. An element of it is sent once, even if
  /// several moves of the exchange use it.
  unsigned source = 0;
};

/// The transfers of each tile of a replica in one exchange. A *run* is a
/// sequence of elements that one move takes from one tile and that are
/// contiguous in the region of the receiver and in the region of the sender. A
/// tile that holds an element of the source does not receive it. The first tile
/// that holds the element sends it to the other tiles.
struct ExchangeTraffic {
  /// Bytes on the exchange fabric, and runs of these bytes. An element is sent
  /// once. Runs are sent once to all tiles with the same region. Where regions
  /// overlap, a run counts for each region, but at most once for each element
  /// that is sent.
  TileCounts sent, received, sendRuns, receiveRuns;
  /// Bytes that are copied within their tile, and runs of these bytes.
  TileCounts local, localRuns;
  /// Bytes of received runs whose length is not a multiple of 4. They are
  /// packed into words before they are sent.
  TileCounts subword;
  /// Bytes that a tile receives over the bus that tiles 2i and 2i + 1 share. If
  /// both tiles hold the same region, the bytes that either of them receives,
  /// counted once; otherwise the bytes that the tile receives.
  TileCounts onBus;
  /// For each IPU: bytes on its links, counted once for all of its tiles that
  /// hold the same region.
  SmallVector<int64_t> linkIn, linkOut;
  /// The parts of `linkIn`: bytes that one IPU sends to another, by the pair
  /// (from, to).
  std::map<std::pair<int64_t, int64_t>, int64_t> links;
  /// Bytes that all tiles receive.
  int64_t bytes = 0;
  /// Whether tiles 2i and 2i + 1 hold the same region of each target of which
  /// either of them receives elements, so that both can use their shared bus at
  /// double width.
  bool inPairs = false;

  /// Adds the traffic of the moves of another source.
  void add(const ExchangeTraffic &other);

  /// For each IPU, the number of IPUs to which it sends or from which it
  /// receives, whichever is greater.
  SmallVector<int64_t> getNumPartners() const;
};

/// The greatest number of pieces of a move that the analysis visits; about 30
/// ns for each.
constexpr int64_t kMaxExchangePieces = int64_t(1) << 25;

/// The joint traffic of the moves of one exchange. It is exact, except for
/// moves of more than `maxPieces` pieces, for which it is an upper bound.
ExchangeTraffic getExchangeTraffic(const TargetModel &target,
                                   ArrayRef<ExchangeMove> moves,
                                   int64_t maxPieces = kMaxExchangePieces);

/// The same for moves that all have one source. The result is cached in the
/// context.
std::shared_ptr<const ExchangeTraffic>
getSourceTraffic(const TargetModel &target, ArrayRef<ExchangeMove> moves,
                 int64_t maxPieces = kMaxExchangePieces);

/// The moves of `ops` as plain data, as if all were in one exchange.
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

/// For moves of several sources: the traffic of the moves that are in pairs,
/// and the traffic of the other moves, if two exchanges with a sync in between
/// take fewer cycles than one exchange. The bus has double width only in an
/// exchange whose moves are all in pairs.
std::optional<std::pair<ExchangeTraffic, ExchangeTraffic>>
splitInPairs(const TargetModel &target,
             ArrayRef<const ExchangeTraffic *> sources);

/// Estimated bytes of code on each tile.
TileCounts getExchangeCode(const TargetModel &target,
                           const ExchangeTraffic &traffic);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_EXCHANGE_EXCHANGE_H
