//===- ExchangeCost.cpp - Cost of an exchange -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each box that a target variable has somewhere, find which tiles its
// elements come from. Tiles with copies of one box receive the same, so each
// distinct box is walked once, element by element.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/CostModel.h"

#include "Count.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::ipu;

/// Calls `visit` with the row-major index of each element of `box`.
template <typename Fn>
static void forEachElement(ArrayRef<int64_t> domain, const Box &box, Fn visit) {
  if (box.isEmpty())
    return;
  SmallVector<int64_t> strides = computeStrides(domain);
  SmallVector<int64_t> at(domain.size(), 0);
  int64_t index = 0;
  for (auto [offset, stride] : llvm::zip_equal(box.offsets, strides))
    index += offset * stride;
  while (true) {
    visit(index);
    int64_t dim = domain.size() - 1;
    for (; dim >= 0; --dim) {
      index += strides[dim];
      if (++at[dim] < box.sizes[dim])
        break;
      index -= at[dim] * strides[dim];
      at[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

namespace {
/// Where one element of a target comes from.
struct Origin {
  int32_t source = -1; // index of a source variable; -1: not written
  int32_t tile = 0;
  int64_t element = 0;
};

/// What one box receives from one tile.
struct Arrival {
  int64_t bytes = 0;
  int64_t runs = 0;
};

class ExchangeCosts {
public:
  ExchangeCosts(const TargetModel &target)
      : target(target), sent(target.getTilesPerReplica(), 0),
        received(sent.size(), 0), runs(sent.size(), 0), local(sent.size(), 0),
        linkIn(target.ipus, 0), linkOut(target.ipus, 0) {}

  void addTarget(Value variable, ArrayRef<MoveOp> moves);
  StepCostAttr getCost(MLIRContext *context) const;

private:
  SmallVector<Origin> getOrigins(int64_t numElements, ArrayRef<MoveOp> moves);
  int32_t getSource(VarOp variable);
  void addBox(MapAttr map, int64_t elementBytes, const Box &box,
              ArrayRef<int64_t> tiles, ArrayRef<Origin> origins);

  const TargetModel &target;
  SmallVector<int64_t> sent, received, runs, local, linkIn, linkOut;
  int64_t bytes = 0;

  /// For each source variable: tiles of its elements, which of them were sent,
  /// and which to other IPUs.
  struct Source {
    SmallVector<int32_t> tiles;
    llvm::BitVector sent, sentOut;
  };
  llvm::MapVector<Operation *, int32_t> sourceNumbers;
  std::vector<Source> sources;
};
} // namespace

int32_t ExchangeCosts::getSource(VarOp variable) {
  auto [it, isNew] = sourceNumbers.insert({variable, sources.size()});
  if (!isNew)
    return it->second;
  MemRefType type = variable.getResult().getType();
  MapAttr map = getMap(type);
  Source &source = sources.emplace_back();
  source.tiles.assign(type.getNumElements(), -1);
  source.sent.resize(type.getNumElements());
  source.sentOut.resize(type.getNumElements());
  for (int64_t i = 0, e = map.getNumTiles(); i < e; ++i)
    forEachElement(map.getDomain(), map.getBox(i), [&](int64_t element) {
      // Where several tiles hold an element, the first one sends it.
      if (source.tiles[element] < 0)
        source.tiles[element] = map.getFirst() + i;
    });
  return it->second;
}

SmallVector<Origin> ExchangeCosts::getOrigins(int64_t numElements,
                                              ArrayRef<MoveOp> moves) {
  SmallVector<Origin> origins(numElements);
  for (MoveOp move : moves) {
    int32_t number = getSource(getVariable(move.getSource()));
    ArrayRef<int32_t> tiles = sources[number].tiles;
    StridedView source =
        getStridedView(cast<MemRefType>(move.getSource().getType()));
    StridedView target =
        getStridedView(cast<MemRefType>(move.getTarget().getType()));
    Box all{SmallVector<int64_t>(source.sizes.size(), 0), source.sizes};
    SmallVector<int64_t> strides = computeStrides(source.sizes);
    forEachElement(source.sizes, all, [&](int64_t index) {
      int64_t from = source.offset, to = target.offset;
      for (size_t dim = 0; dim < strides.size(); ++dim) {
        int64_t i = index / strides[dim];
        index -= i * strides[dim];
        from += i * source.strides[dim];
        to += i * target.strides[dim];
      }
      origins[to] = {number, tiles[from], from};
    });
  }
  return origins;
}

void ExchangeCosts::addBox(MapAttr map, int64_t elementBytes, const Box &box,
                           ArrayRef<int64_t> tiles, ArrayRef<Origin> origins) {
  llvm::MapVector<int32_t, Arrival> arrivals;
  Origin last;
  int64_t lastElement = -2;
  forEachElement(map.getDomain(), box, [&](int64_t element) {
    const Origin &origin = origins[element];
    if (origin.source < 0 || origin.tile < 0)
      return;
    Arrival &arrival = arrivals[origin.tile];
    arrival.bytes += elementBytes;
    if (element != lastElement + 1 || origin.source != last.source ||
        origin.tile != last.tile || origin.element != last.element + 1)
      ++arrival.runs;
    last = origin;
    lastElement = element;
    // An element is sent if some tile other than its own takes it.
    Source &source = sources[origin.source];
    int64_t home = origin.tile / target.tiles;
    if ((tiles.front() != origin.tile || tiles.back() != origin.tile) &&
        !source.sent.test(origin.element)) {
      source.sent.set(origin.element);
      sent[origin.tile] += elementBytes;
    }
    if ((tiles.front() / target.tiles != home ||
         tiles.back() / target.tiles != home) &&
        !source.sentOut.test(origin.element)) {
      source.sentOut.set(origin.element);
      linkOut[home] += elementBytes;
    }
  });
  int64_t lastIPU = -1;
  for (int64_t tile : tiles) {
    int64_t ipu = tile / target.tiles;
    for (auto &[from, arrival] : arrivals) {
      if (from == tile) {
        local[tile] += arrival.bytes;
        continue;
      }
      received[tile] += arrival.bytes;
      runs[tile] += arrival.runs;
      bytes += arrival.bytes;
      // Links bring a box once for all tiles of an IPU.
      if (from / target.tiles != ipu && ipu != lastIPU)
        linkIn[ipu] += arrival.bytes;
    }
    lastIPU = ipu;
  }
}

void ExchangeCosts::addTarget(Value variable, ArrayRef<MoveOp> moves) {
  auto type = cast<MemRefType>(variable.getType());
  MapAttr map = getMap(type);
  SmallVector<Origin> origins = getOrigins(type.getNumElements(), moves);
  // Tiles that hold the same box.
  llvm::MapVector<
      std::pair<SmallVector<int64_t>, SmallVector<int64_t>>,
      SmallVector<int64_t>,
      std::map<std::pair<SmallVector<int64_t>, SmallVector<int64_t>>, unsigned>>
      boxes;
  for (int64_t i = 0, e = map.getNumTiles(); i < e; ++i) {
    Box box = map.getBox(i);
    if (!box.isEmpty())
      boxes[{box.offsets, box.sizes}].push_back(map.getFirst() + i);
  }
  int64_t elementBytes = getStoredBytes(type.getElementType());
  for (auto &[box, tiles] : boxes)
    addBox(map, elementBytes, {box.first, box.second}, tiles, origins);
}

StepCostAttr ExchangeCosts::getCost(MLIRContext *context) const {
  SmallVector<int64_t> tileCycles(sent.size(), 0);
  int64_t perCycle = target.exchange_bytes_per_cycle;
  for (size_t tile = 0; tile < sent.size(); ++tile) {
    Count cycles =
        Count(std::max(sent[tile], received[tile])).divideCeil(perCycle) +
        Count(target.exchange_run_cycles) * runs[tile];
    if (local[tile] > 0)
      cycles +=
          Count(target.local_copy_cycles) +
          Count(local[tile]).divideCeil(target.local_copy_bytes_per_cycle);
    tileCycles[tile] = cycles.get();
  }
  SmallVector<int64_t> ipuFloor(target.ipus, 0);
  for (int64_t ipu = 0; ipu < target.ipus; ++ipu)
    if (int64_t link = std::max(linkIn[ipu], linkOut[ipu]))
      ipuFloor[ipu] =
          (Count(target.getLatencyCycles(target.link_latency_ns)) +
           target.getTransferCycles(link, target.link_bytes_per_second))
              .get();
  return makeStepCost(context, target, tileCycles, ipuFloor,
                      bytes > 0 ? target.exchange_setup_cycles : 0,
                      /*flops=*/0, bytes);
}

StepCostAttr mlir::ipu::getExchangeCost(const TargetModel &target,
                                        ExchangeOp op) {
  llvm::MapVector<Value, SmallVector<MoveOp>> targets;
  for (auto move : op.getBody().getOps<MoveOp>())
    targets[getVariable(move.getTarget()).getResult()].push_back(move);
  ExchangeCosts costs(target);
  for (auto &[variable, moves] : targets)
    costs.addTarget(variable, moves);
  return costs.getCost(op.getContext());
}
