//===- ExchangeBound.cpp - Upper bounds of a move ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes upper bounds of the traffic of moves with so many pieces that a
// sweep (ExchangeSweep.cpp) would take too long. The bounds assume that all
// data of the target come from other tiles, and that no two elements are
// contiguous on both the source tile and the target tile.
//
//===----------------------------------------------------------------------===//

#include "ExchangeDetail.h"
#include "ExchangeWords.h"

#include <numeric>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

/// Most pieces along a loop of `size` iterations `step` apart.
static Count getNumSplits(const TileMappingSide &side, int64_t size,
                          int64_t step) {
  int64_t reach = std::abs(step);
  if (reach == 0)
    return 1;
  for (const TileMappingDim &dim : side.dims) {
    if (dim.size == 1 || reach < dim.stride)
      continue;
    if (reach % dim.stride != 0)
      return size;
    Count span = Count(size) * (reach / dim.stride);
    Count times = span.divideCeil(dim.size) + 1;
    bool isSplit = dim.parts > 1 || dim.extent < dim.size;
    Count intervals = isSplit ? Count(2) * span.divideCeil(dim.step) : Count(0);
    return std::min(Count(size), intervals + times + 1);
  }
  return size;
}

Count exchange::countPieces(const TileMappingSide &from,
                            const TileMappingSide &to,
                            ArrayRef<MoveLoop> loops) {
  if (loops.empty())
    return 1;
  Count rows = 1;
  for (const MoveLoop &loop : loops.drop_back())
    rows = rows * loop.size;
  const MoveLoop &inner = loops.back();
  Count pieces = rows * std::min(Count(inner.size),
                                 getNumSplits(from, inner.size, inner.from) +
                                     getNumSplits(to, inner.size, inner.to));
  for (const TileMappingDim &dim : to.dims)
    if (dim.hasOverlaps())
      pieces = pieces *
               std::min(dim.parts, (dim.extent + dim.step - 1) / dim.step + 1);
  return from.hasOverlaps() ? pieces * to.copies.size() : pieces;
}

Count exchange::countPieces(const MovePart &part) {
  return part.loops.isEmpty ? 1
                            : countPieces(part.from, part.to, part.loops.loops);
}

void exchange::addByBound(const TargetModel &target, const ExchangeMove &move,
                          const MovePart &part, MoveTraffic &traffic,
                          SourceTraffic &source) {
  int64_t all = part.loops.getNumElements();
  int64_t numTiles = move.toMapping.getNumTiles();
  traffic.tileOfRegion.resize(numTiles);
  std::iota(traffic.tileOfRegion.begin(), traffic.tileOfRegion.end(), 0);
  traffic.regionOfTile = traffic.tileOfRegion;
  traffic.copies = {0};
  traffic.first = move.toMapping.getFirst();
  traffic.regions.resize(numTiles);
  traffic.local.resize(numTiles);
  SmallVector<Count> in(target.ipus), out(target.ipus);
  auto forEachTile = [&](TileMappingAttr mapping, auto visit) {
    TileCounts counts =
        getElementsPerTile(mapping, target.getTilesPerReplica());
    for (const TileRun &run : counts.getRuns()) {
      int64_t elements =
          std::min<int64_t>(llvm::divideCeil(run.value, part.joined), all);
      for (int64_t tile = run.begin; elements > 0 && tile < run.end; ++tile)
        visit(tile, elements);
    }
  };
  forEachTile(move.toMapping, [&](int64_t tile, int64_t elements) {
    MoveTraffic::Part &bound = traffic.regions[tile - traffic.first];
    bound.elements = bound.runs = elements;
    // Each element can be a run that changes its position in a word.
    if (getWordGrain(part.elementBytes) > 1)
      bound.packed = elements;
    MoveTraffic::Part element;
    element.addWords({0, 0, 1}, part.elementBytes);
    bound.padding = element.padding * elements;
    in[tile / target.tiles] += elements;
  });
  forEachTile(move.fromMapping, [&](int64_t tile, int64_t elements) {
    source.sent[tile] += elements;
    source.sendRuns[tile] += elements;
    out[tile / target.tiles] += elements;
  });
  for (int64_t from = 0; from < target.ipus; ++from)
    for (int64_t to = 0; out[from].get() > 0 && to < target.ipus; ++to)
      if (from != to && in[to].get() > 0) {
        traffic.linkIn[to] = std::min(in[to].get(), all);
        traffic.linkOut[from] = std::min(out[from].get(), all);
        traffic.links[{from, to}] =
            std::min({in[to].get(), out[from].get(), all});
      }
}
