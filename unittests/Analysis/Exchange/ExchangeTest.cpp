//===- ExchangeTest.cpp - Exchanges against enumeration ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Exchange/Exchange.h"

#include "../../Dialect/IPU/NestedTileMappings.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace mlir;
using namespace mlir::ipu;

namespace {

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// The expected result of the analysis, which follows from the definitions and
/// is computed for each element on each tile.
struct Enumerated {
  std::vector<int64_t> sent, received, sendRuns, receiveRuns, local, localRuns,
      packed, receivePadding, sendPadding, onBus, linkIn, linkOut, partners;
  std::map<std::pair<int64_t, int64_t>, int64_t> links;
  int64_t bytes = 0;
  bool inPairs = true;
};

/// The position of each element in the region of a tile, by element.
using Buffer = std::map<int64_t, int64_t>;

Buffer getBuffer(const IndexRegion &region, TileMappingAttr mapping) {
  Buffer buffer;
  SmallVector<int64_t> strides = computeStrides(mapping.getDomain());
  SmallVector<StorageDim> storage = mapping.getStorageDims();
  for (int64_t i = 0, e = region.getNumElements(); i < e; ++i) {
    SmallVector<int64_t> at = delinearize(i, computeStrides(region.sizes));
    int64_t element = 0, address = 0;
    for (size_t dim = 0; dim < at.size(); ++dim)
      element += (region.offsets[dim] + at[dim]) * strides[dim];
    for (const StorageDim &dim : storage)
      address = dim.isInGroup ? address * dim.group + at[dim.dim] % dim.group
                              : address * (region.sizes[dim.dim] / dim.group) +
                                    at[dim.dim] / dim.group;
    buffer[element] = address;
  }
  return buffer;
}

/// Returns the source element of each target element of a move.
std::map<int64_t, int64_t> getOrigins(const ExchangeMove &move) {
  std::map<int64_t, int64_t> origins;
  SmallVector<int64_t> strides = computeStrides(move.from.sizes);
  for (int64_t i = 0, e = move.from.getNumElements(); i < e; ++i) {
    int64_t from = move.from.offset, to = move.to.offset;
    for (auto [dim, at] : llvm::enumerate(delinearize(i, strides))) {
      from += at * move.from.strides[dim];
      to += at * move.to.strides[dim];
    }
    origins[to] = from;
  }
  return origins;
}

/// Returns the traffic of direct moves, without a choice of transpositions.
ExchangeTraffic getDirect(const TargetModel &target,
                          ArrayRef<ExchangeMove> moves,
                          int64_t maxPieces = kMaxExchangePieces) {
  std::map<unsigned, SmallVector<ExchangeMove, 1>> groups;
  for (const ExchangeMove &move : moves)
    groups[move.source].push_back(move);
  ExchangeTraffic sum = *getDirectTraffic(target, {}, maxPieces);
  bool isFirst = true;
  for (auto &[source, group] : groups) {
    auto traffic = getDirectTraffic(target, group, maxPieces);
    if (std::exchange(isFirst, false))
      sum = *traffic;
    else
      sum.add(*traffic);
  }
  return sum;
}

class Enumeration {
public:
  explicit Enumeration(const TargetModel &target) : target(target) {
    int64_t tiles = target.getTilesPerReplica();
    for (auto *counts :
         {&result.sent, &result.received, &result.sendRuns, &result.receiveRuns,
          &result.local, &result.localRuns, &result.packed,
          &result.receivePadding, &result.sendPadding, &result.onBus})
      counts->resize(tiles);
    result.linkIn.resize(target.ipus);
    result.linkOut.resize(target.ipus);
    result.partners.resize(target.ipus);
  }

  void add(const ExchangeMove &move);
  Enumerated take();

private:
  struct Message {
    std::set<int64_t> elements;
    int64_t runs = 0;
  };
  const TargetModel &target;
  Enumerated result;
  std::map<unsigned, std::map<int64_t, std::set<int64_t>>> sent;
  std::map<unsigned, std::map<int64_t, int64_t>> sendRuns;
  std::map<unsigned, int64_t> elementBytes, receivedRuns, padding;
  std::set<std::pair<int64_t, int64_t>> partners;
};

void Enumeration::add(const ExchangeMove &move) {
  TileMappingAttr fromMapping = move.fromMapping, toMapping = move.toMapping;
  std::map<int64_t, Buffer> held;
  std::map<int64_t, int64_t> firstHolder;
  for (int64_t i = 0; i < fromMapping.getNumTiles(); ++i) {
    int64_t tile = fromMapping.getFirst() + i;
    held[tile] = getBuffer(fromMapping.getTileRegion(i), fromMapping);
    for (auto [element, at] : held[tile])
      firstHolder.insert({element, tile});
  }
  std::map<int64_t, int64_t> origins = getOrigins(move);
  elementBytes[move.source] = move.elementBytes;

  // The region of each tile, and the target elements that it receives.
  using IndexRegionKey = std::pair<SmallVector<int64_t>, SmallVector<int64_t>>;
  std::map<int64_t, std::pair<IndexRegionKey, std::set<int64_t>>>
      receivedByTile;
  // For each region and sender, the greatest number of runs that a tile
  // receives. For each region, the elements that are sent from one IPU to
  // another.
  std::map<IndexRegionKey, std::map<int64_t, int64_t>> runsOfRegion;
  std::map<IndexRegionKey, std::set<std::tuple<int64_t, int64_t, int64_t>>>
      arrivals;
  std::map<IndexRegionKey, std::set<std::pair<int64_t, int64_t>>> departures;
  for (int64_t i = 0; i < toMapping.getNumTiles(); ++i) {
    int64_t tile = toMapping.getFirst() + i;
    IndexRegion region = toMapping.getTileRegion(i);
    IndexRegionKey key = {region.offsets, region.sizes};
    receivedByTile[tile].first = key;
    std::map<int64_t, int64_t> byAddress; // receiver address to element
    for (auto [element, at] : getBuffer(region, toMapping))
      byAddress[at] = element;
    std::map<int64_t, int64_t> runsFrom;
    int64_t lastTile = -1, lastTo = -2, lastFrom = -2, length = 0;
    auto close = [&] {
      if (lastTile >= 0 && lastTile != tile) {
        int64_t bytes = length * move.elementBytes;
        int64_t from = (lastFrom + 1) * move.elementBytes - bytes;
        int64_t to = (lastTo + 1) * move.elementBytes - bytes;
        if (from % 4 != to % 4)
          result.packed[tile] += bytes;
        int64_t words = (from + bytes + 3) / 4 - from / 4;
        result.receivePadding[tile] += 4 * words - bytes;
        receivedRuns[move.source] += 1;
        padding[move.source] += 4 * words - bytes;
      }
      length = 0;
    };
    for (auto [at, element] : byAddress) {
      auto origin = origins.find(element);
      if (origin == origins.end())
        continue;
      int64_t source = origin->second;
      int64_t sender = held[tile].count(source) ? tile : firstHolder.at(source);
      int64_t sourceAt = held[sender].at(source);
      bool goesOn =
          lastTile == sender && lastTo + 1 == at && lastFrom + 1 == sourceAt;
      if (!goesOn)
        close();
      lastTile = sender;
      lastTo = at;
      lastFrom = sourceAt;
      ++length;
      if (sender == tile) {
        result.local[tile] += move.elementBytes;
        result.localRuns[tile] += !goesOn;
        continue;
      }
      result.received[tile] += move.elementBytes;
      result.receiveRuns[tile] += !goesOn;
      result.bytes += move.elementBytes;
      runsFrom[sender] += !goesOn;
      sent[move.source][sender].insert(source);
      receivedByTile[tile].second.insert(element);
      int64_t home = sender / target.tiles, ipu = tile / target.tiles;
      if (home != ipu) {
        arrivals[key].insert({ipu, element, home});
        departures[key].insert({home, element});
        partners.insert({home, ipu});
      }
    }
    close();
    for (auto [sender, runs] : runsFrom) {
      int64_t &most = runsOfRegion[key][sender];
      most = std::max(most, runs);
    }
  }
  for (auto &[key, senders] : runsOfRegion)
    for (auto [sender, runs] : senders)
      sendRuns[move.source][sender] += runs;
  for (auto &[key, elements] : arrivals)
    for (auto [ipu, element, home] : elements) {
      result.linkIn[ipu] += move.elementBytes;
      result.links[{home, ipu}] += move.elementBytes;
    }
  for (auto &[key, elements] : departures)
    for (auto [ipu, element] : elements)
      result.linkOut[ipu] += move.elementBytes;
  for (auto &[tile, received] : receivedByTile) {
    int64_t inIPU = tile % target.tiles, mate = tile - inIPU + (inIPU ^ 1);
    auto it = receivedByTile.find(mate);
    bool hasMate = (inIPU ^ 1) < target.tiles && it != receivedByTile.end() &&
                   it->second.first == received.first;
    result.inPairs &= hasMate || received.second.empty();
    std::set<int64_t> onBus = received.second;
    if (hasMate)
      onBus.insert(it->second.second.begin(), it->second.second.end());
    result.onBus[tile] += onBus.size() * move.elementBytes;
  }
}

Enumerated Enumeration::take() {
  for (auto &[source, tiles] : sent)
    for (auto &[tile, elements] : tiles) {
      int64_t count = elements.size();
      result.sent[tile] += count * elementBytes[source];
      int64_t runs = std::min(sendRuns[source][tile], count);
      result.sendRuns[tile] += runs;
      if (receivedRuns[source] > 0)
        result.sendPadding[tile] +=
            llvm::divideCeil(runs * padding[source], receivedRuns[source]);
    }
  std::vector<int64_t> in(target.ipus), out(target.ipus);
  for (auto [from, to] : partners) {
    ++out[from];
    ++in[to];
  }
  for (int64_t ipu = 0; ipu < target.ipus; ++ipu)
    result.partners[ipu] = std::max(in[ipu], out[ipu]);
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Random moves
//===----------------------------------------------------------------------===//

class ExchangeTest : public ::testing::Test {
protected:
  ExchangeTest() : target(*TargetModel::getPreset("gc200")) {
    context.loadDialect<IPUDialect>();
  }

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  /// Returns a random tile mapping of a variable of `shape`, over its
  /// dimensions or over one dimension.
  TileMappingAttr drawTileMapping(ArrayRef<int64_t> shape, bool mayOverlap);
  /// Returns `mapping` with a random layout.
  TileMappingAttr drawLayout(TileMappingAttr mapping);
  /// Returns a random move between views of two variables.
  ExchangeMove drawMove();

  void check(ArrayRef<ExchangeMove> moves, const std::string &name);
  /// Checks as check() does, but allows more runs than necessary. Returns the
  /// number of additional runs.
  int64_t checkBytes(ArrayRef<ExchangeMove> moves, const std::string &name);

  MLIRContext context;
  TargetModel target;
  std::mt19937 random{7};
};

TileMappingAttr ExchangeTest::drawTileMapping(ArrayRef<int64_t> shape,
                                              bool mayOverlap) {
  while (true) {
    SmallVector<int64_t> domain(shape);
    if (draw(0, 2) == 0)
      domain = {computeProduct(shape)};
    SmallVector<int64_t> grid;
    SmallVector<TileMappingBlock> blocks(domain.size());
    SmallVector<unsigned> order;
    for (unsigned dim = 0; dim < domain.size(); ++dim)
      order.insert(order.begin() + draw(0, order.size()), dim);
    auto addCopies = [&] {
      if (mayOverlap && draw(0, 5) == 0)
        grid.push_back(draw(1, 3));
    };
    addCopies();
    for (unsigned dim : order) {
      if (draw(0, 3) == 0)
        continue;
      int64_t size = domain[dim];
      int64_t step = draw(1, std::max<int64_t>(size, 1));
      int64_t parts = llvm::divideCeil(size, step);
      int64_t halo = mayOverlap && draw(0, 3) == 0 ? draw(1, 2) : 0;
      // Some tiles have empty regions.
      if (draw(0, 4) == 0)
        ++parts;
      blocks[dim] = {static_cast<int64_t>(grid.size()), step, step + halo};
      grid.push_back(std::max<int64_t>(parts, 1));
      addCopies();
    }
    auto drawNumber = [&](int64_t low, int64_t high) {
      return draw(low, high);
    };
    auto mapping = TileMappingAttr::get(&context, domain, grid, blocks);
    if (draw(0, 2) == 0)
      mapping = drawNested(mapping, drawNumber);
    int64_t tiles = mapping.getNumTiles();
    if (tiles > target.getTilesPerReplica())
      continue;
    int64_t first =
        draw(0, 1) ? draw(0, target.getTilesPerReplica() - tiles) : 0;
    return TileMappingAttr::get(&context, domain, mapping.getGrid(), blocks,
                                first, AffineMap(), mapping.getIpus(),
                                mapping.getIpuTiles());
  }
}

TileMappingAttr ExchangeTest::drawLayout(TileMappingAttr mapping) {
  SmallVector<AffineExpr> results;
  for (auto [dim, size, block] :
       llvm::enumerate(mapping.getDomain(), mapping.getBlocks())) {
    AffineExpr expr = getAffineDimExpr(dim, &context);
    auto insert = [&, first = size_t(0)](AffineExpr result) mutable {
      first = draw(first, results.size());
      results.insert(results.begin() + first++, result);
    };
    int64_t group = draw(2, 4);
    if (draw(0, 3) == 0 || size % group != 0 ||
        (!block.isAll() &&
         (block.step % group != 0 || block.extent % group != 0))) {
      insert(expr);
      continue;
    }
    insert(expr.floorDiv(group));
    insert(expr % group);
  }
  return mapping.withLayout(
      AffineMap::get(mapping.getDomain().size(), 0, results, &context));
}

ExchangeMove ExchangeTest::drawMove() {
  ExchangeMove move;
  SmallVector<int64_t> sizes, toShape, fromShape;
  int64_t rank = draw(0, 5) ? draw(2, 3) : draw(0, 1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    sizes.push_back(draw(1, 6));
    toShape.push_back(sizes.back() + (draw(0, 3) ? 0 : draw(1, 3)));
  }
  // A region of the target.
  SmallVector<int64_t> strides = computeStrides(toShape);
  move.to.sizes = sizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t step = draw(0, 5) == 0 ? 2 : 1, stride = strides[dim] * step;
    if ((sizes[dim] - 1) * step >= toShape[dim]) {
      step = 1;
      stride = strides[dim];
    }
    int64_t room = toShape[dim] - 1 - (sizes[dim] - 1) * step;
    int64_t first = draw(0, room);
    if (draw(0, 5) == 0) {
      first += (sizes[dim] - 1) * step;
      stride = -stride;
    }
    move.to.offset += first * strides[dim];
    move.to.strides.push_back(stride);
  }
  // The source has the same dimensions in some order. It may have only a part
  // of a dimension, reverse a dimension, or repeat it.
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < rank; ++dim)
    order.insert(
        draw(0, 2) ? order.end() : order.begin() + draw(0, order.size()), dim);
  SmallVector<int64_t> kinds;
  for (int64_t dim = 0; dim < rank; ++dim)
    kinds.push_back(draw(0, 9));
  for (unsigned dim : order)
    fromShape.push_back(kinds[dim] == 0   ? 1
                        : kinds[dim] == 1 ? sizes[dim] + 2
                        : kinds[dim] == 2 ? 2 * sizes[dim]
                                          : sizes[dim]);
  SmallVector<int64_t> fromStrides = computeStrides(fromShape);
  move.from.sizes = sizes;
  move.from.strides.resize(rank);
  for (auto [at, dim] : llvm::enumerate(order)) {
    int64_t &stride = move.from.strides[dim];
    stride = kinds[dim] == 0 ? 0 : fromStrides[at];
    if (kinds[dim] == 1)
      move.from.offset += draw(0, 2) * stride;
    if (kinds[dim] == 2)
      stride *= 2;
    if (kinds[dim] == 3) {
      move.from.offset += (sizes[dim] - 1) * stride;
      stride = -stride;
    }
  }
  // The source has overlapping windows.
  if (rank == 2 && draw(0, 9) == 0) {
    fromShape = {sizes[0] + sizes[1]};
    move.from.offset = 0;
    move.from.strides = {1, 1};
  }
  int64_t bytes[] = {1, 2, 4, 8};
  move.elementBytes = bytes[draw(0, 3)];
  move.fromMapping = drawTileMapping(fromShape, /*mayOverlap=*/draw(0, 2) == 0);
  move.toMapping = drawTileMapping(toShape, /*mayOverlap=*/draw(0, 1) == 0);
  return move;
}

std::vector<int64_t> getValues(const TileCounts &counts) {
  std::vector<int64_t> values;
  for (const TileRun &run : counts.getRuns())
    values.insert(values.end(), run.end - run.begin, run.value);
  return values;
}

std::string describe(ArrayRef<ExchangeMove> moves) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto printView = [&](const StridedView &view) {
    os << " offset " << view.offset << " sizes ";
    llvm::interleaveComma(view.sizes, os);
    os << " strides ";
    llvm::interleaveComma(view.strides, os);
    os << "\n";
  };
  for (const ExchangeMove &move : moves) {
    os << "source " << move.source << ", " << move.elementBytes << " bytes\n"
       << move.fromMapping;
    printView(move.from);
    os << move.toMapping;
    printView(move.to);
  }
  return text;
}

static Enumerated getExpected(const TargetModel &target,
                              ArrayRef<ExchangeMove> moves) {
  Enumeration enumeration(target);
  for (const ExchangeMove &move : moves)
    enumeration.add(move);
  return enumeration.take();
}

static void expectSameBytes(const ExchangeTraffic &traffic,
                            const Enumerated &expected) {
  EXPECT_EQ(getValues(traffic.received), expected.received) << "received";
  EXPECT_EQ(getValues(traffic.sent), expected.sent) << "sent";
  EXPECT_EQ(getValues(traffic.local), expected.local) << "local";
  EXPECT_EQ(traffic.bytes, expected.bytes);
}

void ExchangeTest::check(ArrayRef<ExchangeMove> moves,
                         const std::string &name) {
  Enumerated expected = getExpected(target, moves);
  ExchangeTraffic traffic = getDirect(target, moves);
  SCOPED_TRACE(name + "\n" + describe(moves));
  expectSameBytes(traffic, expected);
  EXPECT_EQ(getValues(traffic.receiveRuns), expected.receiveRuns) << "runs";
  EXPECT_EQ(getValues(traffic.sendRuns), expected.sendRuns) << "send runs";
  EXPECT_EQ(getValues(traffic.localRuns), expected.localRuns) << "local runs";
  EXPECT_EQ(getValues(traffic.packed), expected.packed) << "packed";
  EXPECT_EQ(getValues(traffic.receivePadding), expected.receivePadding)
      << "receive padding";
  EXPECT_EQ(getValues(traffic.sendPadding), expected.sendPadding)
      << "send padding";
  auto toVector = [](ArrayRef<int64_t> values) {
    return std::vector<int64_t>(values.begin(), values.end());
  };
  EXPECT_EQ(toVector(traffic.linkIn), expected.linkIn) << "link in";
  EXPECT_EQ(toVector(traffic.linkOut), expected.linkOut) << "link out";
  EXPECT_EQ(traffic.links, expected.links) << "links";
  EXPECT_EQ(toVector(traffic.getNumPartners()), expected.partners)
      << "partners";
  EXPECT_EQ(getValues(traffic.onBus), expected.onBus) << "on bus";
  EXPECT_EQ(traffic.inPairs, expected.inPairs) << "in pairs";
}

int64_t ExchangeTest::checkBytes(ArrayRef<ExchangeMove> moves,
                                 const std::string &name) {
  Enumerated expected = getExpected(target, moves);
  ExchangeTraffic traffic = getDirect(target, moves);
  SCOPED_TRACE(name + "\n" + describe(moves));
  expectSameBytes(traffic, expected);
  int64_t more = 0;
  auto compareRuns = [&](const TileCounts &counts,
                         const std::vector<int64_t> &least, const char *what) {
    for (auto [found, wanted] : llvm::zip_equal(getValues(counts), least)) {
      EXPECT_GE(found, wanted) << what;
      more += found - wanted;
    }
  };
  compareRuns(traffic.receiveRuns, expected.receiveRuns, "runs");
  compareRuns(traffic.sendRuns, expected.sendRuns, "send runs");
  compareRuns(traffic.localRuns, expected.localRuns, "local runs");
  return more;
}

TEST_F(ExchangeTest, AgreesWithEnumeration) {
  for (int trial = 0; trial < 5000 && !HasFailure(); ++trial) {
    target.ipus = draw(0, 3) == 0 ? draw(2, 3) : 1;
    target.tiles = target.ipus > 1 ? draw(4, 7) : draw(11, 16);
    check({drawMove()}, "trial " + std::to_string(trial));
  }
}

TEST_F(ExchangeTest, SeveralMovesAgreeWithEnumeration) {
  for (int trial = 0; trial < 600 && !HasFailure(); ++trial) {
    target.ipus = draw(0, 2) == 0 ? 2 : 1;
    target.tiles = target.ipus > 1 ? draw(6, 8) : draw(11, 16);
    // The second move reads another view of the variable of the first move. The
    // third move reads another variable.
    SmallVector<ExchangeMove, 0> moves = {drawMove(), drawMove()};
    ExchangeMove again = moves[0];
    again.toMapping =
        drawTileMapping({again.to.getNumElements()}, /*mayOverlap=*/true);
    again.to = StridedView::identity(again.from.sizes);
    moves[1].source = 1;
    moves.insert(moves.begin() + draw(0, 2), again);
    check(moves, "trial " + std::to_string(trial));
  }
}

TEST_F(ExchangeTest, PartsOnOtherTilesAgreeWithEnumeration) {
  // Elements from several parts of the first dimension move to regions that
  // have all or most of the dimension. Therefore the iterations of the
  // outermost loop are equal.
  for (int64_t trial = 0; trial < 2000 && !HasFailure(); ++trial) {
    target.ipus = draw(0, 3) == 0 ? 2 : 1;
    target.tiles = target.ipus > 1 ? draw(10, 13) : draw(20, 26);
    int64_t outer = draw(2, 5), width = draw(4, 12), part = draw(1, 3);
    int64_t size = draw(1, width), cut = draw(0, 1) ? size : width;
    int64_t parts = llvm::divideCeil(outer, part), step = draw(2, width);
    int64_t inner = draw(2, 4), innerStep = llvm::divideCeil(width, inner);
    inner = llvm::divideCeil(width, innerStep);
    if (parts * inner > 17)
      continue;
    auto from = TileMappingAttr::get(
        &context, {outer, width}, {parts, inner},
        {{0, part, part}, {1, innerStep, innerStep}}, draw(0, 3));
    int64_t regions = llvm::divideCeil(width, step), halo = draw(0, 1);
    SmallVector<int64_t> grid = {regions};
    if (draw(0, 2) == 0)
      grid.push_back(draw(1, 2));
    auto to = TileMappingAttr::get(&context, {outer, width}, grid,
                                   {{}, {0, step, step + halo}}, draw(0, 3));
    StridedView fromView = StridedView::identity({outer, width}), toView;
    fromView.sizes[1] = cut;
    toView = fromView;
    if (draw(0, 1))
      fromView.offset = width - cut;
    int64_t bytes[] = {1, 2, 4};
    SmallVector<ExchangeMove, 0> moves = {
        {from, to, fromView, toView, bytes[draw(0, 2)], 0}};
    // Elements that are read repeatedly are sent once.
    if (draw(0, 3) == 0)
      moves.push_back(moves.front());
    check(moves, "trial " + std::to_string(trial));
  }
}

TEST_F(ExchangeTest, AlternatingSendersAgreeWithEnumeration) {
  // Consecutive pairs of elements come from different tiles, so that the sweep
  // merges what it knows of the senders several times.
  target.tiles = 56;
  auto from = TileMappingAttr::get(&context, {300, 32}, {16, 2},
                                   {TileMappingBlock{}, {0, 2, 2}});
  auto to = TileMappingAttr::get(&context, {9600}, {32}, {TileMappingBlock{}},
                                 /*first=*/24);
  StridedView view = StridedView::identity({300, 32});
  ExchangeMove move = {from, to, view, view, 2, 0};
  check(move, "from columns on two tiles each");
}

TEST_F(ExchangeTest, LimitsArePartOfWhatIsKnown) {
  target.tiles = 8;
  auto mapping =
      TileMappingAttr::get(&context, {64}, {8}, {TileMappingBlock{0, 8, 8}});
  StridedView to = StridedView::identity({8, 8}), from = to;
  // The view is reversed, so that the analysis must use a sweep.
  from.offset = 63;
  from.strides = {-1, -8};
  ExchangeMove move = {mapping, mapping, from, to, 4, 0};
  auto getLocal = [&](int64_t maxPieces) {
    return getDirect(target, move, maxPieces).local.getSum();
  };
  EXPECT_EQ(getLocal(1), 0);
  EXPECT_EQ(getLocal(kMaxExchangePieces), 4 * 8);
  EXPECT_EQ(getLocal(1), 0);
  EXPECT_EQ(getSourceTraffic(target, move), getSourceTraffic(target, move));
  // The key of the cache also contains the machine.
  target.tiles = 9;
  EXPECT_EQ(getDirect(target, move).sent.getNumTiles(), 9);
}

TEST_F(ExchangeTest, LimitsCountWhatLayoutsCut) {
  // Rows of four parts. Each part has two groups, each on two tiles. The other
  // mapping splits after every third part.
  target.tiles = 16;
  AffineExpr row, part, element;
  bindDims(&context, row, part, element);
  auto layout = AffineMap::get(
      3, 0, {part, element.floorDiv(4), row, element % 4}, &context);
  auto from = TileMappingAttr::get(&context, {8, 4, 8}, {2, 4, 2},
                                   {{2, 4, 4}, {1, 1, 1}, {0, 4, 4}},
                                   /*first=*/0, layout);
  auto to = TileMappingAttr::get(&context, {32, 8}, {11}, {{0, 3, 3}, {}});
  StridedView view = StridedView::identity({256});
  ExchangeMove move = {from, to, view, view, 2, 0};
  // A cached result for a limit that was reached must not be used without this
  // limit.
  for (int64_t limit = 8; limit <= 512; ++limit)
    getDirect(target, move, limit);
  ExchangeTraffic traffic = getDirect(target, move);
  EXPECT_EQ(traffic.receiveRuns.getSum() + traffic.localRuns.getSum(), 64);
  EXPECT_EQ(traffic.packed.getSum(), 0);
}

TEST_F(ExchangeTest, LayoutsOfWholeTensorsAgreeWithEnumeration) {
  for (int trial = 0; trial < 3000 && !HasFailure(); ++trial) {
    target.ipus = draw(0, 5) == 0 ? 2 : 1;
    target.tiles = target.ipus > 1 ? draw(6, 8) : draw(11, 16);
    // Both variables have the same shape. Therefore a loop only leaves a
    // dimension if another dimension of the same size begins.
    SmallVector<int64_t> shape;
    for (int64_t rank = draw(1, 3); rank > 0; --rank)
      shape.push_back(draw(0, 2) == 0 ? 2 * draw(1, 3) : draw(1, 6));
    ExchangeMove move;
    move.from = move.to = StridedView::identity(shape);
    move.elementBytes = int64_t(1) << draw(0, 3);
    auto drawWhole = [&](bool mayOverlap) {
      while (true) {
        TileMappingAttr mapping = drawTileMapping(shape, mayOverlap);
        if (mapping.getDomain() == ArrayRef(shape))
          return mapping;
      }
    };
    move.fromMapping = drawWhole(/*mayOverlap=*/draw(0, 2) == 0);
    move.toMapping = drawWhole(/*mayOverlap=*/draw(0, 2) == 0);
    if (draw(0, 3))
      move.fromMapping = drawLayout(move.fromMapping);
    if (draw(0, 3))
      move.toMapping = drawLayout(move.toMapping);
    check({move}, "trial " + std::to_string(trial));
  }
}

TEST_F(ExchangeTest, FlattenedImagesAgreeWithEnumeration) {
  // Images of a batch in groups of channels, of which mappings may have
  // different sizes. A mapping splits rows and columns, or all positions
  // together. The source may have more rows and columns.
  for (int trial = 0; trial < 4000 && !HasFailure(); ++trial) {
    target.ipus = draw(0, 3) == 0 ? 3 : 1;
    target.tiles = 24 / target.ipus;
    int64_t images = draw(1, 3), channels = 8 * draw(1, 2);
    int64_t rows = draw(2, 5), columns = draw(2, 5), step = draw(1, 2);
    ExchangeMove move;
    move.elementBytes = int64_t(1) << draw(0, 3);
    SmallVector<int64_t> image = {images, channels, rows, columns},
                         source = {images, channels, step * rows,
                                   step * columns},
                         flat = {images, channels, rows * columns};
    auto drawMapping = [&](ArrayRef<int64_t> shape, bool mayOverlap) {
      SmallVector<int64_t> grid;
      SmallVector<TileMappingBlock> blocks(shape.size());
      int64_t group = int64_t(1) << draw(1, 3);
      for (unsigned dim = 0; dim < shape.size(); ++dim) {
        if (draw(0, 2) == 0)
          continue;
        int64_t block = draw(1, shape[dim]);
        if (dim == 1)
          block = group * draw(1, channels / group);
        int64_t extent = block;
        if (mayOverlap && dim >= 2)
          extent += draw(0, 1);
        if (computeProduct(grid) * llvm::divideCeil(shape[dim], block) > 24)
          continue;
        blocks[dim] = {static_cast<int64_t>(grid.size()), block, extent};
        grid.push_back(llvm::divideCeil(shape[dim], block));
      }
      AffineExpr n, c, y, x;
      bindDims(&context, n, c, y, x);
      SmallVector<AffineExpr> layout = {c.floorDiv(group), n, y, x, c % group};
      if (shape.size() == 3)
        layout.erase(layout.begin() + 3);
      return TileMappingAttr::get(&context, shape, grid, blocks)
          .withLayout(AffineMap::get(shape.size(), 0, layout, &context));
    };
    bool isFlat = step == 1 && draw(0, 2) == 0;
    move.fromMapping = drawMapping(isFlat ? flat : source,
                                   /*mayOverlap=*/draw(0, 4) == 0);
    move.toMapping =
        drawMapping(draw(0, 1) ? flat : image, /*mayOverlap=*/draw(0, 2) == 0);
    move.from = StridedView::identity(source);
    move.from.sizes = image;
    move.from.strides[2] *= step;
    move.from.strides[3] *= step;
    move.to = StridedView::identity(image);
    check({move}, "trial " + std::to_string(trial));
  }
}

TEST_F(ExchangeTest, LayoutsOfViewsAgreeWithEnumeration) {
  int64_t withMoreRuns = 0;
  constexpr int kTrials = 3000;
  for (int trial = 0; trial < kTrials && !HasFailure(); ++trial) {
    target.ipus = draw(0, 2) == 0 ? 2 : 1;
    target.tiles = target.ipus > 1 ? draw(6, 8) : draw(11, 16);
    ExchangeMove move = drawMove();
    move.fromMapping = drawLayout(move.fromMapping);
    move.toMapping = drawLayout(move.toMapping);
    withMoreRuns += checkBytes({move}, "trial " + std::to_string(trial)) > 0;
  }
  // A run may only be counted as several runs if a loop begins inside of a
  // group.
  EXPECT_LT(withMoreRuns, kTrials / 5);
}

//===----------------------------------------------------------------------===//
// Moves of too many elements to enumerate
//===----------------------------------------------------------------------===//

TEST_F(ExchangeTest, LinearMapsOfManyElements) {
  // 2^30 elements move from 1024 tiles with 2^20 elements each to 1366 tiles
  // with three quarters of this number each. Tile t then has the whole of [t *
  // 786432, (t + 1) * 786432).
  int64_t n = int64_t(1) << 30, big = 1 << 20, small = 3 << 18;
  auto from = TileMappingAttr::get(&context, {n}, {1024}, {{0, big, big}});
  auto to = TileMappingAttr::get(&context, {n}, {1366}, {{0, small, small}});
  StridedView all = StridedView::identity({n});
  ExchangeTraffic traffic = getDirect(target, {{from, to, all, all, 4, 0}});
  // Tile 2 has [2 * 2^20, 3 * 2^20) and needs [1.5 * 2^20, 2.25 * 2^20). It
  // receives two thirds from tile 1, and has the rest.
  EXPECT_EQ(traffic.local.get(0), 4 * small);
  EXPECT_EQ(traffic.received.get(2), 4 * (small / 3 * 2));
  EXPECT_EQ(traffic.receiveRuns.get(2), 1);
  EXPECT_EQ(traffic.local.get(2), 4 * (small / 3));
  EXPECT_EQ(traffic.sent.get(2), 4 * (big - small / 3));
  EXPECT_EQ(traffic.received.getSum() + traffic.local.getSum(), 4 * n);
  EXPECT_EQ(traffic.sent.getSum(), traffic.received.getSum());
  EXPECT_FALSE(traffic.inPairs);
}

TEST_F(ExchangeTest, MostTilesThereCanBe) {
  target.tiles = 1 << 20;
  int64_t n = int64_t(1) << 40, step = 1 << 20;
  auto from = TileMappingAttr::get(&context, {n}, {1 << 20}, {{0, step, step}});
  auto to = TileMappingAttr::get(&context, {1024, 1024, 1 << 20}, {1024, 1024},
                                 {{1, 1, 1}, {0, 1, 1}, {}});
  StridedView all = StridedView::identity({n});
  ExchangeTraffic traffic = getDirect(target, {{from, to, all, all, 2, 0}});
  // A transposition of a square of tiles. Tiles on the diagonal keep their
  // elements.
  EXPECT_EQ(traffic.received.getSum(), 2 * (n - 1024 * step));
  EXPECT_EQ(traffic.receiveRuns.getSum(), (1 << 20) - 1024);
  EXPECT_EQ(traffic.sent.getMax().second, 2 * step);
  EXPECT_EQ(traffic.local.getSum(), 2 * 1024 * step);
  EXPECT_EQ(traffic.packed.getSum(), 0);
}

TEST_F(ExchangeTest, GridsWithHalos) {
  // 64 x 4096 x 4096 elements move from quarters of the channels and 16 x 23
  // blocks to a grid with halos. The analysis computes the traffic of a billion
  // elements as products of a few numbers.
  SmallVector<int64_t> shape = {64, 4096, 4096};
  auto from = TileMappingAttr::get(&context, shape, {4, 16, 23},
                                   {{0, 16, 16}, {1, 256, 256}, {2, 179, 179}});
  auto to = TileMappingAttr::get(&context, shape, {2, 32, 23},
                                 {{}, {1, 128, 130}, {2, 179, 181}});
  StridedView all = StridedView::identity(shape);
  ExchangeTraffic traffic = getDirect(target, {{from, to, all, all, 4, 0}});
  // The rows of tiles are 31 of 130 rows and one of 128. The columns of tiles
  // are 22 of 181 columns and one of 158.
  int64_t wanted = 2 * 64 * int64_t(31 * 130 + 128) * (22 * 181 + 158);
  EXPECT_EQ(traffic.received.getSum() + traffic.local.getSum(), 4 * wanted);
  // Several tiles receive each element.
  EXPECT_EQ(traffic.sent.getSum(), 4 * computeProduct(shape));
}

TEST_F(ExchangeTest, ElementsThatAreReadOftenAreSentOnce) {
  // 4096 rows on 16 tiles, each of which has the same 2^25 elements.
  int64_t n = int64_t(1) << 25, rows = 4096;
  auto from = TileMappingAttr::get(&context, {n}, {16}, {{0, n / 16, n / 16}});
  auto to = TileMappingAttr::get(&context, {rows, n}, {16},
                                 {{0, rows / 16, rows / 16}, {}});
  StridedView all = StridedView::identity({rows, n}), read = all;
  read.strides = {0, 1};
  ExchangeTraffic traffic = getDirect(target, {{from, to, read, all, 4, 0}});
  EXPECT_EQ(traffic.sent.getSum(), 4 * n);
  EXPECT_EQ(traffic.sent.get(0), 4 * n / 16);
  EXPECT_EQ(traffic.received.getSum() + traffic.local.getSum(), 4 * n * rows);
  EXPECT_EQ(traffic.local.getSum(), 4 * n * rows / 16);
}

TEST_F(ExchangeTest, TooManyPiecesAreBounded) {
  // A reversed transposition of 2^40 elements in linear tile mappings. Each
  // element is a run, and the analysis needs a sweep.
  int64_t side = 1 << 20, step = int64_t(1) << 30;
  auto mapping =
      TileMappingAttr::get(&context, {side * side}, {1024}, {{0, step, step}});
  StridedView to = StridedView::identity({side, side}), from = to;
  from.offset = side * side - 1;
  from.strides = {-1, -side};
  target.ipus = 2;
  target.tiles = 512;
  ExchangeTraffic traffic =
      getDirect(target, {{mapping, mapping, from, to, 2, 0}});
  for (int64_t tile : {0, 1023}) {
    EXPECT_EQ(traffic.received.get(tile), 2 * step);
    EXPECT_EQ(traffic.receiveRuns.get(tile), step);
    EXPECT_EQ(traffic.packed.get(tile), 2 * step);
    EXPECT_EQ(traffic.sent.get(tile), 2 * step);
  }
  EXPECT_EQ(traffic.linkIn[1], side * side);
  EXPECT_EQ(traffic.getNumPartners()[0], 1);
}

//===----------------------------------------------------------------------===//
// Cycles and code
//===----------------------------------------------------------------------===//

TEST_F(ExchangeTest, PairsReceiveAtDoubleWidth) {
  target.tiles = 8;
  // 128 elements move from tile 7 to tiles 0 to 3. All tiles receive the same
  // elements, or pairs of tiles receive halves.
  auto from = TileMappingAttr::getSingle(&context, {128}, 7);
  auto same = TileMappingAttr::get(&context, {128}, {4}, {TileMappingBlock()});
  auto halves = TileMappingAttr::get(&context, {128}, {2, 2}, {{0, 64, 64}});
  auto mixed = TileMappingAttr::get(&context, {128}, {2, 2}, {{1, 64, 64}});
  auto odd = TileMappingAttr::get(&context, {128}, {3}, {TileMappingBlock()});
  StridedView all = StridedView::identity({128});
  auto getCycles = [&](TileMappingAttr to) {
    ExchangeTraffic traffic = getDirect(target, {{from, to, all, all, 4, 0}});
    EXPECT_EQ(traffic.sent.get(7), 512);
    return getExchangeTileCycles(target, traffic).get(0);
  };
  EXPECT_EQ(getCycles(same), 512 / 8 + 2);
  EXPECT_EQ(getCycles(halves), 256 / 8 + 2);
  EXPECT_EQ(getCycles(mixed), 256 / 4 + 2);
  EXPECT_EQ(getCycles(odd), 512 / 4 + 2);
}

TEST_F(ExchangeTest, CyclesOfLocalCopies) {
  target.tiles = 2;
  target.local_copy_cycles = 288;
  target.local_copy_run_cycles = 20;
  target.rearrange_cycles = 587;
  auto getCycles = [&](int64_t elements, int64_t bytes, bool reversed) {
    auto mapping = TileMappingAttr::getSingle(&context, {elements});
    StridedView to = StridedView::identity({elements}), from = to;
    if (reversed) {
      from.offset = elements - 1;
      from.strides = {-1};
    }
    ExchangeTraffic traffic =
        getDirect(target, {{mapping, mapping, from, to, bytes, 0}});
    EXPECT_EQ(traffic.bytes, 0);
    // There is no set-up, because no element is sent on the fabric.
    int64_t cycles = getExchangeTileCycles(target, traffic).get(0);
    EXPECT_EQ(getExchangeCycles(target, traffic), cycles);
    return cycles;
  };
  EXPECT_EQ(getCycles(1000, 4, false), 288 + 500 + 20);
  EXPECT_EQ(getCycles(0, 4, false), 0);
  // Runs of one element are rearranged, which takes 3.13 cycles for each byte.
  EXPECT_EQ(getCycles(1000, 4, true), 587 + 12520);
  EXPECT_EQ(getCycles(1000, 2, true), 587 + 10300);
  EXPECT_EQ(getCycles(1000, 8, true), 587 + 3520);
  // A few runs are copied one by one.
  EXPECT_EQ(getCycles(4, 4, true), 288 + 2 + 4 * 20);
}

TEST_F(ExchangeTest, CyclesAndCode) {
  target.tiles = 2;
  target.ipus = 2;
  target.local_copy_cycles = 288;
  target.local_copy_run_cycles = 20;
  // Tile 0 has 6 elements of 2 bytes. Tiles 0 and 1 get 3 elements each, and
  // tiles 2 and 3 get none.
  auto from = TileMappingAttr::getSingle(&context, {6});
  auto to = TileMappingAttr::get(&context, {6}, {4}, {{0, 3, 3}});
  StridedView all = StridedView::identity({6});
  ExchangeTraffic traffic = getDirect(target, {{from, to, all, all, 2, 0}});
  // Tile 1 receives ceil(6 / 4) words in one run. 6 bytes are packed at 5.15
  // cycles each.
  TileCounts cycles = getExchangeTileCycles(target, traffic);
  EXPECT_EQ(cycles.get(1), 2 + 2 + 31);
  // Tile 0 sends 6 bytes and copies 6 bytes locally.
  EXPECT_EQ(cycles.get(0), 2 + 288 + 1 + 20);
  EXPECT_EQ(cycles.get(2), 0);
  EXPECT_EQ(getExchangeCycles(target, traffic), cycles.get(0) + 100);
  EXPECT_EQ(getExchangeCode(target, traffic).getRuns(),
            ArrayRef<TileRun>({{0, 1, 16 + 4}, {1, 2, 16 + 8}, {2, 4, 0}}));

  // Tiles 0 to 2 get 2 elements each. Tiles 2 and 3 are on the other IPU.
  auto far = TileMappingAttr::get(&context, {6}, {4}, {{0, 2, 2}});
  traffic = getDirect(target, {{from, far, all, all, 2, 0}});
  EXPECT_EQ(traffic.linkIn, SmallVector<int64_t>({0, 4}));
  EXPECT_EQ(traffic.linkOut, SmallVector<int64_t>({4, 0}));
  EXPECT_EQ(traffic.getNumPartners(), SmallVector<int64_t>({1, 1}));
  int64_t onChip = getExchangeTileCycles(target, traffic).get(0);
  EXPECT_EQ(getExchangeCycles(target, traffic),
            onChip + 100 + target.getLatencyCycles(target.link_latency_ns) + 1 +
                target.sync_ipus_cycles + 2 * target.rearrange_cycles);

  // 600 bytes are sent to the other IPU, at one byte per cycle. They are three
  // packets of one run, or 150 packets of one run each.
  target.link_bytes_per_second = target.clock_hz;
  auto near = TileMappingAttr::getSingle(&context, {10, 15}, 0);
  auto other = TileMappingAttr::getSingle(&context, {10, 15}, 2);
  StridedView rows = StridedView::identity({10, 15});
  StridedView columns = {0, {10, 15}, {1, 10}};
  for (auto [view, bytes] : {std::make_pair(rows, 600 + 3 * 4),
                             std::make_pair(columns, 600 + 150 * 4)}) {
    traffic = getDirect(target, {{near, other, view, rows, 4, 0}});
    onChip = getExchangeTileCycles(target, traffic).getMax().second;
    EXPECT_EQ(getExchangeCycles(target, traffic),
              onChip + 100 + target.getLatencyCycles(target.link_latency_ns) +
                  bytes + target.sync_ipus_cycles +
                  2 * target.rearrange_cycles);
  }
}

TEST_F(ExchangeTest, ReceiversTransposeBlocks) {
  target.tiles = 4;
  // Tile 0 stores 32 rows of 64 columns, with the columns innermost. Tiles 0
  // and 1 need half of the columns each, with the rows innermost in groups.
  AffineExpr r, c;
  bindDims(&context, r, c);
  auto from = TileMappingAttr::getSingle(&context, {32, 64});
  auto to = TileMappingAttr::get(&context, {32, 64}, {2}, {{}, {0, 32, 32}})
                .withLayout(AffineMap::get(
                    2, 0, {c.floorDiv(16), r.floorDiv(16), c % 16, r % 16},
                    &context));
  StridedView all = StridedView::identity({32, 64});
  ExchangeMove move = {from, to, all, all, 2, 0};
  ExchangeTraffic direct = *getDirectTraffic(target, move);
  EXPECT_EQ(direct.receiveRuns.get(1), 1024);
  // Each second element of a row of the source is in the first half of its
  // word.
  EXPECT_EQ(direct.packed.get(1), 1024);
  EXPECT_EQ(direct.receivePadding.get(1), 2048);
  auto traffic = getSourceTraffic(target, move);
  // A run has the 16 columns of a block in one row. Tile 1 transposes 4 blocks
  // of 16 by 16 elements, each of which takes 18 + 4 * (12 + 4 * 2) cycles.
  EXPECT_EQ(traffic->receiveRuns.get(1), 64);
  EXPECT_EQ(traffic->packed.getSum(), 0);
  EXPECT_EQ(traffic->received.get(1), 2048);
  EXPECT_EQ(traffic->transposed.get(1), 30 + 7 + 6 * (29 + 98));
  EXPECT_EQ(traffic->transposed.get(0), traffic->transposed.get(1));
  EXPECT_EQ(traffic->transposed.get(2), 0);
  EXPECT_EQ(getExchangeTileCycles(target, *traffic).get(1),
            2048 / 4 + 64 * 2 + 30 + 7 + 6 * (29 + 98));
  EXPECT_LT(getExchangeCycles(target, *traffic),
            getExchangeCycles(target, direct));
  EXPECT_EQ(getExchangeTraffic(target, move).transposed.get(1),
            traffic->transposed.get(1));
  // No blocks of 8 or more columns divide 33 columns. Tile 0 transposes 2 x 3
  // blocks, and the columns of the last blocks are padded.
  auto odd = TileMappingAttr::get(&context, {32, 64}, {2}, {{}, {0, 33, 33}})
                 .withLayout(AffineMap::get(2, 0, {c, r}, &context));
  move = {from, odd, all, all, 2, 0};
  traffic = getSourceTraffic(target, move);
  EXPECT_EQ(traffic->transposed.get(0), 30 + 7 + 6 * (29 + 98));
  EXPECT_EQ(traffic->localRuns.get(0), 32);
  // Direct moves are used if they take fewer cycles, and if elements have 64
  // bits.
  move = {from, to, all, all, 8, 0};
  EXPECT_EQ(getSourceTraffic(target, move)->transposed.getSum(), 0);
  target.rearrange_rate = target.exchange_run_cycles = 0;
  move = {from, to, all, all, 2, 0};
  EXPECT_EQ(getSourceTraffic(target, move)->transposed.getSum(), 0);
}

} // namespace
