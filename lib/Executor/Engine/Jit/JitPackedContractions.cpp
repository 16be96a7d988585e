//===- JitPackedContractions.cpp - Contractions of packed blocks ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for each block of lanes, for each block of reductions:
//     pack the block of the lanes' operand in panels as wide as a tile
//     for each block of rows:
//       pack the block of the rows' operand in panels as high as a tile
//       for each tile: accumulate in registers
//
// Where loops move the lanes' operand alone, as those over the lines of an
// image, the rows' operand is packed first. Loops that move both are around all
// of it.
//
// Panels at the border are filled up: with zeros, or the last row again. What
// is computed of that is never stored.
//
//===----------------------------------------------------------------------===//

#include "JitContractions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::ipu;

/// Of a tile, in vectors.
static constexpr int64_t kTileVectors = 2;
/// A panel of lanes of that many reductions stays in the first cache, and a
/// block of rows in the second.
static constexpr int64_t kReductionBlock = 256;
static constexpr int64_t kRowBlock = 96;
static constexpr int64_t kRowBytes = kRowBlock * kReductionBlock * 8;
static constexpr int64_t kLaneBytes = int64_t(1) << 20;
static_assert(kRowBytes + kLaneBytes <= kScratchBytes, "too large");
/// Less than this is not worth packing.
static constexpr int64_t kLeastRows = 4, kLeastReductions = 8;

/// Accumulators, one vector of lanes and one broadcast fill the registers.
static int64_t getTileRows(const JitTarget &target) {
  return target.vectorBytes == 64 ? 8 : 6;
}
static int64_t getTileLanes(int64_t lanes) { return lanes * kTileVectors; }

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

bool ContractionBuilder::matchesPacked() {
  if (target.vectorBytes < 32 || op.getNumDpsInputs() != 2)
    return false;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isa<MemRefType>(operand->get().getType()))
      return false;
    bool hasLanes =
        op.getMatchingIndexingMap(operand).isFunctionOfDim(vectorLoop);
    (hasLanes ? lanesOperand : rowsOperand) = operand;
  }
  if (!lanesOperand || !rowsOperand)
    return false;
  SmallVector<unsigned> candidates = parallel;
  if (rowLoop >= 0)
    candidates.push_back(rowLoop);
  AffineMap lanesMap = op.getMatchingIndexingMap(lanesOperand);
  AffineMap rowsMap = op.getMatchingIndexingMap(rowsOperand);
  for (unsigned loop : llvm::reverse(candidates)) {
    if (lanesMap.isFunctionOfDim(loop) || !rowsMap.isFunctionOfDim(loop))
      continue;
    packedRowLoop = loop;
    findLines();
    return true;
  }
  return false;
}

/// Finds the loop around the lanes if it moves the output by a line of them.
void ContractionBuilder::findLines() {
  if (vectorLoop == 0)
    return;
  unsigned loop = vectorLoop - 1;
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(lanesOperand->get().getType());
  AffineMap output = op.getMatchingIndexingMap(&getOutput());
  unsigned rank = output.getNumResults();
  if (llvm::is_contained(reductions, loop) || loop == packedRowLoop ||
      !op.getMatchingIndexingMap(lanesOperand).isFunctionOfDim(loop) ||
      op.getMatchingIndexingMap(rowsOperand).isFunctionOfDim(loop) ||
      failed(type.getStridesAndOffset(strides, offset)) || strides.empty() ||
      strides.back() != 1 || rank < 2 ||
      output.getResult(rank - 2) != b.getAffineDimExpr(loop) ||
      output.getResult(rank - 1) != b.getAffineDimExpr(vectorLoop))
    return;
  for (AffineExpr expr : output.getResults().drop_back(2))
    if (expr.isFunctionOfDim(loop) || expr.isFunctionOfDim(vectorLoop))
      return;
  lineLoop = loop;
}

void ContractionBuilder::measureLines() {
  using arith::CmpIPredicate;
  auto getStride = [&](unsigned loop) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(b, lanesOperand->get());
    AffineMap map = op.getMatchingIndexingMap(lanesOperand);
    Value sum = getIndex(0);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      LinearExpr linear = *getLinearExpr(expr, map.getNumDims());
      if (int64_t step = linear.coefficients[loop])
        sum = add(sum, multiply(metadata.getStrides()[dim], step));
    }
    return sum;
  };
  lineStride = getStride(lineLoop);
  laneStride = getStride(vectorLoop);
  auto output = memref::ExtractStridedMetadataOp::create(b, getOutput().get());
  Value between = output.getStrides()[output.getStrides().size() - 2];
  Value size = getSize(vectorLoop), lines = getSize(lineLoop);
  Value isNext = arith::CmpIOp::create(b, CmpIPredicate::eq, lineStride,
                                       multiply(size, laneStride));
  Value isUnit = compare(CmpIPredicate::eq, laneStride, 1);
  isDense = arith::AndIOp::create(b, isNext, isUnit);
  Value isJoined = arith::CmpIOp::create(b, CmpIPredicate::eq, between, size);
  Value all = multiply(lines, size);
  joinedLanes = arith::SelectOp::create(b, isJoined, all, size);
  Value one = getIndex(1);
  // A step of 0 would never end.
  Value atLeastOne = arith::MaxSIOp::create(b, lines, one);
  lineStep = arith::SelectOp::create(b, isJoined, atLeastOne, one);
}

Value ContractionBuilder::isLarge() {
  using arith::CmpIPredicate;
  Value reduced = getSize(reductions.front());
  for (unsigned loop : ArrayRef(reductions).drop_front())
    reduced = multiply(reduced, getSize(loop));
  Value result = compare(CmpIPredicate::sge, reduced, kLeastReductions);
  Value hasRows =
      compare(CmpIPredicate::sge, getSize(packedRowLoop), kLeastRows);
  result = arith::AndIOp::create(b, result, hasRows);
  Value hasLanes = compare(CmpIPredicate::sge, getNumLanes(), lanes);
  return arith::AndIOp::create(b, result, hasLanes);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Calls `inner` in a loop over blocks of at most `step`, with the start and
/// the size of each.
static void
forEachBlock(ImplicitLocOpBuilder &b, Value size, int64_t step,
             llvm::function_ref<void(Value first, Value count)> inner) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value width = arith::ConstantIndexOp::create(b, step);
  auto forOp = scf::ForOp::create(b, zero, size, width);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  Value first = forOp.getInductionVar();
  Value rest = arith::SubIOp::create(b, size, first);
  inner(first, arith::MinSIOp::create(b, rest, width));
}

void ContractionBuilder::buildPacked() {
  auto getPacked = [&](OpOperand &operand, int64_t offset) {
    return getScratch(getElementTypeOrSelf(operand.get().getType()), offset);
  };
  packedRows = getPacked(*rowsOperand, 0);
  packedLanes = getPacked(*lanesOperand, kRowBytes);

  // Loops that move one of the operands alone, and all others.
  SmallVector<unsigned> withLanes, withRows, outer;
  AffineMap lanesMap = op.getMatchingIndexingMap(lanesOperand);
  AffineMap rowsMap = op.getMatchingIndexingMap(rowsOperand);
  for (unsigned loop = 0; loop < vectorLoop; ++loop) {
    if (llvm::is_contained(reductions, loop) || loop == packedRowLoop ||
        loop == lineLoop)
      continue;
    bool hasLanes = lanesMap.isFunctionOfDim(loop);
    bool hasRows = rowsMap.isFunctionOfDim(loop);
    (hasLanes == hasRows ? outer
     : hasLanes          ? withLanes
                         : withRows)
        .push_back(loop);
  }
  Type element = getElementTypeOrSelf(lanesOperand->get().getType());
  int64_t panelBytes = kReductionBlock * getTileLanes(lanes) *
                       llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  int64_t blockLanes = kLaneBytes / panelBytes * getTileLanes(lanes);
  Value reduced = getSize(reductions.front());
  for (unsigned loop : ArrayRef(reductions).drop_front())
    reduced = multiply(reduced, getSize(loop));
  auto forEachLanes = [&](function_ref<void(Value, Value)> inner) {
    if (lineLoop < 0)
      return forEachBlock(b, getNumLanes(), blockLanes, inner);
    auto forOp =
        scf::ForOp::create(b, getIndex(0), getSize(lineLoop), lineStep);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    firstLine = forOp.getInductionVar();
    forEachBlock(b, getNumLanes(), blockLanes, inner);
  };
  auto forEachRows = [&](function_ref<void(Value, Value)> inner) {
    forEachBlock(b, getSize(packedRowLoop), kRowBlock, inner);
  };
  auto forEachReductions = [&](function_ref<void(Value, Value)> inner) {
    forEachBlock(b, reduced, kReductionBlock, inner);
  };
  if (withLanes.empty() && lineLoop < 0) {
    buildParallel(outer, [&] {
      forEachLanes([&](Value lane, Value numLanes) {
        forEachReductions([&](Value first, Value count) {
          packLanes(lane, numLanes, first, count);
          buildParallel(withRows, [&] {
            forEachRows([&](Value row, Value numRows) {
              packRows(row, numRows, first, count);
              buildTiles({lane, numLanes, row, numRows, first, count});
            });
          });
        });
      });
    });
    return;
  }
  // Rows are packed once for many positions of the lanes' operand.
  llvm::append_range(outer, withRows);
  buildParallel(outer, [&] {
    forEachReductions([&](Value first, Value count) {
      forEachRows([&](Value row, Value numRows) {
        packRows(row, numRows, first, count);
        buildParallel(withLanes, [&] {
          forEachLanes([&](Value lane, Value numLanes) {
            packLanes(lane, numLanes, first, count);
            buildTiles({lane, numLanes, row, numRows, first, count});
          });
        });
      });
    });
  });
}

void ContractionBuilder::forEachReduction(Value first, Value count,
                                          function_ref<void(Value)> inner) {
  // Where the block begins.
  SmallVector<Value> starts(reductions.size());
  Value rest = first;
  for (size_t i = reductions.size(); i-- > 1;) {
    Value size = getSize(reductions[i]);
    starts[i] = arith::RemUIOp::create(b, rest, size);
    rest = arith::DivUIOp::create(b, rest, size);
  }
  starts.front() = rest;
  auto forOp = scf::ForOp::create(b, getIndex(0), count, getIndex(1), starts);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  SmallVector<Value> next(forOp.getRegionIterArgs());
  for (auto [loop, position] : llvm::zip_equal(reductions, next))
    positions[loop] = position;
  inner(forOp.getInductionVar());
  // One further, as the loops themselves would.
  Value one = getIndex(1), zero = getIndex(0);
  Value carry = one;
  for (size_t i = reductions.size(); i-- > 1;) {
    Value sum = add(next[i], carry);
    Value isEnd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, sum,
                                        getSize(reductions[i]));
    next[i] = arith::SelectOp::create(b, isEnd, zero, sum);
    carry = arith::SelectOp::create(b, isEnd, one, zero);
  }
  next.front() = add(next.front(), carry);
  scf::YieldOp::create(b, next);
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Memory for a block of `element`.
Value ContractionBuilder::getScratch(Type element, int64_t byteOffset) {
  auto function = op->getParentOfType<func::FuncOp>();
  Value base = function.getArguments().back();
  Type i8 = b.getI8Type(), i64 = b.getI64Type();
  Value start = LLVM::GEPOp::create(
      b, base.getType(), i8, base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byteOffset)});
  int64_t size = (kScratchBytes - byteOffset) /
                 llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  Type array = LLVM::LLVMArrayType::get(i64, 1);
  Value descriptor = LLVM::PoisonOp::create(
      b,
      LLVM::LLVMStructType::getLiteral(
          b.getContext(), {base.getType(), base.getType(), i64, array, array}));
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor = LLVM::InsertValueOp::create(b, descriptor, value, position);
  };
  insert(start, {0});
  insert(start, {1});
  insert(arith::ConstantIntOp::create(b, 0, 64), {2});
  insert(arith::ConstantIntOp::create(b, size, 64), {3, 0});
  insert(arith::ConstantIntOp::create(b, 1, 64), {4, 0});
  return UnrealizedConversionCastOp::create(b, MemRefType::get({size}, element),
                                            descriptor)
      .getResult(0);
}

Value ContractionBuilder::gatherLanes(Value lane, Value used) {
  auto type = VectorType::get(lanes, getElementTypeOrSelf(lanesOperand->get()));
  auto indexType = VectorType::get(lanes, b.getIndexType());
  auto spread = [&](Value value) -> Value {
    return vector::BroadcastOp::create(b, indexType, value);
  };
  Value size = getSize(vectorLoop);
  Value line = arith::DivUIOp::create(b, lane, size);
  Value column = arith::RemUIOp::create(b, lane, size);
  // Where each lane is, relative to the first.
  Value number = vector::StepOp::create(b, indexType);
  number = arith::AddIOp::create(b, number, spread(column));
  Value sizes = spread(size);
  Value down = arith::DivUIOp::create(b, number, sizes);
  Value right = arith::RemUIOp::create(b, number, sizes);
  right = arith::SubIOp::create(b, right, spread(column));
  down = arith::MulIOp::create(b, down, spread(lineStride));
  right = arith::MulIOp::create(b, right, spread(laneStride));
  Value shifts = arith::AddIOp::create(b, down, right);
  positions[lineLoop] = add(firstLine, line);
  positions[vectorLoop] = column;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  SmallVector<Value> indices = getIndices(*lanesOperand);
  return vector::GatherOp::create(b, type, lanesOperand->get(), indices, shifts,
                                  used, zero);
}

/// Packs the panel of `left` lanes from `lane` on.
void ContractionBuilder::packPanel(Value lane, Value left, Value start,
                                   Value first, Value count, bool isWhole) {
  int64_t width = getTileLanes(lanes);
  if (isWhole && lineLoop >= 0) {
    Value size = getSize(vectorLoop);
    Value line = arith::DivUIOp::create(b, lane, size);
    positions[lineLoop] = add(firstLine, line);
    lane = arith::RemUIOp::create(b, lane, size);
  }
  forEachReduction(first, count, [&](Value reduction) {
    for (int64_t vector = 0; vector < kTileVectors; ++vector) {
      int64_t shift = vector * lanes;
      Value position = add(lane, shift);
      Value used;
      if (!isWhole)
        used = vector::CreateMaskOp::create(
            b, VectorType::get(lanes, b.getI1Type()),
            ValueRange(add(left, -shift)));
      Value value;
      if (!isWhole && lineLoop >= 0) {
        value = gatherLanes(position, used);
      } else {
        positions[vectorLoop] = position;
        mask = used;
        lastPosition = isWhole ? Value() : add(getSize(vectorLoop), -1);
        value = loadLanes(*lanesOperand);
        mask = lastPosition = Value();
      }
      Value at = add(start, multiply(reduction, width));
      at = add(at, shift);
      vector::StoreOp::create(b, value, packedLanes, ValueRange(at));
    }
  });
}

void ContractionBuilder::packLanes(Value firstLane, Value numBlockLanes,
                                   Value first, Value count) {
  using arith::CmpIPredicate;
  int64_t width = getTileLanes(lanes);
  forEachBlock(b, numBlockLanes, width, [&](Value relative, Value left) {
    Value start = multiply(relative, count);
    Value lane = add(firstLane, relative);
    Value isWhole = compare(CmpIPredicate::eq, left, width);
    if (lineLoop >= 0) {
      // In one line, or in lines without gaps.
      Value size = getSize(vectorLoop);
      Value column = arith::RemUIOp::create(b, lane, size);
      Value end = add(column, width);
      Value isInLine = arith::CmpIOp::create(b, CmpIPredicate::sle, end, size);
      Value isPlain = arith::OrIOp::create(b, isInLine, isDense);
      isWhole = arith::AndIOp::create(b, isWhole, isPlain);
    }
    auto ifOp = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    packPanel(lane, left, start, first, count, /*isWhole=*/true);
    b.setInsertionPointToStart(ifOp.elseBlock());
    packPanel(lane, left, start, first, count, /*isWhole=*/false);
  });
}

void ContractionBuilder::packRows(Value firstRow, Value numBlockRows,
                                  Value first, Value count) {
  int64_t height = getTileRows(target);
  Type element = getElementTypeOrSelf(rowsOperand->get().getType());
  forEachBlock(b, numBlockRows, height, [&](Value row, Value) {
    Value start = multiply(row, count);
    Value last = add(getSize(packedRowLoop), -1);
    SmallVector<Value> rows;
    for (int64_t i = 0; i < height; ++i)
      rows.push_back(
          arith::MinSIOp::create(b, add(add(firstRow, row), i), last));
    forEachReduction(first, count, [&](Value reduction) {
      SmallVector<Value> elements;
      for (Value position : rows) {
        positions[packedRowLoop] = position;
        SmallVector<Value> indices = getIndices(*rowsOperand);
        elements.push_back(
            memref::LoadOp::create(b, rowsOperand->get(), indices));
      }
      Value panel = vector::FromElementsOp::create(
          b, VectorType::get(height, element), elements);
      Value at = add(start, multiply(reduction, height));
      vector::StoreOp::create(b, panel, packedRows, ValueRange(at));
    });
  });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void ContractionBuilder::buildTiles(const PackedBlock &block) {
  forEachBlock(b, block.numLanes, getTileLanes(lanes),
               [&](Value lane, Value numLanes) {
                 forEachBlock(b, block.numRows, getTileRows(target),
                              [&](Value row, Value numRows) {
                                buildTile(block, lane, numLanes, row, numRows);
                              });
               });
}

/// Accumulators are in the order of rows, then vectors.
void ContractionBuilder::buildTile(const PackedBlock &block, Value lane,
                                   Value numLanes, Value row, Value numRows) {
  using arith::CmpIPredicate;
  int64_t height = getTileRows(target), width = getTileLanes(lanes);
  Type element = getElementTypeOrSelf(getOutput().get().getType());
  auto vectorType = VectorType::get(lanes, element);
  // Without gaps, a lane may be beyond its line.
  if (lineLoop >= 0)
    positions[lineLoop] = firstLine;
  Value hasRows = compare(CmpIPredicate::eq, numRows, height);
  Value hasLanes = compare(CmpIPredicate::eq, numLanes, width);
  Value isWhole = arith::AndIOp::create(b, hasRows, hasLanes);

  // Calls `access` with the indices and the mask, if any, of each accumulator.
  auto forEachAccumulator =
      [&](bool isMasked,
          function_ref<void(int64_t, ArrayRef<Value>, Value)> access) {
        for (int64_t i = 0; i < height; ++i) {
          positions[packedRowLoop] = add(add(block.row, row), i);
          for (int64_t vector = 0; vector < kTileVectors; ++vector) {
            int64_t shift = vector * lanes;
            positions[vectorLoop] = add(add(block.lane, lane), shift);
            Value used;
            if (isMasked) {
              Value rest = add(numLanes, -shift);
              Value isRow = compare(CmpIPredicate::sgt, numRows, i);
              Value size = arith::SelectOp::create(b, isRow, rest, getIndex(0));
              used = vector::CreateMaskOp::create(
                  b, VectorType::get(lanes, b.getI1Type()), ValueRange(size));
            }
            access(i * kTileVectors + vector, getIndices(getOutput()), used);
          }
        }
      };
  auto load = [&](bool isMasked) {
    SmallVector<Value> accumulators;
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
    forEachAccumulator(isMasked, [&](int64_t, ArrayRef<Value> indices,
                                     Value used) {
      accumulators.push_back(
          used ? vector::MaskedLoadOp::create(b, vectorType, getOutput().get(),
                                              indices, used, zero)
                     .getResult()
               : vector::LoadOp::create(b, vectorType, getOutput().get(),
                                        indices)
                     .getResult());
    });
    scf::YieldOp::create(b, accumulators);
  };
  SmallVector<Type> types(height * kTileVectors, vectorType);
  // Writes an if of which both parts yield accumulators.
  auto choose = [&](Value condition, function_ref<void()> then,
                    function_ref<void()> otherwise) {
    auto ifOp = scf::IfOp::create(b, types, condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    then();
    b.setInsertionPointToStart(ifOp.elseBlock());
    otherwise();
    return SmallVector<Value>(ifOp.getResults());
  };
  auto loadAll = [&] {
    return choose(
        isWhole, [&] { load(/*isMasked=*/false); },
        [&] { load(/*isMasked=*/true); });
  };
  SmallVector<Value> accumulators;
  if (initial) {
    Value isFirst = compare(CmpIPredicate::eq, block.reduction, 0);
    accumulators = choose(
        isFirst,
        [&] {
          scf::YieldOp::create(
              b, SmallVector<Value>(types.size(), toVector(initial)));
        },
        [&] { scf::YieldOp::create(b, loadAll()); });
  } else {
    accumulators = loadAll();
  }

  accumulators = buildTileReductions(block, lane, row, accumulators);
  auto store = [&](bool isMasked) {
    forEachAccumulator(
        isMasked, [&](int64_t number, ArrayRef<Value> indices, Value used) {
          if (used)
            vector::MaskedStoreOp::create(b, getOutput().get(), indices, used,
                                          accumulators[number]);
          else
            vector::StoreOp::create(b, accumulators[number], getOutput().get(),
                                    indices);
        });
  };
  auto ifOp = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  store(/*isMasked=*/false);
  b.setInsertionPointToStart(ifOp.elseBlock());
  store(/*isMasked=*/true);
}

SmallVector<Value>
ContractionBuilder::buildTileReductions(const PackedBlock &block, Value lane,
                                        Value row, ValueRange accumulators) {
  int64_t height = getTileRows(target), width = getTileLanes(lanes);
  auto lanesType = VectorType::get(
      lanes, getElementTypeOrSelf(lanesOperand->get().getType()));
  Value lanePanel = multiply(lane, block.numReductions);
  Value rowPanel = multiply(row, block.numReductions);
  auto forOp = scf::ForOp::create(b, getIndex(0), block.numReductions,
                                  getIndex(1), accumulators);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  Value reduction = forOp.getInductionVar();
  SmallVector<Value> vectors, results;
  Value at = add(lanePanel, multiply(reduction, width));
  for (int64_t vector = 0; vector < kTileVectors; ++vector)
    vectors.push_back(vector::LoadOp::create(
        b, lanesType, packedLanes, ValueRange(add(at, vector * lanes))));
  at = add(rowPanel, multiply(reduction, height));
  for (int64_t i = 0; i < height; ++i) {
    Value element =
        toVector(memref::LoadOp::create(b, packedRows, ValueRange(add(at, i))));
    for (int64_t vector = 0; vector < kTileVectors; ++vector)
      results.push_back(buildElements(
          [&](OpOperand &operand) {
            return &operand == lanesOperand ? vectors[vector] : element;
          },
          forOp.getRegionIterArgs()[i * kTileVectors + vector]));
  }
  scf::YieldOp::create(b, results);
  return llvm::to_vector(ValueRange(forOp.getResults()));
}
