//===- JitContractions.cpp - Fast loops for reductions over vectors -------===//
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

bool ContractionBuilder::matchesBody() {
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
  for (unsigned loop : reductions)
    if (outputMap.isFunctionOfDim(loop))
      return false;
  Type element = cast<MemRefType>(getOutput().get().getType()).getElementType();
  lanes = target.vectorBytes * 8 / element.getIntOrFloatBitWidth();
  return matchesBody();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void ContractionBuilder::build(linalg::GenericOp fill) {
  ranges = getLoopRanges(op);
  positions.resize(op.getNumLoops());
  if (fill) {
    initial = fill.getBody()->getTerminator()->getOperand(0);
    // A constant of its body, or an operand.
    if (auto argument = dyn_cast<BlockArgument>(initial))
      initial = fill.getMatchingOpOperand(argument)->get();
    else
      initial.getDefiningOp()->moveBefore(fill);
  }
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
  for (unsigned loop : reductions)
    positions[loop] = getIndex(0);
  SmallVector<Value> accumulators;
  for (int64_t row = 0; row < rows; ++row) {
    setRow(firstRow, row);
    accumulators.push_back(initial ? toVector(initial)
                                   : loadLanes(getOutput()));
  }
  accumulators = buildReductions(0, rows, firstRow, accumulators);
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

SmallVector<Value>
ContractionBuilder::buildReductions(unsigned next, int64_t rows, Value firstRow,
                                    ValueRange accumulators) {
  if (next == reductions.size())
    return buildBody(rows, firstRow, accumulators);
  unsigned loop = reductions[next];
  auto forOp = scf::ForOp::create(b, getIndex(0), getSize(loop), getIndex(1),
                                  accumulators);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  positions[loop] = forOp.getInductionVar();
  SmallVector<Value> results =
      buildReductions(next + 1, rows, firstRow, forOp.getRegionIterArgs());
  scf::YieldOp::create(b, results);
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
    function_ref<Value(OpOperand &)> getInput, Value accumulator) {
  IRMapping mapping;
  for (OpOperand *operand : op.getDpsInputOperands())
    mapping.map(op.getMatchingBlockArgument(operand), getInput(*operand));
  mapping.map(op.getMatchingBlockArgument(&getOutput()), accumulator);
  auto lookup = [&](Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Value wide = toVector(value);
    mapping.map(value, wide);
    return wide;
  };
  for (Operation &inner : op.getBody()->without_terminator()) {
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
  return lookup(op.getBody()->getTerminator()->getOperand(0));
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
    results.push_back(buildElements(load, accumulators[row]));
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

linalg::GenericOp mlir::ipu::findFill(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1)
    return {};
  // Checks of bounds are between them.
  Operation *before = op->getPrevNode();
  while (before && (isa<arith::ArithDialect>(before->getDialect()) ||
                    isa<memref::DimOp, cf::AssertOp>(before)))
    before = before->getPrevNode();
  auto fill = dyn_cast_or_null<linalg::GenericOp>(before);
  return fill && isFill(fill, op.getDpsInitOperand(0)->get())
             ? fill
             : linalg::GenericOp();
}

bool mlir::ipu::lowerContraction(linalg::GenericOp op, linalg::GenericOp fill,
                                 const JitTarget &target) {
  ContractionBuilder builder(op, target);
  if (!builder.matches())
    return false;
  builder.build(fill);
  return true;
}
