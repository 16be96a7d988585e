//===- BatchUnroller.cpp - Copies of ops for parts of a batch -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BatchUnroller.h"

#include "ContinuedSums.h"
#include "ipu-mlir/Dialect/Pop/IR/SerializationMarks.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

bool BatchBorders::separate(Operation *producer, Operation *user) const {
  return (vgraph && getVgraph(producer) != getVgraph(user)) ||
         (stage && getStage(producer) != getStage(user)) ||
         (phase && getPhase(producer) != getPhase(user));
}

void BatchBorders::removeIgnored(Operation *op) const {
  if (!vgraph)
    op->removeAttr(PopDialect::kVgraphAttrName);
  if (!stage)
    op->removeAttr(PopDialect::kStageAttrName);
  if (!phase)
    op->removeAttr(PopDialect::kPhaseAttrName);
}

static void setBatchPhase(Operation *op, int64_t part) {
  op->setAttr(PopDialect::kBatchPhaseAttrName,
              Builder(op->getContext()).getI64IntegerAttr(part));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

static Value buildStart(PopBuilder &b, int64_t start) {
  return b.splat(b.getI32IntegerAttr(static_cast<int32_t>(start)), {1});
}

Value BatchUnroller::buildSlice(PopBuilder &b, Value whole, int64_t dim,
                                int64_t part) {
  int64_t size =
      cast<RankedTensorType>(whole.getType()).getDimSize(dim) / numParts;
  if (!isDynamic)
    return b.slice(whole, dim, part * size, size);
  return b.create<DynamicSliceOp>(whole, buildStart(b, part * size),
                                  ArrayRef<int64_t>{dim},
                                  ArrayRef<int64_t>{size});
}

SmallVector<Value> BatchUnroller::getParts(OpOperand &operand, int64_t dim) {
  Value whole = operand.get();
  Operation *user = operand.getOwner();
  if (dim == BatchOp::kWhole)
    return SmallVector<Value>(numParts, whole);
  auto it = partsOf.find(whole);
  if (it != partsOf.end() && it->second.dim == dim &&
      !borders.separate(whole.getDefiningOp(), user))
    return it->second.values;
  SmallVector<Value> &sliced = slices[{whole, dim, getPlacement(user)}];
  if (sliced.empty()) {
    PopBuilder b(user);
    for (int64_t part = 0; part < numParts; ++part) {
      sliced.push_back(buildSlice(b, whole, dim, part));
      Operation *slice = sliced.back().getDefiningOp();
      setVgraph(slice, getVgraph(operand));
      setBatchPhase(slice, part);
    }
  }
  return sliced;
}

//===----------------------------------------------------------------------===//
// Assembled tensors
//===----------------------------------------------------------------------===//

Value BatchUnroller::assembleInPlace(PopBuilder &b, RankedTensorType type,
                                     const Parts &parts) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(parts.values.front().getDefiningOp());
  // An update that is not in place copies the parts that are still to come.
  auto ref = b.create<AllocOp>(RefType::get(type), AllocInit::Zero);
  SmallVector<Operation *, 1> ops{ref};
  int64_t size = type.getDimSize(parts.dim) / numParts;
  for (auto [part, value] : llvm::enumerate(parts.values)) {
    b.setInsertionPointAfterValue(value);
    Value start = buildStart(b, static_cast<int64_t>(part) * size);
    auto update = b.create<DynamicUpdateInPlaceOp>(
        ref, value, start, ArrayRef<int64_t>{parts.dim});
    setBatchPhase(update, static_cast<int64_t>(part));
    ops.append({start.getDefiningOp(), update});
  }
  ops.push_back(b.create<ReadOp>(type, ref));
  assemblies.push_back(std::move(ops));
  return assemblies.back().back()->getResult(0);
}

Value BatchUnroller::assemble(PopBuilder &b, RankedTensorType type,
                              const Parts &parts) {
  if (isDynamic)
    return assembleInPlace(b, type, parts);
  auto concat = b.create<ConcatOp>(parts.values, parts.dim);
  assemblies.push_back({concat});
  return concat;
}

void BatchUnroller::eraseUnused() {
  for (ArrayRef<Operation *> ops : llvm::reverse(assemblies)) {
    if (!ops.back()->use_empty())
      continue;
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Operation *BatchUnroller::buildPart(PopBuilder &b, Operation *op,
                                    const BatchOp &batchOp, ValueRange operands,
                                    int64_t part) {
  Operation *copy = clonePart(b, op, batchOp, operands, numParts);
  copy->removeAttr(kBatchAxisAttrName);
  setBatchPhase(copy, part);
  return copy;
}

void BatchUnroller::unrollSum(PopBuilder &b, Operation *op,
                              const BatchOp &batchOp,
                              ArrayRef<SmallVector<Value>> operands) {
  RankedTensorType sumType = getSumType(op);
  Value sum = getSumStart(op);
  for (int64_t part = 0; part < numParts; ++part) {
    Operation *copy = buildPart(b, op, batchOp, operands[part], part);
    if (sum)
      setSumStart(copy, sum);
    sum = copy->getResult(0);
    sum.setType(sumType);
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  op->getResult(0).replaceAllUsesWith(b.cast(sum, type.getElementType()));
}

void BatchUnroller::unrollResults(PopBuilder &b, Operation *op,
                                  const BatchOp &batchOp,
                                  ArrayRef<SmallVector<Value>> operands) {
  SmallVector<Parts> results(op->getNumResults());
  for (auto [result, dim] : llvm::zip_equal(results, batchOp.resultDims))
    result.dim = dim;
  for (int64_t part = 0; part < numParts; ++part) {
    Operation *copy = buildPart(b, op, batchOp, operands[part], part);
    for (auto [result, value] : llvm::zip_equal(results, copy->getResults()))
      result.values.push_back(value);
  }
  for (auto [result, parts] : llvm::zip_equal(op->getResults(), results)) {
    // All parts compute a result without the batch.
    if (parts.dim == BatchOp::kWhole) {
      result.replaceAllUsesWith(parts.values.front());
      continue;
    }
    Value whole = assemble(b, cast<RankedTensorType>(result.getType()), parts);
    for (Operation *assembling : assemblies.back())
      setVgraph(assembling, getVgraph(Value(result)));
    result.replaceAllUsesWith(whole);
    partsOf.try_emplace(whole, std::move(parts));
  }
}

void BatchUnroller::unroll(Operation *op, const BatchOp &batchOp) {
  SmallVector<SmallVector<Value>> operands(numParts);
  for (auto [operand, dim] :
       llvm::zip_equal(op->getOpOperands(), batchOp.operandDims))
    for (auto [part, value] : llvm::enumerate(getParts(operand, dim)))
      operands[part].push_back(value);
  PopBuilder b(op);
  if (batchOp.isSum)
    unrollSum(b, op, batchOp, operands);
  else
    unrollResults(b, op, batchOp, operands);
  op->erase();
}
