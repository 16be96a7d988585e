//===- Exchange.cpp - Messages of an exchange -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Exchange/Exchange.h"

#include "ExchangeDetail.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Support/ContextCaches.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

namespace {
/// Sums over the moves of an exchange, for each tile.
class TrafficSums {
public:
  explicit TrafficSums(const TargetModel &target);
  void add(const MoveTraffic &move, int64_t elementBytes, int64_t rowsInPlace);
  void add(const SourceTraffic &source, int64_t elementBytes);
  ExchangeTraffic take();

private:
  using Tiles = SmallVector<Count, 0>;
  /// Adds what comes in over the buses of pairs of tiles, and looks for a tile
  /// that receives something and has no mate with the same region.
  void addToBuses(const MoveTraffic &move, int64_t elementBytes);

  const TargetModel &target;
  Tiles sent, received, sendRuns, receiveRuns, local, localRuns, packed, onBus,
      sendPadding, receivePadding;
  SmallVector<Count> linkIn, linkOut;
  std::map<std::pair<int64_t, int64_t>, Count> links;
  bool inPairs = true;
  /// The runs that tiles receive from the current source, and their padding.
  Count runsOfSource, paddingOfSource;
};
} // namespace

TrafficSums::TrafficSums(const TargetModel &target)
    : target(target), linkIn(target.ipus), linkOut(target.ipus) {
  for (Tiles *tiles :
       {&sent, &received, &sendRuns, &receiveRuns, &local, &localRuns, &packed,
        &onBus, &sendPadding, &receivePadding})
    tiles->resize(target.getTilesPerReplica());
}

void TrafficSums::add(const SourceTraffic &source, int64_t elementBytes) {
  for (size_t tile = 0; tile < sent.size(); ++tile) {
    Count elements = source.sent[tile];
    Count runs = std::min(source.sendRuns[tile], elements);
    sent[tile] += elements * elementBytes;
    sendRuns[tile] += runs;
    if (runsOfSource.get() > 0)
      sendPadding[tile] +=
          (runs * paddingOfSource.get()).divideCeil(runsOfSource.get());
  }
  runsOfSource = paddingOfSource = 0;
}

void TrafficSums::add(const MoveTraffic &move, int64_t elementBytes,
                      int64_t rowsInPlace) {
  for (auto [region, part] : llvm::enumerate(move.regions)) {
    if (part.elements == 0)
      continue;
    for (int64_t copy : move.copies) {
      int64_t inGrid = move.tileOfRegion[region] + copy,
              tile = move.first + inGrid;
      const MoveTraffic::Part &own = move.local[inGrid];
      received[tile] += Count(part.elements - own.elements) * elementBytes;
      receiveRuns[tile] += part.runs - own.runs;
      runsOfSource += part.runs - own.runs;
      paddingOfSource += part.padding - own.padding;
      packed[tile] += Count(part.packed - own.packed) * elementBytes;
      receivePadding[tile] += part.padding - own.padding;
      bool areRows = rowsInPlace > 0 && part.elements % rowsInPlace == 0 &&
                     own.elements % (part.elements / rowsInPlace) == 0;
      if (areRows && own.runs == 1)
        continue;
      local[tile] += Count(own.elements) * elementBytes;
      localRuns[tile] += own.runs;
    }
  }
  for (int64_t ipu = 0; ipu < target.ipus; ++ipu) {
    linkIn[ipu] += move.linkIn[ipu] * elementBytes;
    linkOut[ipu] += move.linkOut[ipu] * elementBytes;
  }
  for (auto [ipus, elements] : move.links)
    links[ipus] += elements * elementBytes;
  addToBuses(move, elementBytes);
}

void TrafficSums::addToBuses(const MoveTraffic &move, int64_t elementBytes) {
  int64_t numTiles = move.regionOfTile.size();
  for (auto [region, part] : llvm::enumerate(move.regions)) {
    if (part.elements == 0)
      continue;
    for (int64_t copy : move.copies) {
      int64_t inGrid = move.tileOfRegion[region] + copy;
      int64_t mate = getMate(target, move.first + inGrid) - move.first;
      bool hasMate = mate >= 0 && mate < numTiles &&
                     move.regionOfTile[mate] == move.regionOfTile[inGrid];
      int64_t held = move.local[inGrid].elements;
      inPairs &= hasMate || held == part.elements;
      // What one of both holds the other one receives.
      if (hasMate)
        held = move.heldInPair.empty() ? 0 : move.heldInPair[inGrid];
      onBus[move.first + inGrid] += Count(part.elements - held) * elementBytes;
    }
  }
}

ExchangeTraffic TrafficSums::take() {
  auto getCounts = [](const Tiles &values) {
    return TileCounts::fromValues(
        llvm::map_to_vector(values, [](Count value) { return value.get(); }));
  };
  ExchangeTraffic traffic;
  traffic.sent = getCounts(sent);
  traffic.received = getCounts(received);
  traffic.sendRuns = getCounts(sendRuns);
  traffic.receiveRuns = getCounts(receiveRuns);
  traffic.local = getCounts(local);
  traffic.localRuns = getCounts(localRuns);
  traffic.packed = getCounts(packed);
  traffic.sendPadding = getCounts(sendPadding);
  traffic.receivePadding = getCounts(receivePadding);
  traffic.transposed = TileCounts(target.getTilesPerReplica());
  traffic.onBus = getCounts(onBus);
  traffic.bytes = traffic.received.getSum();
  traffic.inPairs = inPairs;
  for (int64_t ipu = 0; ipu < target.ipus; ++ipu) {
    traffic.linkIn.push_back(linkIn[ipu].get());
    traffic.linkOut.push_back(linkOut[ipu].get());
  }
  for (auto [ipus, bytes] : links)
    traffic.links[ipus] = bytes.get();
  return traffic;
}

/// Whether two of the moves may read the same element.
static bool mayShare(ArrayRef<const ExchangeMove *> moves) {
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  for (const ExchangeMove *move : moves) {
    if (move->from.getNumElements() == 0)
      continue;
    auto range = getRange(move->from);
    if (!range)
      return true;
    ranges.push_back(*range);
  }
  llvm::sort(ranges);
  for (size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first <= ranges[i - 1].second)
      return true;
  return false;
}

using Sources =
    llvm::SmallMapVector<unsigned, SmallVector<const ExchangeMove *, 2>, 4>;

static ExchangeTraffic analyze(const TargetModel &target,
                               const Sources &sources, int64_t maxPieces) {
  TrafficSums sums(target);
  for (const auto &[number, moves] : sources) {
    // Elements that are seen again are told by a sweep alone.
    bool isUnion = mayShare(moves);
    SmallVector<MovePart, 1> parts;
    SmallVector<const ExchangeMove *, 2> moveOfPart;
    SmallVector<int64_t, 1> rowsInPlace;
    for (const ExchangeMove *move : moves) {
      isUnion |= !MoveLoops(*move).readsOnce();
      SmallVector<MoveLoops, 1> partsOfMove = getMoveParts(*move);
      for (MoveLoops &loops : partsOfMove) {
        parts.emplace_back(*move, std::move(loops));
        moveOfPart.push_back(move);
        rowsInPlace.push_back(partsOfMove.size() == 1 ? move->rowsInPlace : 0);
      }
    }
    Count pieces;
    for (MovePart &part : parts) {
      // What elements are seen again is told by their numbers.
      if (!isUnion)
        part.joinElements();
      pieces += countPieces(part);
    }
    isUnion &= pieces.get() <= maxPieces;
    SourceTraffic source(target.getTilesPerReplica());
    if (isUnion)
      source.makeUnion(moves.front()->fromMapping.getNumElements());
    int64_t elementBytes = moves.front()->elementBytes;
    for (auto [move, part, rows] :
         llvm::zip_equal(moveOfPart, parts, rowsInPlace)) {
      if (part.loops.isEmpty)
        continue;
      MoveTraffic traffic(target.ipus);
      bool isJoined = part.joined > 1;
      SourceTraffic own(isJoined ? target.getTilesPerReplica() : 0);
      SourceTraffic &sent = isJoined ? own : source;
      if (failed(addByProduct(target, part, traffic, sent))) {
        if (countPieces(part).get() <= maxPieces)
          addBySweep(target, part, traffic, sent);
        else
          addByBound(target, *move, part, traffic, sent);
      }
      if (isJoined) {
        traffic.multiply(part.joined);
        source.add(own, part.joined);
      }
      sums.add(traffic, elementBytes, rows);
    }
    if (isUnion)
      source.finish();
    sums.add(source, elementBytes);
  }
  return sums.take();
}

void ExchangeTraffic::add(const ExchangeTraffic &other) {
  sent.add(other.sent);
  received.add(other.received);
  sendRuns.add(other.sendRuns);
  receiveRuns.add(other.receiveRuns);
  local.add(other.local);
  localRuns.add(other.localRuns);
  packed.add(other.packed);
  sendPadding.add(other.sendPadding);
  receivePadding.add(other.receivePadding);
  transposed.add(other.transposed);
  onBus.add(other.onBus);
  bytes = (Count(bytes) + other.bytes).get();
  inPairs &= other.inPairs;
  for (size_t ipu = 0; ipu < linkIn.size(); ++ipu) {
    linkIn[ipu] = (Count(linkIn[ipu]) + other.linkIn[ipu]).get();
    linkOut[ipu] = (Count(linkOut[ipu]) + other.linkOut[ipu]).get();
  }
  for (auto [ipus, sent] : other.links)
    links[ipus] = (Count(links[ipus]) + sent).get();
}

SmallVector<int64_t> ExchangeTraffic::getNumPartners() const {
  SmallVector<int64_t> senders(linkIn.size()), receivers(linkIn.size());
  for (const auto &[ipus, sent] : links) {
    ++receivers[ipus.first];
    ++senders[ipus.second];
  }
  return llvm::map_to_vector(
      llvm::zip_equal(senders, receivers), [](const auto &both) {
        return std::max(std::get<0>(both), std::get<1>(both));
      });
}

//===----------------------------------------------------------------------===//
// Traffic that is known
//===----------------------------------------------------------------------===//

namespace mlir::ipu::exchange {
/// Traffic of one source by content of its moves. Layers, rounds of planning,
/// and what passes ask of an exchange have most of it in common.
class KnownTraffic {
public:
  struct Traffic {
    std::shared_ptr<const ExchangeTraffic> traffic;
    /// Pieces of the moves, all of which were looked at unless the key says
    /// otherwise.
    int64_t pieces = 0;
  };

  Traffic find(StringRef key) {
    std::lock_guard<std::mutex> guard(mutex);
    return traffics.lookup(key);
  }
  void insert(StringRef key, const Traffic &known);

private:
  static constexpr size_t kMaxBytes = size_t(256) << 20;

  std::mutex mutex;
  llvm::StringMap<Traffic> traffics;
  size_t bytes = 0;
};
} // namespace mlir::ipu::exchange

void KnownTraffic::insert(StringRef key, const Traffic &known) {
  const ExchangeTraffic *traffic = known.traffic.get();
  size_t runs = 0;
  for (const TileCounts *counts :
       {&traffic->sent, &traffic->received, &traffic->sendRuns,
        &traffic->receiveRuns, &traffic->local, &traffic->localRuns,
        &traffic->packed, &traffic->onBus, &traffic->sendPadding,
        &traffic->receivePadding})
    runs += counts->getRuns().size();
  std::lock_guard<std::mutex> guard(mutex);
  bytes += sizeof(ExchangeTraffic) + key.size() + runs * sizeof(TileRun);
  // What is asked for again mostly is so soon.
  if (bytes > kMaxBytes) {
    traffics.clear();
    bytes = 0;
  }
  traffics[key] = known;
}

static int64_t countPieces(ArrayRef<ExchangeMove> moves) {
  Count pieces;
  for (const ExchangeMove &move : moves)
    for (MoveLoops &loops : getMoveParts(move))
      pieces += countPieces(MovePart(move, std::move(loops)));
  return pieces.get();
}

//===----------------------------------------------------------------------===//
// Copies on each IPU
//===----------------------------------------------------------------------===//

/// If the tiles of each IPU have the same part of `mapping`, returns the tile
/// mapping of the first IPU. Otherwise returns null.
static TileMappingAttr getMappingOfEachIPU(const TargetModel &target,
                                           TileMappingAttr mapping) {
  if (!mapping.isNested() || mapping.getIpuTiles() != target.tiles ||
      mapping.getFirst() + mapping.getGridTilesPerIPU() > target.tiles)
    return nullptr;
  for (const TileMappingBlock &block : mapping.getBlocks())
    if (!block.isAll() && mapping.getIpus()[block.axis] > 1)
      return nullptr;
  auto grid = llvm::map_to_vector(
      llvm::zip_equal(mapping.getGrid(), mapping.getIpus()),
      [](auto axis) { return std::get<0>(axis) / std::get<1>(axis); });
  return TileMappingAttr::get(mapping.getContext(), mapping.getDomain(), grid,
                              mapping.getBlocks(), mapping.getFirst(),
                              mapping.getLayout());
}

/// Returns the counts of `numIPUs` IPUs, each of which has `counts`, and of
/// other IPUs, which have none.
static TileCounts repeat(const TargetModel &target, const TileCounts &counts,
                         int64_t numIPUs) {
  TileCounts all(target.getTilesPerReplica());
  for (int64_t ipu = 0; ipu < numIPUs; ++ipu)
    for (const TileRun &run : counts.getRuns())
      all.add(ipu * target.tiles + run.begin, run.end - run.begin, run.value);
  return all;
}

/// If each IPU that receives elements holds all elements of the source, it
/// receives them from its own tiles. If all moves have such a source and the
/// same part of the target on each IPU, returns their traffic. Otherwise
/// returns null.
static std::shared_ptr<const ExchangeTraffic>
getTrafficInIPUs(const TargetModel &target, ArrayRef<ExchangeMove> moves,
                 int64_t maxPieces) {
  if (target.ipus == 1 || moves.empty())
    return nullptr;
  int64_t numIPUs = moves.front().toMapping.getNumIPUs();
  SmallVector<ExchangeMove, 2> own(moves);
  for (ExchangeMove &move : own) {
    if (move.fromMapping.getNumIPUs() != numIPUs ||
        move.toMapping.getNumIPUs() != numIPUs)
      return nullptr;
    move.fromMapping = getMappingOfEachIPU(target, move.fromMapping);
    move.toMapping = getMappingOfEachIPU(target, move.toMapping);
    if (!move.fromMapping || !move.toMapping || !move.fromMapping.covers())
      return nullptr;
  }
  TargetModel one = target;
  one.ipus = 1;
  auto traffic =
      std::make_shared<ExchangeTraffic>(*getDirectTraffic(one, own, maxPieces));
  for (TileCounts *counts :
       {&traffic->sent, &traffic->received, &traffic->sendRuns,
        &traffic->receiveRuns, &traffic->local, &traffic->localRuns,
        &traffic->receivePadding, &traffic->sendPadding, &traffic->packed,
        &traffic->transposed, &traffic->onBus})
    *counts = repeat(target, *counts, numIPUs);
  traffic->bytes *= numIPUs;
  traffic->linkIn.assign(target.ipus, 0);
  traffic->linkOut.assign(target.ipus, 0);
  return traffic;
}

std::shared_ptr<const ExchangeTraffic>
mlir::ipu::getDirectTraffic(const TargetModel &target,
                            ArrayRef<ExchangeMove> moves, int64_t maxPieces) {
  if (auto traffic = getTrafficInIPUs(target, moves, maxPieces))
    return traffic;
  ContentKey key;
  Sources sources;
  if (moves.empty())
    return std::make_shared<const ExchangeTraffic>(
        analyze(target, sources, maxPieces));
  key << target.ipus << target.tiles;
  for (const ExchangeMove &move : moves) {
    key << move.fromMapping.getAsOpaquePointer()
        << move.toMapping.getAsOpaquePointer() << move.elementBytes
        << move.rowsInPlace << move.from << move.to;
    sources[0].push_back(&move);
  }
  auto *caches = moves.front()
                     .fromMapping.getDialect()
                     .getRegisteredInterface<ContextCaches>();
  auto &cache = caches->get<KnownTraffic>();
  // A limit that nothing reaches does not matter.
  KnownTraffic::Traffic known = cache.find(key.get());
  if (known.traffic && known.pieces <= maxPieces)
    return known.traffic;
  int64_t pieces = countPieces(moves);
  if (pieces > maxPieces) {
    key << maxPieces;
    known = cache.find(key.get());
    if (known.traffic)
      return known.traffic;
  }
  known = {std::make_shared<const ExchangeTraffic>(
               analyze(target, sources, maxPieces)),
           pieces};
  cache.insert(key.get(), known);
  return known.traffic;
}

/// Returns whether an op between `begin` and `end`, which are in one block, may
/// write `variable` or a view of it.
static bool isWrittenBetween(VarOp variable, Operation *begin, Operation *end) {
  // Other variables may be in the same storage.
  if (variable.getStorageAttr())
    for (Operation *op = begin->getNextNode(); op && op != end;
         op = op->getNextNode())
      if (!isa<SyncOp, VarOp>(op) && !isMemoryEffectFree(op))
        return true;
  SmallVector<Value> values{variable.getResult()};
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (auto view = dyn_cast<memref::ReinterpretCastOp>(user)) {
        values.push_back(view.getResult());
        continue;
      }
      Operation *step = begin->getBlock()->findAncestorOpInBlock(*user);
      if (step && begin->isBeforeInBlock(step) && step->isBeforeInBlock(end) &&
          !hasSingleEffect<MemoryEffects::Read>(user, values[i]))
        return true;
    }
  return false;
}

int64_t mlir::ipu::getRowsInPlace(MoveOp move) {
  VarOp source = getVariable(move.getSource());
  Value target = move.getTarget();
  Operation *exchange = move->getParentOp();
  int64_t rows = 0;
  for (Operation *user : target.getUsers()) {
    if (user == move || isa<WriteUndefOp>(user))
      continue;
    auto vertices = dyn_cast<VerticesOp>(user);
    if (!vertices ||
        !llvm::is_contained(vertices.getInPlace(), source.getResult()) ||
        vertices.getInputs().empty() ||
        vertices.getInputs().front() != target ||
        llvm::count(vertices->getOperands(), target) != 1)
      return 0;
    Operation *computeSet = vertices->getParentOp();
    auto codelet = SymbolTable::lookupNearestSymbolFrom<CodeletOp>(
        vertices, vertices.getCodeletAttr());
    CodeletCostAttr cost = codelet ? codelet.getCostAttr() : CodeletCostAttr();
    if (!cost || !cost.hasRowPointers() ||
        computeSet->getBlock() != exchange->getBlock() ||
        isWrittenBetween(source, exchange, computeSet) ||
        (rows > 0 && rows != cost.getCombined()))
      return 0;
    rows = cost.getCombined();
  }
  return rows;
}

SmallVector<ExchangeMove, 0>
mlir::ipu::getExchangeMoves(ArrayRef<ExchangeOp> ops) {
  SmallVector<ExchangeMove, 0> moves;
  llvm::SmallMapVector<Operation *, unsigned, 4> sources;
  for (ExchangeOp op : ops)
    for (auto move : op.getBody().getOps<MoveOp>()) {
      auto from = cast<MemRefType>(move.getSource().getType());
      auto to = cast<MemRefType>(move.getTarget().getType());
      unsigned number = sources.size();
      Operation *variable = getVariable(move.getSource());
      number = sources.insert({variable, number}).first->second;
      moves.push_back({getTileMapping(from), getTileMapping(to),
                       getStridedView(from), getStridedView(to),
                       getStoredBytes(from.getElementType()), number,
                       getRowsInPlace(move)});
    }
  return moves;
}
