//===- JitContractions.cpp - Fast loops for reductions over vectors -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg.generic whose innermost loop is parallel and whose reductions run
// inside of it (matrix products, convolutions, pooling) is written with one
// lane of a vector for each position of the innermost loop. Reductions stay in
// their order, so that each lane does what the scalar loops do: the same bits.
// Several rows of accumulators are kept in registers.
//
//===----------------------------------------------------------------------===//

#include "../../Program/EngineCodelets.h"
#include "Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

namespace {
/// How an operand moves with the vector loop.
enum class LaneAccess { Same, Contiguous, Strided };

class ContractionBuilder {
public:
  ContractionBuilder(linalg::GenericOp op, const JitTarget &target)
      : op(op), target(target), b(op.getLoc(), op) {}

  /// Whether the op has the form that build() wants.
  bool matches();
  /// Writes the loops before the op.
  void build();

private:
  bool matchesOperand(OpOperand &operand);
  bool matchesBody();

  void buildParallel(unsigned next);
  void buildVectors();
  void buildRows();
  void buildBlock(int64_t rows, Value firstRow);
  SmallVector<Value> buildReductions(unsigned next, int64_t rows,
                                     Value firstRow, ValueRange accumulators);
  SmallVector<Value> buildBody(int64_t rows, Value firstRow,
                               ValueRange accumulators);

  Value getIndex(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value getSize(unsigned loop) {
    return memref::DimOp::create(b, op->getOperand(ranges[loop].operand),
                                 ranges[loop].dim);
  }
  SmallVector<Value> getIndices(OpOperand &operand, Value lane = {});
  Value loadLanes(OpOperand &operand);
  Value loadStrided(OpOperand &operand);
  Value toVector(Value value);
  void setRow(Value firstRow, int64_t row);
  OpOperand &getOutput() { return *op.getDpsInitOperand(0); }

  linalg::GenericOp op;
  const JitTarget &target;
  ImplicitLocOpBuilder b;
  SmallVector<LoopRange> ranges;
  SmallVector<unsigned> parallel, reductions;
  std::vector<LaneAccess> accesses;
  unsigned vectorLoop = 0;
  /// The loop that is blocked, or -1.
  int64_t rowLoop = -1;
  int64_t lanes = 0;
  /// Positions of all loops.
  SmallVector<Value> positions;
  /// If only some lanes are in use: which, and how many.
  Value mask, numLanes;
};
} // namespace

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
  vectorLoop = parallel.pop_back_val();
  if (vectorLoop + 1 != op.getNumLoops())
    return false;
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
  AffineMap map = op.getMatchingIndexingMap(&getOutput());
  for (unsigned loop : reductions)
    if (map.isFunctionOfDim(loop))
      return false;
  Type element = cast<MemRefType>(getOutput().get().getType()).getElementType();
  lanes = target.vectorBytes * 8 / element.getIntOrFloatBitWidth();
  return matchesBody();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void ContractionBuilder::build() {
  ranges = getLoopRanges(op);
  positions.resize(op.getNumLoops());
  buildParallel(0);
}

void ContractionBuilder::buildParallel(unsigned next) {
  if (next == parallel.size())
    return buildVectors();
  unsigned loop = parallel[next];
  auto forOp = scf::ForOp::create(b, getIndex(0), getSize(loop), getIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  positions[loop] = forOp.getInductionVar();
  buildParallel(next + 1);
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
  auto ifOp = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
  b.setInsertionPointToStart(ifOp.thenBlock());
  mask = numLanes = Value();
  buildRows();
  b.setInsertionPointToStart(ifOp.elseBlock());
  numLanes = rest;
  mask = vector::CreateMaskOp::create(b, VectorType::get(lanes, b.getI1Type()),
                                      ValueRange(rest));
  buildRows();
}

/// Blocks of rows, each loop starting where the one before it ended.
void ContractionBuilder::buildRows() {
  if (rowLoop < 0)
    return buildBlock(1, getIndex(0));
  Value size = getSize(rowLoop), begin = getIndex(0);
  for (int64_t rows : kRows) {
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
    accumulators.push_back(loadLanes(getOutput()));
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

/// Element by element; lanes that are not in use repeat the last.
Value ContractionBuilder::loadStrided(OpOperand &operand) {
  Type element = getElementTypeOrSelf(operand.get().getType());
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value position = getIndex(lane);
    if (numLanes)
      position = arith::MinSIOp::create(
          b, position, arith::SubIOp::create(b, numLanes, getIndex(1)));
    elements.push_back(memref::LoadOp::create(b, operand.get(),
                                              getIndices(operand, position)));
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

/// The op's body on vectors, once for each row.
SmallVector<Value> ContractionBuilder::buildBody(int64_t rows, Value firstRow,
                                                 ValueRange accumulators) {
  SmallVector<Value> results;
  SmallVector<Value> shared(op.getNumDpsInputs());
  for (int64_t row = 0; row < rows; ++row) {
    setRow(firstRow, row);
    IRMapping mapping;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      // Rows read the same where they do not move the operand.
      Value &value = shared[operand->getOperandNumber()];
      AffineMap map = op.getMatchingIndexingMap(operand);
      if (!value || (rowLoop >= 0 && map.isFunctionOfDim(rowLoop)))
        value = loadLanes(*operand);
      mapping.map(op.getMatchingBlockArgument(operand), value);
    }
    mapping.map(op.getMatchingBlockArgument(&getOutput()), accumulators[row]);
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
      OperationState state(inner.getLoc(), inner.getName());
      for (Value operand : inner.getOperands())
        state.addOperands(lookup(operand));
      state.addTypes(VectorType::get(lanes, inner.getResult(0).getType()));
      state.addAttributes(inner.getAttrs());
      mapping.map(inner.getResult(0), b.create(state)->getResult(0));
    }
    results.push_back(lookup(op.getBody()->getTerminator()->getOperand(0)));
  }
  return results;
}

bool mlir::ipu::lowerContraction(linalg::GenericOp op,
                                 const JitTarget &target) {
  ContractionBuilder builder(op, target);
  if (!builder.matches())
    return false;
  builder.build();
  return true;
}
