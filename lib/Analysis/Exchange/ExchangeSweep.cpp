//===- ExchangeSweep.cpp - A move by a sweep --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sweep visits elements in the order of the target, in pieces. A piece ends
// where the set of tiles that hold its elements changes at the source or at the
// target. The last visited element of each region determines whether a piece
// continues a run (a sequence of elements that are contiguous on both tiles).
//
// Some iterations of the outermost loop differ only in the source tile and have
// the same regions at the target. Therefore only one of these iterations is
// visited, and its traffic is counted for all of them.
//
//===----------------------------------------------------------------------===//

#include "ExchangeCursor.h"
#include "ExchangeWords.h"

#include <numeric>
#include <utility>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

namespace {
class Sweep {
public:
  Sweep(const TargetModel &target, const MovePart &part, MoveTraffic &traffic,
        SourceTraffic &source);
  void run();

private:
  struct Run {
    int64_t tile = -1, nextTo = 0, nextFrom = 0;
    MoveTraffic::Run words;
    /// Iterations in which the tile that has the run also takes it.
    uint64_t local = 0;
  };
  /// The number of runs that a receiver got from `sender` in a row, and the
  /// index in `sentBefore` of what it got before, or -1.
  struct SentRuns {
    int64_t sender = -1, number = 0, before = -1;
  };
  /// Elements at hand: `count` of them, from `tile` on, at the source.
  struct Piece {
    int64_t count, tile, begin, step;
    const Cursor::BlockPosition &position;
  };

  void joinIterations();
  void addPiece(const Piece &piece);
  uint64_t addToRegion(const Piece &piece,
                       const Cursor::BlockPosition &position);
  bool addToTiles(const Piece &piece, const Cursor::BlockPosition &position);
  int64_t addRuns(int64_t number, int64_t count, int64_t tile,
                  const Cursor::BlockPosition &from,
                  const Cursor::BlockPosition &to, uint64_t local);
  template <typename Fn>
  void addToLocal(int64_t tile, uint64_t local, Fn add);
  void addLinks(int64_t tile, int64_t count, int64_t region);
  void close(int64_t number, Run &run);
  void addSentRuns(int64_t sender, int64_t receiver, int64_t number);
  template <typename Fn>
  void forEachSender(const SentRuns &last, Fn visit) const;
  void mergeSentBefore();
  void addSentRuns();
  bool addLink(int64_t from, int64_t to, int64_t count);
  bool holds(int64_t tile) const;

  const TargetModel &target;
  TileMappingSide fromSide, toSide;
  Cursor from, to;
  SmallVector<MoveLoop, 4> loops;
  int64_t fromFirst, toFirst;
  MoveTraffic &traffic;
  SourceTraffic &source;
  int64_t elementBytes;
  /// Iterations that are visited as one, sets of which are bits; how far their
  /// elements and tiles are apart at the source.
  int64_t iterations = 1, fromStep = 0, tileStep = 0;
  /// Whether tiles of one region may get different elements from elsewhere:
  /// then each tile is looked at, else each region.
  bool perTile;
  SmallVector<Run, 0> runs;
  SmallVector<int32_t, 0> regionOfTile, tileOfRegion;
  /// If `perTile`: what each receiver got last, and what all of them got
  /// before. Receiver i has copy i % (number of copies) of region i / (number
  /// of copies).
  SmallVector<SentRuns, 0> lastSent, sentBefore;
  /// The size of `sentBefore` at which entries of equal senders are merged.
  size_t maxSentBefore = kMinMerged;
  static constexpr size_t kMinMerged = size_t(1) << 16;
  std::pair<int64_t, int64_t> lastPartners = {-1, -1};
  Count *lastLink = nullptr;
};
} // namespace

Sweep::Sweep(const TargetModel &target, const MovePart &part,
             MoveTraffic &traffic, SourceTraffic &source)
    : target(target), fromSide(part.from), toSide(part.to), from(fromSide),
      to(toSide), loops(part.loops.loops), fromFirst(part.loops.from),
      toFirst(part.loops.to), traffic(traffic), source(source),
      elementBytes(part.elementBytes), perTile(fromSide.hasOverlaps()) {
  toSide.getTileRegions(regionOfTile, tileOfRegion);
  traffic.regionOfTile = regionOfTile;
  traffic.first = toSide.first;
  if (perTile) {
    traffic.heldInPair.resize(toSide.numTiles);
    traffic.tileOfRegion.resize(toSide.numTiles);
    std::iota(traffic.tileOfRegion.begin(), traffic.tileOfRegion.end(), 0);
    traffic.copies = {0};
    lastSent.resize(tileOfRegion.size() * toSide.copies.size());
  } else {
    traffic.tileOfRegion = tileOfRegion;
    traffic.copies = toSide.copies;
  }
  traffic.regions.resize(traffic.tileOfRegion.size());
  traffic.local.resize(toSide.numTiles);
  runs.resize(traffic.regions.size());
  // The iterations may differ in the positions of elements in words.
  if (!perTile && getWordGrain(elementBytes) == 1)
    joinIterations();
}

/// The outermost dimension with more than one element; null if there is none.
static const TileMappingDim *getOutermost(const TileMappingSide &side) {
  const auto *dim = llvm::find_if(
      side.dims, [](const TileMappingDim &d) { return d.size > 1; });
  return dim == side.dims.end() ? nullptr : dim;
}

/// Takes the outermost loop away if its iterations are equal, or those over
/// parts that it is split into.
void Sweep::joinIterations() {
  const TileMappingDim *fromDim = getOutermost(fromSide);
  const TileMappingDim *toDim = getOutermost(toSide);
  if (loops.empty() || !fromDim || !toDim)
    return;
  // The parts at the source hold all of the dimension.
  if (fromDim->extent != fromDim->step ||
      fromDim->parts * fromDim->step < fromDim->size || fromDim->axis.ipus > 1)
    return;
  MoveLoop loop = loops.front();
  int64_t perPart = fromDim->stride * fromDim->step;
  SmallVector<MoveLoop, 4> inner = llvm::to_vector<4>(llvm::drop_begin(loops));
  if (loop.from > 0 && loop.from < perPart) {
    int64_t size = perPart / loop.from;
    if (perPart % loop.from != 0 || loop.size % size != 0)
      return;
    inner.insert(inner.begin(), {size, loop.from, loop.to});
    loop = {loop.size / size, loop.from * size, loop.to * size};
  }
  if (loop.from <= 0 || loop.from % perPart != 0 || loop.size > 64)
    return;
  // At the target, only the coordinate of a dimension that no axis splits
  // changes.
  if (toDim->parts > 1 || toDim->extent < toDim->size ||
      loop.to % toDim->stride != 0)
    return;
  // An iteration is in one part, so that no run goes on with the next one.
  int64_t low = fromFirst, high = fromFirst;
  for (const MoveLoop &loop : inner)
    (loop.from < 0 ? low : high) += (loop.size - 1) * loop.from;
  if (low / perPart != high / perPart)
    return;
  iterations = loop.size;
  fromStep = loop.from;
  tileStep = fromDim->getTile(loop.from / perPart);
  loops = std::move(inner);
}

/// Calls `add` with what tiles hold already of what they get, for `tile` in the
/// iterations `local`.
template <typename Fn>
void Sweep::addToLocal(int64_t tile, uint64_t local, Fn add) {
  for (; local != 0; local &= local - 1)
    add(traffic
            .local[tile + llvm::countr_zero(local) * tileStep - toSide.first]);
}

void Sweep::close(int64_t number, Run &run) {
  if (run.words.length == 0)
    return;
  auto add = [&](MoveTraffic::Part &part) {
    part.addWords(run.words, elementBytes);
  };
  add(traffic.regions[number]);
  addToLocal(run.tile, run.local, add);
}

/// Adds `count` elements to what region `number` (or tile, if `perTile`) gets
/// from `tile`, which takes them in iterations `local`; returns how many runs
/// begin.
int64_t Sweep::addRuns(int64_t number, int64_t count, int64_t tile,
                       const Cursor::BlockPosition &from,
                       const Cursor::BlockPosition &to, uint64_t local) {
  Run &run = runs[number];
  bool isOneRun = count == 1 || (from.step == 1 && to.step == 1);
  bool goesOn =
      run.tile == tile && run.nextTo == to.index && run.nextFrom == from.index;
  int64_t begun = (isOneRun ? 1 : count) - goesOn;
  MoveTraffic::Part &part = traffic.regions[number];
  part.elements += count;
  part.runs += begun;
  addToLocal(tile, local, [&](MoveTraffic::Part &part) {
    part.elements += count;
    part.runs += begun;
  });
  if (getWordGrain(elementBytes) > 1) {
    if (!goesOn) {
      close(number, run);
      run.words = {from.index, to.index, 0};
    }
    run.local = local;
    run.tile = tile;
    if (isOneRun) {
      run.words.length += count;
    } else {
      ++run.words.length;
      close(number, run);
      // Each element between the first and the last is a run.
      auto add = [&](MoveTraffic::Part &part) {
        part.addWordsOfElements({from.index + from.step, to.index + to.step, 1},
                                from.step, to.step, count - 2, elementBytes);
      };
      add(part);
      addToLocal(tile, local, add);
      run.words = {from.index + (count - 1) * from.step,
                   to.index + (count - 1) * to.step, 1};
    }
  }
  run.tile = tile;
  run.nextTo = to.index + (count - 1) * to.step + 1;
  run.nextFrom = from.index + (count - 1) * from.step + 1;
  return begun;
}

void Sweep::addSentRuns(int64_t sender, int64_t receiver, int64_t number) {
  SentRuns &last = lastSent[receiver];
  if (last.sender != sender) {
    int64_t before = last.before;
    if (last.number > 0) {
      before = sentBefore.size();
      sentBefore.push_back(last);
    }
    last = {sender, 0, before};
  }
  last.number += number;
  if (sentBefore.size() >= maxSentBefore)
    mergeSentBefore();
}

/// Calls `visit(sender, number)` for `last` and what the receiver got before.
template <typename Fn>
void Sweep::forEachSender(const SentRuns &last, Fn visit) const {
  for (SentRuns sent = last; sent.sender >= 0;
       sent = sent.before < 0 ? SentRuns() : sentBefore[sent.before])
    visit(sent.sender - fromSide.first, sent.number);
}

/// Merges the entries that have the same sender and the same receiver.
void Sweep::mergeSentBefore() {
  SmallVector<int64_t, 0> senders, numbers(fromSide.numTiles);
  SmallVector<SentRuns, 0> merged;
  for (SentRuns &last : lastSent) {
    senders.clear();
    forEachSender(last, [&](int64_t sender, int64_t number) {
      if (numbers[sender] == 0)
        senders.push_back(sender);
      numbers[sender] += number;
    });
    last = SentRuns();
    for (int64_t sender : senders) {
      if (last.number > 0) {
        merged.push_back(last);
        last.before = merged.size() - 1;
      }
      last.sender = fromSide.first + sender;
      last.number = std::exchange(numbers[sender], 0);
    }
  }
  sentBefore = std::move(merged);
  maxSentBefore = std::max(kMinMerged, 2 * sentBefore.size());
}

/// All tiles of a region take what is sent once: of the runs that a tile sends
/// to a region, those count that the receiver with most of them gets.
void Sweep::addSentRuns() {
  SmallVector<int64_t, 0> senders, numbers(fromSide.numTiles),
      most(fromSide.numTiles);
  size_t numCopies = toSide.copies.size();
  for (size_t receiver = 0; receiver < lastSent.size();) {
    senders.clear();
    for (size_t copy = 0; copy < numCopies; ++copy, ++receiver) {
      size_t known = senders.size();
      forEachSender(lastSent[receiver], [&](int64_t sender, int64_t number) {
        senders.push_back(sender);
        numbers[sender] += number;
      });
      for (int64_t sender : ArrayRef(senders).drop_front(known))
        most[sender] =
            std::max(most[sender], std::exchange(numbers[sender], 0));
    }
    for (int64_t sender : senders)
      source.sendRuns[fromSide.first + sender] +=
          std::exchange(most[sender], 0);
  }
}

bool Sweep::addLink(int64_t fromIPU, int64_t toIPU, int64_t count) {
  traffic.linkIn[toIPU] += count;
  if (lastPartners != std::make_pair(fromIPU, toIPU)) {
    lastPartners = {fromIPU, toIPU};
    lastLink = &traffic.links[lastPartners];
  }
  *lastLink += count;
  return true;
}

void Sweep::addLinks(int64_t tile, int64_t count, int64_t region) {
  int64_t home = tile / target.tiles, last = home;
  bool leaves = false;
  for (int64_t copy : toSide.copies) {
    int64_t ipu = (toSide.first + tileOfRegion[region] + copy) / target.tiles;
    if (ipu != home && ipu != last)
      leaves |= addLink(home, ipu, count);
    last = ipu;
  }
  if (leaves)
    traffic.linkOut[home] += count;
}

/// Adds a piece to a region; returns the iterations in which it has to be sent.
/// No other tile than the piece's holds the elements.
uint64_t Sweep::addToRegion(const Piece &piece,
                            const Cursor::BlockPosition &position) {
  uint64_t local = 0, sent = 0;
  for (int64_t i = 0; i < iterations; ++i) {
    int64_t tile = piece.tile + i * tileStep - toSide.first;
    if (tile >= 0 && tile < toSide.numTiles &&
        regionOfTile[tile] == position.region)
      local |= uint64_t(1) << i;
  }
  int64_t begun = addRuns(position.region, piece.count, piece.tile,
                          piece.position, position, local);
  for (int64_t i = 0; i < iterations; ++i) {
    int64_t tile = piece.tile + i * tileStep;
    if (target.ipus > 1)
      addLinks(tile, piece.count, position.region);
    if ((local >> i & 1) && toSide.copies.size() == 1)
      continue;
    source.sendRuns[tile] += begun;
    sent |= uint64_t(1) << i;
  }
  return sent;
}

bool Sweep::holds(int64_t tile) const {
  int64_t inGrid = tile - fromSide.first;
  if (!fromSide.isInGrid(inGrid))
    return false;
  for (auto [dim, interval] : llvm::enumerate(from.intervals)) {
    int64_t part = fromSide.getPart(dim, inGrid);
    if (part < interval.low || part > interval.high)
      return false;
  }
  return true;
}

/// As addToRegion, where other tiles may hold the elements.
bool Sweep::addToTiles(const Piece &piece,
                       const Cursor::BlockPosition &position) {
  int64_t region = position.region;
  int64_t home = piece.tile / target.tiles, lastIPU = home;
  bool isSent = false, leaves = false;
  int64_t receiver = region * toSide.copies.size();
  for (auto [i, copy] : llvm::enumerate(toSide.copies)) {
    int64_t number = tileOfRegion[region] + copy, tile = toSide.first + number;
    if (holds(tile)) {
      auto own = from.getBlockPosition([&](size_t dim) {
        return fromSide.getPart(dim, tile - fromSide.first);
      });
      addRuns(number, piece.count, tile, own, position, /*local=*/1);
      int64_t mate = getMate(target, tile) - toSide.first;
      if (mate >= 0 && mate < toSide.numTiles && regionOfTile[mate] == region &&
          holds(mate + toSide.first))
        traffic.heldInPair[number] += piece.count;
      continue;
    }
    isSent = true;
    int64_t begun = addRuns(number, piece.count, piece.tile, piece.position,
                            position, /*local=*/0);
    addSentRuns(piece.tile, receiver + i, begun);
    int64_t ipu = tile / target.tiles;
    if (ipu != home && ipu != lastIPU)
      leaves |= addLink(home, ipu, piece.count);
    lastIPU = ipu;
  }
  if (leaves)
    traffic.linkOut[home] += piece.count;
  return isSent;
}

void Sweep::addPiece(const Piece &piece) {
  // Of several takers only one can be the one that sends.
  uint64_t sent = !perTile && !to.isOneRegion() ? ~uint64_t(0) : 0;
  to.forEachBlockPosition([&](const Cursor::BlockPosition &position) {
    sent |=
        perTile ? addToTiles(piece, position) : addToRegion(piece, position);
  });
  for (int64_t i = 0; i < iterations; ++i)
    if (sent >> i & 1)
      source.add(piece.tile + i * tileStep, piece.begin + i * fromStep,
                 piece.step, piece.count);
}

void Sweep::run() {
  forEachPiece(loops, fromFirst, toFirst, from, to,
               [&](int64_t count, int64_t begin, int64_t step) {
                 Cursor::BlockPosition position = from.getFirstBlockPosition();
                 addPiece({count, fromSide.first + position.tile, begin, step,
                           position});
               });
  if (getWordGrain(elementBytes) > 1)
    for (auto [number, run] : llvm::enumerate(runs))
      close(number, run);
  for (MoveTraffic::Part &part : traffic.regions) {
    part.elements *= iterations;
    part.runs *= iterations;
    part.packed *= iterations;
    part.padding *= iterations;
  }
  if (perTile)
    addSentRuns();
}

void exchange::addBySweep(const TargetModel &target, const MovePart &part,
                          MoveTraffic &traffic, SourceTraffic &source) {
  Sweep(target, part, traffic, source).run();
}
