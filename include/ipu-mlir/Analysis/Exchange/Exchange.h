//===- Exchange.h - Messages of an exchange ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data that tiles send to each other when elements move from one tile
// mapping to another. The analysis computes this traffic from the tile
// mappings. If both mappings split the same dimensions, the analysis multiplies
// one-dimensional overlaps. Otherwise it sweeps over the ends of intervals. The
// analysis never visits single elements or pairs of tiles.
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

/// A copy from the view `from` of one variable (the source) to the view `to` of
/// another variable (the target). Element i of `from` is copied to element i of
/// `to` on every tile that holds element i of `to`. Both views have the same
/// sizes.
struct ExchangeMove {
  TileMappingAttr fromMapping, toMapping;
  StridedView from, to;
  int64_t elementBytes = 0;
  /// The number of the source variable. Each element of the source is sent
  /// once, even if several moves of the exchange copy the element.
  unsigned source = 0;
  /// If the vertices that read the target have a pointer to each row of their
  /// region, the number of these rows; otherwise 0. Such vertices can read rows
  /// of the source in place. Therefore a tile does not copy the elements that
  /// it already holds if these elements are whole rows and one run.
  int64_t rowsInPlace = 0;
};

/// The transfers of each tile of a replica in one exchange. A *run* is a
/// sequence of elements of one move. These elements come from one tile, and
/// they are contiguous both in the sender's region and in the receiver's
/// region. A tile that already holds an element of the source does not receive
/// the element. The first tile that holds the element sends it to all tiles
/// that receive it.
struct ExchangeTraffic {
  /// For each tile, the numbers of bytes that the tile sends and receives on
  /// the exchange fabric, and the numbers of runs of these bytes. An element is
  /// sent once. A run is sent once to all tiles with the same region. If
  /// different regions overlap, a run that is sent to several of these regions
  /// counts once for each of them. However, the number of runs that a tile
  /// sends never exceeds the number of elements that the tile sends.
  TileCounts sent, received, sendRuns, receiveRuns;
  /// For each tile, the number of bytes that are copied within the tile, and
  /// the number of runs of these bytes.
  TileCounts local, localRuns;
  /// The exchange fabric moves words of 4 bytes. If a run begins or ends inside
  /// a word, the whole word is moved. For each tile, these are the bytes by
  /// which all received runs grow, and an estimate for the sent runs: all runs
  /// that are sent from one source are assumed to grow by the same number of
  /// bytes.
  TileCounts receivePadding, sendPadding;
  /// The bytes of received runs whose first element has different positions in
  /// the words of the sender and the receiver. The receiver packs these bytes
  /// into other words.
  TileCounts packed;
  /// The cycles that each tile takes to transpose blocks of elements, if the
  /// elements arrive in the order in which the source stores them.
  TileCounts transposed;
  /// The bytes that a tile receives over the bus that tiles 2i and 2i + 1
  /// share. If both tiles hold the same region, this is the number of bytes
  /// that at least one of them receives. Otherwise it is the number of bytes
  /// that the tile itself receives.
  TileCounts onBus;
  /// For each IPU, the bytes that the IPU receives over links, and the bytes
  /// that it sends over links. A received element counts once for all tiles of
  /// the IPU that hold the same region. A sent element counts once for all
  /// other IPUs.
  SmallVector<int64_t> linkIn, linkOut;
  /// For each pair (from, to) of IPUs, the bytes that `from` sends to `to`. For
  /// each `to`, the sum of these bytes is `linkIn[to]`.
  std::map<std::pair<int64_t, int64_t>, int64_t> links;
  /// The bytes that all tiles together receive.
  int64_t bytes = 0;
  /// Whether each pair of tiles 2i and 2i + 1 can use its shared bus at double
  /// width. For this, if tile 2i or tile 2i + 1 receives elements of a target,
  /// both tiles must hold the same region of this target.
  bool inPairs = false;

  /// Adds the traffic of the moves of another source.
  void add(const ExchangeTraffic &other);

  /// Returns whether elements move from one IPU to another IPU.
  bool usesLinks() const {
    return llvm::any_of(links, [](auto link) { return link.second > 0; });
  }

  /// Returns, for each IPU, the number of IPUs to which it sends or the number
  /// of IPUs from which it receives, whichever is greater.
  SmallVector<int64_t> getNumPartners() const;
};

/// The exchange moves words of 4 bytes. Returns the least number of consecutive
/// units of `bytes` bytes that fill whole words: 1, 2 or 4.
int64_t getWordGrain(int64_t bytes);

/// The analysis divides a move into pieces. This constant is the greatest
/// number of pieces of a move that the analysis visits. Each piece takes about
/// 30 ns.
constexpr int64_t kMaxExchangePieces = int64_t(1) << 25;

/// Returns the traffic of all moves of one exchange together. The traffic is
/// exact, except for moves of more than `maxPieces` pieces. For these moves, it
/// is an upper bound.
ExchangeTraffic getExchangeTraffic(const TargetModel &target,
                                   ArrayRef<ExchangeMove> moves,
                                   int64_t maxPieces = kMaxExchangePieces);

/// Returns the traffic of moves that have the same source. A direct move is a
/// move without a transposition. If the exchange takes fewer cycles with a
/// transposition at the receivers than with direct moves, the traffic includes
/// the transposition.
std::shared_ptr<const ExchangeTraffic>
getSourceTraffic(const TargetModel &target, ArrayRef<ExchangeMove> moves,
                 int64_t maxPieces = kMaxExchangePieces);

/// Returns the traffic of direct moves that have the same source. The result is
/// cached in the context.
std::shared_ptr<const ExchangeTraffic>
getDirectTraffic(const TargetModel &target, ArrayRef<ExchangeMove> moves,
                 int64_t maxPieces = kMaxExchangePieces);

/// The blocks that receivers transpose in their memory: the number of rows and
/// columns, and the bytes of an element. If blocks do not divide the rows of
/// the regions, `regionRows` is the greatest number of rows of a region, and
/// the last block of these rows is padded; otherwise, it is 0. `regionColumns`
/// is the same for columns.
struct TransposedBlocks {
  int64_t rows = 0, columns = 0, elementBytes = 0, regionRows = 0,
          regionColumns = 0;

  bool operator==(const TransposedBlocks &other) const {
    return std::tie(rows, columns, elementBytes, regionRows, regionColumns) ==
           std::tie(other.rows, other.columns, other.elementBytes,
                    other.regionRows, other.regionColumns);
  }
  bool operator!=(const TransposedBlocks &other) const {
    return !(*this == other);
  }
};

/// Moves whose targets have the storage order in which the elements arrive, and
/// the blocks that the receivers then transpose.
struct TransposedMoves {
  SmallVector<ExchangeMove, 2> moves;
  TransposedBlocks blocks;
};

/// Returns `moves` with a transposition at the receivers. Returns std::nullopt
/// if the elements of some move cannot be transposed in blocks, or if the
/// blocks of two moves differ.
std::optional<TransposedMoves>
transposeAtReceivers(ArrayRef<ExchangeMove> moves);

/// Vertices that read the target of `move` can have pointers to the rows of
/// their region. Returns the number of these rows. Returns 0 unless all readers
/// of the target have the same number of such pointers, list the source of
/// `move` as `in_place`, and execute before the source is written again.
int64_t getRowsInPlace(MoveOp move);

/// Returns the moves of `ops` as plain data, as if they were in one exchange.
SmallVector<ExchangeMove, 0> getExchangeMoves(ArrayRef<ExchangeOp> ops);

/// Returns the cycles of each tile by the formula of docs/device-model.md.
/// These cycles include neither the set-up nor transfers over links.
TileCounts getExchangeTileCycles(const TargetModel &target,
                                 const ExchangeTraffic &traffic);

/// Returns the cycles of the exchange on its slowest IPU, including the set-up.
/// Returns 0 if no element moves.
int64_t getExchangeCycles(const TargetModel &target,
                          const ExchangeTraffic &traffic);

/// Returns the kind of sync that an exchange needs: a sync of all IPUs of the
/// replica if the exchange uses links, and otherwise a sync of the tiles of
/// each IPU.
SyncKind getExchangeSyncKind(bool usesLinks);
/// Returns the cycles of the sync before an exchange.
int64_t getExchangeSyncCycles(const TargetModel &target, bool usesLinks);
/// Returns the cycles of the sync before an exchange, as if all exchanges of a
/// target with several IPUs used links.
int64_t getExchangeSyncCycles(const TargetModel &target);

/// Splits the traffic of several sources into two exchanges with a sync in
/// between: an exchange of the sources whose traffic is in pairs (`inPairs`),
/// and an exchange of the other sources. This can save cycles because the bus
/// has double width only in an exchange whose traffic is all in pairs. Returns
/// the traffic of both exchanges. Returns std::nullopt if both exchanges and
/// the sync together do not take fewer cycles than a single exchange of all
/// sources.
std::optional<std::pair<ExchangeTraffic, ExchangeTraffic>>
splitInPairs(const TargetModel &target,
             ArrayRef<const ExchangeTraffic *> sources);

/// Returns the estimated bytes of code of the exchange on each tile.
TileCounts getExchangeCode(const TargetModel &target,
                           const ExchangeTraffic &traffic);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_EXCHANGE_EXCHANGE_H
