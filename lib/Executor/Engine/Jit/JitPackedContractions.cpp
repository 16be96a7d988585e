//===- JitPackedContractions.cpp - Contractions of packed blocks ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for each region of reductions:
//     for each block of rows:
//       pack it in panels as high as a tile
//       for each block of lanes:
//         pack it in panels as wide as a tile
//         for each block of reductions, for each tile: accumulate in registers
//
// Tables give the offsets of rows, lanes and reductions in the operands, so any
// number of loops over rows, lanes or reductions becomes one loop of this kind.
// Positions at the border of a block are repeated up to a whole panel; results
// of repeated positions are never stored.
//
//===----------------------------------------------------------------------===//

#include "JitContractions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using arith::CmpIPredicate;

/// The most reductions of a region, and rows or lanes of a block.
static constexpr int64_t kRegionSize = 2560, kBlockSize = 2048;
/// The most of a region that has reductions of several outputs, and of one that
/// reads vectors only if it has as many.
static constexpr int64_t kSharedRegionSize = 1024, kLongRegionSize = 8192;
/// Of packed rows, and of packed lanes, at most.
static constexpr int64_t kPackedBytes = int64_t(2) << 20;
/// Tables are as much longer as panels or vectors reach beyond their end.
static constexpr int64_t kTableSlack = 128;
static constexpr int64_t kTableBytes =
    2 * 8 * (2 * kBlockSize + 3 * kLongRegionSize + 5 * kTableSlack);
/// Transposed blocks may write a panel's reduction after the last.
static constexpr int64_t kSlackBytes = 4096, kTileBytes = 8 * 2 * 64;
static_assert(2 * (kPackedBytes + kSlackBytes) + kTableBytes + kTileBytes <=
                  kScratchBytes,
              "too large");
/// Less than this is not worth packing.
static constexpr int64_t kLeastRows = 4, kLeastReductions = 8,
                         kLeastProducts = 1 << 13;

/// Accumulators, one vector of lanes and one broadcast fill the registers.
static int64_t getTileRows(const JitTarget &target) {
  return target.vectorBytes == 64 ? 8 : 6;
}
/// A panel of lanes of about that many reductions, with vectors of 64 bytes and
/// elements of 4, fills the first cache.
static int64_t getReductionBlock(const JitTarget &target) {
  return std::clamp<int64_t>(target.caches.firstBytes / (kTileVectors * 64),
                             128, 512);
}
/// Packed rows are used again from the second cache and what is above it.
static int64_t getPackedBytes(const JitTarget &target) {
  return std::clamp<int64_t>(2 * target.caches.secondBytes, kPackedBytes / 4,
                             kPackedBytes);
}
static int64_t getBytes(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

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
    (hasLanes ? laneSide : rowSide).operand = operand;
  }
  if (!laneSide.operand || !rowSide.operand)
    return false;
  for (PackedSide *side : {&rowSide, &laneSide}) {
    BlockArgument argument = op.getMatchingBlockArgument(side->operand);
    side->element = argument.getType();
    // Each element is extended once.
    if (argument.hasOneUse())
      if (auto extend = dyn_cast<arith::ExtFOp>(*argument.user_begin()))
        side->element = extend.getType();
  }
  AffineMap lanesMap = op.getMatchingIndexingMap(laneSide.operand);
  AffineMap rowsMap = op.getMatchingIndexingMap(rowSide.operand);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (llvm::is_contained(reductions, loop))
      continue;
    bool isSum = llvm::is_contained(sumLoops, loop);
    bool hasLanes = lanesMap.isFunctionOfDim(loop);
    bool hasRows = rowsMap.isFunctionOfDim(loop);
    if (isSum && hasLanes != hasRows)
      return false;
    (hasLanes == hasRows ? outer
     : hasLanes          ? laneSide.loops
                         : rowSide.loops)
        .push_back(loop);
  }
  if (rowSide.loops.empty())
    return false;
  findSharedLoop();
  return true;
}

/// Finds the last loop over partial sums that are added up; else an outer loop
/// that moves both operands by what the innermost reductions in memory reach
/// over. Where these are few, short pieces of memory lines are left to each
/// position.
void ContractionBuilder::findSharedLoop() {
  auto isNextToLast = [&](PackedSide &side) {
    AffineMap map = op.getMatchingIndexingMap(side.operand);
    SmallVector<unsigned> order = getMemoryOrder(side);
    return map.isFunctionOfDim(regionLoops.front()) && order.size() > 1 &&
           order[order.size() - 2] == 0;
  };
  for (unsigned loop : llvm::reverse(outer)) {
    regionLoops = {loop};
    llvm::append_range(regionLoops, reductions);
    bool isShared = sum ? loop == sumLoops.back()
                        : isNextToLast(rowSide) && isNextToLast(laneSide);
    if (!isShared)
      continue;
    sharedLoop = loop;
    llvm::erase(outer, loop);
    return;
  }
  regionLoops = reductions;
}

/// Whether both operands have one type and are factors of one product, so that
/// code for one of them does for the other.
bool ContractionBuilder::canExchangeSides() {
  Operation *product = nullptr;
  for (PackedSide *side : {&rowSide, &laneSide}) {
    Value factor = op.getMatchingBlockArgument(side->operand);
    if (side->element != factor.getType() && factor.hasOneUse())
      factor = factor.getUsers().begin()->getResult(0);
    if (!factor.hasOneUse())
      return false;
    OpOperand &use = *factor.use_begin();
    if (product && product != use.getOwner())
      return false;
    product = use.getOwner();
    if (!isa<arith::MulFOp, math::FmaOp>(product) || use.getOperandNumber() > 1)
      return false;
  }
  return rowSide.element == laneSide.element &&
         getElementTypeOrSelf(rowSide.operand->get()) ==
             getElementTypeOrSelf(laneSide.operand->get()) &&
         getMemoryOrder(rowSide) == getMemoryOrder(laneSide);
}

/// The number of positions of `side` that follow each other in the output.
Value ContractionBuilder::getRunInOutput(PackedSide &side) {
  Value start;
  SmallVector<Value> all = getStrides(getOutput(), start), sizes, strides;
  for (unsigned loop : side.loops) {
    sizes.push_back(getSize(loop));
    strides.push_back(all[loop]);
  }
  return getRun(sizes, strides);
}

Value ContractionBuilder::isLarge() {
  auto getProduct = [&](ArrayRef<unsigned> loops) {
    Value product = getSize(loops.front());
    for (unsigned loop : loops.drop_front())
      product = multiply(product, getSize(loop));
    return product;
  };
  rowSide.size = getProduct(rowSide.loops);
  laneSide.size = getProduct(laneSide.loops);
  Value reduced = getProduct(reductions);
  Value result = compare(CmpIPredicate::sge, reduced, kLeastReductions);
  auto demandAll = [&](Value condition) {
    result = arith::AndIOp::create(b, result, condition);
  };
  Value areRows = compare(CmpIPredicate::sge, rowSide.size, kLeastRows);
  Value areLanes = compare(CmpIPredicate::sge, laneSide.size, lanes);
  Value areTiles = arith::AndIOp::create(b, areRows, areLanes);
  // The rows of a product with a few columns become lanes. Memory takes longer
  // than the tile rows that are not in use.
  if (canExchangeSides()) {
    Value areFew = compare(CmpIPredicate::slt, laneSide.size, lanes);
    Value isRun = compare(CmpIPredicate::sge, getRunInOutput(rowSide), lanes);
    Value areColumns = arith::AndIOp::create(b, areFew, isRun);
    areTiles = arith::OrIOp::create(b, areTiles, areColumns);
  }
  demandAll(areTiles);
  // Each partial sum is one region.
  if (sum)
    demandAll(compare(CmpIPredicate::sle, reduced, kRegionSize));
  Value products = multiply(multiply(rowSide.size, laneSide.size), reduced);
  demandAll(compare(CmpIPredicate::sge, products, kLeastProducts));
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Memory of `element` in the scratch.
Value ContractionBuilder::getScratch(Type element, int64_t byteOffset) {
  auto function = op->getParentOfType<func::FuncOp>();
  Value base = function.getArguments().back();
  Type i8 = b.getI8Type(), i64 = b.getI64Type();
  Value start = LLVM::GEPOp::create(
      b, base.getType(), i8, base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byteOffset)});
  int64_t size = (kScratchBytes - byteOffset) / 8;
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
  auto type = MemRefType::get({ShapedType::kDynamic}, element);
  return UnrealizedConversionCastOp::create(b, type, descriptor).getResult(0);
}

/// The operand's memory in one dimension, from its first element on.
Value ContractionBuilder::getFlat(OpOperand &operand) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, operand.get());
  auto type = MemRefType::get(
      {ShapedType::kDynamic}, getElementTypeOrSelf(operand.get().getType()),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1}));
  // Indices are those of the operand, which is checked.
  OpFoldResult size = b.getIndexAttr(std::numeric_limits<int32_t>::max());
  return memref::ReinterpretCastOp::create(
      b, type, metadata.getBaseBuffer(), OpFoldResult(metadata.getOffset()),
      ArrayRef<OpFoldResult>(size), ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
}

/// How far each loop moves the operand; `offset` is where it begins.
SmallVector<Value> ContractionBuilder::getStrides(OpOperand &operand,
                                                  Value &offset) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, operand.get());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Value> strides(map.getNumDims(), getIndex(0));
  offset = getIndex(0);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    LinearExpr linear = *getLinearExpr(expr, map.getNumDims());
    Value stride = metadata.getStrides()[dim];
    offset = add(offset, multiply(stride, linear.constant));
    for (auto [loop, step] : llvm::enumerate(linear.coefficients))
      if (step != 0)
        strides[loop] = add(strides[loop], multiply(stride, step));
  }
  return strides;
}

Value ContractionBuilder::loadIndex(Value table, Value at) {
  return memref::LoadOp::create(b, table, ValueRange(at));
}

Value ContractionBuilder::areContiguous(Value table, Value first,
                                        int64_t size) {
  auto type = VectorType::get(size, b.getIndexType());
  Value offsets = vector::LoadOp::create(b, type, table, ValueRange(first));
  Value start = vector::BroadcastOp::create(b, type, loadIndex(table, first));
  Value steps = vector::StepOp::create(b, type);
  Value next = arith::AddIOp::create(b, start, steps);
  Value equal = arith::CmpIOp::create(b, CmpIPredicate::eq, offsets, next);
  return vector::ReductionOp::create(b, vector::CombiningKind::AND, equal);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void ContractionBuilder::forEachBlock(
    Value size, Value step,
    function_ref<void(Value first, Value count)> inner) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  auto forOp = scf::ForOp::create(b, zero, size, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  Value first = forOp.getInductionVar();
  Value rest = arith::SubIOp::create(b, size, first);
  inner(first, arith::MinSIOp::create(b, rest, step));
}

void ContractionBuilder::forEach(Value size,
                                 function_ref<void(Value position)> inner) {
  forEachBlock(size, getIndex(1), [&](Value first, Value) { inner(first); });
}

void ContractionBuilder::choose(Value condition, function_ref<void()> then,
                                function_ref<void()> otherwise) {
  auto ifOp =
      scf::IfOp::create(b, condition, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  then();
  if (!otherwise)
    return;
  b.setInsertionPointToStart(ifOp.elseBlock());
  otherwise();
}

void ContractionBuilder::preparePacked(PackedSide &side, int64_t &scratch,
                                       int64_t bytes) {
  auto reserve = [&](Type element, int64_t size) {
    Value memory = getScratch(element, scratch);
    scratch += llvm::alignTo(size, 64);
    return memory;
  };
  side.packed = reserve(side.element, bytes + kSlackBytes);
  for (Value *table : {&side.offsets, &side.outputs})
    *table = reserve(b.getIndexType(), 8 * (kBlockSize + kTableSlack));
  for (Value *table : {&side.reductions, &side.inMemory, &side.numbers})
    *table = reserve(b.getIndexType(), 8 * (kLongRegionSize + kTableSlack));
  side.source = getFlat(*side.operand);
}

/// Makes rows of lanes and lanes of rows at run time, where these alone are
/// next to each other in the output: others are written one by one.
void ContractionBuilder::exchangeSides() {
  auto areVectors = [&](PackedSide &side) {
    Value run = getRun(side.loopSizes, side.loopOutputs);
    return compare(CmpIPredicate::sge, run, lanes);
  };
  Value areLanes = areVectors(laneSide), areRows = areVectors(rowSide);
  Value areExchanged =
      arith::CmpIOp::create(b, CmpIPredicate::ugt, areRows, areLanes);
  auto exchange = [&](Value &row, Value &lane) {
    Value newRow = arith::SelectOp::create(b, areExchanged, lane, row);
    lane = arith::SelectOp::create(b, areExchanged, row, lane);
    row = newRow;
  };
  auto exchangeAll = [&](SmallVector<Value> &rows, SmallVector<Value> &others,
                         int64_t fill) {
    size_t count = std::max(rows.size(), others.size());
    for (SmallVector<Value> *values : {&rows, &others})
      while (values->size() < count)
        values->insert(values->begin(), getIndex(fill));
    for (auto [row, lane] : llvm::zip_equal(rows, others))
      exchange(row, lane);
  };
  exchangeAll(rowSide.loopSizes, laneSide.loopSizes, 1);
  exchangeAll(rowSide.loopStrides, laneSide.loopStrides, 0);
  exchangeAll(rowSide.loopOutputs, laneSide.loopOutputs, 0);
  exchangeAll(rowSide.strides, laneSide.strides, 0);
  exchange(rowSide.source, laneSide.source);
  exchange(rowSide.size, laneSide.size);
  exchange(rowStart, laneStart);
}

/// How much of each loop a region has.
SmallVector<Value> ContractionBuilder::getRegionSteps() {
  // Whole loops from the innermost one on, as far as they fit.
  SmallVector<Value> steps(regionLoops.size());
  Value rest = getIndex(kRegionSize), all = getIndex(1), one = all;
  bool isShared = sharedLoop >= 0;
  for (size_t i = regionLoops.size(); i-- > isShared;) {
    Value size = getSize(regionLoops[i]);
    steps[i] = arith::MinSIOp::create(b, size, rest);
    rest = arith::DivSIOp::create(b, rest, steps[i]);
    rest = arith::MaxSIOp::create(b, rest, one);
    all = multiply(all, size);
  }
  if (!isShared)
    return steps;
  // Several positions of the shared loop if that makes runs longer: as many as
  // make them a vector long. Of partial sums several anyway, as tiles of the
  // output are read and written for each region.
  Value wanted = one;
  for (PackedSide *side : {&rowSide, &laneSide}) {
    SmallVector<Value> sizes, strides;
    auto getRunOfRegion = [&](bool hasShared) {
      sizes.clear();
      strides.clear();
      for (unsigned i : getMemoryOrder(*side)) {
        if (i == 0 && !hasShared)
          continue;
        sizes.push_back(getSize(regionLoops[i]));
        strides.push_back(side->strides[regionLoops[i]]);
      }
      return getRun(sizes, strides);
    };
    Value run = getRunOfRegion(false), longer = getRunOfRegion(true);
    Value isLonger = arith::CmpIOp::create(b, CmpIPredicate::sgt, longer, run);
    Value vector = arith::CeilDivSIOp::create(b, getIndex(lanes), run);
    vector = arith::SelectOp::create(b, isLonger, vector, one);
    wanted = arith::MaxSIOp::create(b, wanted, vector);
  }
  // Twice as many, if lanes still are one block: the ends of runs are parts of
  // cache lines, which are read again for the next region.
  Value twice = multiply(wanted, 2);
  Value bytes = multiply(multiply(twice, all), getBytes(laneSide.element));
  bytes = multiply(bytes, laneSide.size);
  Value isOneBlock = compare(CmpIPredicate::sle, bytes, getPackedBytes(target));
  Value isShort = compare(CmpIPredicate::sgt, wanted, 1);
  Value areMore = arith::AndIOp::create(b, isOneBlock, isShort);
  wanted = arith::SelectOp::create(b, areMore, twice, wanted);
  auto getNumFitting = [&](int64_t size) -> Value {
    return arith::DivSIOp::create(b, getIndex(size), all);
  };
  Value fit = arith::MinSIOp::create(b, wanted, getNumFitting(kLongRegionSize));
  fit = arith::MaxSIOp::create(b, fit, getNumFitting(kSharedRegionSize));
  fit = arith::MaxSIOp::create(b, fit, one);
  Value size = getSize(sharedLoop);
  Value blocks = arith::CeilDivSIOp::create(b, size, fit);
  steps.front() = arith::CeilDivSIOp::create(b, size, blocks);
  if (!sum)
    steps.front() = arith::SelectOp::create(b, isShort, steps.front(), one);
  return steps;
}

void ContractionBuilder::buildPacked() {
  rowSide.width = rowSide.vectorSize = getTileRows(target);
  laneSide.width = lanes * kTileVectors;
  laneSide.vectorSize = lanes;
  int64_t scratch = 0;
  preparePacked(rowSide, scratch, kPackedBytes);
  preparePacked(laneSide, scratch, kPackedBytes);
  rowSide.strides = getStrides(*rowSide.operand, rowStart);
  laneSide.strides = getStrides(*laneSide.operand, laneStart);
  output = getFlat(getOutput());
  outputStrides = getStrides(getOutput(), outputStart);
  tile = memref::CastOp::create(
      b, output.getType(),
      getScratch(getElementTypeOrSelf(output.getType()), scratch));

  for (PackedSide *side : {&rowSide, &laneSide})
    for (unsigned loop : side->loops) {
      side->loopSizes.push_back(getSize(loop));
      side->loopStrides.push_back(side->strides[loop]);
      side->loopOutputs.push_back(outputStrides[loop]);
    }
  if (canExchangeSides())
    exchangeSides();

  SmallVector<Value> steps = getRegionSteps();
  Value one = getIndex(1);
  isOnlyRegion = arith::ConstantIntOp::create(b, 1, 1);
  for (auto [step, loop] : llvm::zip_equal(steps, regionLoops)) {
    Value size = getSize(loop);
    Value isWhole = arith::CmpIOp::create(b, CmpIPredicate::eq, step, size);
    isOnlyRegion = arith::AndIOp::create(b, isOnlyRegion, isWhole);
  }
  isFirstPosition = isFirstSum = arith::ConstantIntOp::create(b, 1, 1);
  for (unsigned loop : outer) {
    auto forOp = scf::ForOp::create(b, getIndex(0), getSize(loop), one);
    b.setInsertionPointToStart(forOp.getBody());
    Value at = forOp.getInductionVar();
    Value isStart = compare(CmpIPredicate::eq, at, 0);
    isFirstPosition = arith::AndIOp::create(b, isFirstPosition, isStart);
    if (llvm::is_contained(sumLoops, loop))
      isFirstSum = arith::AndIOp::create(b, isFirstSum, isStart);
    rowStart = add(rowStart, multiply(at, rowSide.strides[loop]));
    laneStart = add(laneStart, multiply(at, laneSide.strides[loop]));
    outputStart = add(outputStart, multiply(at, outputStrides[loop]));
  }
  isFirstRegion = arith::ConstantIntOp::create(b, 1, 1);
  forEachRegion(0, steps, [&] { buildRegion(); });
}

void ContractionBuilder::forEachRegion(unsigned next, ArrayRef<Value> steps,
                                       function_ref<void()> inner) {
  if (next == regionLoops.size())
    return inner();
  unsigned loop = regionLoops[next];
  Value row = rowStart, lane = laneStart, isFirst = isFirstRegion;
  Value isFirstOfSums = isFirstSum;
  forEachBlock(getSize(loop), steps[next], [&](Value first, Value count) {
    regionSizes.push_back(count);
    rowStart = add(row, multiply(first, rowSide.strides[loop]));
    laneStart = add(lane, multiply(first, laneSide.strides[loop]));
    Value isStart = compare(CmpIPredicate::eq, first, 0);
    if (loop == sharedLoop) {
      Value shift = multiply(first, outputStrides[loop]);
      outputStart = add(outputStart, shift);
      if (sum)
        isFirstSum = arith::AndIOp::create(b, isFirstOfSums, isStart);
    } else {
      isFirstRegion = arith::AndIOp::create(b, isFirst, isStart);
    }
    forEachRegion(next + 1, steps, inner);
    regionSizes.pop_back();
  });
}

void ContractionBuilder::buildRegion() {
  bool isShared = sharedLoop >= 0;
  Value one = getIndex(1), chain = one;
  for (Value size : ArrayRef(regionSizes).drop_front(isShared))
    chain = multiply(chain, size);
  regionSize = isShared ? multiply(chain, regionSizes.front()) : chain;
  // Tables stay as they are while the loops around move both operands.
  Value yes = arith::ConstantIntOp::create(b, 1, 1);
  Value areSeveral = arith::XOrIOp::create(b, isOnlyRegion, yes);
  Value isNew = arith::OrIOp::create(b, isFirstPosition, areSeveral);
  for (PackedSide *side : {&rowSide, &laneSide}) {
    choose(isNew, [&] { fillReductions(*side); });
    SmallVector<Value> sizes, strides;
    for (unsigned i : getMemoryOrder(*side)) {
      sizes.push_back(regionSizes[i]);
      strides.push_back(side->strides[regionLoops[i]]);
    }
    side->run = getRun(sizes, strides);
    // As many panels as fit, and one at least.
    Value panel = multiply(regionSize, side->width * getBytes(side->element));
    Value panels =
        arith::DivSIOp::create(b, getIndex(getPackedBytes(target)), panel);
    Value most = getIndex(kBlockSize / side->width);
    panels = arith::MinSIOp::create(b, panels, most);
    panels = arith::MaxSIOp::create(b, panels, one);
    // Of about equal size.
    Value all =
        arith::CeilDivSIOp::create(b, side->size, getIndex(side->width));
    Value blocks = arith::CeilDivSIOp::create(b, all, panels);
    panels = arith::CeilDivSIOp::create(b, all, blocks);
    side->block = multiply(panels, side->width);
  }
  // Blocks of equal size.
  Value least = getIndex(getReductionBlock(target));
  Value blocks = arith::CeilDivSIOp::create(b, chain, least);
  Value step = arith::CeilDivSIOp::create(b, chain, blocks);
  auto areMoreThanBlock = [&](PackedSide &side) -> Value {
    return arith::CmpIOp::create(b, CmpIPredicate::sgt, side.size, side.block);
  };
  Value areMore = areMoreThanBlock(laneSide);
  Value areMoreRows = areMoreThanBlock(rowSide);
  Value areNewLanes = arith::OrIOp::create(b, isNew, areMore);
  Value areNewRows = arith::OrIOp::create(b, isNew, areMoreRows);
  forEachBlock(rowSide.size, rowSide.block, [&](Value row, Value numRows) {
    choose(areNewRows, [&] { fillPositions(rowSide, row, numRows); });
    pack(rowSide, numRows);
    Value isFirst = compare(CmpIPredicate::eq, row, 0);
    Value isMissing = arith::OrIOp::create(b, areMore, isFirst);
    forEachBlock(
        laneSide.size, laneSide.block, [&](Value lane, Value numLanes) {
          choose(isMissing, [&] {
            choose(areNewLanes,
                   [&] { fillPositions(laneSide, lane, numLanes); });
            pack(laneSide, numLanes);
          });
          if (sum)
            return buildSumTiles(numLanes, numRows, chain);
          Value start = outputStart;
          Value numChains = isShared ? regionSizes.front() : getIndex(1);
          forEach(numChains, [&](Value number) {
            if (isShared) {
              Value shift = multiply(number, outputStrides[sharedLoop]);
              outputStart = add(start, shift);
            }
            Value begin = multiply(number, chain);
            forEachBlock(chain, step, [&](Value reduction, Value count) {
              Value isStart = compare(CmpIPredicate::eq, reduction, 0);
              isStart = arith::AndIOp::create(b, isFirstRegion, isStart);
              Value first = add(begin, reduction);
              buildTiles({numLanes, numRows, first, count, isStart});
            });
          });
          outputStart = start;
        });
  });
}

/// Partial sums of the region, as many at a time as stay in the first cache.
void ContractionBuilder::buildSumTiles(Value numLanes, Value numRows,
                                       Value chain) {
  Value step =
      arith::DivSIOp::create(b, getIndex(getReductionBlock(target)), chain);
  step = arith::MaxSIOp::create(b, step, getIndex(1));
  forEachBlock(regionSizes.front(), step, [&](Value number, Value count) {
    Value isStart = compare(CmpIPredicate::eq, number, 0);
    isStart = arith::AndIOp::create(b, isFirstSum, isStart);
    buildTiles(
        {numLanes, numRows, multiply(number, chain), chain, isStart, count});
  });
}
