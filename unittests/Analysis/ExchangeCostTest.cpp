//===- ExchangeCostTest.cpp - Exchanges against enumeration -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/CostModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace mlir;
using namespace mlir::ipu;

namespace {

/// Elements that each tile holds, in the order of its box.
std::vector<std::vector<int64_t>> getElements(MapAttr map, int64_t tiles) {
  std::vector<std::vector<int64_t>> elements(tiles);
  SmallVector<int64_t> strides = computeStrides(map.getDomain());
  for (int64_t tile = 0; tile < map.getNumTiles(); ++tile) {
    Box box = map.getBox(tile);
    for (int64_t i = 0, e = box.getNumElements(); i < e; ++i) {
      SmallVector<int64_t> at = delinearize(i, computeStrides(box.sizes));
      int64_t element = 0;
      for (size_t dim = 0; dim < at.size(); ++dim)
        element += (box.offsets[dim] + at[dim]) * strides[dim];
      elements[map.getFirst() + tile].push_back(element);
    }
  }
  return elements;
}

/// Cycles of a move of `view[i]`, an element of a source mapped by `from`, to
/// element i of a target mapped by `to`, tile by tile and element by element.
SmallVector<int64_t> enumerateCycles(const TargetModel &target, MapAttr from,
                                     MapAttr to, ArrayRef<int64_t> view,
                                     int64_t elementBytes) {
  int64_t tiles = target.getTilesPerReplica();
  std::vector<int64_t> owner(from.getNumElements(), -1);
  auto held = getElements(from, tiles);
  for (int64_t tile = tiles - 1; tile >= 0; --tile)
    for (int64_t element : held[tile])
      owner[element] = tile;
  std::vector<std::set<int64_t>> sent(tiles);
  std::vector<int64_t> received(tiles), runs(tiles), local(tiles);
  auto wanted = getElements(to, tiles);
  bool any = false;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    int64_t last = -2;
    for (int64_t element : wanted[tile]) {
      int64_t source = view[element];
      if (owner[source] == tile) {
        local[tile] += elementBytes;
      } else {
        any = true;
        sent[owner[source]].insert(source);
        received[tile] += elementBytes;
        bool continues = last == element - 1 && view[last] == source - 1 &&
                         owner[view[last]] == owner[source];
        runs[tile] += !continues;
      }
      last = element;
    }
  }
  SmallVector<int64_t> cycles;
  for (int64_t tile = 0; tile < tiles; ++tile)
    cycles.push_back(
        std::max(llvm::divideCeil(sent[tile].size() * elementBytes, 4),
                 llvm::divideCeil(received[tile], 4)) +
        2 * runs[tile] +
        (local[tile] ? 60 + llvm::divideCeil(local[tile], 8) : 0));
  int64_t slowest = 0;
  for (int64_t tile : cycles)
    slowest = std::max(slowest, tile);
  return {slowest ? slowest + (any ? 100 : 0) : 0,
          std::accumulate(cycles.begin(), cycles.end(), int64_t(0))};
}

TEST(ExchangeCostTest, AgreesWithEnumeration) {
  MLIRContext context;
  context.loadDialect<IPUDialect, func::FuncDialect, memref::MemRefDialect>();
  std::mt19937 random(11);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  TargetModel target = *TargetModel::getPreset("gc200");
  target.tiles = 12;
  for (int trial = 0; trial < 300; ++trial) {
    int64_t rows = draw(1, 6), columns = draw(1, 8), n = rows * columns;
    int64_t step = draw(1, 5);
    auto from = MapAttr::get(&context, {n}, {(n + step - 1) / step},
                             {{0, step, step}}, 0);
    if (from.getNumTiles() > 12)
      continue;
    // Windows of the transposed source, perhaps with halos and copies.
    int64_t block = draw(2, 8), halo = draw(0, 2), copies = draw(1, 2);
    int64_t parts = (columns + block - 1) / block;
    if (parts * copies > 12)
      continue;
    auto to = MapAttr::get(&context, {columns, rows}, {parts, copies},
                           {{0, block, block + halo}, {}}, 0);
    Type element = draw(0, 1) ? Type(Float32Type::get(&context))
                              : Type(Float16Type::get(&context));
    OpBuilder builder(&context);
    Location loc = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
    builder.setInsertionPointToStart(module->getBody());
    auto layout = MemRefLayoutAttrInterface();
    auto source = VarOp::create(
        builder, loc, MemRefType::get({rows, columns}, element, layout, from),
        "source", false, ElementsAttr());
    auto result = VarOp::create(
        builder, loc, MemRefType::get({columns, rows}, element, layout, to),
        "target", true, ElementsAttr());
    auto viewType = MemRefType::get(
        {columns, rows}, element,
        StridedLayoutAttr::get(&context, 0, {1, columns}), from);
    auto view = memref::ReinterpretCastOp::create(
        builder, loc, viewType, source.getResult(), 0,
        ArrayRef<int64_t>{columns, rows}, ArrayRef<int64_t>{1, columns});
    auto exchange = ExchangeOp::create(builder, loc, "e", StepCostAttr());
    builder.setInsertionPointToStart(&exchange.getBody().emplaceBlock());
    MoveOp::create(builder, loc, view.getResult(), result.getResult());

    SmallVector<int64_t> elements;
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t row = 0; row < rows; ++row)
        elements.push_back(row * columns + column);
    StepCostAttr cost = getExchangeCost(target, exchange);
    SmallVector<int64_t> expected =
        enumerateCycles(target, from, to, elements, getStoredBytes(element));
    EXPECT_EQ(cost.getCycles()[0], expected[0]);
    EXPECT_EQ(cost.getTotal(), expected[1]);
  }
}

} // namespace
