//===- BatchLoops.cpp - Loops over the parts of a batch -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BatchLoops.h"

#include "ContinuedSums.h"
#include "RowAccess.h"
#include "ipu-mlir/Dialect/Pop/IR/SerializationMarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Builds the bounds at the start of the block, without a placement.
void BatchLoops::buildBounds(Operation *op) {
  if (zero)
    return;
  ImplicitLocOpBuilder b(op->getLoc(), OpBuilder::atBlockBegin(&block));
  zero = arith::ConstantIndexOp::create(b, 0);
  end = arith::ConstantIndexOp::create(b, numParts);
  one = arith::ConstantIndexOp::create(b, 1);
}

SmallVector<Value> BatchLoops::buildInits(PopBuilder &b, Operation *op,
                                          const BatchOp &batchOp) {
  if (batchOp.isSum) {
    Value start = getSumStart(op);
    return {start ? b.cast(start, getSumType(op).getElementType())
                  : buildSumStart(b, op)};
  }
  SmallVector<Value> inits;
  for (Type type : op->getResultTypes())
    inits.push_back(b.zeros(cast<RankedTensorType>(type)));
  return inits;
}

void BatchLoops::buildBody(PopBuilder &b, scf::ForOp loop, Operation *op,
                           const BatchOp &batchOp) {
  b.setInsertionPointToStart(loop.getBody());
  Value number = b.create<FromScalarOp>(
      RankedTensorType::get({}, b.getI32Type()), loop.getInductionVar());
  auto buildStart = [&](int64_t size) {
    Value start = number;
    if (size != 1)
      start = b.mul(number, b.splat(b.getI32IntegerAttr(size)));
    return b.reshape(start, {1});
  };
  SmallVector<Value> operands, yields;
  for (auto [operand, dim] :
       llvm::zip_equal(op->getOpOperands(), batchOp.operandDims)) {
    if (dim == BatchOp::kWhole) {
      operands.push_back(operand.get());
      continue;
    }
    int64_t size =
        getPartType(operand.get().getType(), dim, numParts).getDimSize(dim);
    operands.push_back(b.create<DynamicSliceOp>(operand.get(), buildStart(size),
                                                ArrayRef<int64_t>{dim},
                                                ArrayRef<int64_t>{size}));
  }
  Operation *part = clonePart(b, op, batchOp, operands, numParts);
  part->removeAttr(kBatchAxisAttrName);
  if (batchOp.isSum)
    setSumStart(part, loop.getRegionIterArg(0));
  for (auto [result, dim, carried] : llvm::zip_equal(
           part->getResults(), batchOp.resultDims, loop.getRegionIterArgs())) {
    if (dim == BatchOp::kWhole) {
      yields.push_back(result);
      continue;
    }
    int64_t size = cast<RankedTensorType>(result.getType()).getDimSize(dim);
    yields.push_back(b.create<DynamicUpdateOp>(
        carried, result, buildStart(size), ArrayRef<int64_t>{dim}));
  }
  b.create<scf::YieldOp>(yields);
}

scf::ForOp BatchLoops::buildLoop(Operation *op, const BatchOp &batchOp) {
  buildBounds(op);
  PopBuilder b(op);
  auto loop = b.create<scf::ForOp>(zero, end, one, buildInits(b, op, batchOp));
  borders.removeIgnored(loop);
  buildBody(b, loop, op, batchOp);
  b.setInsertionPoint(op);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), loop.getResults()))
    result.replaceAllUsesWith(
        b.cast(value, getElementTypeOrSelf(result.getType())));
  op->erase();
  return loop;
}

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

scf::ForOp mlir::pop::storeRowsToRefs(scf::ForOp loop) {
  BitVector dropped(loop.getNumRegionIterArgs() + 1);
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs())) {
    DynamicUpdateOp update = findRowUpdate(loop, i);
    if (!update)
      continue;
    dropped.set(i + 1);
    auto type = cast<RankedTensorType>(init.getType());
    PopBuilder b(update);
    b.setInsertionPoint(loop);
    // An update that is not in place copies the rows that are still to come.
    Value ref = b.create<AllocOp>(RefType::get(type), AllocInit::Zero);
    b.setInsertionPoint(update);
    b.create<DynamicUpdateInPlaceOp>(ref, update.getUpdate(), update.getStart(),
                                     update.getAxes());
    b.setInsertionPointAfter(loop);
    loop.getResult(i).replaceAllUsesWith(b.create<ReadOp>(type, ref));
    // Nothing reads the carried tensor but its update.
    update.replaceAllUsesWith(update.getInput());
    update.erase();
  }
  return dropped.any() ? dropCarried(loop, dropped) : loop;
}
