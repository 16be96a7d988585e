//===- JitBounds.cpp - Bounds checks of compiled codelets -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is one check for each linalg op, view and loop, and for each load and
// store that is not obviously in bounds. A failed check ends the vertex. The
// vectors of a loop over lanes end at the end of the last dimension.
//
//===----------------------------------------------------------------------===//

#include "../../Program/EngineCodelets.h"
#include "Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class BoundsChecker {
public:
  BoundsChecker(func::FuncOp function,
                const llvm::DenseMap<Operation *, Operation *> &sources,
                const llvm::DenseMap<Operation *, int64_t> &faultNumbers)
      : function(function), sources(sources), faultNumbers(faultNumbers),
        b(function.getLoc(), function.getContext()) {}

  void run();

private:
  void checkIndices(Value buffer, ValueRange indices);
  void checkGeneric(linalg::GenericOp op);
  void checkSubView(memref::SubViewOp op);
  void checkCast(memref::CastOp op);
  void checkFor(scf::ForOp op);

  Value getIndex(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value getIndex(OpFoldResult value) {
    if (auto constant = getConstantIntValue(value))
      return getIndex(*constant);
    return cast<Value>(value);
  }
  Value getSize(Value buffer, int64_t dim) {
    return memref::DimOp::create(b, buffer, dim);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, predicate, lhs, rhs);
  }
  void require(Value value) {
    condition = condition
                    ? arith::AndIOp::create(b, condition, value).getResult()
                    : value;
  }
  /// Asserts what has been required, for `op`.
  void emit(Operation *op);

  func::FuncOp function;
  const llvm::DenseMap<Operation *, Operation *> &sources;
  const llvm::DenseMap<Operation *, int64_t> &faultNumbers;
  ImplicitLocOpBuilder b;
  Value condition;
};
} // namespace

void BoundsChecker::run() {
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    b.setInsertionPoint(op);
    b.setLoc(op->getLoc());
    condition = Value();
    if (auto load = dyn_cast<memref::LoadOp>(op))
      checkIndices(load.getMemRef(), load.getIndices());
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      checkIndices(store.getMemRef(), store.getIndices());
    else if (auto load = dyn_cast<vector::LoadOp>(op))
      checkIndices(load.getBase(), load.getIndices().drop_back());
    else if (auto load = dyn_cast<vector::MaskedLoadOp>(op))
      checkIndices(load.getBase(), load.getIndices().drop_back());
    else if (auto generic = dyn_cast<linalg::GenericOp>(op))
      checkGeneric(generic);
    else if (auto subview = dyn_cast<memref::SubViewOp>(op))
      checkSubView(subview);
    else if (auto cast = dyn_cast<memref::CastOp>(op))
      checkCast(cast);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      checkFor(loop);
    if (condition)
      emit(op);
  }
}

void BoundsChecker::emit(Operation *op) {
  int64_t number = faultNumbers.lookup(sources.lookup(op));
  cf::AssertOp::create(b, condition, std::to_string(number));
}

/// Whether `index` runs from a constant to the size of this very dimension.
static bool isObviouslyInside(Value buffer, int64_t dim, Value index) {
  auto argument = dyn_cast<BlockArgument>(index);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || loop.getInductionVar() != index)
    return false;
  auto lower = getConstantIntValue(loop.getLowerBound());
  auto size = loop.getUpperBound().getDefiningOp<memref::DimOp>();
  return lower && *lower >= 0 && size && size.getSource() == buffer &&
         size.getConstantIndex() == dim;
}

void BoundsChecker::checkIndices(Value buffer, ValueRange indices) {
  for (auto [dim, index] : llvm::enumerate(indices))
    if (!isObviouslyInside(buffer, dim, index))
      require(compare(arith::CmpIPredicate::ult, index, getSize(buffer, dim)));
}

void BoundsChecker::checkGeneric(linalg::GenericOp op) {
  SmallVector<LoopRange> ranges = getLoopRanges(op);
  SmallVector<Value> sizes;
  for (LoopRange range : ranges)
    sizes.push_back(getSize(op->getOperand(range.operand), range.dim));
  Value zero = getIndex(0), one = getIndex(1);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, affine] : llvm::enumerate(map.getResults())) {
      if (auto loop = dyn_cast<AffineDimExpr>(affine)) {
        LoopRange range = ranges[loop.getPosition()];
        if (range.operand == operand.getOperandNumber() && range.dim == dim)
          continue;
      }
      LinearExpr expr = *getLinearExpr(affine, map.getNumDims());
      Value low = getIndex(expr.constant), high = low;
      for (auto [size, coefficient] :
           llvm::zip_equal(sizes, expr.coefficients)) {
        if (coefficient == 0)
          continue;
        Value reach = arith::MulIOp::create(
            b, arith::SubIOp::create(b, size, one), getIndex(coefficient));
        Value &end = coefficient < 0 ? low : high;
        end = arith::AddIOp::create(b, end, reach);
      }
      require(compare(arith::CmpIPredicate::sge, low, zero));
      require(compare(arith::CmpIPredicate::slt, high,
                      getSize(operand.get(), dim)));
    }
  }
  // Loops that do not run touch nothing.
  if (condition)
    for (Value size : sizes)
      condition = arith::OrIOp::create(
          b, condition, compare(arith::CmpIPredicate::eq, size, zero));
}

void BoundsChecker::checkSubView(memref::SubViewOp op) {
  using arith::CmpIPredicate;
  Value zero = getIndex(0), one = getIndex(1);
  for (auto [dim, mixed] : llvm::enumerate(llvm::zip_equal(
           op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides()))) {
    auto [mixedOffset, mixedSize, mixedStride] = mixed;
    Value offset = getIndex(mixedOffset), size = getIndex(mixedSize);
    Value stride = getIndex(mixedStride), end = getSize(op.getSource(), dim);
    for (Value value : {offset, size, stride})
      require(compare(CmpIPredicate::ule, value, end));
    Value last = arith::AddIOp::create(
        b, offset,
        arith::MulIOp::create(b, arith::SubIOp::create(b, size, one), stride));
    require(arith::OrIOp::create(b, compare(CmpIPredicate::eq, size, zero),
                                 compare(CmpIPredicate::slt, last, end)));
  }
}

void BoundsChecker::checkCast(memref::CastOp op) {
  auto type = cast<MemRefType>(op.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  // Types of codelets' values were checked to have strides.
  (void)type.getStridesAndOffset(strides, offset);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, op.getSource());
  auto requireEqual = [&](int64_t expected, Value actual) {
    if (ShapedType::isStatic(expected))
      require(compare(arith::CmpIPredicate::eq, getIndex(expected), actual));
  };
  requireEqual(offset, metadata.getOffset());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    requireEqual(type.getDimSize(dim), metadata.getSizes()[dim]);
    requireEqual(strides[dim], metadata.getStrides()[dim]);
  }
}

void BoundsChecker::checkFor(scf::ForOp op) {
  if (auto step = getConstantIntValue(op.getStep()); step && *step > 0)
    return;
  Value zero =
      arith::ConstantOp::create(b, b.getIntegerAttr(op.getStep().getType(), 0));
  require(compare(arith::CmpIPredicate::sgt, op.getStep(), zero));
}

void mlir::ipu::insertBoundsChecks(
    func::FuncOp function,
    const llvm::DenseMap<Operation *, Operation *> &sources,
    const llvm::DenseMap<Operation *, int64_t> &faultNumbers) {
  BoundsChecker(function, sources, faultNumbers).run();
}
