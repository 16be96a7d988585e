//===- JitContractions.cpp - Vectors of contractions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JitContractions.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::ipu;

/// Rows of accumulators: as many as hide the latency of one, then fewer for
/// what is left.
static constexpr int64_t kRows[] = {8, 4, 1};

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

static Value getRoot(Value buffer) {
  while (Operation *view = buffer.getDefiningOp()) {
    if (auto subview = dyn_cast<memref::SubViewOp>(view))
      buffer = subview.getSource();
    else if (auto cast = dyn_cast<memref::CastOp>(view))
      buffer = cast.getSource();
    else
      break;
  }
  return buffer;
}

/// Classifies the operand; false if it cannot be read in lanes.
bool ContractionBuilder::matchesOperand(OpOperand &operand) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type) {
    accesses.push_back(LaneAccess::Same);
    return true;
  }
  if (type.getElementType().isInteger(1) || type.getElementType().isIndex())
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  LaneAccess access = LaneAccess::Same;
  for (auto [dim, affine] : llvm::enumerate(map.getResults())) {
    LinearExpr expr = *getLinearExpr(affine, map.getNumDims());
    int64_t coefficient = expr.coefficients[vectorLoop];
    if (coefficient == 0)
      continue;
    bool isContiguous = access == LaneAccess::Same && coefficient == 1 &&
                        dim + 1 == strides.size() && strides.back() == 1;
    access = isContiguous ? LaneAccess::Contiguous : LaneAccess::Strided;
  }
  accesses.push_back(access);
  return true;
}

/// Whether the body of `op` can be written on vectors.
static bool hasBodyOfVectors(linalg::GenericOp op) {
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (!isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) ||
        inner.getNumResults() != 1)
      return false;
    for (Type type : inner.getResultTypes())
      if (!type.isSignlessInteger() && !isa<FloatType>(type))
        return false;
    for (Type type : inner.getOperandTypes())
      if (!type.isSignlessInteger() && !isa<FloatType>(type))
        return false;
  }
  return true;
}

bool ContractionBuilder::matches() {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      op.getNumParallelLoops() == 0)
    return false;
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    if (!llvm::is_contained(sumLoops, loop))
      (type == utils::IteratorType::parallel ? parallel : reductions)
          .push_back(loop);
  AffineMap outputMap = op.getMatchingIndexingMap(&getOutput());
  if (outputMap.getNumResults() == 0)
    return false;
  auto last = dyn_cast<AffineDimExpr>(outputMap.getResults().back());
  if (!last || !llvm::is_contained(parallel, last.getPosition()))
    return false;
  vectorLoop = last.getPosition();
  llvm::erase(parallel, vectorLoop);
  if (!parallel.empty())
    rowLoop = parallel.pop_back_val();
  Value output = getRoot(getOutput().get());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!matchesOperand(operand))
      return false;
    if (&operand != &getOutput() && getRoot(operand.get()) == output)
      return false;
  }
  if (accesses.back() != LaneAccess::Contiguous)
    return false;
  // Positions of reductions must not move the output.
  for (const auto *loops : {&reductions, &sumLoops})
    for (unsigned loop : *loops)
      if (outputMap.isFunctionOfDim(loop))
        return false;
  Type element = cast<MemRefType>(getOutput().get().getType()).getElementType();
  lanes = target.vectorBytes * 8 / element.getIntOrFloatBitWidth();
  return hasBodyOfVectors(op) && (!sum || hasBodyOfVectors(sum));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What `fill`, which may be null, gives all elements.
Value ContractionBuilder::takeInitial(linalg::GenericOp fill) {
  if (!fill)
    return {};
  Value value = fill.getBody()->getTerminator()->getOperand(0);
  // A constant of its body, or an operand.
  if (auto argument = dyn_cast<BlockArgument>(value))
    return fill.getMatchingOpOperand(argument)->get();
  value.getDefiningOp()->moveBefore(op);
  return value;
}

void ContractionBuilder::build(linalg::GenericOp fill,
                               linalg::GenericOp sumFill) {
  ranges = getLoopRanges(op);
  positions.resize(op.getNumLoops());
  initial = takeInitial(fill);
  sumInitial = takeInitial(sumFill);
  if (!matchesPacked()) {
    joinLanes();
    return buildParallel(parallel, [&] { buildVectors(); });
  }
  auto ifOp = scf::IfOp::create(b, isLarge(), /*withElseRegion=*/true);
  b.setInsertionPointToStart(ifOp.thenBlock());
  buildPacked();
  b.setInsertionPointToStart(ifOp.elseBlock());
  buildParallel(parallel, [&] { buildVectors(); });

  // The loop that matters alone is worth the time that LLVM takes to unroll it.
  auto unroll = LLVM::LoopUnrollAttr::get(b.getContext(),
                                          /*disable=*/b.getBoolAttr(true), {},
                                          {}, {}, {}, {}, {});
  auto annotation =
      LLVM::LoopAnnotationAttr::get(b.getContext(), {}, {}, {}, unroll, {}, {},
                                    {}, {}, {}, {}, {}, {}, {}, {}, {});
  ifOp->walk([&](scf::ForOp forOp) {
    if (forOp != tileLoop)
      forOp->setAttr(kLoopAnnotationAttrName, annotation);
  });
}

/// Makes the loops around the lanes part of them, where no operand has gaps
/// between their positions: the last loop may be short.
void ContractionBuilder::joinLanes() {
  using arith::CmpIPredicate;
  AffineMap outputMap = op.getMatchingIndexingMap(&getOutput());
  // The last `count` loops of the output are the last ones of the operand, or
  // do not move it.
  auto areLast = [&](AffineMap map, unsigned count) {
    ArrayRef<AffineExpr> wanted = outputMap.getResults().take_back(count);
    ArrayRef<AffineExpr> results = map.getResults();
    if (results.size() >= count && results.take_back(count) == wanted) {
      results = results.drop_back(count);
      count = 0;
    }
    return llvm::none_of(wanted, [&](AffineExpr expr) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      return llvm::any_of(results, [&](AffineExpr result) {
        return result.isFunctionOfDim(loop);
      });
    });
  };
  unsigned count = 1;
  for (unsigned next = 2; next <= outputMap.getNumResults(); ++next) {
    if (!isa<AffineDimExpr>(*(outputMap.getResults().end() - next)) ||
        !llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
          return areLast(op.getMatchingIndexingMap(&operand), next);
        }))
      break;
    count = next;
  }
  if (count == 1)
    return;
  SmallVector<unsigned> loops;
  SmallVector<Value> sizes;
  for (AffineExpr expr : outputMap.getResults().take_back(count)) {
    loops.push_back(cast<AffineDimExpr>(expr).getPosition());
    sizes.push_back(getSize(loops.back()));
  }
  Value isJoined = arith::ConstantIntOp::create(b, 1, 1), all;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!isa<MemRefType>(operand.get().getType()) ||
        !map.isFunctionOfDim(vectorLoop))
      continue;
    auto metadata = memref::ExtractStridedMetadataOp::create(b, operand.get());
    Value next = getIndex(1);
    for (unsigned i = count; i-- > 0;) {
      unsigned dim = map.getNumResults() - count + i;
      Value stride = metadata.getStrides()[dim];
      Value isNext = arith::CmpIOp::create(b, CmpIPredicate::eq, stride, next);
      Value isOne = compare(CmpIPredicate::eq, sizes[i], 1);
      Value isPart = arith::OrIOp::create(b, isNext, isOne);
      isJoined = arith::AndIOp::create(b, isJoined, isPart);
      next = multiply(next, sizes[i]);
    }
    all = next;
  }
  // Positions of the last loop go on to those of the others.
  for (auto [loop, size] : llvm::zip_equal(loops, sizes))
    joinedSizes[loop] = arith::SelectOp::create(
        b, isJoined, loop == vectorLoop ? all : getIndex(1), size);
}

void ContractionBuilder::buildParallel(ArrayRef<unsigned> loops,
                                       function_ref<void()> inner) {
  if (loops.empty())
    return inner();
  unsigned loop = loops.front();
  auto forOp = scf::ForOp::create(b, getIndex(0), getSize(loop), getIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  positions[loop] = forOp.getInductionVar();
  buildParallel(loops.drop_front(), inner);
}

/// Whole vectors, then one of which some lanes are in use.
void ContractionBuilder::buildVectors() {
  Value size = getSize(vectorLoop), step = getIndex(lanes);
  auto forOp = scf::ForOp::create(b, getIndex(0), size, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  Value position = positions[vectorLoop] = forOp.getInductionVar();
  Value rest = arith::SubIOp::create(b, size, position);
  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, rest, step);
  // What is small enough not to be packed is not worth the code of both.
  if (!laneSide.packed) {
    auto ifOp = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
    b.setInsertionPointToStart(ifOp.thenBlock());
    mask = lastPosition = Value();
    buildRows();
    b.setInsertionPointToStart(ifOp.elseBlock());
  }
  lastPosition = arith::SubIOp::create(b, size, getIndex(1));
  mask = vector::CreateMaskOp::create(b, VectorType::get(lanes, b.getI1Type()),
                                      ValueRange(rest));
  buildRows();
}

/// Blocks of rows, each loop starting where the one before it ended.
void ContractionBuilder::buildRows() {
  if (rowLoop < 0)
    return buildBlock(1, getIndex(0));
  Value size = getSize(rowLoop), begin = getIndex(0);
  // Where large ones are packed, the loops for small ones should be short: they
  // take time to compile.
  ArrayRef<int64_t> counts(kRows);
  if (laneSide.operand && rowSide.operand)
    counts = counts.drop_front();
  for (int64_t rows : counts) {
    Value step = getIndex(rows);
    Value count = arith::SubIOp::create(b, size, begin);
    Value whole =
        arith::MulIOp::create(b, arith::DivUIOp::create(b, count, step), step);
    Value end = arith::AddIOp::create(b, begin, whole);
    auto forOp = scf::ForOp::create(b, begin, end, step);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    buildBlock(rows, forOp.getInductionVar());
    begin = end;
  }
}

void ContractionBuilder::setRow(Value firstRow, int64_t row) {
  if (rowLoop >= 0)
    positions[rowLoop] = arith::AddIOp::create(b, firstRow, getIndex(row));
}

/// Loads `rows` vectors of accumulators, reduces, and stores them.
void ContractionBuilder::buildBlock(int64_t rows, Value firstRow) {
  for (const auto *loops : {&reductions, &sumLoops})
    for (unsigned loop : *loops)
      positions[loop] = getIndex(0);
  Value start = sum ? sumInitial : initial;
  SmallVector<Value> accumulators;
  for (int64_t row = 0; row < rows; ++row) {
    setRow(firstRow, row);
    accumulators.push_back(start ? toVector(start) : loadLanes(getOutput()));
  }
  accumulators = buildSums(0, rows, firstRow, accumulators);
  for (int64_t row = 0; row < rows; ++row) {
    setRow(firstRow, row);
    SmallVector<Value> indices = getIndices(getOutput());
    if (mask)
      vector::MaskedStoreOp::create(b, getOutput().get(), indices, mask,
                                    accumulators[row]);
    else
      vector::StoreOp::create(b, accumulators[row], getOutput().get(), indices);
  }
}

/// Adds the partial sums of positions of `sumLoops` from number `next` on; what
/// has none is one itself.
SmallVector<Value> ContractionBuilder::buildSums(unsigned next, int64_t rows,
                                                 Value firstRow,
                                                 ValueRange totals) {
  if (!sum)
    return buildReductions(0, rows, firstRow, totals);
  if (next == sumLoops.size()) {
    SmallVector<Value> partials(rows, toVector(initial));
    partials = buildReductions(0, rows, firstRow, partials);
    for (auto [partial, total] : llvm::zip_equal(partials, totals))
      partial = addPartial(total, partial);
    return partials;
  }
  return buildLoop(sumLoops[next], totals, [&](ValueRange inner) {
    return buildSums(next + 1, rows, firstRow, inner);
  });
}

SmallVector<Value>
ContractionBuilder::buildReductions(unsigned next, int64_t rows, Value firstRow,
                                    ValueRange accumulators) {
  if (next == reductions.size())
    return buildBody(rows, firstRow, accumulators);
  return buildLoop(reductions[next], accumulators, [&](ValueRange inner) {
    return buildReductions(next + 1, rows, firstRow, inner);
  });
}

SmallVector<Value> ContractionBuilder::buildLoop(
    unsigned loop, ValueRange values,
    function_ref<SmallVector<Value>(ValueRange)> inner) {
  auto forOp =
      scf::ForOp::create(b, getIndex(0), getSize(loop), getIndex(1), values);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  positions[loop] = forOp.getInductionVar();
  scf::YieldOp::create(b, inner(forOp.getRegionIterArgs()));
  return llvm::to_vector(ValueRange(forOp.getResults()));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Where the operand's element is at the current positions; `lane`, if given,
/// is added to that of the vector loop.
SmallVector<Value> ContractionBuilder::getIndices(OpOperand &operand,
                                                  Value lane) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr affine) {
    LinearExpr expr = *getLinearExpr(affine, map.getNumDims());
    Value index = getIndex(expr.constant);
    for (auto [loop, coefficient] : llvm::enumerate(expr.coefficients)) {
      if (coefficient == 0)
        continue;
      Value position = positions[loop];
      if (lane && loop == vectorLoop)
        position = arith::AddIOp::create(b, position, lane);
      index = arith::AddIOp::create(
          b, index, arith::MulIOp::create(b, position, getIndex(coefficient)));
    }
    return index;
  });
}

Value ContractionBuilder::toVector(Value value) {
  auto type = VectorType::get(lanes, value.getType());
  return vector::BroadcastOp::create(b, type, value);
}

/// How far a step of a loop moves the operand in memory.
Value ContractionBuilder::getStride(OpOperand &operand, ValueRange strides,
                                    unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Value sum = getIndex(0);
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    LinearExpr linear = *getLinearExpr(expr, map.getNumDims());
    if (int64_t step = linear.coefficients[loop])
      sum = add(sum, multiply(stride, step));
  }
  return sum;
}

/// Element by element; lanes that are not in use repeat the last.
Value ContractionBuilder::loadStrided(OpOperand &operand) {
  // One address, and a multiple of one stride for each lane.
  auto metadata = memref::ExtractStridedMetadataOp::create(b, operand.get());
  Value offset = metadata.getOffset();
  for (auto [index, stride] :
       llvm::zip_equal(getIndices(operand), metadata.getStrides()))
    offset = add(offset, multiply(index, stride));
  Value stride = getStride(operand, metadata.getStrides(), vectorLoop);
  Type element = getElementTypeOrSelf(operand.get().getType());
  int64_t dynamic = ShapedType::kDynamic;
  auto layout = StridedLayoutAttr::get(b.getContext(), dynamic, dynamic);
  Value row = memref::ReinterpretCastOp::create(
      b, MemRefType::get(lanes, element, layout), operand.get(), offset,
      ArrayRef<OpFoldResult>{b.getIndexAttr(lanes)},
      ArrayRef<OpFoldResult>{stride});
  Value last;
  if (lastPosition)
    last = arith::SubIOp::create(b, lastPosition, positions[vectorLoop]);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value position = getIndex(lane);
    if (last)
      position = arith::MinSIOp::create(b, position, last);
    elements.push_back(memref::LoadOp::create(b, row, position));
  }
  return vector::FromElementsOp::create(b, VectorType::get(lanes, element),
                                        elements);
}

Value ContractionBuilder::loadLanes(OpOperand &operand) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return toVector(operand.get());
  LaneAccess access = accesses[operand.getOperandNumber()];
  if (access == LaneAccess::Strided)
    return loadStrided(operand);
  SmallVector<Value> indices = getIndices(operand);
  if (access == LaneAccess::Same)
    return toVector(memref::LoadOp::create(b, operand.get(), indices));
  auto vectorType = VectorType::get(lanes, type.getElementType());
  if (!mask)
    return vector::LoadOp::create(b, vectorType, operand.get(), indices);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
  return vector::MaskedLoadOp::create(b, vectorType, operand.get(), indices,
                                      mask, zero);
}

Value ContractionBuilder::buildElements(
    linalg::GenericOp generic, function_ref<Value(OpOperand &)> getInput,
    Value accumulator) {
  IRMapping mapping;
  for (OpOperand *operand : generic.getDpsInputOperands())
    mapping.map(generic.getMatchingBlockArgument(operand), getInput(*operand));
  mapping.map(generic.getMatchingBlockArgument(generic.getDpsInitOperand(0)),
              accumulator);
  auto lookup = [&](Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Value wide = toVector(value);
    mapping.map(value, wide);
    return wide;
  };
  for (Operation &inner : generic.getBody()->without_terminator()) {
    if (isa<arith::ConstantOp>(inner)) {
      mapping.map(inner.getResult(0), toVector(b.clone(inner)->getResult(0)));
      continue;
    }
    if (isa<arith::ExtFOp>(inner)) {
      // Packed elements are extended.
      Value operand = lookup(inner.getOperand(0));
      if (getElementTypeOrSelf(operand) == inner.getResult(0).getType()) {
        mapping.map(inner.getResult(0), operand);
        continue;
      }
    }
    OperationState state(inner.getLoc(), inner.getName());
    for (Value operand : inner.getOperands())
      state.addOperands(lookup(operand));
    state.addTypes(VectorType::get(lanes, inner.getResult(0).getType()));
    state.addAttributes(inner.getAttrs());
    mapping.map(inner.getResult(0), b.create(state)->getResult(0));
  }
  return lookup(generic.getBody()->getTerminator()->getOperand(0));
}

Value ContractionBuilder::addPartial(Value total, Value partial) {
  return buildElements(sum, [&](OpOperand &) { return partial; }, total);
}

/// The op's body once for each row.
SmallVector<Value> ContractionBuilder::buildBody(int64_t rows, Value firstRow,
                                                 ValueRange accumulators) {
  SmallVector<Value> results;
  SmallVector<Value> shared(op.getNumDpsInputs());
  for (int64_t row = 0; row < rows; ++row) {
    setRow(firstRow, row);
    auto load = [&](OpOperand &operand) {
      // Rows read the same where they do not move the operand.
      Value &value = shared[operand.getOperandNumber()];
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (!value || (rowLoop >= 0 && map.isFunctionOfDim(rowLoop)))
        value = loadLanes(operand);
      return value;
    };
    results.push_back(buildElements(op, load, accumulators[row]));
  }
  return results;
}

/// Whether `op` gives all elements of `output` one value.
static bool isFill(linalg::GenericOp op, Value output) {
  if (op.getNumDpsInits() != 1 || op.getDpsInitOperand(0)->get() != output ||
      op.getNumReductionLoops() > 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation())
    return false;
  Value value = op.getBody()->getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == op.getBody() &&
           argument.getArgNumber() < op.getNumDpsInputs() &&
           !isa<ShapedType>(op.getMatchingOpOperand(argument)->get().getType());
  return value.getDefiningOp<arith::ConstantOp>() &&
         value.getDefiningOp()->getBlock() == op.getBody();
}

/// Whether a check of bounds, which may be between any two ops, has such an op.
static bool isPartOfCheck(Operation *op) {
  return isa<arith::ArithDialect>(op->getDialect()) ||
         isa<memref::DimOp, cf::AssertOp>(op);
}

linalg::GenericOp mlir::ipu::findFill(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1)
    return {};
  Operation *before = op->getPrevNode();
  while (before && isPartOfCheck(before))
    before = before->getPrevNode();
  auto fill = dyn_cast_or_null<linalg::GenericOp>(before);
  return fill && isFill(fill, op.getDpsInitOperand(0)->get())
             ? fill
             : linalg::GenericOp();
}

linalg::GenericOp mlir::ipu::findSum(linalg::GenericOp op) {
  if (!op->hasAttr(kScratchOutputAttrName) || op.getNumDpsInits() != 1 ||
      !findFill(op))
    return {};
  Value partials = op.getDpsInits().front();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    auto sum = dyn_cast<linalg::GenericOp>(next);
    if (!sum && !isPartOfCheck(next))
      return {};
    if (!sum || isFill(sum, sum.getDpsInits().front()))
      continue;
    bool reads = sum.getNumDpsInputs() == 1 && sum.getNumDpsInits() == 1 &&
                 sum.getDpsInputs().front() == partials &&
                 !sum.hasIndexSemantics() && map.isProjectedPermutation() &&
                 sum.getIndexingMapsArray().front().isIdentity();
    return reads ? sum : linalg::GenericOp();
  }
  return {};
}

/// `op` with the output of `sum`. Loops that move what `op` writes and not that
/// are over partial sums.
static linalg::GenericOp buildSummed(linalg::GenericOp op,
                                     linalg::GenericOp sum,
                                     SmallVector<unsigned> &sumLoops) {
  AffineMap partials = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  AffineMap output =
      sum.getMatchingIndexingMap(sum.getDpsInitOperand(0)).compose(partials);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.back() = output;
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  for (auto [loop, type] : llvm::enumerate(sum.getIteratorTypesArray())) {
    if (type != utils::IteratorType::reduction)
      continue;
    unsigned own = partials.getDimPosition(loop);
    types[own] = type;
    sumLoops.push_back(own);
  }
  OpBuilder b(op);
  auto summed = linalg::GenericOp::create(b, op.getLoc(), op.getDpsInputs(),
                                          sum.getDpsInits(), maps, types);
  IRMapping mapping;
  op.getRegion().cloneInto(&summed.getRegion(), mapping);
  return summed;
}

bool mlir::ipu::lowerContraction(linalg::GenericOp op, linalg::GenericOp fill,
                                 const JitTarget &target) {
  ContractionBuilder builder(op, target);
  if (!builder.matches())
    return false;
  builder.build(fill);
  return true;
}

bool mlir::ipu::lowerSummedContraction(linalg::GenericOp op,
                                       linalg::GenericOp fill,
                                       linalg::GenericOp sum,
                                       linalg::GenericOp sumFill,
                                       const JitTarget &target) {
  SmallVector<unsigned> sumLoops;
  linalg::GenericOp summed = buildSummed(op, sum, sumLoops);
  ContractionBuilder builder(summed, sum, sumLoops, target);
  bool matches = builder.matches();
  if (matches)
    builder.build(fill, sumFill);
  summed.erase();
  return matches;
}
