//===- JitPackedTiles.cpp - Tiles of packed contractions ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the loops over the tiles of a packed block. The accumulators of a tile
// are in registers while the tile's reductions run. They are loaded from the
// output and stored to it. A tile at the border of a block, or whose outputs
// are not contiguous, is copied through a buffer.
//
//===----------------------------------------------------------------------===//

#include "JitContractions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::ipu;
using arith::CmpIPredicate;

void ContractionBuilder::buildTiles(const PackedBlock &block) {
  Value width = getIndex(laneSide.width), height = getIndex(rowSide.width);
  forEachBlock(block.numLanes, width, [&](Value lane, Value) {
    Value isContiguous = areContiguous(laneSide.outputs, lane, laneSide.width);
    forEachBlock(block.numRows, height, [&](Value row, Value) {
      buildTile(block, lane, row, isContiguous);
    });
  });
}

/// Copies what is used of a tile from the output, or to it.
void ContractionBuilder::copyTile(const PackedBlock &block, Value lane,
                                  Value row, bool isLoad) {
  auto type = VectorType::get(lanes, getElementTypeOrSelf(output.getType()));
  auto indexType = VectorType::get(lanes, b.getIndexType());
  auto maskType = VectorType::get(lanes, b.getI1Type());
  Value numRows = arith::SubIOp::create(b, block.numRows, row);
  numRows = arith::MinSIOp::create(b, numRows, getIndex(rowSide.width));
  Value numLanes = arith::SubIOp::create(b, block.numLanes, lane);
  numLanes = arith::MinSIOp::create(b, numLanes, getIndex(laneSide.width));
  forEachBlock(numLanes, getIndex(lanes), [&](Value shift, Value left) {
    Value at = add(lane, shift);
    Value used = vector::CreateMaskOp::create(b, maskType, ValueRange(left));
    Value offsets =
        vector::LoadOp::create(b, indexType, laneSide.outputs, ValueRange(at));
    Value first = loadIndex(laneSide.outputs, at);
    Value start = vector::BroadcastOp::create(b, indexType, first);
    Value next = arith::AddIOp::create(
        b, start, vector::StepOp::create(b, indexType).getResult());
    Value equal = arith::CmpIOp::create(b, CmpIPredicate::eq, offsets, next);
    Value ends = arith::CmpIOp::create(
        b, CmpIPredicate::eq, used,
        arith::ConstantOp::create(b, b.getZeroAttr(maskType)).getResult());
    Value isNext = vector::ReductionOp::create(
        b, vector::CombiningKind::AND,
        arith::OrIOp::create(b, equal, ends).getResult());
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    auto copyRows = [&](function_ref<void(Value, Value)> copy) {
      forEach(numRows, [&](Value i) {
        Value offset = loadIndex(rowSide.outputs, add(row, i));
        copy(add(outputStart, offset), add(multiply(i, laneSide.width), shift));
      });
    };
    auto load = [&](Value from) -> Value {
      return vector::LoadOp::create(b, type, tile, ValueRange(from));
    };
    auto store = [&](Value value, Value to) {
      vector::StoreOp::create(b, value, tile, ValueRange(to));
    };
    choose(
        isNext,
        [&] {
          copyRows([&](Value there, Value here) {
            ValueRange indices = there = add(there, first);
            if (isLoad)
              store(vector::MaskedLoadOp::create(b, type, output, indices, used,
                                                 zero),
                    here);
            else
              vector::MaskedStoreOp::create(b, output, indices, used,
                                            load(here));
          });
        },
        [&] {
          copyRows([&](Value there, Value here) {
            if (isLoad)
              store(vector::GatherOp::create(b, type, output, ValueRange(there),
                                             offsets, used, zero),
                    here);
            else
              vector::ScatterOp::create(b, Type(), output, ValueRange(there),
                                        offsets, used, load(here));
          });
        });
  });
}

/// Accumulators are in the order of rows, then vectors.
void ContractionBuilder::buildTile(const PackedBlock &block, Value lane,
                                   Value row, Value isContiguous) {
  int64_t height = rowSide.width, width = laneSide.width;
  Type element = getElementTypeOrSelf(output.getType());
  auto type = VectorType::get(lanes, element);
  Value numRows = arith::SubIOp::create(b, block.numRows, row);
  Value hasRows = compare(CmpIPredicate::sge, numRows, height);
  Value isDirect = arith::AndIOp::create(b, isContiguous, hasRows);
  Value memory = arith::SelectOp::create(b, isDirect, output, tile);
  Value first = add(outputStart, loadIndex(laneSide.outputs, lane));
  SmallVector<Value> places;
  for (int64_t i = 0; i < height; ++i) {
    Value there = add(first, loadIndex(rowSide.outputs, add(row, i)));
    Value place =
        arith::SelectOp::create(b, isDirect, there, getIndex(i * width));
    for (int64_t vector = 0; vector < kTileVectors; ++vector)
      places.push_back(add(place, vector * lanes));
  }
  SmallVector<Type> types(places.size(), type);
  auto load = [&]() -> SmallVector<Value> {
    choose(isDirect, [] {}, [&] { copyTile(block, lane, row, true); });
    return llvm::map_to_vector(places, [&](Value place) -> Value {
      return vector::LoadOp::create(b, type, memory, ValueRange(place));
    });
  };
  // `value` if that is known and `isFirst` is true.
  auto loadUnless = [&](Value value, Value isFirst) -> SmallVector<Value> {
    if (!value)
      return load();
    auto ifOp = scf::IfOp::create(b, types, isFirst, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    SmallVector<Value> values(types.size(), toVector(value));
    scf::YieldOp::create(b, values);
    b.setInsertionPointToStart(ifOp.elseBlock());
    scf::YieldOp::create(b, load());
    return llvm::to_vector(ValueRange(ifOp.getResults()));
  };
  SmallVector<Value> accumulators =
      loadUnless(sum ? sumInitial : initial, block.isFirst);
  accumulators = sum ? buildTileSums(block, lane, row, accumulators)
                     : buildTileReductions(block, lane, row, accumulators);
  for (auto [place, accumulator] : llvm::zip_equal(places, accumulators))
    vector::StoreOp::create(b, accumulator, memory, ValueRange(place));
  choose(isDirect, [] {}, [&] { copyTile(block, lane, row, false); });
}

/// Adds the partial sums of a tile to `totals`.
SmallVector<Value> ContractionBuilder::buildTileSums(const PackedBlock &block,
                                                     Value lane, Value row,
                                                     ValueRange totals) {
  auto forOp =
      scf::ForOp::create(b, getIndex(0), block.numSums, getIndex(1), totals);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  Value number = forOp.getInductionVar();
  PackedBlock part = block;
  part.reduction = add(block.reduction, multiply(number, block.numReductions));
  SmallVector<Value> sums(totals.size(), toVector(initial));
  sums = buildTileReductions(part, lane, row, sums);
  for (auto [total, partial] : llvm::zip_equal(forOp.getRegionIterArgs(), sums))
    partial = addPartial(total, partial);
  scf::YieldOp::create(b, sums);
  return llvm::to_vector(ValueRange(forOp.getResults()));
}

SmallVector<Value>
ContractionBuilder::buildTileReductions(const PackedBlock &block, Value lane,
                                        Value row, ValueRange accumulators) {
  int64_t height = rowSide.width, width = laneSide.width;
  auto type = VectorType::get(lanes, laneSide.element);
  auto getPanel = [&](Value position, int64_t size) {
    return add(multiply(position, regionSize), multiply(block.reduction, size));
  };
  Value lanePanel = getPanel(lane, width), rowPanel = getPanel(row, height);
  auto forOp = scf::ForOp::create(b, getIndex(0), block.numReductions,
                                  getIndex(1), accumulators);
  tileLoop = forOp;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  Value reduction = forOp.getInductionVar();
  SmallVector<Value> vectors, results;
  Value at = add(lanePanel, multiply(reduction, width));
  for (int64_t vector = 0; vector < kTileVectors; ++vector)
    vectors.push_back(vector::LoadOp::create(
        b, type, laneSide.packed, ValueRange(add(at, vector * lanes))));
  at = add(rowPanel, multiply(reduction, height));
  for (int64_t i = 0; i < height; ++i) {
    Value element = toVector(
        memref::LoadOp::create(b, rowSide.packed, ValueRange(add(at, i))));
    for (int64_t vector = 0; vector < kTileVectors; ++vector)
      results.push_back(buildElements(
          op,
          [&](OpOperand &operand) {
            return &operand == laneSide.operand ? vectors[vector] : element;
          },
          forOp.getRegionIterArgs()[i * kTileVectors + vector]));
  }
  scf::YieldOp::create(b, results);
  return llvm::to_vector(ValueRange(forOp.getResults()));
}
