//===- JitPackedPanels.cpp - Panels of packed contractions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the loops that fill the tables of offsets of rows, lanes and
// reductions, and the loops that copy an operand's block into panels.
//
//===----------------------------------------------------------------------===//

#include "JitContractions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Fills tables for `count` positions, from number `first` on, of loops of
/// `sizes`; the last one is repeated up to `padded`.
void ContractionBuilder::fillTables(ArrayRef<Value> sizes, Value first,
                                    Value count, Value padded,
                                    ArrayRef<OffsetTable> tables) {
  SmallVector<Value> starts(sizes.size());
  Value rest = first;
  for (size_t i = sizes.size(); i-- > 1;) {
    starts[i] = arith::RemUIOp::create(b, rest, sizes[i]);
    rest = arith::DivUIOp::create(b, rest, sizes[i]);
  }
  starts.front() = rest;
  Value zero = getIndex(0), one = getIndex(1);
  auto forOp = scf::ForOp::create(b, zero, padded, one, starts);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  SmallVector<Value> next(forOp.getRegionIterArgs());
  Value number = forOp.getInductionVar();
  for (const OffsetTable &table : tables) {
    Value offset = zero;
    for (auto [position, stride] : llvm::zip_equal(next, table.strides))
      offset = add(offset, multiply(position, stride));
    memref::StoreOp::create(b, offset, table.table, ValueRange(number));
  }
  // One further, as the loops themselves would.
  Value following = add(number, one);
  Value isMore = arith::CmpIOp::create(b, CmpIPredicate::slt, following, count);
  Value carry = arith::SelectOp::create(b, isMore, one, zero);
  for (size_t i = sizes.size(); i-- > 1;) {
    Value sum = add(next[i], carry);
    Value isEnd = arith::CmpIOp::create(b, CmpIPredicate::eq, sum, sizes[i]);
    next[i] = arith::SelectOp::create(b, isEnd, zero, sum);
    carry = arith::SelectOp::create(b, isEnd, one, zero);
  }
  next.front() = add(next.front(), carry);
  scf::YieldOp::create(b, next);
}

/// Loops of a region in the order of dimensions of the operand.
SmallVector<unsigned> ContractionBuilder::getMemoryOrder(PackedSide &side) {
  SmallVector<unsigned> order;
  AffineMap map = op.getMatchingIndexingMap(side.operand);
  for (AffineExpr expr : map.getResults())
    for (auto [i, loop] : llvm::enumerate(regionLoops))
      if (expr.isFunctionOfDim(loop) && !llvm::is_contained(order, i))
        order.push_back(i);
  // A loop that does not move the operand repeats all of it.
  for (unsigned i = 0; i < regionLoops.size(); ++i)
    if (!llvm::is_contained(order, i))
      order.insert(order.begin(), i);
  return order;
}

void ContractionBuilder::fillReductions(PackedSide &side) {
  Value zero = getIndex(0), number = getIndex(1);
  SmallVector<Value> strides, numbers(regionLoops.size());
  for (unsigned loop : regionLoops)
    strides.push_back(side.strides[loop]);
  fillTables(regionSizes, zero, regionSize, regionSize,
             {{side.reductions, strides}});
  for (size_t i = regionLoops.size(); i-- > 0;) {
    numbers[i] = number;
    number = multiply(number, regionSizes[i]);
  }
  SmallVector<unsigned> order = getMemoryOrder(side);
  auto inOrder = [&](ArrayRef<Value> values) {
    return llvm::map_to_vector(order, [&](unsigned i) { return values[i]; });
  };
  Value padded = add(regionSize, std::max(side.vectorSize, lanes));
  fillTables(
      inOrder(regionSizes), zero, regionSize, padded,
      {{side.inMemory, inOrder(strides)}, {side.numbers, inOrder(numbers)}});
}

Value ContractionBuilder::getRun(ArrayRef<Value> sizes,
                                 ArrayRef<Value> strides) {
  Value run = getIndex(1), isRun = arith::ConstantIntOp::create(b, 1, 1);
  for (auto [size, stride] :
       llvm::zip_equal(llvm::reverse(sizes), llvm::reverse(strides))) {
    Value isNext = arith::CmpIOp::create(b, CmpIPredicate::eq, stride, run);
    Value isOne = compare(CmpIPredicate::eq, size, 1);
    Value isPart = arith::OrIOp::create(b, isNext, isOne);
    isRun = arith::AndIOp::create(b, isRun, isPart);
    run = arith::SelectOp::create(b, isRun, multiply(run, size), run);
  }
  return run;
}

void ContractionBuilder::fillPositions(PackedSide &side, Value first,
                                       Value count) {
  Value padded = add(count, side.width - 1);
  fillTables(
      side.loopSizes, first, count, padded,
      {{side.offsets, side.loopStrides}, {side.outputs, side.loopOutputs}});
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// `elements` of the operand as they are packed.
Value ContractionBuilder::packElements(PackedSide &side, Value elements) {
  auto type = cast<VectorType>(elements.getType());
  if (type.getElementType() == side.element)
    return elements;
  return arith::ExtFOp::create(b, type.clone(side.element), elements);
}

void ContractionBuilder::prefetch(PackedSide &side, Value at,
                                  int64_t locality) {
  memref::PrefetchOp::create(b, side.source, ValueRange(at), /*isWrite=*/false,
                             locality, /*isDataCache=*/true);
}

/// Of the elements of `distance` vectors of positions that are so far from each
/// other, the mask of vector `part`.
Value ContractionBuilder::spreadMask(Value mask, int64_t distance,
                                     int64_t part) {
  if (distance == 1)
    return mask;
  auto type = cast<VectorType>(mask.getType());
  int64_t size = type.getNumElements();
  SmallVector<int64_t> positions;
  SmallVector<bool> areTaken;
  for (int64_t i = 0; i < size; ++i) {
    positions.push_back((part * size + i) / distance);
    areTaken.push_back((part * size + i) % distance == 0);
  }
  Value repeated = vector::ShuffleOp::create(b, mask, mask, positions);
  Value taken =
      arith::ConstantOp::create(b, DenseElementsAttr::get(type, areTaken));
  return arith::AndIOp::create(b, repeated, taken);
}

/// Packs the positions of the block, a vector of them at a time.
void ContractionBuilder::pack(PackedSide &side, Value count) {
  int64_t size = side.vectorSize;
  Type element = getElementTypeOrSelf(side.operand->get().getType());
  auto type = VectorType::get(size, element);
  auto indexType = VectorType::get(size, b.getIndexType());
  auto maskType = VectorType::get(size, b.getI1Type());
  Value begin = &side == &rowSide ? rowStart : laneStart;
  Value width = getIndex(side.width);
  auto spread = [&](Value value) -> Value {
    return vector::BroadcastOp::create(b, indexType, value);
  };
  // Calls `load` for where each reduction is.
  auto packEach = [&](Value start, function_ref<Value(Value)> load) {
    forEach(regionSize, [&](Value reduction) {
      Value elements = load(loadIndex(side.reductions, reduction));
      Value at = add(start, multiply(reduction, width));
      vector::StoreOp::create(b, packElements(side, elements), side.packed,
                              ValueRange(at));
    });
  };
  auto getStart = [&](Value first) {
    Value panel = arith::DivUIOp::create(b, first, width);
    Value start = multiply(multiply(panel, regionSize), width);
    return add(start, arith::RemUIOp::create(b, first, width));
  };
  // Packs `numVectors` vectors of positions that are contiguous.
  auto packPlain = [&](Value first, int64_t numVectors) {
    Value start = getStart(first);
    Value base = add(begin, loadIndex(side.offsets, first));
    forEach(regionSize, [&](Value reduction) {
      Value from = add(base, loadIndex(side.reductions, reduction));
      Value to = add(start, multiply(reduction, width));
      for (int64_t i = 0; i < numVectors; ++i) {
        prefetch(side, add(from, (numVectors + i) * size), /*locality=*/2);
        Value elements = vector::LoadOp::create(
            b, type, side.source, ValueRange(add(from, i * size)));
        vector::StoreOp::create(b, packElements(side, elements), side.packed,
                                ValueRange(add(to, i * size)));
      }
    });
  };
  auto packVectors = [&](Value first, Value left) {
    Value start = getStart(first);
    Value base = add(begin, loadIndex(side.offsets, first));
    Value offsets =
        vector::LoadOp::create(b, indexType, side.offsets, ValueRange(first));
    // Loads of elements are faster than gathers of many processors.
    auto packGathered = [&] {
      SmallVector<Value> places;
      for (int64_t lane = 0; lane < size; ++lane)
        places.push_back(add(begin, loadIndex(side.offsets, add(first, lane))));
      packEach(start, [&](Value reduction) -> Value {
        SmallVector<Value> elements;
        for (Value place : places)
          elements.push_back(loadIndex(side.source, add(place, reduction)));
        return vector::FromElementsOp::create(b, type, elements);
      });
    };
    // Positions at two rows of elements, as of two lines of an image, each of
    // which is next to or next but one to the one before, by masks.
    auto packParts = [&](int64_t distance, function_ref<void()> otherwise) {
      Value steps = vector::StepOp::create(b, indexType);
      steps = arith::MulIOp::create(b, steps, spread(getIndex(distance)));
      Value starts = arith::SubIOp::create(b, offsets, steps);
      Value firstStart = loadIndex(side.offsets, first);
      Value used = vector::CreateMaskOp::create(b, maskType, ValueRange(left));
      auto areAt = [&](Value where, Value mask) -> Value {
        Value equal =
            arith::CmpIOp::create(b, CmpIPredicate::eq, starts, spread(where));
        return arith::AndIOp::create(b, equal, mask);
      };
      Value firstMask = areAt(firstStart, used);
      Value others = arith::XOrIOp::create(b, used, firstMask);
      Value none = spread(getIndex(std::numeric_limits<int64_t>::max()));
      Value candidates = arith::SelectOp::create(b, others, starts, none);
      Value secondStart = vector::ReductionOp::create(
          b, vector::CombiningKind::MINSI, candidates);
      Value areOthers =
          vector::ReductionOp::create(b, vector::CombiningKind::OR, others);
      secondStart =
          arith::SelectOp::create(b, areOthers, secondStart, firstStart);
      Value secondMask = areAt(secondStart, others);
      Value equal =
          arith::CmpIOp::create(b, CmpIPredicate::eq, secondMask, others);
      Value areAll =
          vector::ReductionOp::create(b, vector::CombiningKind::AND, equal);
      // Addresses have to be within the operand.
      Value isAfter =
          arith::CmpIOp::create(b, CmpIPredicate::sge, secondStart, firstStart);
      Value isSplit = arith::AndIOp::create(b, areAll, isAfter);
      Value second = add(begin, secondStart);
      choose(
          isSplit,
          [&] {
            Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
            // Of the elements that `distance` vectors reach over.
            SmallVector<std::pair<Value, Value>> masks;
            for (int64_t part = 0; part < distance; ++part) {
              Value mask = spreadMask(firstMask, distance, part);
              masks.emplace_back(mask, spreadMask(secondMask, distance, part));
            }
            packEach(start, [&](Value reduction) -> Value {
              SmallVector<Value> vectors;
              for (const auto &[part, mask] : llvm::enumerate(masks)) {
                Value shifted = add(reduction, part * size);
                Value elements = vector::MaskedLoadOp::create(
                    b, type, side.source, ValueRange(add(base, shifted)),
                    mask.first, zero);
                vectors.push_back(vector::MaskedLoadOp::create(
                    b, type, side.source, ValueRange(add(second, shifted)),
                    mask.second, elements));
              }
              if (distance == 1)
                return vectors.front();
              SmallVector<int64_t> lanesOf;
              for (int64_t i = 0; i < size; ++i)
                lanesOf.push_back(i * distance);
              return vector::ShuffleOp::create(b, vectors[0], vectors[1],
                                               lanesOf);
            });
          },
          otherwise);
    };
    bool hasMasks = target.vectorBytes == 64;
    auto packOthers = [&] {
      if (&side == &laneSide && hasMasks)
        packParts(1, [&] { packParts(2, packGathered); });
      else
        packGathered();
    };
    Value isPlain = areContiguous(side.offsets, first, size);
    choose(
        isPlain, [&] { packPlain(first, 1); },
        [&] {
          if (!llvm::isPowerOf2_64(size) || size > 16 ||
              (!hasMasks && element.getIntOrFloatBitWidth() < 32))
            return packOthers();
          Value isRun = compare(CmpIPredicate::sge, side.run, size / 2);
          choose(
              isRun, [&] { packTransposed(side, first, start); }, packOthers);
        });
  };
  // Whole panels are read at once where that is possible: the vectors of a row
  // are next to each other in memory.
  int64_t numVectors = side.width / size;
  forEachBlock(count, width, [&](Value panel, Value panelCount) {
    auto packEachVector = [&] {
      forEachBlock(panelCount, getIndex(size), [&](Value vector, Value left) {
        packVectors(add(panel, vector), left);
      });
    };
    if (numVectors == 1)
      return packEachVector();
    choose(
        areContiguous(side.offsets, panel, side.width),
        [&] { packPlain(panel, numVectors); }, packEachVector);
  });
}

/// Packs a vector of positions at `first` from runs of reductions that are next
/// to each other in memory.
void ContractionBuilder::packTransposed(PackedSide &side, Value first,
                                        Value start) {
  int64_t size = side.vectorSize, width = std::max(size, lanes);
  auto type = VectorType::get(
      width, getElementTypeOrSelf(side.operand->get().getType()));
  auto maskType = VectorType::get(width, b.getI1Type());
  Value begin = &side == &rowSide ? rowStart : laneStart;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  forEachBlock(regionSize, side.run, [&](Value runStart, Value run) {
    forEachBlock(run, getIndex(width), [&](Value relative, Value count) {
      Value number = add(runStart, relative);
      Value at = add(begin, loadIndex(side.inMemory, number));
      Value used = vector::CreateMaskOp::create(b, maskType, ValueRange(count));
      // The same part of the next run is far away, and needed next.
      Value next = add(number, side.run), last = add(regionSize, -1);
      next = arith::MinSIOp::create(b, next, last);
      Value nextAt = add(begin, loadIndex(side.inMemory, next));
      SmallVector<Value> vectors;
      for (int64_t i = 0; i < size; ++i) {
        Value offset = loadIndex(side.offsets, add(first, i));
        prefetch(side, add(nextAt, offset), /*locality=*/3);
        Value elements = vector::MaskedLoadOp::create(
            b, type, side.source, ValueRange(add(at, offset)), used, zero);
        vectors.push_back(packElements(side, elements));
      }
      vectors = transpose(std::move(vectors));
      for (int64_t i = 0; i < width; ++i) {
        // What is not in use goes after the panel.
        Value isUsed = compare(CmpIPredicate::sgt, count, i);
        Value reduction = loadIndex(side.numbers, add(number, i));
        reduction = arith::SelectOp::create(b, isUsed, reduction, regionSize);
        Value target = add(start, multiply(reduction, side.width));
        Value elements = vector::ExtractStridedSliceOp::create(
            b, vectors[i % size], ArrayRef<int64_t>(i / size * size),
            ArrayRef<int64_t>(size), ArrayRef<int64_t>(1));
        vector::StoreOp::create(b, elements, side.packed, ValueRange(target));
      }
    });
  });
}

/// Of a power of two of vectors, each block of as many elements.
SmallVector<Value> ContractionBuilder::transpose(SmallVector<Value> vectors) {
  int64_t size = vectors.size();
  int64_t width = cast<VectorType>(vectors[0].getType()).getNumElements();
  for (int64_t step = 1; step < size; step *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < width; ++lane) {
      low.push_back(lane & step ? width + lane - step : lane);
      high.push_back(lane & step ? width + lane : lane + step);
    }
    for (int64_t i = 0; i < size; ++i) {
      if (i & step)
        continue;
      Value lhs = vectors[i], rhs = vectors[i + step];
      vectors[i] = vector::ShuffleOp::create(b, lhs, rhs, low);
      vectors[i + step] = vector::ShuffleOp::create(b, lhs, rhs, high);
    }
  }
  return vectors;
}
